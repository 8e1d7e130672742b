"""Coordinate descent on working sets: for absolute values and bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from probus.linear_model.datafits.quadratic import problem_of
from probus.linear_model.datafits.smooth_problem import SmoothProblem
from probus.linear_model.penalties import Concave, Penalty, Separable, WeightedL1
from probus.linear_model.solvers.newton import Minimum
from probus.linear_model.solvers.proximal_newton import minimise_kinked
from probus.linear_model.solvers.solver import Solver, gradient_scale, largest_violation
from probus.linear_model.solvers.working_set import path_fits
from probus.losses import Loss, SquaredError

__all__ = ["CoordinateDescent"]

_REWEIGHTED = 50  # times at most


@dataclass(frozen=True)
class CoordinateDescent(Solver):
    """Coordinate descent on a working set of columns, within Newton steps where the loss is not quadratic.

    A penalty that levels off is replaced by a weighted lasso at the present coefficients, again and again.
    """

    needs: ClassVar[str] = "a sum over coefficients (NoPenalty, L2, L1, L1L2, WeightedL1, Box, MCP, SCAD)"

    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """See :class:`Solver`."""
        return loss.differentiable and isinstance(penalty, (Separable, Concave))

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`."""
        limit = self.tol * gradient_scale(problem)
        if isinstance(penalty, Concave):
            return self._reweighted(problem, penalty, start, limit)
        assert isinstance(penalty, Separable)
        if _is_elastic_net(problem, penalty):
            found = self._working_set(problem, penalty, start)
            if found.optimality <= limit:
                return found
            start = found.theta
        kinks, smooth = penalty.kinks(problem.X.shape[1]), problem.with_l2(penalty.l2)
        return minimise_kinked(smooth, kinks, start, limit, self.max_iter)

    def _working_set(self, problem: SmoothProblem, penalty: Separable, start: np.ndarray | None) -> Minimum:
        """The elastic net of squared errors, whose problem needs no Newton steps."""
        p = problem.X.shape[1]
        kinks = penalty.kinks(1)
        l1, l2 = float(kinks.l1[0]), penalty.l2
        quadratic, x_mean, y_mean = problem_of(problem.X, problem.y, problem.weights, intercept=problem.intercept)
        (fit,) = path_fits(
            quadratic, np.array([l1 + l2]), l1 / (l1 + l2), start=None if start is None else start[:p, 0],
            positive=kinks.low[0] == 0.0, max_iter=self.max_iter, tol=100.0 * self.tol**2, quiet=True,
        )  # fmt: skip
        theta = np.append(fit.coef, y_mean - fit.coef @ x_mean) if problem.intercept else fit.coef
        violation = largest_violation(problem, penalty, theta[:, None])
        return Minimum(theta[:, None], violation, fit.n_iter, True)

    def _reweighted(self, problem: SmoothProblem, penalty: Concave, start: np.ndarray | None, limit: float) -> Minimum:
        """Zou and Li's (2008) local linear approximations; each reduces the objective."""
        p, done = problem.X.shape[1], 0
        weights = np.full(p, penalty.alpha)
        for _ in range(_REWEIGHTED):
            found = self.minimise(problem, WeightedL1(1.0, weights), start)
            start, done = found.theta, done + found.n_iter
            violation = largest_violation(problem, penalty, start)
            if violation <= limit or done >= self.max_iter:
                break
            weights = penalty.derivative(np.abs(start[:p]).max(axis=1))
        return replace(found, optimality=violation, n_iter=done, converged=violation <= limit)


def _is_elastic_net(problem: SmoothProblem, penalty: Separable) -> bool:
    if not isinstance(problem.loss, SquaredError) or isinstance(penalty, WeightedL1):
        return False
    kinks = penalty.kinks(1)
    return bool(kinks.l1[0] > 0.0 and kinks.low[0] in (0.0, -np.inf) and kinks.high[0] == np.inf)
