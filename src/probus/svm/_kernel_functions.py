"""Kernels: how similar two rows are, computed for many pairs at once by one matrix product."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")

_LONG = 1e7  # γ‖x‖² at which the rounding of products changes γ‖a − b‖² by about 1e-9
_DENSE = 1_000_000  # values of sparse rows that are made dense at a time


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
        if self.name == "poly" and self.degree != 1:
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


def loses_digits(lengths: np.ndarray) -> bool:
    """Whether γ‖a − b‖² = γ‖a‖² + γ‖b‖² − 2γ a·b is too inexact for rows that are near each other, or even negative.

    lengths : γ‖x‖² of each row
    """
    return bool(lengths.max() > _LONG)


def _power(values: np.ndarray, degree: int) -> None:
    """Raise to a whole power in place, by squaring: the number of products grows with the digits of the power."""
    base, left = values.copy(), degree
    if not left & 1:
        values[:] = 1.0
    while left > 1:
        base *= base
        left >>= 1
        if left & 1:
            values *= base


def _as_dense(X: Any) -> np.ndarray:
    return X.toarray() if issparse(X) else X


def _squared_lengths(X: Any) -> np.ndarray:
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


class KernelColumns:
    """k(·, b) for the rows b of a matrix, dense or sparse.

    The squared distances of rbf are products of rows with two more columns, so that they too are one matrix product.
    Dense rows are centred, which keeps digits if the columns are far from zero. Where products would lose the digits of
    small distances nevertheless, the squared differences are summed. Products are in double precision unless ``error``,
    the largest error of a value that does no harm, allows single precision.
    """

    def __init__(self, function: KernelFunction, B: Any, error: float = 0.0):
        self.function = function
        self.n = B.shape[0]
        self._sparse = issparse(B)
        self._centre: np.ndarray | None = None
        self._dtype: type = np.float64
        self._buffers = threading.local()
        self._distant = False
        if function.name == "precomputed":
            return
        self._right = B if self._sparse else B.T
        self._lengths = np.zeros(self.n)
        if function.name == "rbf":
            centre = None if self._sparse else B.mean(axis=0)
            self._lengths = function.gamma * _squared_lengths(B if centre is None else B - centre)
            self._distant = loses_digits(self._lengths)
            if self._distant:
                self._right = B
            elif centre is not None:
                self._centre, self._right = centre, self._distances_to(B - centre, error)

    def _distances_to(self, B: np.ndarray, error: float) -> np.ndarray:
        """The columns whose products with rows are −γ‖a − b‖²."""
        if np.finfo(np.float32).eps * self._lengths.max() <= error:
            self._dtype = np.float32
        right = np.empty((B.shape[1] + 2, self.n), dtype=self._dtype)
        right[:-2], right[-2], right[-1] = B.T, 1.0, -self._lengths
        return right

    def left(self, A: Any) -> Any:
        """Rows in the form in which ``fill`` takes them; sparse ones stay sparse."""
        if self._centre is None:
            return A
        gamma, A = self.function.gamma, A - self._centre
        left = np.empty((A.shape[0], A.shape[1] + 2), dtype=self._dtype)
        with np.errstate(over="ignore"):  # the kernel of a row whose length overflows is 0
            left[:, :-2], left[:, -2], left[:, -1] = 2.0 * gamma * A, -gamma * _squared_lengths(A), 1.0
        left[np.isinf(left[:, -2]), :-2] = 0.0
        return left

    def fill(self, left: Any, out: np.ndarray, columns: slice = slice(None)) -> None:
        """Write k(a, b) of a chunk of rows and a range of the rows b into a float32 or float64 matrix."""
        if self.function.name == "precomputed":
            np.copyto(out, left, casting="same_kind")
        elif self._distant:
            self.function.finish(self._summed_distances(left, columns), out)
        elif self._dtype == out.dtype == np.float32:
            np.exp(np.matmul(left, self._right[:, columns], out=out), out=out)
        elif self._sparse:
            self.function.finish(self._sparse_products(left, columns), out)
        else:
            products = self._buffer(out.size).reshape(out.shape)
            self.function.finish(np.matmul(left, self._right[:, columns], out=products), out)

    def _summed_distances(self, A: Any, columns: slice) -> np.ndarray:
        """−γ‖a − b‖² by differences, of sparse rows a few at a time."""
        dense, B = _as_dense(A), self._right[columns]
        step = max(1, _DENSE // max(1, B.shape[1])) if self._sparse else max(1, B.shape[0])
        parts = [cdist(dense, _as_dense(B[b : b + step]), "sqeuclidean") for b in range(0, B.shape[0], step)]
        return np.hstack([np.empty((dense.shape[0], 0)), *parts]) * -self.function.gamma

    def _sparse_products(self, A: Any, columns: slice) -> np.ndarray:
        dense = _as_dense(A)
        products = np.ascontiguousarray((self._right[columns] @ dense.T).T)
        if self.function.name == "rbf":
            products *= 2.0
            products *= self.function.gamma
            products -= self._lengths[columns]
            products -= self.function.gamma * _squared_lengths(dense)[:, None]
        return products

    def _buffer(self, size: int) -> np.ndarray:
        """Memory for products, kept for the next chunk on this thread: fresh pages cost as much as the product."""
        kept = getattr(self._buffers, "kept", None)
        if kept is None or len(kept) < size:
            kept = self._buffers.kept = np.empty(size)
        return kept[:size]
