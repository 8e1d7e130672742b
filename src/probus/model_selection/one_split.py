"""One model on one split: fitted on the training rows, asked about the test rows, and caught when it falls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Table, Task
from probus.data.column import Level
from probus.errors import DataError
from probus.metrics import Outcome
from probus.metrics.labels import codes_of
from probus.model_selection.splitters.units import Pair
from probus.wrapping import fit_weighted, set_random_states, takes_weights

__all__ = ["Attempt", "Labelled", "attempt", "constant_outcome", "outcome_of"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """A task as arrays, taken apart once for all splits.

    y is what models are fitted to; actual is the same as codes into the classes, or as numbers.
    """

    X: Table
    y: np.ndarray
    actual: np.ndarray
    weights: np.ndarray | None
    classes: tuple[Level, ...]
    positive: int | None

    @classmethod
    def of(cls, task: Task) -> Labelled:
        """The task's features, target and weights."""
        actual = task.table[task.target].values
        return cls(
            X=task.X,
            y=task.y,
            actual=actual.astype(np.int64) if task.classes else actual,
            weights=task.sample_weight,
            classes=task.classes,
            positive=None if task.pos_label is None else task.classes.index(task.pos_label),
        )

    def truth(self, rows: np.ndarray) -> Outcome:
        """The truth about those rows, without predictions yet."""
        weights = None if self.weights is None else self.weights[rows]
        return Outcome(self.actual[rows], classes=self.classes, positive=self.positive, weights=weights)


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of a split: the outcome on its test rows, what was kept of the model, and what went wrong."""

    outcome: Outcome
    seconds: float
    kept: Any = None
    error: str | None = None


def attempt(
    model: Any, data: Labelled, pair: Pair, *, seed: int | None = None, keep: Callable[[Any], Any] | None = None
) -> Attempt:
    """Fit a copy of the model and ask it; where either fails, the constant predictor answers in its place.

    ``seed`` sets every ``random_state`` of the copy; ``keep`` says what of the fitted model to hand back.
    """
    train, test = pair
    started = time.perf_counter()
    try:
        fitted = _fitted(model, data, train, seed)
        outcome = outcome_of(fitted, data, test)
        kept, error = keep(fitted) if keep else None, None
    except Exception as reason:  # whatever a model raises belongs in the result, not on the floor
        told = str(reason).strip().partition("\n")[0]
        outcome, kept, error = constant_outcome(data, train, test), None, f"{type(reason).__name__}: {told}"
    return Attempt(outcome, time.perf_counter() - started, kept, error)


def outcome_of(fitted: Any, data: Labelled, rows: np.ndarray) -> Outcome:
    """What a fitted model says about those rows."""
    X, truth = data.X.take(rows), data.truth(rows)
    if data.classes:
        return _classified(fitted, X, truth)
    return replace(truth, predicted=_finite(fitted.predict(X)).reshape(len(truth)))


def constant_outcome(data: Labelled, train: np.ndarray, test: np.ndarray) -> Outcome:
    """What the class frequencies, or the mean, of the training rows say about the test rows."""
    weights = None if data.weights is None or not data.weights[train].any() else data.weights[train]
    truth = data.truth(test)
    if not data.classes:
        return replace(truth, predicted=np.full(len(test), np.average(data.actual[train], weights=weights)))
    counts = np.bincount(data.actual[train], weights, minlength=len(data.classes))
    return truth.with_chances(np.tile(counts / counts.sum(), (len(test), 1)))


def _fitted(model: Any, data: Labelled, train: np.ndarray, seed: int | None) -> Any:
    copy = clone(model)
    if seed is not None:
        set_random_states(copy, seed)
    weights = None if data.weights is None or not takes_weights(copy) else data.weights[train]
    return fit_weighted(copy, data.X.take(train), data.y[train], weights)


# -- what models say -----------------------------------------------------------------------------------


def _classified(fitted: Any, X: Table, truth: Outcome) -> Outcome:
    predicted = np.asarray(fitted.predict(X))
    if hasattr(fitted, "predict_proba"):
        known, said = _known(fitted, truth), _finite(fitted.predict_proba(X))
        chances = np.zeros((len(truth), len(truth.classes)))
        chances[:, known] = said
        likeliest = said.argmax(axis=1)
        same = np.array_equal(predicted, fitted.classes_[likeliest])  # far cheaper than looking up labels
        codes = known[likeliest] if same else _codes(predicted, truth)
        return replace(truth.with_chances(chances), predicted=codes)
    scores = None
    if hasattr(fitted, "decision_function") and len(truth.classes) == 2:
        sign = 1.0 if _known(fitted, truth)[-1] == truth.positive else -1.0
        scores = sign * _finite(fitted.decision_function(X))
    return replace(truth, predicted=_codes(predicted, truth), scores=scores)


def _codes(predicted: np.ndarray, truth: Outcome) -> np.ndarray:
    return codes_of(predicted, truth.classes, "what the model predicts")


def _known(fitted: Any, truth: Outcome) -> np.ndarray:
    """The classes that the model was shown, which may not be all."""
    return codes_of(np.asarray(fitted.classes_), truth.classes, "the model's classes_")


def _finite(said: Any) -> np.ndarray:
    array = np.asarray(said, dtype=np.float64)
    if not np.isfinite(array).all():
        raise DataError("predictions that are NaN or infinite.", "finite numbers")
    return array
