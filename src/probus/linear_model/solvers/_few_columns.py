"""The elastic net of few columns for one penalty after the other, compiled as a whole.

The work of one penalty is a few hundred operations, less than a single call of NumPy costs.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.linear_model.solvers._coordinate_descent import descend

_BETWEEN = 4  # epochs, after which the equations of the support are solved
_SINGULAR = 1e-10  # a pivot below this share of the diagonal


@njit(nogil=True, cache=True, error_model="numpy")
def descend_path(G, c, square, w, l1s, l2s, low, tol, most, coefs, gaps, epochs):
    """Solve until a penalty needs more than ``most`` epochs; return how many penalties were solved.

    G (IN)       float64[p, p]  XᵀX
    c, low (IN)  float64[p]     Xᵀy; the smallest coefficients, 0 or −∞
    w (OUT)      float64[p]     the start, and the last coefficients
    l1s (IN)     float64[k]     positive
    l2s (IN)     float64[k]
    tol (IN)     the duality gap to reach
    coefs, gaps, epochs (OUT)  float64[k, p], float64[k], int64[k]: written for the penalties that were solved
    """
    p = len(w)
    order, high, limits, q = np.arange(p), np.full(p, np.inf), np.empty(p), np.empty(p)
    for k in range(len(l1s)):
        limits[:] = l1s[k]
        _subtract_products(G, w, c, q)
        done = False
        for epoch in range(most + 1):
            gap = _gap(c, q, square, w, l1s[k], l2s[k], low)
            if gap <= tol:
                coefs[k], gaps[k], epochs[k], done = w, gap, epoch, True
                break
            if epoch % _BETWEEN == _BETWEEN - 1:
                _solve_support(G, q, w, l1s[k], l2s[k])
            if epoch < most:
                descend(G, q, w, order, limits, l2s[k], low, high, 0.0, 1)
        if not done:
            return k
    return len(l1s)


@njit(nogil=True, error_model="numpy")
def _solve_support(G, q, w, l1, l2):
    """Move towards the optimum for the present signs, up to where a coefficient is zero, and on without that one."""
    while True:
        support = np.flatnonzero(w)
        m = len(support)
        L, step = np.empty((m, m)), np.empty(m)
        for a in range(m):
            i = support[a]
            for b in range(a + 1):
                total = G[i, support[b]] + (l2 if a == b else 0.0)
                for k in range(b):
                    total -= L[a, k] * L[b, k]
                if a > b:
                    L[a, b] = total / L[b, b]
                elif total > _SINGULAR * (G[i, i] + l2):
                    L[a, a] = np.sqrt(total)
                else:
                    return
            total = q[i] - np.sign(w[i]) * l1 - l2 * w[i]
            for k in range(a):
                total -= L[a, k] * step[k]
            step[a] = total / L[a, a]
        for a in range(m - 1, -1, -1):
            for k in range(a + 1, m):
                step[a] -= L[k, a] * step[k]
            step[a] /= L[a, a]
        share, first = 1.0, -1
        for a in range(m):
            now = w[support[a]]
            if (now + step[a]) * now <= 0.0 and -now / step[a] < share:
                share, first = -now / step[a], a
        for a in range(m):
            i = support[a]
            w[i] = 0.0 if a == first else w[i] + share * step[a]
            for k in range(len(q)):
                q[k] -= share * step[a] * G[i, k]
        if first < 0:
            return


@njit(nogil=True)
def _subtract_products(G, w, c, q):
    """Write c − Gw to q."""
    q[:] = c
    for j in range(len(w)):
        if w[j] != 0.0:
            for i in range(len(w)):
                q[i] -= w[j] * G[j, i]


@njit(nogil=True)
def _gap(c, q, square, w, l1, l2, low):
    """The gap of ``working_set.duality_gap``."""
    steepest, size, ww, wc, wq = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(len(w)):
        left = q[j] - l2 * w[j]
        steepest = max(steepest, left, 0.0 if low[j] == 0.0 else -left)
        size += abs(w[j])
        ww += w[j] * w[j]
        wc += w[j] * c[j]
        wq += w[j] * q[j]
    squares = max(square - wc - wq, 0.0) + l2 * ww
    yr = square - wc
    limit = l1 / steepest if steepest > 0.0 else np.inf
    factor = min(max(yr / squares, -limit), limit) if squares > 0.0 else 0.0
    return max(0.5 * squares + l1 * size - factor * yr + 0.5 * factor * factor * squares, 0.0)
