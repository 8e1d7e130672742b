"""Scores and losses of raw predictions during a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer

from probus.losses import Loss


def mean_loss(loss: Loss, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
    """The mean loss of raw predictions, as scikit-learn's classical gradient boosting reports it."""
    flat = raw[:, 0] if raw.shape[1] == 1 else raw
    mean = float(np.average(loss.value(y, flat), weights=weight))
    return 2.0 * mean if loss.halved else mean


def total_loss(loss: Loss, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, rows: np.ndarray) -> float:
    """The weighted sum of the losses of some rows."""
    if len(rows) < len(y):
        y, raw, weight = y[rows], raw[rows], None if weight is None else weight[rows]
    values = loss.value(y, raw[:, 0] if raw.shape[1] == 1 else raw)
    return float(values.sum() if weight is None else values @ weight)


class Score:
    """The score of raw predictions, more is better: the negative loss, or a scorer of scikit-learn."""

    def __init__(self, scoring: Any, loss: Loss, classes: np.ndarray | None):
        self._loss, self._classes = loss, classes
        self._scorer = None if isinstance(scoring, str) and scoring == "loss" else _scorer(scoring, classes)

    @property
    def uses_values(self) -> bool:
        """Whether the score may depend on the values of the rows."""
        return self._scorer is not None

    def __call__(self, X: Any, y: np.ndarray, weight: np.ndarray | None, raw: np.ndarray) -> float:
        """The score of these rows."""
        flat = raw[:, 0] if raw.shape[1] == 1 else raw
        if self._scorer is None:
            loss = self._loss.at(y, flat, weight)
            return -float(np.average(loss.value(y, flat), weights=weight))
        if self._classes is None:
            model: Any = _Predicted(self._loss, flat)
            truth = y
        else:
            model = _PredictedClasses(self._loss, flat, self._classes)
            truth = self._classes[y.astype(np.int64)]
        weights = {} if weight is None else {"sample_weight": weight}
        return float(self._scorer(model, X, truth, **weights))


def _scorer(scoring: Any, classes: np.ndarray | None) -> Any:
    if scoring is None:
        return get_scorer("r2" if classes is None else "accuracy")
    return get_scorer(scoring) if isinstance(scoring, str) else scoring


class _Predicted(RegressorMixin, BaseEstimator):
    """A fitted regressor whose predictions are given."""

    def __init__(self, loss: Loss, raw: np.ndarray):
        self.loss, self.raw = loss, raw

    def predict(self, X: Any) -> np.ndarray:
        return self.loss.mean(self.raw)


class _PredictedClasses(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose raw predictions are given."""

    def __init__(self, loss: Loss, raw: np.ndarray, classes: np.ndarray):
        self.loss, self.raw, self.classes_ = loss, raw, classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.loss.mean(self.raw)

    def decision_function(self, X: Any) -> np.ndarray:
        return self.raw

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
