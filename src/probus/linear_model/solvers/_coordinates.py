"""Coordinate descent on working sets: for absolute values and bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from probus.linear_model.datafits._quadratic import problem_of
from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.penalties import L1, L1L2, Concave, Penalty, Separable, WeightedL1
from probus.linear_model.solvers._newton import Minimum
from probus.linear_model.solvers._proximal_newton import minimise_kinked
from probus.linear_model.solvers._solver import Solver, gradient_scale, largest_violation
from probus.linear_model.solvers._working_set import path_fits
from probus.losses import Loss, SquaredError

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
            return self._reweight(problem, penalty, start, limit)
        assert isinstance(penalty, Separable)
        if _is_elastic_net(problem, penalty):
            gap = ToDualityGap(100.0 * self.tol**2, self.max_iter, quiet=True)
            found = gap.minimise(problem, penalty, start)
            violation = largest_violation(problem, penalty, found.theta)
            if violation <= limit:
                return replace(found, optimality=violation, converged=True)
            start = found.theta
        kinks, smooth = penalty.kinks(problem.X.shape[1]), problem.with_l2(penalty.l2)
        return minimise_kinked(smooth, kinks, start, limit, self.max_iter)

    def _reweight(self, problem: SmoothProblem, penalty: Concave, start: np.ndarray | None, limit: float) -> Minimum:
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


@dataclass(frozen=True)
class ToDualityGap(Solver):
    """Coordinate descent on a working set of columns, for squared errors: to a gap of ``tol`` mean squares of y.

    Parameters
    ----------
    selection, random_state : the order in which coefficients are visited.
    gram : XᵀX where it is known.
    quiet : whether it does not warn where ``max_iter`` ends it.
    """

    tol: float = 1e-4
    selection: str = "cyclic"
    random_state: Any = None
    gram: Any = None
    quiet: bool = False

    needs: ClassVar[str] = "absolute values and squares (L1, L1L2)"

    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """See :class:`Solver`."""
        return isinstance(loss, SquaredError) and isinstance(penalty, (L1, L1L2))

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`; the optimality is the duality gap."""
        assert isinstance(penalty, Separable)
        (n, p), kinks = problem.X.shape, penalty.kinks(1)
        alpha = float(kinks.l1[0]) + penalty.l2
        ratio = penalty.l1_ratio if isinstance(penalty, L1L2) else float(kinks.l1[0]) / alpha if alpha else 1.0
        quadratic, x_mean, y_mean = problem_of(
            problem.X, problem.y, problem.weights, intercept=problem.intercept, gram=self.gram
        )
        (fit,) = path_fits(
            quadratic, np.array([penalty.alpha if isinstance(penalty, L1L2) else alpha]), ratio,
            start=None if start is None else start[:p, 0], positive=kinks.low[0] == 0.0, max_iter=self.max_iter,
            tol=self.tol, selection=self.selection, random_state=self.random_state, quiet=self.quiet,
        )  # fmt: skip
        theta = np.append(fit.coef, y_mean - fit.coef @ x_mean) if problem.intercept else fit.coef
        return Minimum(theta[:, None], fit.gap / n, fit.n_iter, fit.converged)
