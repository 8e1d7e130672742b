"""Newton's method and L-BFGS for smooth objectives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, optimize

from probus.linear_model.datafits._smooth_problem import SmoothProblem

_LARGEST_SYSTEM = 1000  # variables up to which the hessian is computed and factorised
_MANY_ROWS = 20_000  # above, a sample of the rows gives the start
_ROWS_A_VARIABLE = 50
_HESSIAN_PASSES = 4  # what a hessian costs, in evaluations without it
_SAMPLE_SERVES = 1e-5  # the distance down to which the hessian of a sample is used: the next one is of all rows
_ROUNDING = 1e-14  # share of the objective at the start below which differences of the objective are rounding
_SEARCHED = 16  # variables above which a hessian takes longer than a line search
_QUADRATIC = 0.05  # the share of the decrement that a step leaves, below which the next has the right size
_SEARCHES, _SEARCH_ENDS = 3, 0.1  # rounds of a line search, and the share of the slope at which it ends
_LONGEST = 4.0  # by which one round of a line search multiplies a step at most
_NEAR = 1e-10  # the distance at which a hessian is that of the minimum to five digits
_FEW_CELLS = 100_000  # of X, up to which the hessian at the minimum costs too little to do without


@dataclass(frozen=True)
class Minimum:
    """The variable float64[p + 1, K], the estimated distance of the objective to its minimum, and the iterations.

    value : the objective. curvature : its hessian, where X is large and the last one was near enough to the minimum.
    """

    theta: np.ndarray
    optimality: float
    n_iter: int
    converged: bool
    value: float = np.nan
    curvature: np.ndarray | None = None


def minimise_smooth(problem: SmoothProblem, start: np.ndarray | None, tol: float, max_iter: int) -> Minimum:
    """The minimum of the objective to a precision of ``tol``: by Newton's method, or L-BFGS for many variables."""
    if not has_hessian(problem):
        return minimise_by_lbfgs(problem, problem.start() if start is None else start, tol, max_iter)
    factor = None
    if start is None:
        start, factor = _from_a_sample(problem, max_iter)
    return minimise_by_newton(problem, start, tol, max_iter, factor)


def has_hessian(problem: SmoothProblem) -> bool:
    """Whether there are so few variables that the hessian is computed."""
    return problem.shape[0] * problem.shape[1] <= _LARGEST_SYSTEM


def _from_a_sample(problem: SmoothProblem, max_iter: int) -> tuple[np.ndarray, Any]:
    """The minimum for equally spaced rows where there are many, and the factorised hessian there.

    This spares most passes over all rows.
    """
    n, wanted = len(problem.y), max(_MANY_ROWS, _ROWS_A_VARIABLE * problem.shape[0] * problem.shape[1])
    if n < 4 * wanted:
        return problem.start(), None
    sample = problem.subset(slice(None, None, n // wanted))
    if len(np.unique(sample.y)) < len(np.unique(problem.y[:: max(1, n // 100_000)])):
        return problem.start(), None
    theta = minimise_by_newton(sample, sample.start(), 1e-6, max_iter).theta
    return theta, damped_cholesky(sample.evaluate(theta, hessian=True)[2])


def minimise_by_newton(
    problem: SmoothProblem, theta: np.ndarray, tol: float, max_iter: int, factor: Any = None
) -> Minimum:
    """Newton steps, halved while they do not reduce the objective.

    A factorised hessian is used again where its steps are expected to end before a new one would be worth its cost.
    """
    borrowed, fresh = factor is not None, factor is None
    value, slope, curvature = problem.evaluate(theta, hessian=fresh)
    factor, decrement, distance = factor or damped_cholesky(curvature), np.inf, np.inf
    rounding = _ROUNDING * max(abs(value), 1.0)  # a minimum of 0 is a difference of terms of that size
    for iteration in range(1, max_iter + 1):
        step = -linalg.cho_solve(factor, slope.T.ravel(), check_finite=False).reshape(theta.shape[::-1]).T
        before, decrement = decrement, -0.5 * float((slope * step).sum())
        distance = decrement if fresh else distance  # of the point of the last hessian
        if decrement <= tol or 0.5 * before < decrement <= rounding:
            near = curvature if distance <= _NEAR and problem.X.size > _FEW_CELLS else None
            return Minimum(theta + step, max(decrement, 0.0), iteration, True, value - decrement, near)
        rate = 1.0 if fresh and iteration == 1 else decrement / before
        far = fresh and rate > _QUADRATIC and theta.size >= _SEARCHED
        size = longer_step(problem.slope_along(theta, step), -2.0 * decrement) if far else 1.0
        fresh = decrement * rate**_HESSIAN_PASSES > tol or (borrowed and decrement < _SAMPLE_SERVES)
        while True:
            trial = theta + size * step
            new, new_slope, new_curvature = problem.evaluate(trial, hessian=fresh)
            if new <= value - 1e-4 * size * 2.0 * decrement or (size == 1.0 and new <= value + rounding):
                break
            size, fresh = 0.5 * size, True
            if size < 1e-10:  # rounding hides any further progress
                return Minimum(theta, decrement, iteration, decrement <= 1e-6 * max(abs(value), 1.0))
        theta, value, slope = trial, new, new_slope
        if fresh:
            factor, curvature, borrowed = damped_cholesky(new_curvature), new_curvature, False
    return Minimum(theta, decrement, max_iter, False)


def longer_step(slope: Callable[[float], float], start: float) -> float:
    """The size of a Newton step, at least 1, at which a convex objective is about smallest along it.

    Far from the minimum, the steps of logistic losses are too short: the curvature falls along the way.

    slope : the derivative of the objective by the size. start : that at 0, which is negative.
    """
    before, at_before, size = 0.0, start, 1.0
    for _ in range(_SEARCHES):
        here = slope(size)
        if not at_before < here < _SEARCH_ENDS * start:
            break
        secant = size - here * (size - before) / (here - at_before)
        before, at_before, size = size, here, min(secant, _LONGEST * size)
    return size


def damped_cholesky(curvature: np.ndarray) -> tuple[np.ndarray, bool]:
    """Cholesky's factor, after the smallest addition to the diagonal that makes it positive."""
    size = float(curvature.diagonal().mean()) or 1.0
    for extra in (1e-13, 1e-10, 1e-7, 1e-4, 1.0):
        raised = curvature.copy()
        raised.flat[:: len(curvature) + 1] += extra * size
        try:
            return linalg.cho_factor(raised, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
    return np.sqrt(size) * np.eye(len(curvature)), True


def minimise_by_lbfgs(problem: SmoothProblem, start: np.ndarray, tol: float, max_iter: int) -> Minimum:
    """SciPy's L-BFGS, on columns of equal size, which saves it most of its iterations."""
    unit = problem.column_sizes()[:, None]

    def both(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope, _ = problem.evaluate(flat.reshape(problem.shape) / unit)
        return value, (slope / unit).ravel()

    options = {"maxiter": max_iter, "gtol": 0.1 * np.sqrt(tol), "ftol": 64 * np.finfo(float).eps, "maxls": 50}
    found = optimize.minimize(both, (start * unit).ravel(), method="L-BFGS-B", jac=True, options=options)
    slope = float(np.abs(found.jac).max(initial=0.0))
    return Minimum(found.x.reshape(problem.shape) / unit, slope, int(found.nit), found.status == 0)
