"""One model on every split: its scores, its predictions out of fold, and what went wrong."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from probus.data import Task
from probus.lifecycle.measures import Measure, Outcome
from probus.lifecycle.splits import Splits

__all__ = ["Failure", "Trial", "attempt"]


@dataclass(frozen=True)
class Failure:
    """A split on which a model could not be fitted or used, and the error's own words."""

    split: int
    error: str


@dataclass(eq=False)
class Trial:
    """What came of one model.

    ``scores`` holds one number per split for each measure, NaN where the split failed or the score is undefined;
    ``out_of_fold`` holds, for the first repeat, the prediction for each row by a model that had not seen it: codes
    into the classes (-1 where there is none) or numbers (NaN).
    """

    name: str
    model: Any
    scores: dict[str, np.ndarray]
    out_of_fold: np.ndarray
    done: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    warnings: dict[str, int] = field(default_factory=dict)

    @property
    def splits(self) -> int:
        """The number of splits planned."""
        return len(next(iter(self.scores.values())))

    @property
    def complete(self) -> bool:
        """Whether every split was tried and none failed: only then can the model be ranked."""
        return self.done == self.splits and not self.failures

    @property
    def status(self) -> str:
        """In words, what keeps the model out of the ranking; empty where nothing does."""
        if self.failures:
            return f"failed on {len(self.failures)} of {self.splits} splits: {self.failures[0].error}"
        return "" if self.complete else f"not finished: {self.done} of {self.splits} splits done"

    @classmethod
    def planned(cls, name: str, model: Any, task: Task, splits: Splits, measures: Sequence[Measure]) -> Trial:
        """A trial nobody has begun."""
        scores = {measure.name: np.full(len(splits), np.nan) for measure in measures}
        empty = np.full(len(task), -1) if task.classes else np.full(len(task), np.nan)
        return cls(name, model, scores, empty)


def attempt(
    trial: Trial, task: Task, X: Any, splits: Splits, measures: Sequence[Measure], go_on: Callable[[str], bool]
) -> None:
    """Run the trial split by split, as long as ``go_on`` says so; it is asked before each."""
    for number, (train, test) in enumerate(splits.pairs):
        if not go_on(trial.name):
            return
        started = time.perf_counter()
        try:
            with warnings.catch_warnings(record=True) as raised:
                warnings.simplefilter("always")
                outcome = _outcome(trial.model, task, X, train, test)
            for measure in measures:
                trial.scores[measure.name][number] = measure.compute(outcome)
            if number < splits.folds:
                trial.out_of_fold[test] = outcome.predicted
            for warning in raised:
                message = _first_line(warning.message)
                trial.warnings[message] = trial.warnings.get(message, 0) + 1
        except Exception as error:  # whatever a model raises belongs in the report, not on the floor
            trial.failures.append(Failure(number, f"{type(error).__name__}: {_first_line(error)}"))
        trial.seconds += time.perf_counter() - started
        trial.done += 1


def _first_line(told: Warning | str | Exception) -> str:
    return str(told).strip().partition("\n")[0]


def _outcome(model: Any, task: Task, X: Any, train: np.ndarray, test: np.ndarray) -> Outcome:
    from sklearn.base import clone

    y = task.y
    fitted = clone(model).fit(X.take(train), y[train])
    predicted = fitted.predict(X.take(test))
    if not task.classes:
        return Outcome(y[test], np.asarray(predicted, dtype=np.float64))
    code = {label: i for i, label in enumerate(task.classes)}
    chances = np.zeros((len(test), len(task.classes)))
    chances[:, [code[label] for label in fitted.classes_.tolist()]] = fitted.predict_proba(X.take(test))
    return Outcome(
        actual=task.table[task.target].values[test],
        predicted=np.array([code[label] for label in np.asarray(predicted).tolist()]),
        chances=chances,
        positive=None if task.positive is None else code[task.positive],
    )
