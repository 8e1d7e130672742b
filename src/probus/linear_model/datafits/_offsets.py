"""Columns far from zero, such as times in seconds: they are fitted near zero, and the intercept takes up the offset.

Otherwise the equations are so badly conditioned that solvers stop far from the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.inference._extrapolation import training_range
from probus.linear_model.solvers._newton import Minimum

_FAR = 100.0  # from zero, in ranges of the column


def far_offset(X: Any, *, intercept: bool) -> np.ndarray | None:
    """The middle of the columns that are far from zero, and 0 for the others; None where no column is far.

    >>> far_offset(np.array([[1e6, 1.0], [1e6 + 2.0, 3.0]]), intercept=True)
    array([1000001.,       0.])
    """
    seen = training_range(X) if intercept else None
    if seen is None:
        return None
    middle, extent = seen.low + 0.5 * (seen.high - seen.low), seen.high - seen.low
    far = (extent > 0) & (np.abs(middle) > _FAR * extent)
    return np.where(far, middle, 0.0) if far.any() else None


def with_offset(theta: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """The variable, whose last row are intercepts, for columns from which the offset is subtracted."""
    moved = theta.copy()
    moved[-1] += offset @ theta[:-1]
    return moved


def minimise_near_zero(
    problem: SmoothProblem, start: np.ndarray | None, minimise: Callable[[SmoothProblem, np.ndarray | None], Minimum]
) -> Minimum:
    """The minimum, found by a function of a problem and a start, on columns near zero."""
    offset = far_offset(problem.X, intercept=problem.intercept)
    if offset is None:
        return minimise(problem, start)
    found = minimise(problem.with_columns(problem.X - offset), None if start is None else with_offset(start, offset))
    return replace(found, theta=with_offset(found.theta, -offset), curvature=None)
