"""The sum of squared residuals as a function of the coefficients: what coordinate descent needs to know of the data.

Each form has ``size`` (rows, columns), ``products`` Xᵀy, ``square`` yᵀy, and ``correlations(w, support, limit)``: Xᵀr
and rᵀr of the residual r = y − Xw, where only ``support`` has coefficients. Correlations that are certainly below
``limit`` in absolute value may be replaced by an upper bound below it.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from probus.compiling import njit

__all__ = ["DenseRows", "ProductsOnly", "Quadratic", "SparseRows"]

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
