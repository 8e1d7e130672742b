"""Coordinate descent on a quadratic with an elastic net penalty, from products of columns or from sparse columns."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit


@njit(nogil=True, cache=True)
def descend(G, q, w, order, l1, l2, low, high, tol, max_epochs):
    """Reduce ½ wᵀGw − cᵀw + l1ᵀ|w| + ½ l2 ‖w‖² for low ≤ w ≤ high, by coordinates; return the number of epochs.

    A coordinate that stays at zero costs one comparison; one that moves costs a row of G.

    G (IN)      float64[m, m]  symmetric
    q (OUT)     float64[m]     c − Gw, updated
    w (OUT)     float64[m]     updated
    order (IN)  int64[m]       in which the coordinates are visited
    l1, low, high (IN)  float64[m]
    tol (IN)    stop once no step of an epoch is larger, in units of the root of the objective
    """
    m = len(w)
    for epoch in range(max_epochs):
        largest = 0.0
        for j in order:
            curvature = G[j, j] + l2
            if curvature <= 0.0:
                continue
            new = shrunk(q[j] + G[j, j] * w[j], l1[j]) / curvature
            new = min(max(new, low[j]), high[j])
            step = new - w[j]
            if step == 0.0:
                continue
            row = G[j]
            for i in range(m):
                q[i] -= step * row[i]
            w[j] = new
            largest = max(largest, abs(step) * np.sqrt(curvature))
        if largest <= tol:
            return epoch + 1
    return max_epochs


@njit(nogil=True, inline="always")
def shrunk(target, l1):
    """The soft threshold: target, moved towards 0 by l1; 0 below that."""
    if target > l1:
        return target - l1
    if target < -l1:
        return target + l1
    return 0.0


@njit(nogil=True, cache=True)
def descend_sparse(data, indices, starts, shift, squares, residual, level, w, order, l1, l2, positive, tol, max_epochs):
    """The same for sparse columns that are centred implicitly; return the epochs and the new level.

    The centred column j is x_j − shift_j u, where u is the unit vector along which columns are centred. The residual
    y − Xw is kept as ``residual + level u``, so that a step costs the stored numbers of one column.

    data, indices, starts (IN)  a matrix of m columns, compressed by columns
    shift, squares (IN)         float64[m]  x_jᵀu, zero without an intercept; ‖x_j − shift_j u‖²
    residual (OUT)              float64[n]  updated
    w (OUT)                     float64[m]  updated
    """
    for epoch in range(max_epochs):
        largest = 0.0
        for j in order:
            curvature = squares[j] + l2
            if curvature <= 0.0:
                continue
            target = squares[j] * w[j] + shift[j] * level
            for i in range(starts[j], starts[j + 1]):
                target += data[i] * residual[indices[i]]
            new = shrunk(target, l1) / curvature
            if positive:
                new = max(new, 0.0)
            step = new - w[j]
            if step == 0.0:
                continue
            for i in range(starts[j], starts[j + 1]):
                residual[indices[i]] -= step * data[i]
            level += step * shift[j]
            w[j] = new
            largest = max(largest, abs(step) * np.sqrt(curvature))
        if largest <= tol:
            return epoch + 1, level
    return max_epochs, level


@njit(nogil=True, cache=True)
def combined_rows(G, rows, v):
    """The sum of some rows of G, times v."""
    out = np.zeros(G.shape[1])
    for k in range(len(rows)):
        row = G[rows[k]]
        for j in range(len(out)):
            out[j] += v[k] * row[j]
    return out
