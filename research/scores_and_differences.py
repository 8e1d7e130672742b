"""``python -m research.scores_and_differences [chosen | judged] [--samples N] [cell …]``: scores, differences.

Several models are cross-validated on the same samples, by the default splits, and for each measure are printed: the
share of 95 % intervals that hold the expected score, with their mean half-width over the one that is needed (1.96
standard deviations of the score over samples), and the same for the difference of each pair of models. One hundred less
the coverage of a difference is the size of the test at 5 %. Beside it are its power, the share of samples in which the
difference is significant, and the power of a test that knows the variance.

The expected score is the mean over samples of a model trained on one fold's training rows, on rows that no model was
trained on. The constants of ``probus.model_selection._score_variance`` were chosen on the cells of ``CHOSEN`` and
others named there; those of ``JUDGED`` were written down before, and run once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import NormalDist
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.comparison._paired_rows import paired_rows_test
from probus.comparison._significance import Pairing
from probus.data import Task
from probus.metrics import Estimate, Outcome, measure
from probus.model_selection import Resampled, Splits, splits_of
from probus.model_selection._score_variance import is_unstable
from probus.model_selection._splits import halves
from probus.model_selection._tested_rows import Halves

FRESH_ROWS = 2_000
FEWEST = 5  # rows of a class; samples with fewer are drawn again

Sample = tuple[np.ndarray, np.ndarray, np.ndarray | None]
Draw = Callable[[np.random.Generator, int], Sample]


@dataclass(frozen=True)
class Model:
    """An estimator and the columns that it is fitted on; None for all."""

    estimator: Any
    columns: Any = None


@dataclass(frozen=True)
class Cell:
    """A population, a number of rows, models by name, measures, and how many classes there are, 0 for numbers."""

    what: str
    draw: Draw
    n: int
    models: dict[str, Model]
    measures: tuple[str, ...]
    classes: int = 2
    compared: tuple[tuple[str, str], ...] = field(default=())

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(self.compared) or list(combinations(self.models, 2))


# -- populations ---------------------------------------------------------------------------------------


def sine(flips: float, high: float = 0.0) -> Draw:
    """Two classes on either side of a sine, with flipped labels and a column of noise."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X = rng.uniform(-2, 2, size=(n, 3))
        above = X[:, 1] > np.sin(2 * X[:, 0]) + high
        return X, (above ^ (rng.random(n) < flips)).astype(int), None

    return draw


def heavy(df: float, share: float, by: float) -> Draw:
    """Four features with t-distributed values, two of them shifted in the positive class."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = (rng.random(n) < share).astype(int)
        X = rng.standard_t(df, size=(n, 4))
        X[:, 0] += by * y
        X[:, 1] -= by * y / 2
        return X, y, None

    return draw


def own_features(share: float, by: float, noise: float, skewed: float = 0.0) -> Draw:
    """Three blocks of three columns: two that are equally informative, and the first with noise."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = (rng.random(n) < share).astype(int)
        shift = by * np.array([1.0, 0.5, 0.0])
        a, b = (rng.normal(size=(n, 3)) + y[:, None] * shift for _ in range(2))
        c = a + noise * rng.normal(size=(n, 3))
        X = np.hstack([a, b, c])
        return (np.exp(skewed * X) if skewed else X), y, None

    return draw


def own_fields(flips: float) -> Draw:
    """Two pairs of columns, each with an exclusive or that one of two classes follows; labels are flipped."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X = rng.uniform(-1, 1, size=(n, 6))
        y = rng.integers(0, 2, n)
        for start in (0, 3):  # columns of either block are turned so that they show the class, or its opposite
            shown = (X[:, start] > 0) ^ (X[:, start + 1] > 0)
            wrong = shown != (y == 1) ^ (rng.random(n) < flips)
            X[wrong, start] *= -1
        return X, y, None

    return draw


def skewed(share: float, slope: float, d: int = 5) -> Draw:
    """A logistic target of log-normal features, two of which interact."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        Z = rng.normal(size=(n, d))
        score = slope * (Z[:, 0] - Z[:, 1] + 0.7 * Z[:, 2] * Z[:, 3]) + np.log(share / (1 - share))
        return np.exp(0.7 * Z), (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int), None

    return draw


def rings(rng: np.random.Generator, n: int) -> Sample:
    """Two rings around one another, with two columns of noise."""
    y = rng.integers(0, 2, n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 0.8 * y + 0.45 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=(n, 2))]), y, None


def wave(df: float, d: int = 4) -> Draw:
    """Numbers that follow a line and a wave, with t-distributed errors."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X = rng.normal(size=(n, d))
        return X, X[:, 0] + np.sin(2 * X[:, 1]) + 0.7 * rng.standard_t(df, n), None

    return draw


def grouped(sizes: tuple[int, int], numbers: bool, shift: float, spread: float, share: float = 0.3) -> Draw:
    """Groups of between so many rows, whose features are shifted together, and whose mean or log-odds differ."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        size = rng.integers(sizes[0], sizes[1] + 1, round(2 * n / sum(sizes)))
        group = np.repeat(np.arange(len(size)), size)
        X = rng.normal(size=(len(group), 3)) + shift * rng.normal(size=(len(size), 3))[group]
        of_group = spread * rng.normal(size=len(size))[group]
        if numbers:
            return X, X[:, 0] + np.sin(X[:, 1]) + of_group + rng.normal(size=len(group)), group
        odds = X[:, 0] + 0.5 * X[:, 1] + of_group + np.log(share / (1 - share))
        return X, (rng.random(len(group)) < 1 / (1 + np.exp(-odds))).astype(int), group

    return draw


def classes(shares: tuple[float, ...], apart: float, d: int, seed: int) -> Draw:
    """As many normal classes as shares."""
    centres = np.random.default_rng(seed).normal(size=(len(shares), d)) * apart

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = rng.choice(len(shares), n, p=shares)
        return centres[y] + rng.normal(size=(n, d)), y, None

    return draw


# -- cells ---------------------------------------------------------------------------------------------

A, B, C = slice(0, 3), slice(3, 6), slice(6, 9)
BINARY = ("accuracy", "f1", "roc_auc", "brier", "log_loss")
NUMBERS = ("rmse", "mae", "r2")


def three(estimator: Any) -> dict[str, Model]:
    """A model, an equal one on columns of its own, and a worse one."""
    return {"own a": Model(estimator, A), "own b": Model(estimator, B), "noisy a": Model(estimator, C)}


def forest(trees: int = 30) -> Model:
    return Model(RandomForestClassifier(trees, random_state=0))


def boosting(trees: int = 30) -> Model:
    return Model(GradientBoostingClassifier(n_estimators=trees, random_state=0))


def tree(depth: int | None = None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


LDA, QDA = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()
LOGIT = LogisticRegression(max_iter=300)

CHOSEN = (
    Cell(
        "sine, 10 % flips", sine(0.1), 300,
        {"SVC": Model(SVC()), "9-NN": Model(KNeighborsClassifier(9)), "LDA": Model(LDA)}, BINARY,
    ),
    Cell(
        "t4 features", heavy(4, 0.35, 1.2), 150,
        {"5-NN": Model(KNeighborsClassifier()), "15-NN": Model(KNeighborsClassifier(15)), "SVC": Model(SVC())}, BINARY,
    ),
    Cell("own features, even", own_features(0.5, 1.2, 0.7), 400, three(LDA), BINARY),
    Cell("own features, 12 %", own_features(0.12, 1.4, 0.8), 600, three(GaussianNB()), BINARY),
    Cell("own features, trees", own_features(0.4, 1.5, 0.9), 400, three(tree()), BINARY[:4]),
    Cell("own features, depth 4", own_features(0.5, 1.3, 0.9), 500, three(tree(4)), ("accuracy", "f1", "brier")),
    Cell(
        "own fields", own_fields(0.1), 300,
        {"own a": Model(tree(3), A), "own b": Model(tree(3), B)}, ("accuracy", "f1", "brier"),
    ),
    Cell(
        "skewed", skewed(0.3, 1.2), 300,
        {"forest": forest(), "boosting": boosting(), "naive Bayes": Model(GaussianNB()),
         "15-NN": Model(KNeighborsClassifier(15))}, BINARY,
    ),
    Cell(
        "a wave", wave(6), 200,
        {"5-NN": Model(KNeighborsRegressor()), "linear": Model(LinearRegression()),
         "tree": Model(DecisionTreeRegressor(max_depth=4, random_state=0))}, NUMBERS, 0,
    ),
    Cell(
        "40 groups of 8", grouped((8, 8), True, 0.7, 0.6), 320,
        {"5-NN": Model(KNeighborsRegressor()), "linear": Model(LinearRegression())}, NUMBERS, 0,
    ),
    Cell(
        "40 groups of 3 to 13", grouped((3, 13), False, 0.6, 0.7), 320,
        {"logistic": Model(LOGIT), "9-NN": Model(KNeighborsClassifier(9))}, (*BINARY, "average_precision"),
    ),
)  # fmt: skip

JUDGED = (
    Cell(
        "sine, 15 % flips", sine(0.15, 0.3), 400,
        {"SVC": Model(SVC()), "11-NN": Model(KNeighborsClassifier(11)), "QDA": Model(QDA)}, BINARY,
    ),
    Cell(
        "t3 features", heavy(3, 0.4, 1.0), 120,
        {"7-NN": Model(KNeighborsClassifier(7)), "SVC": Model(SVC(C=3.0)), "logistic": Model(LOGIT)}, BINARY,
    ),
    Cell("own features, 4.8 points", own_features(0.45, 1.3, 0.62), 700, three(LDA), BINARY),
    Cell("own features, 20 %, skewed", own_features(0.2, 1.3, 0.7, 0.5), 500, three(LOGIT), BINARY),
    Cell("own features, 9-NN", own_features(0.3, 1.3, 0.7), 350, three(KNeighborsClassifier(9)), BINARY),
    Cell("own features, full trees", own_features(0.5, 1.2, 0.9), 600, three(tree()), ("accuracy", "f1", "brier")),
    Cell("own features, depth 5", own_features(0.35, 1.5, 0.9, 0.4), 400, three(tree(5)), ("accuracy", "f1", "brier")),
    Cell(
        "rings", rings, 300,
        {"forest": forest(50), "boosting": boosting(50), "SVC": Model(SVC()), "QDA": Model(QDA)}, BINARY,
    ),
    Cell(
        "four classes", classes((0.4, 0.3, 0.2, 0.1), 0.8, 4, 17), 250,
        {"LDA": Model(LDA), "naive Bayes": Model(GaussianNB()), "9-NN": Model(KNeighborsClassifier(9)),
         "SVC": Model(SVC())}, ("accuracy", "f1_macro", "brier", "log_loss"), 4,
    ),
    Cell(
        "a wave, t5", wave(5, 6), 300,
        {"7-NN": Model(KNeighborsRegressor(7)), "linear": Model(LinearRegression()),
         "full tree": Model(DecisionTreeRegressor(random_state=0))}, NUMBERS, 0,
    ),
    Cell(
        "40 groups of 2 to 12", grouped((2, 12), True, 0.8, 0.8), 280,
        {"7-NN": Model(KNeighborsRegressor(7)), "linear": Model(LinearRegression())}, NUMBERS, 0,
    ),
    Cell(
        "40 groups of 10", grouped((10, 10), False, 0.6, 0.8, 0.2), 400,
        {"logistic": Model(LOGIT), "15-NN": Model(KNeighborsClassifier(15))}, (*BINARY, "average_precision"),
    ),
)  # fmt: skip


# -- simulation ----------------------------------------------------------------------------------------


def predicted(cell: Cell, model: Any, X: np.ndarray, y: np.ndarray) -> Outcome:
    """The outcome of a fitted model, with scores where it has no probabilities, as ``resample`` has them."""
    if not cell.classes:
        return Outcome(y, model.predict(X))
    truth = Outcome(y, classes=tuple(map(str, range(cell.classes))), positive=1 if cell.classes == 2 else None)
    if not hasattr(model, "predict_proba"):
        scores = model.decision_function(X) if cell.classes == 2 else None
        return replace(truth, predicted=model.predict(X), scores=scores)
    p = np.zeros((len(y), cell.classes))
    p[:, model.classes_] = model.predict_proba(X)
    return truth.with_probabilities(p)


def resampled(cell: Cell, seed: int) -> tuple[dict[str, Resampled], dict[str, Outcome]]:
    """Each model on one sample, and the fresh rows predicted by one fit of each."""
    rng = np.random.default_rng([crc32(cell.what.encode()), cell.n, seed])
    X, y, group = cell.draw(rng, cell.n)
    while cell.classes and np.bincount(y, minlength=cell.classes).min() < FEWEST:
        X, y, group = cell.draw(rng, cell.n)
    X_fresh, y_fresh, _ = cell.draw(rng, FRESH_ROWS)
    table = {"y": y.astype(str) if cell.classes else y, "x": X[:, 0]}
    table |= {} if group is None else {"group": group.astype(str)}
    task = Task(table, target="y", group=None if group is None else "group")
    splits = splits_of(None, task, random_state=seed)
    found, fresh = {}, {}
    for name, model in cell.models.items():
        fitted = _fitter(model, X, y)
        fresh[name] = predicted(cell, fitted(splits.pairs[0][0]), X_fresh[:, model.columns or slice(None)], y_fresh)

        def tested(splits: Splits, model: Model = model, fitted: Any = fitted) -> tuple[Outcome, ...]:
            return tuple(
                predicted(cell, fitted(train), X[test][:, model.columns or slice(None)], y[test])
                for train, test in splits.pairs
            )

        outcomes, drawn = tested(splits), halves(task, splits)
        assert drawn is not None
        halved = Halves(drawn, tested(drawn)) if is_unstable(outcomes, splits, task.groups) else None
        measures = tuple(measure(each) for each in _possible(cell, outcomes[0]))
        found[name] = Resampled(name, task, splits, outcomes, measures, seconds=np.ones(len(splits)), halves=halved)
    return found, fresh


def _fitter(model: Model, X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], Any]:
    return lambda train: clone(model.estimator).fit(X[train][:, model.columns or slice(None)], y[train])


def _possible(cell: Cell, outcome: Outcome) -> list[str]:
    needed = {"brier", "log_loss", *(() if outcome.scores is not None else ("roc_auc", "average_precision"))}
    return [
        name for name in cell.measures if outcome.probabilities is not None or name not in needed or not cell.classes
    ]


@dataclass(frozen=True)
class Line:
    """Of a score or of a difference: its expected value, the coverage, the width over that needed, and the power."""

    what: str
    measure: str
    expected: float
    held: float
    width: float
    power: float = np.nan
    possible: float = np.nan


def lines_of(cell: Cell, samples: int) -> Iterator[Line]:
    drawn = [resampled(cell, seed) for seed in range(samples)]
    for name in cell.measures:
        expected = {}
        for model in cell.models:
            if name not in {each.name for each in drawn[0][0][model].measures}:
                continue
            of_fresh = np.array([measure(name).compute(fresh[model]) for _, fresh in drawn])
            expected[model] = np.sqrt(np.mean(of_fresh**2)) if name == "rmse" else float(np.nanmean(of_fresh))
            yield _line(model, name, expected[model], [found[model].estimate(name) for found, _ in drawn])
        for a, b in cell.pairs:
            if not {a, b} <= set(expected):
                continue
            apart = [_difference(found[a], found[b], name) for found, _ in drawn]
            yield _line(f"{a} − {b}", name, expected[a] - expected[b], apart, compared=True)


def _difference(a: Resampled, b: Resampled, name: str) -> Estimate:
    """Of the scores of a and b, with its interval."""
    tested, other = a.tested(name), b.tested(name)
    assert tested is not None
    assert other is not None
    return paired_rows_test(tested, other, Pairing((a.name, b.name), ""), groups=a.task.groups).effect


def _line(what: str, name: str, expected: float, found: Sequence[Estimate], compared: bool = False) -> Line:
    value, low, high = (np.array([getattr(each, end) for each in found]) for end in ("value", "low", "high"))
    spread = float(value.std(ddof=1))
    width = float(np.mean(high - low)) / 2 / (1.96 * spread) if spread > 0 else np.inf
    held = float(np.mean((low <= expected) & (expected <= high)))
    if not compared:
        return Line(what, name, expected, held, width)
    power = float(np.mean((low > 0) | (high < 0)))
    apart = abs(float(value.mean())) / spread if spread > 0 else np.inf
    possible = NormalDist().cdf(apart - 1.96) + NormalDist().cdf(-apart - 1.96)
    return Line(what, name, expected, held, width, power, possible)


def printed(cell: Cell, samples: int) -> Iterator[str]:
    for each in lines_of(cell, samples):
        power = "" if np.isnan(each.power) else f"{100 * each.power:.0f} of {100 * each.possible:.0f}"
        cover = f"{100 * each.held:.0f} ({each.width:.2f})"
        yield f"| {cell.what} | {each.what} | {cell.n} | {each.measure} | {each.expected:.3f} | {cover} | {power} |"


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    cells = {"chosen": CHOSEN, "judged": JUDGED}
    samples = int(arguments[arguments.index("--samples") + 1]) if "--samples" in arguments else 200
    words = [word for word in arguments if not word.startswith("--") and not word.isdigit()]
    only = [word for word in words if word not in cells]
    for name in [word for word in words if word in cells] or cells:
        print(f"\n{name}, {samples} samples\n")
        print(
            "| population | models | rows | measure | expected | held (width) | power |\n|---|---|---|---|---|---|---|"
        )
        for cell in cells[name]:
            if only and not any(word in f"{cell.what} {cell.n}" for word in only):
                continue
            for line in printed(cell, samples):
                print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
