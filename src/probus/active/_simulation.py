"""What a strategy would gain, on data whose labels are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.model_selection import train_test_split

from probus.active._diverse_batch import diverse
from probus.active.queries import Pool, Query, Situation, query_of
from probus.base import encoded_classes
from probus.comparison import TestResult, corrected_resampled_ttest, holm_pvalues
from probus.data import Table
from probus.datasets.source import task_of
from probus.display import Cells, Notes, Result, counted, drawing, p_text
from probus.ensemble import aligned_predictions
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome, Scoring, measure
from probus.model_selection import corrected_interval
from probus.model_selection.engine import run_jobs
from probus.pipeline import tabular

RANDOM = "random"


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Result):
    """Learning curves of strategies, and a test of each against rows drawn at random.

    Attributes
    ----------
    model, measure : the names of the model and the score.
    sizes : the numbers of labels.
    scores : by strategy, the score of each repeat and size.
    test_to_train : the rows tested over the rows of the pool.
    tests : by strategy, the test of its mean score over all sizes against random rows.
    pvalues : by strategy, adjusted for their number (Holm).
    greater_is_better : False where the scores are losses.
    level : of the intervals.
    """

    model: str
    measure: str
    sizes: tuple[int, ...]
    scores: dict[str, np.ndarray]
    test_to_train: float
    tests: dict[str, TestResult]
    pvalues: dict[str, float]
    greater_is_better: bool = True
    level: float = 0.95

    @property
    def queries(self) -> tuple[str, ...]:
        """The strategies."""
        return tuple(self.scores)

    def curve(self, query: str) -> list[Estimate]:
        """The mean score of a strategy at each size, with its interval over repeats."""
        return [corrected_interval(each, self.test_to_train, level=self.level) for each in self.scores[query].T]

    def gain(self, query: str) -> Estimate:
        """By how much a strategy is better than random rows, on average over all sizes."""
        found = self.tests[query].effect
        if self.greater_is_better:
            return found
        return Estimate(-found.value, -found.high, -found.low, found.level, found.method, found.n)

    def labels_to_reach(self, query: str) -> int | None:
        """The number of labels with which a strategy has the last mean score of random rows; None where it has not."""
        sign = 1.0 if self.greater_is_better else -1.0
        means, aim = sign * self.scores[query].mean(axis=0), sign * float(self.scores[RANDOM][:, -1].mean())
        reached = np.flatnonzero(means >= aim - 1e-12)
        return self.sizes[int(reached[0])] if len(reached) else None

    def verdict(self, query: str) -> str:
        """Whether a strategy beats random rows, by the adjusted test."""
        if self.pvalues[query] >= 1 - self.level:
            return "undecided"
        return "better" if self.gain(query).value > 0 else "worse"

    @property
    def sentence(self) -> str:
        """The conclusion for each strategy."""
        parts = []
        for query in self.tests:
            gain, p = self.gain(query), p_text(self.pvalues[query])
            words = {
                "better": "beats random rows",
                "worse": "is worse than random rows",
                "undecided": "and random rows: undecided",
            }
            parts.append(f"{query} {words[self.verdict(query)]} ({gain} {self.measure} on average, {p}).")
        return (
            " ".join(parts)
            or f"{counted(len(self.queries), 'strategy', 'strategies')}, none to test against random rows."
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves, with bands."""
        ax = drawing.new_axes(ax, 6.4, 4.2)
        drawing.tidy(ax, self.model, "labels", self.measure)
        lines = []
        for colour, query in zip(drawing.COLOURS * 2, self.queries, strict=False):
            found = self.curve(query)
            ends = np.array([[each.low, each.high] for each in found])
            ax.fill_between(self.sizes, ends[:, 0], ends[:, 1], color=colour, alpha=0.10, linewidth=0, zorder=2)
            ax.plot(self.sizes, [each.value for each in found], color=colour, linewidth=1.8, zorder=3)
            lines.append((query.replace("_", " "), colour))
        drawing.caption(ax, lines, "lower right" if self.greater_is_better else "upper right")
        return ax

    def _parts(self) -> list[Any]:
        places = sorted({0, len(self.sizes) // 2, len(self.sizes) - 1})
        header = ["query", *(f"{self.sizes[place]} labels" for place in places), "labels for the last score of random"]
        rows = []
        for query in self.queries:
            curve, reach = self.curve(query), self.labels_to_reach(query) if RANDOM in self.scores else None
            rows.append([query, *(str(curve[place]) for place in places), "–" if reach is None else f"{reach:,}"])
        repeats = len(next(iter(self.scores.values())))
        note = f"{counted(repeats, 'random split')}, corrected resampled t, p-values by Holm"
        return [self.sentence, Cells([header, *rows]), Notes([note])]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"query": query, "labels": size, "score": found.value, "low": found.low, "high": found.high}
            for query in self.queries
            for size, found in zip(self.sizes, self.curve(query), strict=True)
        ]


def simulate(
    model: Any, X: Any, y: Any = None, *, target: str | None = None,
    queries: Iterable[str | Query] = ("random", "margin"), n_labels: int = 100, start: int = 10, batch: int = 5,
    repeats: int = 10, test_size: float = 0.3, scoring: Scoring = "accuracy", level: float = 0.95,
    random_state: int = 0, n_jobs: int | None = None,
) -> Simulation:  # fmt: skip
    """The learning curves that strategies would have had, on rows whose labels are known.

    In each repeat the rows are split at random into a pool and test rows, and all strategies begin with the same
    labels, drawn at random. The test of a strategy against random rows is that of its mean score over all numbers of
    labels, on the same splits (Nadeau and Bengio 2003).

    Parameters
    ----------
    model : a classifier.
    X, y, target : rows and labels, a Task, or a table and the name of its ``target``.
    queries : names of strategies, or ``Query`` objects; "random" is added, since the test needs it.
    n_labels : the number of labels at the end.
    start : the number of labels at the beginning, drawn at random.
    batch : the number of labels between two fits.
    repeats : the number of random splits.
    test_size : the share of rows that are tested.
    scoring : a measure.
    level : of the intervals.
    random_state : the seed of the splits and of what strategies draw.
    n_jobs : the number of repeats that run in parallel; the result does not depend on it.

    Returns
    -------
    The curves and the tests.

    >>> import probus
    >>> from probus.naive_bayes import GaussianNB
    >>> found = simulate(GaussianNB(), probus.datasets.iris(), target="species", n_labels=30, repeats=4)
    >>> found.sizes, found.queries, sorted(found.tests)
    ((10, 15, 20, 25, 30), ('random', 'margin'), ['margin'])
    """
    task = task_of(X, y, target=target, model=model)
    if task.kind != "classification" or is_regressor(model):
        raise DataError("a task of numbers.", "a classifier and classes", "Query strategies are for classes.")
    named = _named(queries)
    classes, codes = encoded_classes(task.y, len(task))
    n_test = int(np.ceil(test_size * len(codes)))
    if not (2 <= start <= n_labels and batch >= 1 and repeats >= 2):
        raise DataError(
            f"start={start}, n_labels={n_labels}, batch={batch}, repeats={repeats}.",
            "2 ≤ start ≤ n_labels, and batch from 1, repeats from 2",
        )
    if n_labels > len(codes) - n_test:
        raise DataError(
            f"n_labels={n_labels} of a pool of {len(codes) - n_test:,} rows.", "fewer labels than the pool has rows"
        )
    chosen, ready = measure(scoring), tabular(model)
    sizes = (*range(start, n_labels, batch), n_labels)
    seeds = np.random.SeedSequence(random_state).generate_state(repeats)
    run = _Run(ready, task.table.select(*task.features), classes, codes, named, sizes, chosen, n_test)
    found = list(run_jobs(run, [(int(seed),) for seed in seeds], n_jobs))
    scores = {name: np.array([each[name] for each in found]) for name in named}
    ratio = n_test / (len(codes) - n_test)
    tests = {
        name: corrected_resampled_ttest(
            scores[name].mean(axis=1), scores[RANDOM].mean(axis=1), ratio, level=level, names=(name, RANDOM),
            greater_is_better=chosen.greater_is_better,
        )
        for name in named if name != RANDOM
    }  # fmt: skip
    adjusted: Any = holm_pvalues([test.pvalue for test in tests.values()]) if tests else []
    pvalues = dict(zip(tests, map(float, adjusted), strict=True))
    name = type(model).__name__
    return Simulation(name, chosen.label, sizes, scores, ratio, tests, pvalues, chosen.greater_is_better, level)


def _named(queries: Iterable[str | Query]) -> dict[str, Query]:
    listed = [queries] if isinstance(queries, (str, Query)) else list(queries)
    named: dict[str, Query] = {RANDOM: query_of(RANDOM)}
    for query in map(query_of, listed):
        name = query.name
        while name in named and name != RANDOM:
            name += "'"
        named[name] = query
    return named


@dataclass(frozen=True, eq=False)
class _Run:
    """One repeat: the scores of every strategy at every size."""

    estimator: Any
    rows: Table
    classes: np.ndarray
    codes: np.ndarray
    queries: dict[str, Query]
    sizes: Sequence[int]
    measure: Measure
    n_test: int

    def __call__(self, seed: int) -> dict[str, list[float]]:
        stratified = self.codes if np.bincount(self.codes).min() >= 2 else None
        pool, test = train_test_split(
            np.arange(len(self.codes)), test_size=self.n_test, random_state=seed, stratify=stratified
        )
        first = _first_labels(self.codes[pool], self.sizes[0], np.random.RandomState(seed))
        rows = Pool(self.rows.take(pool))
        return {name: self._curve(query, rows, pool, test, first, seed) for name, query in self.queries.items()}

    def _curve(
        self, query: Query, rows: Pool, pool: np.ndarray, test: np.ndarray, first: np.ndarray, seed: int
    ) -> list[float]:
        codes, labelled, random = self.codes[pool], first, np.random.RandomState(seed)
        found: list[float] = []
        model: Any = None
        tested = self.rows.take(test)
        for size in self.sizes:
            if size > len(labelled):
                free = np.setdiff1d(np.arange(len(pool)), labelled)
                situation = Situation(
                    rows, labelled, codes[labelled], free, self.classes, self.estimator, model, random
                )
                best = diverse(situation, query.scores(situation), size - len(labelled))
                labelled = np.concatenate([labelled, free[best]])
            situation = Situation(rows, labelled, codes[labelled], labelled, self.classes, self.estimator, None, random)
            model = situation.fit(labelled, codes[labelled])
            found.append(self._score(model, tested, test))
        return found

    def _score(self, model: Any, tested: Table, test: np.ndarray) -> float:
        labels, needs = self.classes[self.codes[test]], self.measure.needs
        if needs in ("probabilities", "scores"):
            predicted = aligned_predictions(model, "predict_proba", tested, self.classes)
        else:
            predicted = model.predict(tested)
        outcome = Outcome.of(labels, predicted, needs=needs, classes=self.classes.tolist())
        return float(self.measure.compute(outcome))


def _first_labels(codes: np.ndarray, n: int, random: np.random.RandomState) -> np.ndarray:
    """Rows at random, of which the last is replaced until there are two classes."""
    order = random.permutation(len(codes))
    first = order[:n]
    if len(np.unique(codes[first])) < 2:
        other = order[n:][codes[order[n:]] != codes[first[0]]]
        if not len(other):
            raise DataError(
                "a pool of rows of one class.", "rows of two classes in each pool", "The others are too rare."
            )
        first = np.append(first[:-1], other[0])
    return first
