"""The scores of subsets of columns: a model fitted on each, on the same splits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from probus.data import Task
from probus.errors import DataError, FailedModelError
from probus.metrics import Measure, measure
from probus.model_selection import Failure, Resampled, Splits, checked_measures
from probus.model_selection.engine import Engine
from probus.model_selection.one_split import Attempt, Labelled, constant_outcome
from probus.pipeline import Select, TabularPipeline, tabular

Subset = tuple[int, ...]
OUT_OF_TIME, INTERRUPTED = "the time was up", "interrupted"


class SearchStopped(Exception):
    """The time is up."""


@dataclass(eq=False)
class SubsetScorer:
    """Scores subsets of the columns of a task, each once; ``scores`` has what it did.

    planned : the number of subsets that the search will score, for the progress.
    """

    model: Any
    task: Task
    splits: Splits
    measure: Measure
    seeds: Sequence[int | None]
    planned: int
    name: str
    update: Callable[[int, int, str], None]
    n_jobs: int | None = None
    executor: Any = None
    deadline: float | None = None
    scores: dict[Subset, float] = field(default_factory=dict)
    n_fits: int = 0
    _recent: dict[Subset, Resampled] = field(default_factory=dict)
    _failure: Failure | None = None

    def __post_init__(self) -> None:
        self._data = Labelled.of(self.task, self.task.X, measures=[self.measure])
        self._names = self.task.features

    def score(self, subsets: Sequence[Subset]) -> np.ndarray:
        """The score of each subset, turned so that more is better; NaN where the model failed on a split."""
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self.scores]
        if new:
            self._recent = {}
            self._score_new(new)
        return np.array([self.scores[subset] for subset in subsets])

    def result(self, subset: Subset) -> Resampled:
        """The predictions of a subset; of one that was scored in an earlier call, they are computed again."""
        if subset not in self._recent:
            self._score_new([subset])
        return self._recent[subset]

    def best_of(self, subsets: Sequence[Subset]) -> tuple[Subset, float]:
        """The subset with the best score, the first of equals."""
        scores = self.score(subsets)
        if np.isnan(scores).all():
            assert self._failure is not None
            raise FailedModelError(
                f"{self.name} failed with every subset of {len(subsets[0])} of {len(self._names)} columns: "
                f"{self._failure.error}",
                "a model that can be fitted on some of the columns",
            ) from self._failure.cause
        best = int(np.nanargmax(scores))
        return subsets[best], float(scores[best])

    def _score_new(self, subsets: Sequence[Subset]) -> None:
        filled = [subset for subset in subsets if subset]
        jobs = [
            (self._on(subset), pair, seed, None)
            for subset in filled
            for pair, seed in zip(self.splits.pairs, self.seeds, strict=True)
        ]
        before, n_splits = self.n_fits, len(self.splits)
        total = max(self.planned * n_splits, before + len(jobs))
        text = f"{self.name}: {total:,} fits"
        engine = Engine(
            text, self.n_jobs, self.executor, lambda done, _, what: self.update(done, total, what), self.deadline
        )
        attempts = engine.attempts(self._data, jobs, before=before) if jobs else []
        self.n_fits += len(attempts)
        whole = len(attempts) // n_splits
        for place, subset in enumerate(filled[:whole]):
            self._keep(subset, attempts[place * n_splits : (place + 1) * n_splits])
        if () in subsets:
            self._keep((), [self._constant(train, test) for train, test in self.splits.pairs])
        if whole < len(filled):
            raise SearchStopped

    def _keep(self, subset: Subset, attempts: Sequence[Attempt]) -> None:
        outcomes = tuple(each.outcome for each in attempts)
        failures = tuple(Failure(i, each.error, each.cause) for i, each in enumerate(attempts) if each.error)
        names = ", ".join(self._names[j] for j in subset)
        found = Resampled(names, self.task, self.splits, outcomes, (self.measure,), failures)
        self._failure = failures[0] if failures else self._failure
        self._recent[subset] = found
        self.scores[subset] = np.nan if failures else self.measure.better(score_of(found, self.measure))

    def _on(self, subset: Subset) -> Any:
        return on_columns(self.model, [self._names[j] for j in subset])

    def _constant(self, train: np.ndarray, test: np.ndarray) -> Attempt:
        return Attempt(constant_outcome(self._data, train, test), 0.0, 0.0)


def on_columns(model: Any, names: Sequence[str]) -> Any:
    """The model, prepared by ``tabular``, on some columns of a table."""
    return TabularPipeline([("columns", Select(columns=list(names))), ("model", tabular(model))])


def score_of(found: Resampled, chosen: Measure) -> float:
    """The score over all splits, as of its estimate; an error where it is undefined on some."""
    each = found.scores(chosen)
    undefined = int(np.isnan(each).sum())
    if undefined:
        raise DataError(
            f"{chosen.name} is undefined on {undefined} of {len(each)} splits, which may test one class only.",
            "a measure that every split has",
            "Use fewer folds, a splitter that stratifies, or a measure such as log_loss or accuracy.",
        )
    tested = found.tested(chosen)
    return float(each.mean()) if tested is None else float(tested.value)


def measure_of(scoring: Any, model: Any, task: Task) -> Measure:
    """The measure that chooses: the one given, else ROC AUC of two classes, log loss of more, RMSE of numbers."""
    given = checked_measures(scoring, task)
    if given:
        return given[0]
    if not task.classes:
        return measure("rmse")
    if not hasattr(model, "predict_proba"):
        return measure("balanced_accuracy")
    return measure("roc_auc" if len(task.classes) == 2 else "log_loss")


def check_target(model: Any, task: Task) -> None:
    """Raise where there is one class only, or one row."""
    check_rows(len(task))
    if is_classifier(model) and len(np.unique(task.y)) < 2:
        raise DataError(f"one class only: {task.y[0]!r}.", "at least two classes to distinguish")


def check_rows(n: int) -> None:
    """Raise where there is one row."""
    if n < 2:
        raise DataError("n_samples = 1.", "at least two rows: one to learn from, one to choose by")


def deadline_after(seconds: float | None) -> float | None:
    """The time of ``perf_counter`` after so many seconds."""
    return None if seconds is None else time.perf_counter() + seconds
