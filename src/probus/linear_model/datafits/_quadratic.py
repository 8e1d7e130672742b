"""The sum of squared residuals as a function of the coefficients: what coordinate descent needs to know of the data.

Each form has ``size`` (rows, columns), ``products`` Xᵀy, ``square`` yᵀy, and ``correlations(w, support, limit)``: Xᵀr
and rᵀr of the residual r = y − Xw, where only ``support`` has coefficients. Correlations that are certainly below
``limit`` in absolute value may be replaced by an upper bound below it.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from probus.compiling import njit
from probus.errors import DataError
from probus.linear_model.datafits._moments import centred_rows, moments_of

_FEW_COLUMNS = 1500  # all products of columns are computed, once
_VERY_FEW_COLUMNS = 200  # for sparse columns too, however few numbers they have
_MOST_AGAIN = 0.5  # share of the columns beyond which all correlations are computed anew


class Quadratic(Protocol):
    """½ ‖y − Xw‖² of centred columns."""

    size: tuple[int, int]
    products: np.ndarray
    square: float

    def correlations(self, w: np.ndarray, support: np.ndarray, limit: float) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""


class ProductsOnly:
    """From XᵀX, Xᵀy and yᵀy: for many rows and few columns."""

    def __init__(self, gram: np.ndarray, products: np.ndarray, square: float, n_rows: int):
        self.size = (n_rows, len(gram))
        self.products, self.square, self.products_of_columns = products, square, gram

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        return self.products_of_columns[np.ix_(rows, columns)]

    def correlations(self, w: np.ndarray, support: np.ndarray, limit: float) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        left = self.products - self.products_of_columns[:, support] @ w[support]
        return left, max(float(self.square - w @ (self.products + left)), 0.0)


class DenseRows:
    """From centred rows float64[n, p], in column order.

    The correlations of all columns with one residual are kept. For the next residual, they differ by at most the norm
    of the column times that of the difference (Cauchy–Schwarz), so most columns need not be read again.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.size, self._X, self._y = X.shape, X, y
        self.products, self.square = X.T @ y, float(y @ y)
        self._length = np.sqrt(np.einsum("ij,ij->j", X, X))
        self._known, self._known_for = self.products, y

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        return self._X[:, rows].T @ self._X[:, columns]

    def correlations(self, w: np.ndarray, support: np.ndarray, limit: float) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        residual = self._y.copy()
        subtract_columns(self._X, w, support, residual)
        moved = float(np.linalg.norm(residual - self._known_for))
        bound = np.abs(self._known) + moved * self._length
        again = np.flatnonzero((bound >= limit) | (w != 0))
        if len(again) > _MOST_AGAIN * len(bound):
            self._known, self._known_for = self._X.T @ residual, residual
            return self._known, float(residual @ residual)
        products_of_columns(self._X, again, residual, bound)
        return bound, float(residual @ residual)


class SparseRows:
    """From sparse rows that are centred implicitly: column j is x_j − shift_j u.

    unit : the unit vector u, the roots of the weights; shift : x_jᵀu, zero without an intercept.
    residual : y − Xw of the columns before centring, for the last correlations.
    """

    def __init__(self, X: Any, shift: np.ndarray, unit: np.ndarray, y: np.ndarray):
        self.size, self.X, self.shift, self.unit, self.y = X.shape, X, shift, unit, y
        self._rows, self.residual = X.T, y
        self.products, self.square = self._correlations_of(y), float(y @ y)

    def correlations(self, w: np.ndarray, support: np.ndarray, limit: float) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        self.residual = self.y.copy()
        subtract_sparse_columns(self.X.data, self.X.indices, self.X.indptr, w, support, self.residual)
        residual = self.residual + self.unit * (self.shift[support] @ w[support])
        return self._correlations_of(residual), float(residual @ residual)

    def _correlations_of(self, residual: np.ndarray) -> np.ndarray:
        return self._rows @ residual - self.shift * (self.unit @ residual)


def problem_of(
    X: Any, y: np.ndarray, weights: np.ndarray | None, *, intercept: bool, gram: Any = None
) -> tuple[Quadratic, np.ndarray, float]:
    """Half the sum of squares of weighted rows, centred with ``intercept``, and the means of X and y.

    Weights are scaled so that they add up to the number of rows. ``gram`` is XᵀX where it is an array.
    """
    n, p = X.shape
    if weights is not None:
        weights = weights * (n / weights.sum())
    if issparse(X):
        return _sparse_problem(X, y, weights, intercept)
    given = _given_gram(X, gram, weights, intercept)
    if given is not None:
        middle = float(y.mean()) if intercept else 0.0
        left = y - middle
        return ProductsOnly(given, X.T @ left, float(left @ left), n), np.zeros(p), middle
    if p <= _FEW_COLUMNS and n >= p:
        sums = moments_of(X, y[:, None], weights, centred=intercept)
        return ProductsOnly(sums.gram, sums.xy[:, 0], float(sums.yy[0]), n), sums.x_mean, float(sums.y_mean[0])
    rows, target, x_mean, y_mean = centred_rows(X, y[:, None], weights, intercept)
    return DenseRows(rows, target[:, 0]), x_mean, float(y_mean[0])


def _given_gram(X: np.ndarray, gram: Any, weights: np.ndarray | None, intercept: bool) -> np.ndarray | None:
    """XᵀX as the user computed it, where that can be used: without weights, and with centred columns."""
    if gram is None or isinstance(gram, (bool, np.bool_, str)) or weights is not None:
        return None
    given, p = check_array(gram, dtype=np.float64), X.shape[1]
    if intercept and not np.allclose(X.mean(axis=0), 0.0):
        warnings.warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.", stacklevel=4
        )
        return None
    a, b = p // 2, min(p // 2 + 1, p - 1)
    close = 1e-4 if getattr(gram, "dtype", None) == np.float32 else 1e-7
    if given.shape != (p, p) or not np.isclose(given[a, b], X[:, a] @ X[:, b], rtol=close, atol=1e-5):
        raise DataError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation: its shape is "
            f"{given.shape}, or its value at [{a}, {b}] is not the product of those columns.",
            f"XᵀX of {p} columns",
        )
    return given


def _sparse_problem(
    X: Any, y: np.ndarray, weights: np.ndarray | None, intercept: bool
) -> tuple[Quadratic, np.ndarray, float]:
    n, p = X.shape
    root = np.ones(n) if weights is None else np.sqrt(weights)
    X = X.tocsc() if weights is None else X.multiply(root[:, None]).tocsc()
    unit = root / np.linalg.norm(root)
    shift, y_mean = np.zeros(p), 0.0
    if intercept:
        shift, y_mean = X.T @ unit, float(root**2 @ y) / n
    target, x_mean = root * (y - y_mean), shift / np.linalg.norm(root)
    if (p <= _FEW_COLUMNS and X.nnz >= p * p) or p <= _VERY_FEW_COLUMNS:
        gram = (X.T @ X).toarray() - np.outer(shift, shift)
        return ProductsOnly(gram, X.T @ target, float(target @ target), n), x_mean, y_mean
    return SparseRows(X, shift, unit, target), x_mean, y_mean


@njit(nogil=True, cache=True, fastmath=True)
def subtract_columns(X, w, support, residual):
    """Subtract Xw from the residual (OUT); X is in column order, and only ``support`` has coefficients."""
    for j in support:
        for i in range(len(residual)):
            residual[i] -= w[j] * X[i, j]


@njit(nogil=True, cache=True)
def subtract_sparse_columns(data, indices, starts, w, support, residual):
    """The same for columns that are compressed."""
    for j in support:
        for i in range(starts[j], starts[j + 1]):
            residual[indices[i]] -= w[j] * data[i]


@njit(nogil=True, cache=True, fastmath=True)
def products_of_columns(X, columns, residual, out):
    """The products of some columns with the residual, written to their places in ``out`` (OUT, float64[p])."""
    for j in columns:
        total = 0.0
        for i in range(len(residual)):
            total += X[i, j] * residual[i]
        out[j] = total
