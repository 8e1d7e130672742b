"""The mean loss of a linear predictor with a quadratic penalty; value, gradient and hessian in one pass."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.losses import Loss, Softmax
from probus.parallel import blas_on_one_thread, chunked, thread_count

_CHUNK_BYTES = 2_000_000
_LARGEST_CHUNK = 16_384
_FEW = 200  # variables, for which products are short
_LOSS = 20  # elementary operations of a loss and its derivatives
_BLAS = 8  # multiplications of a matrix product in the time of an elementary operation


class SmoothProblem:
    r"""The objective :math:`\frac1W \sum_i w_i L(y_i, x_i^T B + b) + \frac12 λ ‖B‖^2`.

    Its variable is float64[p + 1, K]: the coefficients of K outputs, the intercepts last (without them float64[p, K]).
    The intercepts have no penalty. Chunks of rows are evaluated on threads and added in order.

    Parameters
    ----------
    X, y, weights : the rows, their targets, and the weight of each; None is 1.
    loss : L.
    l2 : λ.
    intercept : whether there are intercepts.
    """

    def __init__(self, X: Any, y: np.ndarray, weights: np.ndarray | None, loss: Loss, l2: float, *, intercept: bool):
        self.X, self.y, self.loss, self.l2, self.intercept = X, y, loss, l2, intercept
        self.total = float(len(y)) if weights is None else float(weights.sum())
        self.weights = weights
        self.shape = (X.shape[1] + intercept, loss.n_outputs)
        p, k = self.shape
        chunk = len(y) if issparse(X) else int(np.clip(_CHUNK_BYTES / (8 * max(p, 1)), 64, _LARGEST_CHUNK))
        self._chunk, self._cost = chunk, float(len(y)) * p * k

    def on_one_thread(self) -> AbstractContextManager[Any]:
        """Keep BLAS on one thread where variables are few: between short products, threads mostly wait."""
        return blas_on_one_thread(self.shape[0] * self.shape[1] <= _FEW)

    def start(self) -> np.ndarray:
        """Zero coefficients, and the best intercepts for them."""
        theta = np.zeros(self.shape)
        if self.intercept:
            theta[-1] = self.loss.constant(self.y, self.weights)
            theta[-1] -= theta[-1].mean() if isinstance(self.loss, Softmax) else 0.0
        return theta

    def column_sizes(self) -> np.ndarray:
        """The root mean square of each column, 1 for one of zeros and for the intercept."""
        squares = self.X.multiply(self.X).mean(axis=0) if issparse(self.X) else np.einsum("ij,ij->j", self.X, self.X)
        sizes = np.sqrt(np.asarray(squares).ravel() / (1 if issparse(self.X) else len(self.y)))
        sizes[~(np.isfinite(sizes) & (sizes > 0))] = 1.0
        return np.append(sizes, 1.0) if self.intercept else sizes

    def subset(self, rows: Any) -> SmoothProblem:
        """The same objective of some of the rows, the penalty in proportion."""
        weights = None if self.weights is None else self.weights[rows]
        return SmoothProblem(self.X[rows], self.y[rows], weights, self.loss, self.l2, intercept=self.intercept)

    def with_l2(self, l2: float) -> SmoothProblem:
        """The same objective with another penalty."""
        return SmoothProblem(self.X, self.y, self.weights, self.loss, l2, intercept=self.intercept)

    def with_columns(self, X: Any) -> SmoothProblem:
        """The same objective of other columns."""
        return SmoothProblem(X, self.y, self.weights, self.loss, self.l2, intercept=self.intercept)

    def value(self, theta: np.ndarray) -> float:
        """The objective."""
        return self.evaluate(theta, gradient=False, hessian=False)[0]

    def slope_along(self, theta: np.ndarray, step: np.ndarray) -> Callable[[float], float]:
        """The derivative of the objective by the size of a step, as a function of that size.

        It needs two products with the columns, and none when it is called.
        """
        raw, moved = self._raw(self.X, theta), self._raw(self.X, step)
        threads = thread_count(None, _LOSS * float(raw.size))
        penalised = slice(0, self.shape[0] - self.intercept)
        linear = self.l2 * float((theta[penalised] * step[penalised]).sum())
        square = self.l2 * float((step[penalised] ** 2).sum())

        def slope(size: float) -> float:
            def part(start: int, stop: int) -> float:
                rows = slice(start, stop)
                at = raw[rows] + size * moved[rows]
                first = np.empty_like(at)
                self.loss.derivatives(self.y[rows], at, first, np.empty_like(at))
                first *= moved[rows]
                by_row = first if first.ndim == 1 else first.sum(axis=1)
                return float(by_row.sum() if self.weights is None else by_row @ self.weights[rows])

            return sum(chunked(part, len(self.y), threads, chunk=_LARGEST_CHUNK)) / self.total + linear + size * square

        return slope

    def evaluate(
        self, theta: np.ndarray, *, gradient: bool = True, hessian: bool = False
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """The objective, its gradient float64[p + 1, K] and its hessian float64[(p + 1) K, (p + 1) K].

        The hessian's rows and columns are those of ``theta.T.ravel()``: output by output.
        """
        p, k = self.shape

        def part(start: int, stop: int) -> tuple[float, np.ndarray, np.ndarray]:
            return self._part(theta, slice(start, stop), gradient, hessian)

        threads = thread_count(None, self._cost * (max(p * k / _BLAS, 1.0) if hessian else 1.0))
        with blas_on_one_thread(threads > 1):
            parts = chunked(part, len(self.y), threads, chunk=self._chunk)
        value = sum(part[0] for part in parts) / self.total
        slope = sum((part[1] for part in parts[1:]), parts[0][1]) / self.total
        curvature = sum((part[2] for part in parts[1:]), parts[0][2]) / self.total
        penalised = slice(0, p - self.intercept)
        value += 0.5 * self.l2 * float((theta[penalised] ** 2).sum())
        if gradient:
            slope[penalised] += self.l2 * theta[penalised]
        if hessian and self.l2:
            diagonal = np.full(self.shape, self.l2)
            diagonal[p - self.intercept :] = 0.0
            curvature.flat[:: p * k + 1] += diagonal.T.ravel()
        return value, slope, curvature

    def _part(
        self, theta: np.ndarray, rows: slice, gradient: bool, hessian: bool
    ) -> tuple[float, np.ndarray, np.ndarray]:
        X, y = self.X[rows], self.y[rows]
        w = None if self.weights is None else self.weights[rows]
        raw, nothing = self._raw(X, theta), np.zeros(0)
        one = raw.ndim == 1
        if not gradient:
            values = self.loss.value(y, raw)
            return float(values.sum() if w is None else values @ w), nothing, nothing
        first, second = np.empty_like(raw), np.empty_like(raw)
        value = self.loss.total(y, raw, w, first, second)
        if not one:
            probabilities = self.loss.mean(raw) if hessian else nothing
        first, second = (a[:, None] if one else a for a in (first, second))
        if w is not None:
            first = first * w[:, None]
        slope = self._with_intercept(X.T @ first, first.sum(axis=0))
        if not hessian:
            return value, slope, nothing
        if one:
            return value, slope, self._product(X, second[:, 0] if w is None else second[:, 0] * w)
        return value, slope, self._blocks(X, probabilities, w)

    def raw(self, theta: np.ndarray) -> np.ndarray:
        """The predictions of all rows, float64[n] for one output."""
        return self._raw(self.X, theta)

    def _raw(self, X: Any, theta: np.ndarray) -> np.ndarray:
        """The predictions of rows, float64[n] for one output."""
        raw = X @ theta[: X.shape[1]]
        if self.intercept:
            raw += theta[-1]
        return np.ascontiguousarray(raw[:, 0] if raw.shape[1] == 1 else raw)

    def _with_intercept(self, of_columns: np.ndarray, of_ones: np.ndarray) -> np.ndarray:
        return np.vstack([of_columns, of_ones]) if self.intercept else of_columns

    def _blocks(self, X: Any, probabilities: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        """The hessian of the softmax: blocks Xᵀ diag(p_k (δ_kl − p_l)) X."""
        p, k = self.shape
        out = np.empty((k, p, k, p))
        for a in range(k):
            for b in range(a, k):
                curvature = probabilities[:, a] * ((a == b) - probabilities[:, b])
                block = self._product(X, curvature if w is None else curvature * w)
                out[a, :, b], out[b, :, a] = block, block.T
        return out.reshape(k * p, k * p)

    def _product(self, X: Any, curvature: np.ndarray) -> np.ndarray:
        """Xᵀ diag(curvature) X, with a column of ones for the intercept."""
        if issparse(X):
            square = (X.T @ X.multiply(curvature[:, None]).tocsr()).toarray()
        elif curvature.min(initial=0.0) >= 0.0:
            scaled = X * np.sqrt(curvature)[:, None]
            square = scaled.T @ scaled  # of one matrix: NumPy computes half of a symmetric product
        else:
            square = X.T @ (X * curvature[:, None])
        if not self.intercept:
            return square
        out = np.empty(np.add(square.shape, 1))
        out[:-1, :-1], out[-1, -1] = square, curvature.sum()
        out[:-1, -1] = out[-1, :-1] = X.T @ curvature
        return out
