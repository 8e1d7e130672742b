"""Kernels: how similar two rows are, computed for many pairs at once by one matrix product."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

__all__ = ["KERNELS", "KernelColumns", "KernelFunction"]

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


@dataclass(frozen=True)
class KernelFunction:
    """A kernel by name: linear a·b, poly (γ a·b + c)ᵈ, rbf exp(−γ‖a − b‖²), sigmoid tanh(γ a·b + c), or precomputed."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    def finish(self, products: np.ndarray, out: np.ndarray) -> None:
        """The values from the products a·b, which are overwritten; for rbf from −γ‖a − b‖²."""
        if self.name == "rbf":
            np.copyto(out, products, casting="same_kind")
            np.exp(out, out=out)
            return
        if self.name in ("poly", "sigmoid"):
            products *= self.gamma
            products += self.coef0
        if self.name == "poly":
            _power(products, self.degree)
        elif self.name == "sigmoid":
            np.tanh(products, out=products)
        np.copyto(out, products, casting="same_kind")

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of each row."""
        if self.name == "precomputed":
            return np.diagonal(X).copy()
        if self.name == "rbf":
            return np.ones(X.shape[0])
        out = np.empty(X.shape[0])
        self.finish(_squared_lengths(X), out)
        return out


def _power(values: np.ndarray, degree: int) -> None:
    """Raise to a whole power in place, by repeated multiplication."""
    if degree == 0:
        values[:] = 1.0
        return
    once = values.copy() if degree > 1 else values
    for _ in range(degree - 1):
        values *= once


def _squared_lengths(X: Any) -> np.ndarray:
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


class KernelColumns:
    """k(·, b) for the rows b of a matrix, dense or sparse.

    The squared distances of rbf are products of rows with two more columns, so that they too are one matrix product;
    dense rows are centred, which keeps digits if the columns are far from zero.
    """

    def __init__(self, function: KernelFunction, B: Any):
        self.function = function
        self.n = B.shape[0]
        self._sparse = issparse(B)
        self._centre = B.mean(axis=0) if function.name == "rbf" and not self._sparse else None
        if function.name == "precomputed":
            return
        if self._sparse:
            self._right, self._lengths = B, _squared_lengths(B)
        elif self._centre is None:
            self._right = B.T
        else:
            B = B - self._centre
            self._right = np.vstack([B.T, np.ones(self.n), -function.gamma * _squared_lengths(B)])
        self._buffers = threading.local()

    def fill(self, A: Any, out: np.ndarray) -> None:
        """Write k(a, b) of the rows of A, a chunk, into float32 or float64[rows of A, n]."""
        if self.function.name == "precomputed":
            np.copyto(out, A, casting="same_kind")
            return
        self.function.finish(self._sparse_products(A) if self._sparse else self._products(A), out)

    def _products(self, A: np.ndarray) -> np.ndarray:
        products = self._buffer(A.shape[0])
        if self._centre is not None:
            gamma, A = self.function.gamma, A - self._centre
            A = np.column_stack([2.0 * gamma * A, -gamma * _squared_lengths(A), np.ones(A.shape[0])])
        return np.matmul(A, self._right, out=products)

    def _sparse_products(self, A: Any) -> np.ndarray:
        dense = A.toarray() if issparse(A) else A
        products = np.ascontiguousarray((self._right @ dense.T).T)
        if self.function.name == "rbf":
            products *= 2.0
            products -= self._lengths
            products -= _squared_lengths(dense)[:, None]
            products *= self.function.gamma
        return products

    def _buffer(self, rows: int) -> np.ndarray:
        """Memory for products, kept for the next chunk on this thread: fresh pages cost as much as the product."""
        kept = getattr(self._buffers, "kept", None)
        if kept is None or kept.shape[0] < rows:
            kept = self._buffers.kept = np.empty((rows, self.n))
        return kept[:rows]
