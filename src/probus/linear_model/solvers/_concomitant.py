"""Huber's joint estimate of coefficients and scale, by Newton's method on the objective profiled over the scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

from probus.linear_model.solvers._newton import damped_cholesky
from probus.parallel import blas_on_one_thread, chunked, thread_count

_CHUNK_CELLS = 250_000
_PRODUCTS_AN_OPERATION = 16  # a matrix product is that much faster than a loop
_MANY_ROWS = 40_000  # above, a sample of the rows gives the start
_ROWS_A_VARIABLE = 50
_CLOSE = 1e-9  # a relative decrease that needs no warning
_SMALLEST_SCALE = 1e-7  # relative to the scale of the target: below, the fit is exact


@dataclass(frozen=True)
class JointEstimate:
    """Coefficients with the intercept last, the scale, and how far the fit came.

    optimality : the decrease that a further Newton step would bring, relative to the objective.
    """

    theta: np.ndarray
    scale: float
    optimality: float
    n_iter: int
    converged: bool


class ConcomitantProblem:
    r"""The objective :math:`Aσ + \sum_i w_i σ H(r_i / σ) + α ‖β‖^2`.

    :math:`H(z)` is :math:`z^2` up to ε and :math:`2ε|z| - ε^2` beyond. The objective is convex in coefficients and
    scale together. The best scale for given residuals solves :math:`\sum_i w_i \min(r_i^2 / σ^2, ε^2) = A`. With
    A the sum of weights it is scikit-learn's objective; with :math:`A = (n - p) γ` the solution is Huber's proposal 2.
    """

    def __init__(
        self,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None,
        epsilon: float,
        alpha: float,
        *,
        intercept: bool,
        total: float | None = None,
    ):
        self.X, self.y, self.epsilon, self.alpha, self.intercept = X, y, epsilon, alpha, intercept
        self.weights = np.ones(len(y)) if weights is None else weights
        self.total = float(self.weights.sum()) if total is None else total
        self.floor = _SMALLEST_SCALE * _middle_size(y - np.median(y) if intercept else y)
        p = X.shape[1]
        self.size = p + intercept
        self.penalty = np.full(self.size, alpha)
        self.penalty[p:] = 0.0

    def residual(self, theta: np.ndarray) -> np.ndarray:
        """The residuals y − Xβ − β₀."""
        raw = self.X @ theta[: self.X.shape[1]]
        return self.y - (raw + theta[-1] if self.intercept else raw)

    def profile(self, theta: np.ndarray) -> tuple[float, float, np.ndarray]:
        """The objective at the best scale, that scale, and the residuals."""
        r = self.residual(theta)
        scale = max(scale_of(r, self.weights, self.epsilon, self.total), self.floor)
        size = np.abs(r) / scale
        loss = np.where(size <= self.epsilon, size**2, self.epsilon * (2.0 * size - self.epsilon))
        value = scale * (self.total + float(self.weights @ loss)) + float(self.penalty @ theta**2)
        return value, scale, r

    def steps(self, theta: np.ndarray, scale: float, r: np.ndarray) -> tuple[np.ndarray, Iterator[np.ndarray]]:
        """Half the gradient in the coefficients, and steps, each more cautious than the one before.

        First Newton's, then the one that keeps the scale, which serves where the objective is not smooth: where so many
        rows are fitted exactly that the scale tends to zero. The last is that of reweighted least squares, a majorant
        that has curvature in every direction; between, mixtures of the two.
        """
        inside = np.abs(r) <= self.epsilon * scale
        psi = self.weights * np.where(inside, r / scale, self.epsilon * np.sign(r))
        curvature = np.where(inside, self.weights / scale, 0.0)
        pulled, products, across = self._sums(psi, curvature, curvature * r)
        products.flat[:: self.size + 1] += self.penalty
        slope, along = self.penalty * theta - pulled, float(curvature @ r**2)

        def candidates() -> Iterator[np.ndarray]:
            if scale > self.floor and along > 0.0:
                yield -solved(products - np.outer(across, across) / along, slope)
            yield -solved(products, slope)
            flat = self.weights * np.where(inside, 0.0, self.epsilon / np.maximum(np.abs(r), self.floor))
            beyond = self.normal_equations(r, flat)[1]
            for share in (1e-4, 1e-2, 1.0):
                yield -solved(products + share * beyond, slope)

        return slope, candidates()

    def slope(self, theta: np.ndarray, scale: float, r: np.ndarray) -> np.ndarray:
        """Half the gradient in the coefficients."""
        psi = self.weights * np.clip(r / scale, -self.epsilon, self.epsilon)
        return self.penalty * theta - self._product(self.X, psi)

    def _sums(
        self, psi: np.ndarray, curvature: np.ndarray, moved: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Xᵀpsi, Xᵀ diag(curvature) X and Xᵀmoved, with a column of ones for the intercept."""
        n, p = self.X.shape

        def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            rows, own = self.X[start:stop], curvature[start:stop]
            scaled = rows.multiply(own[:, None]).tocsr() if issparse(rows) else rows * own[:, None]
            square = rows.T @ scaled
            sums = np.empty((self.size, self.size))
            sums[:p, :p] = square.toarray() if issparse(square) else square
            if self.intercept:
                sums[p, :p] = sums[:p, p] = np.asarray(scaled.sum(axis=0)).ravel()
                sums[p, p] = own.sum()
            return self._product(rows, psi[start:stop]), sums, self._product(rows, moved[start:stop])

        chunk = n if issparse(self.X) else max(64, _CHUNK_CELLS // max(p, 1))
        threads = thread_count(None, float(n) * p**2 / _PRODUCTS_AN_OPERATION)
        with blas_on_one_thread(threads > 1):
            parts = chunked(part, n, threads, chunk=chunk)
        first, second, third = (sum(terms[1:], terms[0]) for terms in zip(*parts, strict=True))
        return first, second, third

    def normal_equations(self, target: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """XᵀWy and XᵀWX, with a column of ones for the intercept."""
        return self._sums(weights * target, weights, np.zeros(len(target)))[:2]

    def _product(self, rows: Any, v: np.ndarray) -> np.ndarray:
        product = rows.T @ v
        return np.append(product, v.sum()) if self.intercept else product

    def sample(self, step: int) -> ConcomitantProblem:
        """The objective of every ``step``-th row, the penalty in proportion."""
        rows = slice(None, None, step)
        weights = self.weights[rows]
        share = float(weights.sum() / self.weights.sum())
        return ConcomitantProblem(
            self.X[rows], self.y[rows], weights, self.epsilon, self.alpha * share, intercept=self.intercept,
            total=self.total * share,
        )  # fmt: skip


def scale_of(r: np.ndarray, weights: np.ndarray, epsilon: float, total: float) -> float:
    r"""The scale σ with :math:`\sum_i w_i \min(r_i^2 / σ^2, ε^2) = A`; 0 where so many residuals are zero that none is.

    From all residuals inside, each step solves the equation for those that are inside and decreases the scale.

    >>> scale_of(np.array([1.0, -1.0, 1.0, 100.0]), np.ones(4), 1.5, 4.0).round(4)
    np.float64(1.3093)
    """
    size, squares = np.abs(r), weights * r**2
    scale = np.inf
    inside = np.ones(len(r), dtype=bool)
    while True:
        left = total - epsilon**2 * float(weights[~inside].sum())
        found = np.sqrt(max(float(squares[inside].sum()), 0.0) / left) if left > 0.0 else 0.0
        if not found < scale:
            return scale
        scale, before = found, inside
        inside = size <= epsilon * scale
        if (inside == before).all():
            return scale


def minimise_jointly(problem: ConcomitantProblem, start: np.ndarray | None, tol: float, max_iter: int) -> JointEstimate:
    """The minimum over coefficients and scale, to a decrease of ``tol`` relative to the objective."""
    theta = _start(problem, max_iter) if start is None else start
    value, scale, r = problem.profile(theta)
    iteration = 0
    while True:
        slope, steps = problem.steps(theta, scale, r)
        newton = next(steps)
        decrement = max(-float(slope @ newton), 0.0) / value
        if decrement <= tol:  # the last step doubles the number of correct digits
            final = problem.profile(theta + newton)
            theta, scale = (theta + newton, final[1]) if final[0] <= value else (theta, scale)
            return JointEstimate(theta, scale, decrement, iteration, True)
        if iteration == max_iter:
            return JointEstimate(theta, scale, decrement, iteration, decrement <= _CLOSE)
        found = _line_search(problem, theta, value, slope, chain([newton], steps))
        if found is None:  # rounding hides any further progress
            return JointEstimate(theta, scale, decrement, iteration, decrement <= _CLOSE)
        theta, (value, scale, r) = found
        iteration += 1


def _middle_size(y: np.ndarray) -> float:
    """The median of the sizes that are not zero, which outliers do not move; 1 where all are."""
    size = np.abs(y[y != 0])
    return float(np.median(size)) if len(size) else 1.0


def _line_search(
    problem: ConcomitantProblem, theta: np.ndarray, value: float, slope: np.ndarray, steps: Iterable[np.ndarray]
) -> tuple[np.ndarray, tuple[float, float, np.ndarray]] | None:
    """The first point on the steps where the objective is sufficiently smaller."""
    for step in steps:
        for size in (1.0, 0.5, 0.25, 0.125):
            found = problem.profile(theta + size * step)
            if found[0] < value + 2e-3 * size * float(slope @ step):
                return theta + size * step, found
    return None


def _start(problem: ConcomitantProblem, max_iter: int) -> np.ndarray:
    """The minimum for a sample of the rows where there are many, else least squares."""
    n = len(problem.y)
    step = n // max(_MANY_ROWS // 2, _ROWS_A_VARIABLE * problem.size)
    if n >= _MANY_ROWS and step >= 4:
        return minimise_jointly(problem.sample(step), None, 1e-8, max_iter).theta
    return least_squares_step(problem, np.zeros(problem.size), problem.weights, 0.0)


def least_squares_step(problem: ConcomitantProblem, theta: np.ndarray, weights: np.ndarray, scale: float) -> np.ndarray:
    """The coefficients of weighted least squares with the penalty times the scale, by a correction of ``theta``."""
    products, gram = problem.normal_equations(problem.residual(theta), weights)
    gram.flat[:: problem.size + 1] += scale * problem.penalty
    return theta + solved(gram, products - scale * problem.penalty * theta)


def solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of a positive semidefinite system, whose units do not matter; shrunk where it is singular."""
    size = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    size[size == 0.0] = 1.0
    factor = damped_cholesky(matrix / np.outer(size, size))
    return linalg.cho_solve(factor, right / size, check_finite=False) / size
