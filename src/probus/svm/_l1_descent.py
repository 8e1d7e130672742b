"""Coordinate descent for linear machines with squared hinge loss and a penalty on absolute values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.compiling import njit
from probus.svm._flat_rows import FlatRows
from probus.svm._primal_newton import hessian_of, residuals

_LARGEST_SYSTEM = 1000  # columns up to which their products are computed
_ROUNDING = 1e-13  # of the objective: a gain that it does not show, though the duality gap may


def minimise_l1_hinge(
    X: Any, signs: np.ndarray, caps: np.ndarray, tol: float, max_iter: int
) -> tuple[np.ndarray, float, int]:
    r"""The minimum of :math:`‖w‖_1 + \sum_i C_i \max(0, 1 - y_i x_i^⊤ w)^2`, its relative duality gap, and the epochs.

    Where columns are few, each epoch is a Newton step on products of columns; else a pass over the columns.

    X : rows with the constant column for the intercept
    """
    if X.shape[1] <= min(_LARGEST_SYSTEM, X.shape[0]):
        return _newton(X, signs, caps, tol, max_iter)
    signed = X.multiply(signs[:, None]).tocsc().T.tocsr() if issparse(X) else (X * signs[:, None]).T
    columns = FlatRows.of(signed, 0.0)
    w, slack = np.zeros(X.shape[1]), np.ones(len(signs))
    gap, epochs = _descend(columns.values, columns.columns, columns.begins, caps, w, slack, tol, max_iter)
    return w, gap, epochs


def _newton(X: Any, y: np.ndarray, caps: np.ndarray, tol: float, max_iter: int) -> tuple[np.ndarray, float, int]:
    """Newton steps: coordinate descent on the quadratic model with the penalty, halved while the objective rises."""
    w, raw = np.zeros(X.shape[1]), np.zeros(len(y))
    r, gap, best = residuals(raw, y, None), np.inf, (w, np.inf)
    value = float(caps @ (r * r))
    for step in range(max_iter + 1):
        slope = -2.0 * (X.T @ (caps * r))
        gap = _gap_of(value, slope, r, caps)
        if gap >= best[1]:  # of steps whose gain the objective does not show
            break
        if gap <= tol or step == max_iter:
            return w, gap, max(step, 1)
        hessian, target = hessian_of(X, r, caps), w.copy()
        _descend_model(hessian, hessian @ w - slope, target, min(1e-3, 0.1 * gap), 10_000)
        direction, size = target - w, 1.0
        along = X @ direction
        expected = float(slope @ direction) + float(np.abs(target).sum() - np.abs(w).sum())
        hidden = abs(expected) <= _ROUNDING * value
        while True:
            trial = w + size * direction
            new_r = residuals(raw + size * along, y, None)
            new = float(np.abs(trial).sum() + caps @ (new_r * new_r))
            if hidden or new <= value + 1e-4 * size * expected or size < 1e-10:
                break
            size *= 0.5
        if not hidden and not new < value:
            break
        best = (w, gap) if hidden else best
        w, r, value, raw = trial, new_r, new, raw + size * along
    return (*min(best, (w, gap), key=lambda found: found[1]), max(step, 1))


def _gap_of(value: float, slope: np.ndarray, r: np.ndarray, caps: np.ndarray) -> float:
    """The duality gap with α = 2 C |r|, scaled until no column's gradient exceeds 1, relative to the objective."""
    alpha = 2.0 * caps * np.abs(r) / max(float(np.abs(slope).max(initial=0.0)), 1.0)
    dual = float(np.sum(alpha - alpha * alpha / (4.0 * caps)))
    return max(value - dual, 0.0) / value if value > 0.0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _descend_model(H, c, w, tol, max_epochs):
    """Minimise ½ wᵀHw − cᵀw + ‖w‖₁ until no step of an epoch changes a gradient by more than ``tol``.

    H (IN)   float64[p, p]
    c (IN)   float64[p]
    w (OUT)  float64[p]     the start, updated
    """
    p = len(w)
    q = np.empty(p)
    for j in range(p):
        q[j] = c[j]
        for k in range(p):
            q[j] -= H[j, k] * w[k]
    for _ in range(max_epochs):
        largest = 0.0
        for j in range(p):
            h = max(H[j, j], 1e-12)
            target = w[j] + q[j] / h
            size = max(abs(target) - 1.0 / h, 0.0)
            step = (size if target > 0.0 else -size) - w[j]
            if step != 0.0:
                for k in range(p):
                    q[k] -= step * H[j, k]
                w[j] += step
                largest = max(largest, abs(step) * h)
        if largest <= tol:
            return


@njit(nogil=True, cache=True, error_model="numpy")
def _descend(values, rows, begins, caps, w, slack, tol, max_epochs):
    """Visit the columns until the relative duality gap is at most ``tol``.

    Each visit is a Newton step with soft threshold, halved while it does not reduce the objective (Yuan et al. 2010).
    A column of weight 0 whose gradient is clearly below the threshold is left out until the others have converged.

    values, rows, begins (IN)  the columns of y X as rows of ``FlatRows``
    w, slack (OUT)             float64[p], float64[n], with slack = 1 − y Xw
    """
    n, p = len(slack), len(w)
    active, size, limit, small, gap = np.arange(p), p, np.inf, np.inf, np.inf
    for epoch in range(max_epochs):
        largest, s = 0.0, 0
        while s < size:
            j = active[s]
            start, stop = (begins[j], begins[j + 1]) if len(begins) > 0 else (j * n, (j + 1) * n)
            g, h = _derivatives(values, rows, start, stop, j * n, caps, slack)
            violation = abs(g + np.sign(w[j])) if w[j] != 0.0 else max(abs(g) - 1.0, 0.0)
            if w[j] == 0.0 and 1.0 - abs(g) > limit:
                size -= 1
                active[s], active[size] = active[size], j
                continue
            largest = max(largest, violation)
            if violation > 0.0:
                _step(values, rows, start, stop, j * n, caps, slack, w, j, g, h)
            s += 1
        limit = largest if largest > 0.0 else np.inf
        small = min(small, 0.1 * largest) if epoch == 0 else small
        if largest <= small:
            if size < p:
                size, limit = p, np.inf
                continue
            gap = _relative_gap(values, rows, begins, caps, w, slack)
            if gap <= tol or largest == 0.0:
                return gap, epoch + 1
            small = max(0.1 * small, 1e-3 * largest)
    return _relative_gap(values, rows, begins, caps, w, slack), max_epochs


@njit(nogil=True)
def _derivatives(values, rows, start, stop, shift, caps, slack):
    """First and second derivative of the loss by the weight of a column."""
    g, h = 0.0, 0.0
    for k in range(start, stop):
        i = rows[k] if len(rows) > 0 else k - shift
        if slack[i] > 0.0:
            scaled = 2.0 * caps[i] * values[k]
            g -= scaled * slack[i]
            h += scaled * values[k]
    return g, h


@njit(nogil=True)
def _step(values, rows, start, stop, shift, caps, slack, w, j, g, h):
    """Move the weight of a column to the minimum of its quadratic model, or as far as reduces the objective."""
    h = max(h, 1e-12)
    target = w[j] - g / h
    size = max(abs(target) - 1.0 / h, 0.0)
    step = (size if target > 0.0 else -size) - w[j]
    expected = g * step + abs(w[j] + step) - abs(w[j])
    for _ in range(30):
        if step == 0.0:
            return
        change = abs(w[j] + step) - abs(w[j])
        for k in range(start, stop):
            i = rows[k] if len(rows) > 0 else k - shift
            new = slack[i] - step * values[k]
            change += caps[i] * (max(new, 0.0) ** 2 - max(slack[i], 0.0) ** 2)
        if change <= 0.01 * expected:
            w[j] += step
            for k in range(start, stop):
                i = rows[k] if len(rows) > 0 else k - shift
                slack[i] -= step * values[k]
            return
        step, expected = 0.5 * step, 0.5 * expected


@njit(nogil=True, error_model="numpy")
def _relative_gap(values, rows, begins, caps, w, slack):
    """The duality gap with α = 2 C slack, scaled until no column's gradient exceeds 1, relative to the objective."""
    n, most = len(slack), 0.0
    for j in range(len(w)):
        start, stop = (begins[j], begins[j + 1]) if len(begins) > 0 else (j * n, (j + 1) * n)
        g, _ = _derivatives(values, rows, start, stop, j * n, caps, slack)
        most = max(most, abs(g))
    scale = 1.0 / max(most, 1.0)
    primal, dual = 0.0, 0.0
    for v in w:
        primal += abs(v)
    for i in range(n):
        if slack[i] > 0.0:
            alpha = scale * 2.0 * caps[i] * slack[i]
            primal += caps[i] * slack[i] ** 2
            dual += alpha - alpha * alpha / (4.0 * caps[i])
    return max(primal - dual, 0.0) / primal if primal > 0.0 else 0.0
