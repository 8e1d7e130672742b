"""What a linear model is made of: the loss of its rows, the penalty of its coefficients, and a solver of their sum."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from probus.linear_model.datafits import SmoothProblem
from probus.linear_model.penalties import Penalty
from probus.linear_model.solvers import Solver
from probus.linear_model.solvers._newton import Minimum
from probus.losses import Loss


class Composition(NamedTuple):
    """A loss, a penalty and a solver, which a model declares: ``GeneralizedLinearEstimator(*composition)`` is the same.

    The objective is the mean loss plus the penalty.
    """

    loss: Loss
    penalty: Penalty
    solver: Solver

    def problem(self, X: Any, y: np.ndarray, weights: np.ndarray | None, *, intercept: bool) -> SmoothProblem:
        """The smooth part of the objective."""
        return SmoothProblem(X, y, weights, self.loss, getattr(self.penalty, "l2", 0.0), intercept=intercept)

    def minimise(self, problem: SmoothProblem, start: np.ndarray | None) -> Minimum:
        """The coefficients of the smallest objective, and how the solver ended."""
        return self.solver.minimise(problem, self.penalty, start)
