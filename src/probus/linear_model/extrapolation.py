"""A warning where rows lie outside the range of the training data, where a linear model is not supported by data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.base import Model
from probus.compiling import njit

__all__ = ["MARGIN", "ExtrapolationWarning", "column_range", "warn_of_extrapolation"]

MARGIN = 0.25  # of the training range, beyond which a value counts: new rows of the same kind rarely are
_MANY_CELLS = 50_000
_NAMED = 3


class ExtrapolationWarning(UserWarning):
    """Rows to predict lie far outside the training range; silenced like any warning, by its class.

    >>> warnings.simplefilter("ignore", ExtrapolationWarning)
    """


def column_range(X: Any) -> np.ndarray | None:
    """The smallest and the largest value of each column, float64[2, d]; None for sparse rows, which are not checked.

    >>> column_range(np.array([[1.0, 5.0], [3.0, 4.0]]))
    array([[1., 4.],
           [3., 5.]])
    """
    if issparse(X):
        return None
    if X.size < _MANY_CELLS or not X.flags.c_contiguous:
        return np.stack([X.min(axis=0), X.max(axis=0)])
    found = np.stack([X[0], X[0]])
    _widen(X, found[0], found[1])
    return found


def warn_of_extrapolation(model: Model, X: Any, trained: np.ndarray | None, names: list[str]) -> None:
    """Warn where values lie beyond the training range by more than ``MARGIN`` of it: which columns, how many rows.

    Columns that were constant in training have no range, and no coefficient.
    """
    found = None if trained is None else column_range(X)
    if trained is None or found is None:
        return
    low, high = trained
    reach = MARGIN * (high - low)
    with np.errstate(invalid="ignore"):
        outside = ((found[0] < low - reach) | (found[1] > high + reach)) & (reach > 0)
    if not outside.any():
        return
    columns = np.flatnonzero(outside)
    far = (X[:, columns] < (low - reach)[columns]) | (X[:, columns] > (high + reach)[columns])
    counts = far.sum(axis=0)
    largest = np.argsort(-counts, kind="stable")[:_NAMED]
    shown = [
        f"{names[j]} ({counts[i]:,}; trained on {low[j]:.4g} to {high[j]:.4g})"
        for i, j in zip(largest, columns[largest], strict=True)
    ]
    more = f" and {len(columns) - len(shown)} more columns" if len(columns) > len(shown) else ""
    rows = int(far.any(axis=1).sum())
    warnings.warn(
        f"{type(model).__name__}: {rows:,} of {len(X):,} rows lie beyond the training range by more than "
        f"{100 * MARGIN:g} % of it, in {', '.join(shown)}{more}. A linear model extrapolates there without data.",
        ExtrapolationWarning,
        stacklevel=3,
    )


@njit(nogil=True, cache=True)
def _widen(X, low, high):
    """The smallest and the largest value of each column.

    X (IN)           float64[n, d]
    low, high (OUT)  float64[d]  the first row on entry
    """
    n, d = X.shape
    for i in range(1, n):
        for j in range(d):
            value = X[i, j]
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]
