"""The base class of solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.penalties import Penalty
from probus.linear_model.solvers._newton import Minimum
from probus.losses import Loss
from probus.state import Number, Part, Spec


@dataclass(frozen=True)
class Solver(Part, ABC):
    """Minimises a mean loss plus a penalty.

    Parameters
    ----------
    tol : the largest violation of the optimality conditions, relative to the largest gradient at zero coefficients.
    max_iter : the largest number of iterations. needs : the penalties that it takes, for error messages.
    """

    tol: float = 1e-6
    max_iter: int = 1000

    needs: ClassVar[str] = "any penalty"
    declared: ClassVar[dict[str, Spec]] = {"tol": Number(), "max_iter": Number()}

    @abstractmethod
    def takes(self, loss: Loss, penalty: Penalty) -> bool:
        """Whether it minimises this sum."""

    @abstractmethod
    def minimise(self, problem: SmoothProblem, penalty: Penalty, start: np.ndarray | None) -> Minimum:
        """The minimum; ``problem`` is the mean loss, without a penalty."""


def gradient_scale(problem: SmoothProblem) -> float:
    """The largest gradient at zero coefficients and the best intercept, 1 where it is zero.

    Parameters
    ----------
    problem : the smooth part of the sum.

    Returns
    -------
    The largest absolute gradient.
    """
    slope = problem.evaluate(problem.start())[1][: problem.X.shape[1]]
    return float(np.abs(slope).max(initial=0.0)) or 1.0


def largest_violation(problem: SmoothProblem, penalty: Penalty, theta: np.ndarray) -> float:
    """The largest violation of the optimality conditions, of coefficients and intercepts.

    Parameters
    ----------
    problem : the smooth part of the sum.
    penalty : the penalty.
    theta : coefficients and intercepts.

    Returns
    -------
    The largest violation.
    """
    p, slope = problem.X.shape[1], problem.evaluate(theta)[1]
    of_columns = penalty.violation(theta[:p], slope[:p])
    return max(float(of_columns.max(initial=0.0)), float(np.abs(slope[p:]).max(initial=0.0)))
