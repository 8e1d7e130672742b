"""When to stop: a score on rows that the trees were not grown on, after each round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer

from probus.losses import Loss

__all__ = ["Score", "Slackening", "Watch"]


class Score:
    """How good raw predictions are, more is better: the loss, or whatever scikit-learn calls a scorer."""

    def __init__(self, scoring: Any, loss: Loss, classes: np.ndarray | None):
        self._loss, self._classes = loss, classes
        self._scorer = None if isinstance(scoring, str) and scoring == "loss" else _scorer(scoring, classes)

    def __call__(self, X: Any, y: np.ndarray, weight: np.ndarray | None, raw: np.ndarray) -> float:
        """The score of these rows."""
        flat = raw[:, 0] if raw.shape[1] == 1 else raw
        if self._scorer is None:
            loss = self._loss.at(y, flat, weight)
            return -float(np.average(loss.value(y, flat), weights=weight))
        if self._classes is None:
            model: Any = _Numbers(self._loss, flat)
            truth = y
        else:
            model = _Chances(self._loss, flat, self._classes)
            truth = self._classes[y.astype(np.int64)]
        weights = {} if weight is None else {"sample_weight": weight}
        return float(self._scorer(model, X, truth, **weights))


def _scorer(scoring: Any, classes: np.ndarray | None) -> Any:
    if scoring is None:
        return get_scorer("r2" if classes is None else "accuracy")
    return get_scorer(scoring) if isinstance(scoring, str) else scoring


class _Numbers(RegressorMixin, BaseEstimator):
    """A model whose predictions are there already."""

    def __init__(self, loss: Loss, raw: np.ndarray):
        self.loss, self.raw = loss, raw

    def predict(self, X: Any) -> np.ndarray:
        return self.loss.mean(self.raw)


class _Chances(ClassifierMixin, BaseEstimator):
    """A classifier whose predictions are there already."""

    def __init__(self, loss: Loss, raw: np.ndarray, classes: np.ndarray):
        self.loss, self.raw, self.classes_ = loss, raw, classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.loss.mean(self.raw)

    def decision_function(self, X: Any) -> np.ndarray:
        return self.raw

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@dataclass
class Watch:
    """Scores round by round, and whether it is time to stop: none of the last ``patience`` was better than before."""

    patience: int
    tolerance: float
    scores: list[float] = field(default_factory=list)

    def sees(self, score: float) -> bool:
        """Note a score; whether to stop.

        >>> watch = Watch(patience=2, tolerance=0.0)
        >>> [watch.sees(score) for score in (0.5, 0.7, 0.6, 0.7)]
        [False, False, False, True]
        """
        self.scores.append(score)
        if len(self.scores) <= self.patience:
            return False
        before = self.scores[-self.patience - 1] + self.tolerance
        return not any(later > before for later in self.scores[-self.patience :])


class Slackening(Watch):
    """Scores round by round, and whether it is time to stop: the last is no better than the worst of those before."""

    def sees(self, score: float) -> bool:
        """Note a score; whether to stop.

        >>> watch = Slackening(patience=2, tolerance=0.0)
        >>> [watch.sees(score) for score in (0.5, 0.7, 0.6, 0.6)]
        [False, False, False, True]
        """
        last = self.scores[-self.patience :]
        self.scores.append(score)
        return len(last) == self.patience and score <= min(last) + self.tolerance
