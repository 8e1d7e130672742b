"""Smooth objectives with a penalty on absolute values: Newton's method, each step an elastic net problem."""

from __future__ import annotations

import numpy as np

from probus.linear_model.coordinate_descent import descend
from probus.linear_model.newton import Minimum
from probus.linear_model.smooth_problem import SmoothProblem

__all__ = ["minimise_l1"]

_FIRST = 50  # columns in the first working set
_EPOCHS = 1000


def minimise_l1(problem: SmoothProblem, l1: float, start: np.ndarray | None, tol: float, max_iter: int) -> Minimum:
    r"""The minimum of the objective plus :math:`λ_1 ‖B‖_1`, to a violation of the optimality conditions of ``tol``.

    Columns join a working set as they violate the conditions; the problem of those columns is solved before the
    gradient of all is computed again.
    """
    theta = problem.start() if start is None else start.copy()
    p, total = problem.X.shape[1], 0
    members = np.zeros(p, dtype=bool)
    while True:
        slope = problem.evaluate(theta)[1]
        distance = _violations(theta, slope, l1, p)
        worst = float(distance.max(initial=0.0))
        if worst <= tol or total >= max_iter:
            return Minimum(theta, worst, max(total, 1), worst <= tol)
        by_column = distance[:p].max(axis=1)
        by_column[members] = 0.0
        most = max(_FIRST, int(members.sum()))
        new = np.argsort(by_column)[::-1][:most]
        members[new[by_column[new] > 0.5 * tol]] = True
        members |= (theta[:p] != 0).any(axis=1)
        total += _solve_members(problem, np.flatnonzero(members), theta, l1, 0.3 * tol, max_iter - total)


def _violations(theta: np.ndarray, slope: np.ndarray, l1: float, p: int) -> np.ndarray:
    """The distance of each gradient from the subdifferential of the penalty."""
    distance = np.abs(slope)
    w, g = theta[:p], slope[:p]
    distance[:p] = np.where(w != 0, np.abs(g + l1 * np.sign(w)), np.maximum(np.abs(g) - l1, 0.0))
    return distance


def _solve_members(
    problem: SmoothProblem, members: np.ndarray, theta: np.ndarray, l1: float, tol: float, max_iter: int
) -> int:
    """Solve the problem of some columns, theta being updated; the number of Newton steps."""
    X = problem.X[:, members]
    X = X.toarray() if hasattr(X, "toarray") else np.ascontiguousarray(X)
    part = SmoothProblem(X, problem.y, problem.weights, problem.loss, problem.l2, intercept=problem.intercept)
    rows = np.append(members, problem.shape[0] - 1) if problem.intercept else members
    own = theta[rows]
    value, slope, curvature = part.evaluate(own, hessian=True)
    value += l1 * float(np.abs(own[: len(members)]).sum())
    for step in range(1, max_iter + 1):
        target = _quadratic_minimum(own, slope, curvature, l1, len(members), tol)
        direction, size = target - own, 1.0
        expected = float((slope * direction).sum()) + l1 * float(
            np.abs(target[: len(members)]).sum() - np.abs(own[: len(members)]).sum()
        )
        while True:
            trial = own + size * direction
            new, slope, curvature = part.evaluate(trial, hessian=True)
            new += l1 * float(np.abs(trial[: len(members)]).sum())
            if new <= value + 1e-4 * size * expected or size < 1e-8:
                break
            size *= 0.5
        own, value = trial, new
        theta[rows] = own
        if size < 1e-8 or _violations(own, slope, l1, len(members)).max(initial=0.0) <= tol:
            return step
    return max_iter


def _quadratic_minimum(
    own: np.ndarray, slope: np.ndarray, curvature: np.ndarray, l1: float, p: int, tol: float
) -> np.ndarray:
    """The minimum of the quadratic model plus l1 ‖w‖₁; the intercepts, which have no penalty, are eliminated."""
    n, k = own.shape
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
    descend(G, q, new, np.arange(len(new)), l1, 0.0, False, 0.1 * tol / scale, _EPOCHS)
    out = flat.copy()
    out[w] = new
    if len(b):
        out[b] -= inverse @ (g[b] + curvature[np.ix_(b, w)] @ (new - flat[w]))
    return out.reshape(k, n).T
