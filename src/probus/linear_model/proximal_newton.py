"""Smooth objectives with absolute values and bounds: Newton's method, each step a quadratic problem with the same."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from probus.linear_model.coordinate_descent import descend
from probus.linear_model.newton import Minimum
from probus.linear_model.penalties.separable import Kinks
from probus.linear_model.smooth_problem import SmoothProblem

__all__ = ["minimise_kinked"]

_FIRST, _FEW = 50, 200  # columns in the first working set; all, if they are so few
_NEAR = 1e-4  # of the gradients: a step from a point whose violation is smaller needs no new hessian after it
_DENSE = 20_000_000  # numbers of sparse columns up to which they are stored as dense ones
_EPOCHS = 1000


def minimise_kinked(
    problem: SmoothProblem, kinks: Kinks, start: np.ndarray | None, tol: float, max_iter: int
) -> Minimum:
    """The minimum of the objective with absolute values and bounds, to a violation of the conditions of ``tol``.

    Columns join a working set as they violate the optimality conditions; the problem of those columns is solved before
    the gradient of all is computed again.
    """
    theta = problem.start() if start is None else start.copy()
    p, total = problem.X.shape[1], 0
    theta[:p] = np.clip(theta[:p], kinks.low[:, None], kinks.high[:, None])
    members = np.full(p, p <= _FEW)
    while True:
        value, slope, _ = problem.evaluate(theta)
        distance = _violations(theta, slope, kinks)
        worst = float(distance.max(initial=0.0))
        if worst <= tol or total >= max_iter:
            return Minimum(theta, worst, max(total, 1), worst <= tol, value + kinks.value(theta[:p]))
        by_column = distance[:p].max(axis=1)
        by_column[members] = 0.0
        most = max(_FIRST, int(members.sum()))
        new = np.argsort(by_column)[::-1][:most]
        members[new[by_column[new] > 0.5 * tol]] = True
        members |= (theta[:p] != 0).any(axis=1)
        total += _solve_members(problem, np.flatnonzero(members), theta, kinks, 0.3 * tol, max_iter - total)


def _violations(theta: np.ndarray, slope: np.ndarray, kinks: Kinks) -> np.ndarray:
    """The distance of each gradient from the subdifferential; that of an intercept is its size."""
    p, distance = len(kinks.l1), np.abs(slope)
    distance[:p] = kinks.violation(theta[:p], slope[:p])
    return distance


def _solve_members(
    problem: SmoothProblem, members: np.ndarray, theta: np.ndarray, kinks: Kinks, tol: float, max_iter: int
) -> int:
    """Solve the problem of some columns, theta being updated; the number of Newton steps."""
    X = problem.X[:, members]
    if issparse(X):
        X = X.toarray() if X.shape[0] * X.shape[1] <= _DENSE else X.tocsr()
    part = SmoothProblem(X, problem.y, problem.weights, problem.loss, problem.l2, intercept=problem.intercept)
    rows = np.append(members, problem.shape[0] - 1) if problem.intercept else members
    own, m, kinks = theta[rows], len(members), kinks.of(members)
    value, slope, curvature = part.evaluate(own, hessian=True)
    value += kinks.value(own[:m])
    worst, scale = _violations(own, slope, kinks).max(initial=0.0), float(np.abs(slope).max(initial=0.0))
    for step in range(1, max_iter + 1):
        target = _quadratic_minimum(own, slope, curvature, kinks, tol)
        direction, size, renew = target - own, 1.0, worst > _NEAR * scale
        expected = float((slope * direction).sum()) + kinks.value(target[:m]) - kinks.value(own[:m])
        while True:
            trial = own + size * direction
            new, new_slope, new_curvature = part.evaluate(trial, hessian=renew)
            new += kinks.value(trial[:m])
            if new <= value + 1e-4 * size * expected or size < 1e-8:
                break
            size, renew = 0.5 * size, True
        own, value, slope = trial, new, new_slope
        theta[rows] = own
        curvature = new_curvature if renew else curvature
        worst = _violations(own, slope, kinks).max(initial=0.0)
        if size < 1e-8 or worst <= tol:
            return step
    return max_iter


def _quadratic_minimum(
    own: np.ndarray, slope: np.ndarray, curvature: np.ndarray, kinks: Kinks, tol: float
) -> np.ndarray:
    """The minimum of the quadratic model with the kinks; the intercepts, which have none, are eliminated."""
    (n, k), p = own.shape, len(kinks.l1)
    index = np.arange(n * k).reshape(k, n)
    w, b = index[:, :p].ravel(), index[:, p:].ravel()
    flat, g = own.T.ravel(), slope.T.ravel()
    G, product = curvature[np.ix_(w, w)], g[w]
    if len(b):
        inverse = np.linalg.pinv(curvature[np.ix_(b, b)], hermitian=True)
        across = curvature[np.ix_(w, b)] @ inverse
        G, product = G - across @ curvature[np.ix_(b, w)], product - across @ g[b]
    G = np.ascontiguousarray(G)
    new, q = flat[w].copy(), G @ flat[w] - product
    q -= G @ new
    scale = np.sqrt(max(float(G.diagonal().max(initial=0.0)), 1e-300))
    l1, low, high = (np.tile(part, k) for part in (kinks.l1, kinks.low, kinks.high))
    descend(G, q, new, np.arange(len(new)), l1, 0.0, low, high, 0.1 * tol / scale, _EPOCHS)
    out = flat.copy()
    out[w] = new
    if len(b):
        out[b] -= inverse @ (g[b] + curvature[np.ix_(b, w)] @ (new - flat[w]))
    return out.reshape(k, n).T
