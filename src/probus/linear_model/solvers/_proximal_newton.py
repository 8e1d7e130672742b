"""Smooth objectives with absolute values and bounds: Newton's method, each step a quadratic problem with the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import issparse

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.penalties._separable import Kinks
from probus.linear_model.solvers._coordinate_descent import descend
from probus.linear_model.solvers._newton import Minimum, longer_step
from probus.linear_model.solvers._support_equations import SupportEquations

_FIRST, _FEW = 50, 200  # columns in the first working set; all, if they are so few
_NEAR = 1e-4  # of the gradients: a step from a point whose violation is smaller needs no new hessian after it,
_FAST = 0.1  # if the last one has reduced the violation to this share
_DENSE = 20_000_000  # numbers of sparse columns up to which they are stored as dense ones
_EPOCHS, _ROUNDS = 100, 10  # of coordinate descent, between which all coefficients move together
_EARLY = 0.01  # of the violation, to which a step solves its quadratic problem
_SMALLEST, _DAMPING = 1e-8, 1e-8  # the smallest share of a step, and the first damping of the next
_SINGULAR = 1e-10  # the least damping, without which rounding makes a singular hessian indefinite
_ROUNDING = 1e-14  # share of the objective at the start below which differences of the objective are rounding


def minimise_kinked(
    problem: SmoothProblem, kinks: Kinks, start: np.ndarray | None, tol: float, max_iter: int
) -> Minimum:
    """The minimum of the objective with absolute values and bounds, to a violation of the conditions of ``tol``.

    Columns join a working set as they violate the optimality conditions; the problem of those columns is solved before
    the gradient of all is computed again.
    """
    theta = problem.start() if start is None else start.copy()
    p, total, stalled = problem.X.shape[1], 0, False
    theta[:p] = np.clip(theta[:p], kinks.low[:, None], kinks.high[:, None])
    members = np.full(p, p <= _FEW)
    while True:
        value, slope, _ = problem.evaluate(theta)
        distance = _violations(theta, slope, kinks)
        worst = float(distance.max(initial=0.0))
        by_column = distance[:p].max(axis=1)
        by_column[members] = 0.0
        if worst <= tol or total >= max_iter or (stalled and by_column.max(initial=0.0) <= tol):
            return Minimum(theta, worst, max(total, 1), worst <= tol or stalled, value + kinks.value(theta[:p]))
        most = max(_FIRST, int(members.sum()))
        new = np.argsort(by_column)[::-1][:most]
        members[new[by_column[new] > 0.5 * tol]] = True
        members |= (theta[:p] != 0).any(axis=1)
        steps, stalled = _solve_members(problem, np.flatnonzero(members), theta, kinks, 0.3 * tol, max_iter - total)
        total += steps


def _violations(theta: np.ndarray, slope: np.ndarray, kinks: Kinks) -> np.ndarray:
    """The distance of each gradient from the subdifferential; that of an intercept is its size."""
    p, distance = len(kinks.l1), np.abs(slope)
    distance[:p] = kinks.violation(theta[:p], slope[:p])
    return distance


def _solve_members(
    problem: SmoothProblem, members: np.ndarray, theta: np.ndarray, kinks: Kinks, tol: float, max_iter: int
) -> tuple[int, bool]:
    """Solve the problem of some columns, theta being updated.

    Returns the number of Newton steps, and whether they have ended because rounding hides any further progress. Where
    a step does not reduce the objective, which rounding of a nearly singular hessian can cause, the next one is damped.
    """
    X = problem.X[:, members]
    if issparse(X):
        X = X.toarray() if X.shape[0] * X.shape[1] <= _DENSE else X.tocsr()
    part = SmoothProblem(X, problem.y, problem.weights, problem.loss, problem.l2, intercept=problem.intercept)
    rows = np.append(members, problem.shape[0] - 1) if problem.intercept else members
    own, m, kinks = theta[rows], len(members), kinks.of(members)
    value, slope, curvature = part.evaluate(own, hessian=True)
    value += kinks.value(own[:m])
    worst, scale = _violations(own, slope, kinks).max(initial=0.0), float(np.abs(slope).max(initial=0.0))
    damping, rounding, before = 0.0, _ROUNDING * max(abs(value), 1.0), np.inf
    for step in range(1, max_iter + 1):
        target = _quadratic_minimum(own, slope, curvature, kinks, max(tol, _EARLY * worst), damping)
        direction, renew = target - own, worst > min(_NEAR * scale, _FAST * before)
        expected = float((slope * direction).sum()) + kinks.value(target[:m]) - kinks.value(own[:m])
        tiny, far = abs(expected) <= rounding, expected < 0.0 and worst > _FAST * before and not kinks.bounded
        size = longer_step(_slope_along(part, kinks, own, direction), expected) if far else 1.0
        while expected < 0.0 or tiny:
            trial = own + size * direction
            new, new_slope, new_curvature = part.evaluate(trial, hessian=renew)
            new += kinks.value(trial[:m])
            if new <= value + (rounding if tiny else 1e-4 * size * expected) or size < _SMALLEST:
                break
            size, renew = 0.5 * size, True
        if size < _SMALLEST or not (expected < 0.0 or tiny):
            damping = max(10.0 * damping, _DAMPING)
            if tiny or damping > 1.0:
                return step, tiny
            continue
        damping = 0.1 * damping if damping > _DAMPING else 0.0
        own, value, slope = trial, new, new_slope
        theta[rows] = own
        curvature = new_curvature if renew else curvature
        before, worst = worst, _violations(own, slope, kinks).max(initial=0.0)
        if worst <= tol:
            return step, False
        if tiny and worst > 0.5 * before:
            return step, True
    return max_iter, False


def _slope_along(problem: SmoothProblem, kinks: Kinks, theta: np.ndarray, step: np.ndarray) -> Callable[[float], float]:
    """The derivative of the objective with absolute values by the size of a step."""
    smooth, p = problem.slope_along(theta, step), len(kinks.l1)
    return lambda size: smooth(size) + float(kinks.l1 @ (np.sign(theta[:p] + size * step[:p]) * step[:p]).sum(axis=1))


def _quadratic_minimum(
    theta: np.ndarray, slope: np.ndarray, curvature: np.ndarray, kinks: Kinks, tol: float, damping: float
) -> np.ndarray:
    """The minimum of the quadratic model with the kinks; the intercepts, which have none, are eliminated.

    damping : the share by which the diagonal of the hessian is raised.
    """
    (n, k), p = theta.shape, len(kinks.l1)
    ones = n - p
    blocks = curvature.reshape(k, n, k, n)
    G = blocks[:, :p, :, :p].reshape(k * p, k * p)
    across = blocks[:, :p, :, p:].reshape(k * p, k * ones)
    own = blocks[:, p:, :, p:].reshape(k * ones, k * ones)
    G, own = (part + np.diag(max(damping, _SINGULAR) * part.diagonal()) for part in (G, own))
    before, q, slope_of_ones = theta[:p].T.ravel(), -slope[:p].T.ravel(), slope[p:].T.ravel()
    w = before.copy()
    if ones:
        inverse = 1.0 / own if len(own) == 1 and own[0, 0] > 0.0 else np.linalg.pinv(own, hermitian=True)
        G, q = G - across @ inverse @ across.T, q + across @ inverse @ slope_of_ones
    scale = np.sqrt(max(float(G.diagonal().max(initial=0.0)), 1e-300))
    l1, low, high = (np.tile(part, k) for part in (kinks.l1, kinks.low, kinks.high))
    for _ in range(_ROUNDS):
        if descend(G, q, w, np.arange(len(w)), l1, 0.0, low, high, 0.1 * tol / scale, _EPOCHS) < _EPOCHS:
            break
        _move_support(G, q, w, l1, low, high)
    out = theta.copy()
    out[:p] = w.reshape(k, p).T
    if ones:
        out[p:] -= (inverse @ (slope_of_ones + across.T @ (w - before))).reshape(k, ones).T
    return out


def _move_support(
    G: np.ndarray, q: np.ndarray, w: np.ndarray, l1: np.ndarray, low: np.ndarray, high: np.ndarray
) -> None:
    """Move the coefficients that are not at a kink to the minimum of their equations, or to the first kink.

    q, w : the negative gradient of the quadratic and the coefficients, updated.
    """
    support = np.flatnonzero((w != 0.0) & (w > low) & (w < high))
    signs = np.sign(w[support])
    by = SupportEquations().solve(G, 0.0, support, q[support] - l1[support] * signs)
    if by is None or not len(by):
        return
    ends = np.where(by > 0.0, high[support], low[support])
    ends = np.where((by * signs < 0.0) & (ends * signs < 0.0), 0.0, ends)  # zero comes before a bound beyond it
    room = np.full(len(by), np.inf)
    np.divide(ends - w[support], by, out=room, where=by != 0.0)
    first = int(room.argmin())
    share = min(1.0, float(room[first]))
    q -= G[:, support] @ (share * by)
    w[support] += share * by
    if share < 1.0:
        w[support[first]] = ends[first]
