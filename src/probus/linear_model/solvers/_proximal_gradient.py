"""The proximal gradient method: for any penalty that has a proximal operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.penalties import Penalty
from probus.linear_model.solvers._newton import Minimum
from probus.linear_model.solvers._solver import Solver, gradient_scale
from probus.losses import Loss
from probus.state import Number, Spec


@dataclass(frozen=True)
class ProximalGradient(Solver):
    """Gradient steps followed by the proximal operator, with momentum where the penalty is convex.

    Beck and Teboulle's (2009) method; its momentum starts anew where the objective rises (O'Donoghue and Candès 2015).
    The step size is found by halving.
    """

    max_iter: int = 20_000

    needs: ClassVar[str] = "any penalty"
    declared: ClassVar[dict[str, Spec]] = {"tol": Number(), "max_iter": Number()}

    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """See :class:`Solver`."""
        return loss.differentiable

    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """See :class:`Solver`."""
        p, limit, step, momentum = problem.X.shape[1], self.tol * gradient_scale(problem), 1.0, 1.0
        theta = problem.start() if start is None else start.copy()
        theta[:p] = penalty.prox(theta[:p], 0.0)
        ahead, total = theta, np.inf
        for iteration in range(1, self.max_iter + 1):
            value, slope, _ = problem.evaluate(ahead)
            while True:
                new = ahead - step * slope
                new[:p] = penalty.prox(new[:p], step)
                moved = new - ahead
                reached, new_slope, _ = problem.evaluate(new)
                bound = value + float((slope * moved).sum()) + 0.5 / step * float((moved**2).sum())
                if reached <= bound + 1e-14 * abs(value) or step < 1e-18:
                    break
                step *= 0.5
            distance = np.abs(new_slope)
            distance[:p] = penalty.violation(new[:p], new_slope[:p])
            violation = float(distance.max(initial=0.0))
            before, total = total, reached + penalty.value(new[:p])
            if violation <= limit:
                return Minimum(new, violation, iteration, True, total)
            restart = total > before or not penalty.convex
            following = 1.0 if restart else 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = new + (0.0 if restart else (momentum - 1.0) / following) * (new - theta)
            theta, momentum, step = new, following, 1.05 * step
        return Minimum(theta, violation, self.max_iter, False, total)
