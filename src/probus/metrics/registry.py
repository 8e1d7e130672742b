"""The measures known by name."""

from __future__ import annotations

import numpy as np

from probus.metrics.measure import Measure, register
from probus.metrics.outcome import Outcome


def _hits(outcome: Outcome) -> np.ndarray:
    return (outcome.actual == outcome.predicted).astype(np.float64)


def _accuracy(outcome: Outcome) -> float:
    return float(np.average(_hits(outcome), weights=outcome.weights))


def _balanced_accuracy(outcome: Outcome) -> float:
    from sklearn import metrics

    # the mean recall over the classes that occur; scikit-learn's function of that name warns about the others
    present = np.unique(outcome.actual)
    return float(
        metrics.recall_score(
            outcome.actual, outcome.predicted, labels=present, average="macro", sample_weight=outcome.weights
        )
    )


def _surprise(outcome: Outcome) -> np.ndarray:
    assert outcome.chances is not None
    chances = outcome.chances[np.arange(len(outcome)), outcome.actual]
    return -np.log(np.clip(chances, np.finfo(np.float64).eps, None))


def _log_loss(outcome: Outcome) -> float:
    return float(np.average(_surprise(outcome), weights=outcome.weights))


def _roc_auc(outcome: Outcome) -> float:
    from sklearn import metrics

    is_positive = outcome.actual == outcome.positive
    if is_positive.all() or not is_positive.any():
        return np.nan
    return float(metrics.roc_auc_score(is_positive, outcome.scores, sample_weight=outcome.weights))


def _squared(outcome: Outcome) -> np.ndarray:
    assert outcome.predicted is not None
    return (outcome.actual - outcome.predicted) ** 2


def _absolute(outcome: Outcome) -> np.ndarray:
    assert outcome.predicted is not None
    return np.abs(outcome.actual - outcome.predicted)


def _rmse(outcome: Outcome) -> float:
    return float(np.sqrt(np.average(_squared(outcome), weights=outcome.weights)))


def _mae(outcome: Outcome) -> float:
    return float(np.average(_absolute(outcome), weights=outcome.weights))


def _r2(outcome: Outcome) -> float:
    spread = np.average(
        (outcome.actual - np.average(outcome.actual, weights=outcome.weights)) ** 2, weights=outcome.weights
    )
    if len(outcome) < 2 or spread == 0:
        return np.nan
    return float(1.0 - np.average(_squared(outcome), weights=outcome.weights) / spread)


register(Measure("accuracy", "accuracy", _accuracy, "labels", low=0, high=1, rows=_hits))
register(Measure("balanced_accuracy", "balanced accuracy", _balanced_accuracy, "labels", low=0, high=1))
register(Measure("log_loss", "log loss", _log_loss, "probabilities", False, low=0, rows=_surprise))
register(Measure("roc_auc", "ROC AUC", _roc_auc, "scores", low=0, high=1))
register(Measure("rmse", "RMSE", _rmse, "values", False, low=0))
register(Measure("mae", "MAE", _mae, "values", False, low=0, rows=_absolute))
register(Measure("r2", "R²", _r2, "values", high=1))
