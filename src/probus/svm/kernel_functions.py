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

    def is_finite(self, X: Any) -> bool:
        """Whether the kernel of the rows can be computed: whether k(x, x) and γ‖x‖² are finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.diagonal(X).copy() if self.name == "precomputed" else _squared_lengths(X)
            if self.name == "rbf":
                return bool(np.isfinite(self.gamma * values).all())
            self.finish(values, values)
            return bool((np.abs(values) < np.finfo(np.float32).max).all())


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
    dense rows are centred, which keeps digits if the columns are far from zero. Products are in double precision unless
    ``error``, the largest error of a value that does no harm, allows single precision.
    """

    def __init__(self, function: KernelFunction, B: Any, error: float = 0.0):
        self.function = function
        self.n = B.shape[0]
        self._sparse = issparse(B)
        self._centre = B.mean(axis=0) if function.name == "rbf" and not self._sparse else None
        self._dtype: type = np.float64
        self._buffers = threading.local()
        if function.name == "precomputed":
            return
        if self._sparse:
            self._right, self._lengths = B, _squared_lengths(B)
        elif self._centre is None:
            self._right = B.T
        else:
            self._right = self._distances_to(B - self._centre, error)

    def _distances_to(self, B: np.ndarray, error: float) -> np.ndarray:
        """The columns whose products with rows are −γ‖a − b‖²."""
        lengths = self.function.gamma * _squared_lengths(B)
        if np.finfo(np.float32).eps * lengths.max() <= error:
            self._dtype = np.float32
        right = np.empty((B.shape[1] + 2, self.n), dtype=self._dtype)
        right[:-2], right[-2], right[-1] = B.T, 1.0, -lengths
        return right

    def left(self, A: Any) -> Any:
        """Rows in the form in which ``fill`` takes them; sparse ones stay sparse."""
        if self._centre is None:
            return A
        gamma, A = self.function.gamma, A - self._centre
        left = np.empty((A.shape[0], A.shape[1] + 2), dtype=self._dtype)
        left[:, :-2], left[:, -2], left[:, -1] = 2.0 * gamma * A, -gamma * _squared_lengths(A), 1.0
        return left

    def fill(self, left: Any, out: np.ndarray, columns: slice = slice(None)) -> None:
        """Write k(a, b) of a chunk of rows and a range of the rows b into a float32 or float64 matrix."""
        if self.function.name == "precomputed":
            np.copyto(out, left, casting="same_kind")
        elif self._dtype == out.dtype == np.float32:
            np.exp(np.matmul(left, self._right[:, columns], out=out), out=out)
        elif self._sparse:
            self.function.finish(self._sparse_products(left, columns), out)
        else:
            products = self._buffer(out.size).reshape(out.shape)
            self.function.finish(np.matmul(left, self._right[:, columns], out=products), out)

    def _sparse_products(self, A: Any, columns: slice) -> np.ndarray:
        dense = A.toarray() if issparse(A) else A
        products = np.ascontiguousarray((self._right[columns] @ dense.T).T)
        if self.function.name == "rbf":
            products *= 2.0
            products -= self._lengths[columns]
            products -= _squared_lengths(dense)[:, None]
            products *= self.function.gamma
        return products

    def _buffer(self, size: int) -> np.ndarray:
        """Memory for products, kept for the next chunk on this thread: fresh pages cost as much as the product."""
        kept = getattr(self._buffers, "kept", None)
        if kept is None or len(kept) < size:
            kept = self._buffers.kept = np.empty(size)
        return kept[:size]
