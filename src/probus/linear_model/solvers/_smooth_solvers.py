"""Newton's method and L-BFGS, for penalties that have a gradient, and the choice between them and others by size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.penalties import Penalty, Separable
from probus.linear_model.solvers._newton import Minimum, minimise_by_lbfgs, minimise_by_newton, minimise_smooth
from probus.linear_model.solvers._proximal_newton import minimise_kinked
from probus.linear_model.solvers._solver import Solver, gradient_scale, largest_violation
from probus.losses import Loss

_ATTEMPTS = 4  # each with a smaller tolerance of the inner method, which is not in terms of violations


class _Smooth(Solver):
    needs: ClassVar[str] = "a penalty with a gradient everywhere (NoPenalty, L2)"

    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """See :class:`Solver`."""
        return loss.differentiable and penalty.smooth and isinstance(penalty, Separable)

    def _repeat(
        self,
        inner: Callable[[SmoothProblem, np.ndarray, float, int], Minimum],
        problem: SmoothProblem,
        penalty: Penalty,
        start: np.ndarray | None,
    ) -> Minimum:
        assert isinstance(penalty, Separable)
        smooth, theta = problem.with_l2(penalty.l2), problem.start() if start is None else start
        limit, done = self.tol * gradient_scale(problem), 0
        precision = self.tol**2 * max(abs(smooth.value(theta)), np.finfo(float).tiny)
        for _ in range(_ATTEMPTS):
            found = inner(smooth, theta, precision, max(self.max_iter - done, 1))
            done, theta = done + found.n_iter, found.theta
            violation = largest_violation(problem, penalty, theta)
            if violation <= limit or done >= self.max_iter:
                break
            precision *= 1e-4
        return replace(found, optimality=violation, n_iter=done, converged=violation <= limit)


@dataclass(frozen=True)
class Newton(_Smooth):
    """Newton's method with Cholesky's factorisation: for up to a few thousand variables."""

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`."""
        return self._repeat(minimise_by_newton, problem, penalty, start)


@dataclass(frozen=True)
class LBFGS(_Smooth):
    """SciPy's L-BFGS, which needs no hessian: for many variables."""

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`."""
        return self._repeat(minimise_by_lbfgs, problem, penalty, start)


@dataclass(frozen=True)
class BySize(Solver):
    """Newton's method, or L-BFGS for many variables; with coordinate descent where the penalty has no gradient.

    The objective is minimised to about tol²/100; with kinks, to a violation of the optimality conditions of tol/100.
    """

    tol: float = 1e-4

    needs: ClassVar[str] = "a sum over coefficients"

    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """See :class:`Solver`."""
        return loss.differentiable and isinstance(penalty, Separable)

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`."""
        assert isinstance(penalty, Separable)
        smooth, kinks = problem.with_l2(penalty.l2), penalty.kinks(problem.X.shape[1])
        with problem.on_one_thread():
            if kinks.bounded or kinks.l1.any():
                return minimise_kinked(smooth, kinks, start, 0.01 * self.tol, self.max_iter)
            return minimise_smooth(smooth, start, 0.01 * self.tol**2, self.max_iter)
