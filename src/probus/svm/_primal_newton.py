"""Newton's method for linear machines with squared losses, which are quadratic between kinks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

_ROUNDING = 1e-13  # a relative gap below which the objective no longer shows whether a step is good
_SINGULAR = 1e-5  # ratio of pivots, whose squares are lost in the rounding of the Hessian
_AT_A_TIME = 1_000_000  # numbers of the rows that are factorised together
_SAMPLE = 100  # rows per column of the sample that gives the start


def minimise_primal(
    X: Any, y: np.ndarray, caps: np.ndarray, *, epsilon: float | None, tol: float, max_iter: int
) -> tuple[np.ndarray, float, int]:
    r"""The minimum of :math:`\frac12 ‖w‖^2 + \sum_i C_i r_i^2`, its relative duality gap, and the number of steps.

    The residual r is y max(0, 1 − y xᵀw) of classes ±1 (``epsilon`` None), or what exceeds ε of y − xᵀw. The start is
    the solution for a sample of the rows, which saves most passes over all; the last of a few steps is exact.

    X : rows with the constant column for the intercept
    caps : the C of each row
    """
    n, p = X.shape
    w, stride = np.zeros(p), n // (_SAMPLE * p)
    if stride > 4:
        rows = slice(None, None, stride)
        w, _, _ = _newton(X[rows], y[rows], caps[rows] * stride, epsilon, w, 1e-3, max_iter)
    return _newton(X, y, caps, epsilon, w, tol, max_iter)


def _newton(
    X: Any, y: np.ndarray, caps: np.ndarray, epsilon: float | None, w: np.ndarray, tol: float, max_iter: int
) -> tuple[np.ndarray, float, int]:
    """Newton steps, halved while they do not reduce the objective."""
    raw = X @ w
    r = residuals(raw, y, epsilon)
    value = 0.5 * float(w @ w) + float(caps @ (r * r))
    gap = np.inf
    for step in range(max_iter + 1):
        Xb = X.T @ (2.0 * caps * r)
        gap, before = _relative_gap(value, Xb, r, y, caps, epsilon), gap
        if gap <= tol or gap >= before < _ROUNDING or step == max_iter:
            return w, gap, max(step, 1)
        slope = w - Xb
        direction = _step(X, r, caps, w, slope)
        along, expected, size = X @ direction, float(slope @ direction), 1.0
        while True:
            trial = w + size * direction
            new_r = residuals(raw + size * along, y, epsilon)
            new = 0.5 * float(trial @ trial) + float(caps @ (new_r * new_r))
            if new <= value + 1e-4 * size * expected or size < 1e-10 or before < _ROUNDING:
                break
            size *= 0.5
        if not new < value and before >= _ROUNDING:
            return w, gap, max(step, 1)  # rounding hides what is left
        w, r, value, raw = trial, new_r, new, X @ trial if step % 8 == 7 else raw + size * along
    return w, gap, max_iter


def _step(X: Any, r: np.ndarray, caps: np.ndarray, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Newton's step: by Cholesky's factors of the Hessian, or where they have lost the digits, by those of the rows."""
    hessian = hessian_of(X, r, caps)
    hessian.flat[:: len(hessian) + 1] += 1.0
    factor, direction, failed = linalg.lapack.dposv(hessian, slope)
    pivots = np.diagonal(factor)
    if not failed and pivots.min() > _SINGULAR * pivots.max():
        return -direction
    return _least_squares(X, r, caps, w)


def _least_squares(X: Any, r: np.ndarray, caps: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The step d of least ½ ‖w + d‖² + Σ Cᵢ (rᵢ − xᵢᵀd)² over rows with a loss, by QR of a few rows at a time."""
    p, used = len(w), np.flatnonzero(r)
    R = np.column_stack([np.eye(p), -w])
    size = max(p, _AT_A_TIME // p)
    for start in range(0, len(used), size):
        rows = used[start : start + size]
        part, scale = X[rows], np.sqrt(2.0 * caps[rows])
        part = part.toarray() if issparse(part) else part
        R = linalg.qr(np.vstack([R, scale[:, None] * np.column_stack([part, r[rows]])]), mode="r")[0][: p + 1]
    return linalg.solve_triangular(R[:p, :p], R[:p, p])


def residuals(raw: np.ndarray, y: np.ndarray, epsilon: float | None) -> np.ndarray:
    """R of each row: see ``minimise_primal``."""
    if epsilon is None:
        return y * np.maximum(1.0 - y * raw, 0.0)
    r = y - raw
    return np.sign(r) * np.maximum(np.abs(r) - epsilon, 0.0)


def hessian_of(X: Any, r: np.ndarray, caps: np.ndarray) -> np.ndarray:
    """2 Xᵀ diag(C) X of the rows with a loss."""
    used = np.flatnonzero(r)
    part, scale = X[used], np.sqrt(2.0 * caps[used])[:, None]
    scaled = part.multiply(scale).tocsr() if issparse(part) else part * scale
    square = scaled.T @ scaled
    return square.toarray() if issparse(square) else square


def _relative_gap(
    value: float, Xb: np.ndarray, r: np.ndarray, y: np.ndarray, caps: np.ndarray, epsilon: float | None
) -> float:
    """The duality gap with the dual variables β = 2 C r, relative to the objective."""
    b = 2.0 * caps * r
    dual = 0.5 * float(Xb @ Xb) + float(np.sum(0.5 * b * r - y * b)) + (epsilon or 0.0) * float(np.abs(b).sum())
    return max(value + dual, 0.0) / value if value > 0.0 else 0.0
