"""How large residuals are expected to be for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold

from probus.data import Table
from probus.data.frames import is_frame
from probus.data.row_selection import take_rows
from probus.ensemble import RandomForestRegressor
from probus.ensemble.members import fit_member
from probus.errors import DataError
from probus.pipeline import tabular

__all__ = ["can_scale", "cross_fitted_scale", "enough_rows", "fitted_scale", "pays", "scale_of"]

_FOLDS = 5
_FEWEST = 50  # rows below which a scale is learnt only with scaled=True
_MOST = 10_000  # rows that a forest is fitted on: a scale needs no more, and a study has a time limit
_LEAST = 0.1  # of the mean absolute residual: no row is expected to have a smaller one
_LEVEL = 0.9


def can_scale(X: Any) -> bool:
    """Whether a forest takes the rows: a table, a frame, or a matrix of numbers."""
    matrix = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    return isinstance(X, Table) or is_frame(X) or matrix


def enough_rows(n: int, groups: np.ndarray | None) -> bool:
    """Whether there are enough rows, or groups, to learn a scale from."""
    return (n if groups is None else len(np.unique(groups))) >= _FEWEST


def fitted_scale(X: Any, residual: np.ndarray, weights: np.ndarray | None, rows: np.ndarray | None = None) -> Any:
    """A forest for absolute residuals, fitted on those rows or on some of them, if they are many.

    Its leaves are large enough that their means are stable.
    """
    if not can_scale(X):
        raise DataError(f"scaled=True for {type(X).__name__} rows.", "a table, a frame or a matrix of numbers")
    rows = np.arange(len(residual)) if rows is None else rows
    if len(rows) > _MOST:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:_MOST])
    leaf = max(5, int(np.sqrt(len(rows)) / 2))
    forest = RandomForestRegressor(100, min_samples_leaf=leaf, max_features=0.5, random_state=0)
    model = forest if isinstance(X, np.ndarray) else tabular(forest)
    return fit_member(model, take_rows(X, rows), np.abs(residual[rows]), None if weights is None else weights[rows])


def scale_of(model: Any, X: Any, mean: float) -> np.ndarray:
    """The expected absolute residual of each row."""
    return np.maximum(model.predict(X), _LEAST * mean)


def cross_fitted_scale(
    X: Any, residual: np.ndarray, weights: np.ndarray | None, groups: np.ndarray | None
) -> np.ndarray:
    """The expected absolute residual of each row by a forest that was not fitted on it."""
    scale, mean = np.empty(len(residual)), float(np.average(np.abs(residual), weights=weights))
    n = min(_FOLDS, len(residual) if groups is None else len(np.unique(groups)))
    splitter = (KFold if groups is None else GroupKFold)(n, shuffle=True, random_state=0)
    for train, test in splitter.split(residual, residual, groups):
        scale[test] = scale_of(fitted_scale(X, residual, weights, train), take_rows(X, test), mean)
    return scale


def pays(residual: np.ndarray, scale: np.ndarray, weights: np.ndarray | None, groups: np.ndarray | None) -> bool:
    """Whether scaled intervals have the better interval score, by more than its standard error.

    The score of Gneiting and Raftery (2007) is the width plus, for a target outside, 2/α times its distance.
    """
    gain = _interval_score(residual, np.ones(len(residual)), weights) - _interval_score(residual, scale, weights)
    mean = float(np.average(gain, weights=weights))
    moves = (gain - mean) * (1.0 if weights is None else weights / weights.mean())
    if groups is not None:
        moves = np.bincount(np.unique(groups, return_inverse=True)[1], moves)
    return mean > float(np.sqrt(np.sum(moves**2))) / len(residual)


def _interval_score(residual: np.ndarray, scale: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    ratio = np.abs(residual) / scale
    how: dict[str, Any] = {} if weights is None else {"weights": weights, "method": "inverted_cdf"}
    half = scale * np.quantile(ratio, _LEVEL, **how)
    return 2 * half + 2 / (1 - _LEVEL) * np.maximum(np.abs(residual) - half, 0.0)
