"""Rows of a dense or sparse matrix as flat arrays, with a constant column for the intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.compiling import njit


@dataclass(frozen=True)
class FlatRows:
    """The values of rows, float64; of sparse rows their columns uint32 and where each row begins, else empty arrays.

    bias is the value of a further column, 0 for none.
    """

    values: np.ndarray
    columns: np.ndarray
    begins: np.ndarray
    bias: float
    shape: tuple[int, int]

    @classmethod
    def of(cls, X: Any, bias: float) -> FlatRows:
        """The rows of a matrix."""
        if issparse(X):
            columns = X.indices.astype(np.int32, copy=False).view(np.uint32)  # unsigned: kernels need not test the sign
            return cls(X.data, columns, X.indptr.astype(np.int64), bias, X.shape)
        empty = np.empty(0, dtype=np.uint32)
        return cls(np.ascontiguousarray(X).ravel(), empty, np.empty(0, dtype=np.int64), bias, X.shape)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """What kernels take."""
        return self.values, self.columns, self.begins, self.bias


@njit(nogil=True, fastmath={"reassoc", "contract"})
def row_dot(values, columns, begins, bias, i, w):
    """wᵀx of row i; the last of w belongs to the constant column."""
    p = len(w) - 1
    total = 0.0
    if len(begins) > 0:
        for k in range(begins[i], begins[i + 1]):
            total += values[k] * w[columns[k]]
    else:
        row = values[i * p : (i + 1) * p]
        for j in range(p):
            total += row[j] * w[j]
    return total + bias * w[p]


@njit(nogil=True)
def add_row(values, columns, begins, bias, i, step, w):
    """Add ``step`` times row i to w."""
    p = len(w) - 1
    if len(begins) > 0:
        for k in range(begins[i], begins[i + 1]):
            w[columns[k]] += step * values[k]
    else:
        row = values[i * p : (i + 1) * p]
        for j in range(p):
            w[j] += step * row[j]
    w[p] += step * bias


@njit(nogil=True, fastmath={"reassoc", "contract"})
def row_square(values, columns, begins, bias, i, p):
    """‖x‖² of row i."""
    start, stop = (begins[i], begins[i + 1]) if len(begins) > 0 else (i * p, (i + 1) * p)
    total = bias * bias
    for k in range(start, stop):
        total += values[k] * values[k]
    return total
