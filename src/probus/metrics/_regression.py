"""Measures of predicted numbers.

With errors e = y − ŷ: SSE = Σe², MSE = SSE/n, RMSE = √MSE, MAE = Σ|e|/n, MAPE = Σ|e/y|/n, MSLE = the MSE of log(1 + y),
RMSLE = √MSLE, RSE = √(Σe²/Σ(y − ȳ)²), RAE = Σ|e|/Σ|y − ȳ|, R² = 1 − RSE². With weights every sum is a weighted one.
MAPE is a share as in scikit-learn, where textbooks often give it in per cent. Where the truth is constant RSE, RAE and
R² are NaN, since there is no spread to compare with; so are MSLE and RMSLE where a number is −1 or less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.resample_forms import Sums, mean

_NO_SPREAD = 1e-12  # variances below this share of their terms are rounding


# -- as functions of numbers -------------------------------------------------------------------------------------


def sum_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The sum of squared errors Σ(y − ŷ)², also called the residual sum of squares.

    Parameters
    ----------
    y_true : the true numbers.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The sum.

    >>> sum_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    1.5
    """
    return sum_squared(_outcome(y_true, y_pred, sample_weight))


def relative_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The root of the squared error relative to that of the mean, √(Σ(y − ŷ)² / Σ(y − ȳ)²) = √(1 − R²).

    0 is perfect, 1 is as good as predicting the mean. Elsewhere this is called the *root* relative squared error, and
    the name without the root is used for its square, 1 − R². NaN where the truth is constant.

    Parameters
    ----------
    y_true : the true numbers.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The relative error.

    >>> relative_squared_error([1, 2, 3, 4], [1, 2, 3, 5])
    0.4472135954999579
    """
    return relative_squared(_outcome(y_true, y_pred, sample_weight))


def relative_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The absolute error relative to that of the mean, Σ|y − ŷ| / Σ|y − ȳ|.

    0 is perfect, 1 is as good as predicting the mean. NaN where the truth is constant.

    Parameters
    ----------
    y_true : the true numbers.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The relative error.

    >>> relative_absolute_error([1, 2, 3, 4], [1, 2, 3, 5])
    0.25
    """
    return relative_absolute(_outcome(y_true, y_pred, sample_weight))


def mean_signed_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None, level: float = 0.95) -> Estimate:
    """The mean of ŷ − y with Student's interval: above 0 where predictions are too high, below where too low.

    It is not a measure by which models are ranked: 0 is best, and errors of both signs cancel. Some texts take y − ŷ.

    Parameters
    ----------
    y_true : the true numbers.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.
    level : the confidence level of the interval.

    Returns
    -------
    The mean with its interval.

    >>> mean_signed_error([3, -0.5, 2, 7], [3.5, 0.0, 2.5, 8])
    0.62 [0.23, 1.02]
    """
    from scipy.stats import t

    outcome = _outcome(y_true, y_pred, sample_weight)
    errors = outcome.need("predicted") - outcome.actual
    mean = outcome.mean(errors)
    weight = np.ones(len(errors)) if outcome.weights is None else outcome.weights
    n = float(weight.sum() ** 2 / (weight**2).sum())
    if n <= 1:
        return Estimate(mean, -np.inf, np.inf, level, "Student's t", len(errors))
    spread = np.sqrt(np.average((errors - mean) ** 2, weights=weight) * n / (n - 1))
    half = float(t(n - 1).ppf((1 + level) / 2) * spread / np.sqrt(n))
    return Estimate(mean, mean - half, mean + half, level, "Student's t", len(errors))


def _outcome(y_true: Any, y_pred: Any, sample_weight: Any) -> Outcome:
    return Outcome.of(y_true, y_pred, needs="values", sample_weight=sample_weight)


# -- row by row --------------------------------------------------------------------------------------------------


def squared(outcome: Outcome) -> np.ndarray:
    """The squared error of each row."""
    return (outcome.actual - outcome.need("predicted")) ** 2


def absolute(outcome: Outcome) -> np.ndarray:
    """The absolute error of each row."""
    return np.abs(outcome.actual - outcome.need("predicted"))


def percentage(outcome: Outcome) -> np.ndarray:
    """The absolute error of each row as a share of the truth; a truth of 0 is taken as 2⁻⁵², as scikit-learn does."""
    return absolute(outcome) / np.maximum(np.abs(outcome.actual), np.finfo(np.float64).eps)


def squared_log(outcome: Outcome) -> np.ndarray:
    """The squared error of each row's log(1 + y); NaN where that logarithm does not exist."""
    actual, predicted = (
        np.log1p(y, out=np.full(len(outcome), np.nan), where=y > -1)
        for y in (outcome.actual, outcome.need("predicted"))
    )
    return (actual - predicted) ** 2


# -- of all rows -------------------------------------------------------------------------------------------------


def sum_squared(outcome: Outcome) -> float:
    """SSE."""
    return outcome.total(squared(outcome))


def root_mean_squared(outcome: Outcome) -> float:
    """RMSE."""
    return float(np.sqrt(outcome.mean(squared(outcome))))


def root_mean_squared_log(outcome: Outcome) -> float:
    """RMSLE."""
    return float(np.sqrt(outcome.mean(squared_log(outcome))))


def relative_squared(outcome: Outcome) -> float:
    """RSE."""
    if _is_constant(outcome):
        return np.nan
    return float(np.sqrt(outcome.mean(squared(outcome)) / outcome.mean(_from_mean(outcome) ** 2)))


def relative_absolute(outcome: Outcome) -> float:
    """RAE."""
    if _is_constant(outcome):
        return np.nan
    return outcome.mean(absolute(outcome)) / outcome.mean(np.abs(_from_mean(outcome)))


def variance_explained(outcome: Outcome) -> float:
    """R²."""
    if _is_constant(outcome):
        return np.nan
    return 1.0 - outcome.mean(squared(outcome)) / outcome.mean(_from_mean(outcome) ** 2)


def median_absolute(outcome: Outcome) -> float:
    """The median of the absolute errors, which outliers do not move."""
    from sklearn.metrics import median_absolute_error

    return float(median_absolute_error(outcome.actual, outcome.need("predicted"), sample_weight=outcome.weights))


def _from_mean(outcome: Outcome) -> np.ndarray:
    return outcome.actual - outcome.mean(outcome.actual)


def _is_constant(outcome: Outcome) -> bool:
    # by its range: rounding gives a constant truth a mean beside it and so a spread
    seen = outcome.actual if outcome.weights is None else outcome.actual[outcome.weights > 0]
    return bool(seen.min() == seen.max())


# -- fast forms ------------------------------------------------------------------------------------------------------


def sse_form(outcome: Outcome) -> Sums:
    """SSE of Σe²."""
    return Sums((squared(outcome),), lambda sums: sums[..., 0])


def rmse_form(outcome: Outcome) -> Sums:
    """RMSE of Σe²."""
    return Sums((squared(outcome),), _root_mean)


def rmsle_form(outcome: Outcome) -> Sums:
    """RMSLE of the squared errors of log(1 + y)."""
    return Sums((squared_log(outcome),), _root_mean)


def r2_form(outcome: Outcome) -> Sums:
    """R² of Σe², Σy and Σy²."""
    return _against_spread(outcome, lambda sums: 1.0 - _unexplained_share(sums))


def rse_form(outcome: Outcome) -> Sums:
    """RSE of Σe², Σy and Σy²."""
    return _against_spread(outcome, lambda sums: np.sqrt(np.maximum(_unexplained_share(sums), 0.0)))


def _root_mean(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(mean(sums), 0.0))


def _unexplained_share(sums: np.ndarray) -> np.ndarray:
    """Σe² / Σ(y − ȳ)² from Σe², Σy, Σy², Σw, with y measured from near its mean; NaN without spread."""
    errors, y, y2, w = np.moveaxis(sums, -1, 0)
    spread = y2 - y**2 / w
    return np.divide(errors, spread, out=np.full(np.shape(spread), np.nan), where=spread > _NO_SPREAD * y2)


def _against_spread(outcome: Outcome, value: Callable[[np.ndarray], np.ndarray]) -> Sums:
    y = _from_mean(outcome)  # sums of squares about a far origin would cancel
    return Sums((squared(outcome), y, y**2), value)
