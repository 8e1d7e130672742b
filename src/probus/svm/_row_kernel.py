"""One row of a kernel matrix at a time, for the solver of small problems: most of their rows are never needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.losses.derivatives import exp
from probus.svm._kernel_functions import KERNELS, KernelFunction, loses_digits

_LINEAR, _POLY, _RBF, _SIGMOID, _PRECOMPUTED, _DISTANT = range(len(KERNELS) + 1)  # the last: rbf by differences


class RowSource(NamedTuple):
    """What the rows of a kernel matrix are computed from.

    columns : float64[d, n], the rows one beside the other, centred for rbf; for a precomputed kernel its matrix
    lengths : float64[n], −γ‖x‖² of each row for rbf, else 0
    kind : the place of the kernel in ``KERNELS``, or behind them where squared distances are sums of differences
    gamma, coef0, degree : its parameters
    """

    columns: np.ndarray
    lengths: np.ndarray
    kind: int
    gamma: float
    coef0: float
    degree: int


def row_source(function: KernelFunction, X: np.ndarray) -> tuple[RowSource, np.ndarray]:
    """The source of the kernel of dense rows, or of a precomputed one, and k(x, x) of every row as float32."""
    kind, columns = KERNELS.index(function.name), X
    lengths, diagonal = np.zeros(len(X)), np.ones(len(X))
    if kind == _PRECOMPUTED:
        diagonal = np.diagonal(X)
    elif kind == _RBF:
        columns = np.ascontiguousarray((X - X.mean(axis=0)).T)
        lengths = -function.gamma * np.einsum("ij,ij->j", columns, columns)
        if loses_digits(-lengths):
            kind, columns = _DISTANT, np.ascontiguousarray(X.T)
    else:
        columns = np.ascontiguousarray(X.T)
        products = np.einsum("ij,ij->j", columns, columns)
        function.finish(products, diagonal)
    parameters = float(function.gamma), float(function.coef0), int(function.degree)
    return RowSource(columns, lengths, kind, *parameters), diagonal.astype(np.float32)


@njit(nogil=True, error_model="numpy")
def kernel_row(source, r, products, out):
    """Write the kernel of row r with all rows.

    source (IN)     RowSource
    products (OUT)  float64[n]  working memory
    out (OUT)       float32[n]
    """
    columns, lengths, kind, gamma, coef0, degree = source
    n = len(products)
    if kind == _PRECOMPUTED:
        for v in range(n):
            out[v] = columns[r, v]
        return
    if kind == _DISTANT:
        _add_squares(columns, r, products)
        for v in range(n):
            out[v] = exp(-gamma * products[v])
        return
    for v in range(n):
        products[v] = lengths[v] + lengths[r]
    factor = 2.0 * gamma if kind == _RBF else 1.0
    d = len(columns)
    for c in range(0, d - 3, 4):  # four columns at a time: sums are loaded and stored once for them
        _add_four(
            columns[c], columns[c + 1], columns[c + 2], columns[c + 3], factor * columns[c, r],
            factor * columns[c + 1, r], factor * columns[c + 2, r], factor * columns[c + 3, r], products,
        )  # fmt: skip
    for c in range(d - d % 4, d):
        column, by = columns[c], factor * columns[c, r]
        for v in range(n):
            products[v] += by * column[v]
    if kind == _RBF:
        for v in range(n):
            out[v] = exp(products[v])
    elif kind == _LINEAR:
        for v in range(n):
            out[v] = products[v]
    elif kind == _POLY:
        for v in range(n):
            out[v] = (gamma * products[v] + coef0) ** degree
    else:
        for v in range(n):
            out[v] = np.tanh(gamma * products[v] + coef0)


@njit(nogil=True)
def _add_squares(columns, r, squares):
    """Write the squared distance of row r from all rows."""
    squares[:] = 0.0
    for c in range(len(columns)):
        column, own = columns[c], columns[c, r]
        for v in range(len(squares)):
            squares[v] += (column[v] - own) * (column[v] - own)


@njit(nogil=True)
def _add_four(a, b, c, d, s, t, u, w, sums):
    """Add s a + t b + u c + w d to the sums."""
    for v in range(len(sums)):
        sums[v] += (s * a[v] + t * b[v]) + (u * c[v] + w * d[v])
