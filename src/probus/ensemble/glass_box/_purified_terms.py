"""Purification: a pair gives to the curves of its columns what these can hold, and curves give theirs to the intercept.

The terms are then the functional ANOVA of the sum under the weights of the data: each has mean zero over any of its
columns (Lengerich et al. 2020).
"""

from __future__ import annotations

import numpy as np

_MOST, _SMALL = 1_000, 1e-13


def purified_table(table: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table whose weighted means over rows and over columns are zero, and what was taken off: of rows, of columns.

    Parameters
    ----------
    table : float64[a, b, k].
    weight : float64[a, b]; a row or column without weight has an unweighted mean.
    """
    across, down = _shares(weight), _shares(weight.T)
    table = table.copy()
    rows, columns = np.zeros((table.shape[0], table.shape[2])), np.zeros((table.shape[1], table.shape[2]))
    scale = np.abs(table).max(initial=0.0)
    for _ in range(_MOST):
        mean = np.einsum("ab,abk->ak", across, table)
        table -= mean[:, None]
        rows += mean
        other = np.einsum("ba,abk->bk", down, table)
        table -= other[None]
        columns += other
        if np.abs(other).max(initial=0.0) <= _SMALL * scale:
            break
    return table, rows, columns


def _shares(weight: np.ndarray) -> np.ndarray:
    """The weights of each row as shares; equal ones where it has none."""
    total = weight.sum(axis=1, keepdims=True)
    return np.where(total > 0, weight, 1.0) / np.where(total > 0, total, weight.shape[1])


def centre(curves: np.ndarray, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Take off the weighted mean of each curve (INOUT), and return their sum: float64[k]."""
    taken = np.zeros(curves.shape[1])
    for first, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        weight = rows[first:end]
        mean = weight @ curves[first:end] / weight.sum()
        curves[first:end] -= mean
        if (weight > 0).sum() < 2:  # a constant column
            curves[first:end] = 0.0
        curves[end - 1] *= weight[-1] > 0  # missing values that training did not have add nothing
        taken += mean
    return taken
