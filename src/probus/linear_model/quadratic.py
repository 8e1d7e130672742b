"""The sum of squared residuals as a function of the coefficients: what coordinate descent needs to know of the data.

Each form has ``size`` (rows, columns), ``products`` Xᵀy, ``square`` yᵀy, ``gram(rows, columns)`` of columns, and
``correlations(w, support)``: Xᵀr and rᵀr of the residual r = y − Xw, where only ``support`` has coefficients.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

__all__ = ["DenseRows", "ProductsOnly", "Quadratic", "SparseRows"]


class Quadratic(Protocol):
    """½ ‖y − Xw‖² of centred columns."""

    size: tuple[int, int]
    products: np.ndarray
    square: float

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""

    def correlations(self, w: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""


class ProductsOnly:
    """From XᵀX, Xᵀy and yᵀy: for many rows and few columns."""

    def __init__(self, gram: np.ndarray, products: np.ndarray, square: float, n_rows: int):
        self.size = (n_rows, len(gram))
        self.products, self.square, self._gram = products, square, gram

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        return self._gram[np.ix_(rows, columns)]

    def correlations(self, w: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        left = self.products - self._gram[:, support] @ w[support]
        return left, max(float(self.square - w @ (self.products + left)), 0.0)


class DenseRows:
    """From centred rows float64[n, p], in column order."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.size, self._X, self._y = X.shape, X, y
        self.products, self.square = X.T @ y, float(y @ y)

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        return self._X[:, rows].T @ self._X[:, columns]

    def correlations(self, w: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        residual = self._y - self._X[:, support] @ w[support]
        return self._X.T @ residual, float(residual @ residual)


class SparseRows:
    """From sparse rows that are centred implicitly: X − root meanᵀ, root being those of the weights."""

    def __init__(self, X: Any, mean: np.ndarray, root: np.ndarray, y: np.ndarray):
        self.size, self._X, self._mean, self._root, self._y = X.shape, X.tocsc(), mean, root, y
        self._rows, self._total = self._X.T, float(root @ root)
        self.products, self.square = self._correlations_of(y), float(y @ y)

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        products = (self._X[:, rows].T @ self._X[:, columns]).toarray()
        return products - self._total * np.outer(self._mean[rows], self._mean[columns])

    def correlations(self, w: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
        """Xᵀr of all columns, and rᵀr."""
        fitted = self._X[:, support] @ w[support] - self._root * (self._mean[support] @ w[support])
        residual = self._y - fitted
        return self._correlations_of(residual), float(residual @ residual)

    def _correlations_of(self, residual: np.ndarray) -> np.ndarray:
        return self._rows @ residual - self._mean * (self._root @ residual)
