"""The scores a study reports: what each is, which way is better, and how it is computed on one split.

scikit-learn computes them, imported when first asked, so that looking at a table need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Measure", "Outcome", "measures_for"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a model said about the test rows of one split, and what was true.

    ``actual`` and ``predicted`` are codes into the classes, or numbers; ``chances`` has a column per class and is
    None for numbers; ``positive`` is the code of the class of interest where there are two.
    """

    actual: np.ndarray
    predicted: np.ndarray
    chances: np.ndarray | None = None
    positive: int | None = None


@dataclass(frozen=True)
class Measure:
    """A score: its name, its range, its direction, and the function that gives it."""

    name: str
    label: str
    compute: Callable[[Outcome], float]
    greater_is_better: bool = True
    low: float = -np.inf
    high: float = np.inf

    def better(self, value: float) -> float:
        """The value turned so that more is better."""
        return value if self.greater_is_better else -value


def _accuracy(outcome: Outcome) -> float:
    from sklearn import metrics

    return float(metrics.accuracy_score(outcome.actual, outcome.predicted))


def _balanced_accuracy(outcome: Outcome) -> float:
    from sklearn import metrics

    # the mean recall over the classes that occur; scikit-learn's function of that name warns about the others
    present = np.unique(outcome.actual)
    return float(metrics.recall_score(outcome.actual, outcome.predicted, labels=present, average="macro"))


def _log_loss(outcome: Outcome) -> float:
    from sklearn import metrics

    assert outcome.chances is not None
    return float(metrics.log_loss(outcome.actual, outcome.chances, labels=np.arange(outcome.chances.shape[1])))


def _roc_auc(outcome: Outcome) -> float:
    from sklearn import metrics

    assert outcome.chances is not None
    is_positive = outcome.actual == outcome.positive
    if is_positive.all() or not is_positive.any():
        return np.nan
    return float(metrics.roc_auc_score(is_positive, outcome.chances[:, outcome.positive]))


def _rmse(outcome: Outcome) -> float:
    from sklearn import metrics

    return float(metrics.root_mean_squared_error(outcome.actual, outcome.predicted))


def _mae(outcome: Outcome) -> float:
    from sklearn import metrics

    return float(metrics.mean_absolute_error(outcome.actual, outcome.predicted))


def _r2(outcome: Outcome) -> float:
    from sklearn import metrics

    if len(outcome.actual) < 2:
        return np.nan
    return float(metrics.r2_score(outcome.actual, outcome.predicted))


_CLASSIFICATION = (
    Measure("accuracy", "accuracy", _accuracy, low=0, high=1),
    Measure("balanced_accuracy", "balanced accuracy", _balanced_accuracy, low=0, high=1),
    Measure("log_loss", "log loss", _log_loss, greater_is_better=False, low=0),
)
_BINARY = (*_CLASSIFICATION, Measure("roc_auc", "ROC AUC", _roc_auc, low=0, high=1))
_REGRESSION = (
    Measure("rmse", "RMSE", _rmse, greater_is_better=False, low=0),
    Measure("mae", "MAE", _mae, greater_is_better=False, low=0),
    Measure("r2", "R²", _r2, high=1),
)


def measures_for(n_classes: int) -> tuple[Measure, ...]:
    """The measures of a problem with that many classes, the main one first; no classes mean numbers.

    >>> [measure.name for measure in measures_for(2)]
    ['accuracy', 'balanced_accuracy', 'log_loss', 'roc_auc']
    """
    if n_classes == 0:
        return _REGRESSION
    return _BINARY if n_classes == 2 else _CLASSIFICATION
