"""Coordinate descent on a quadratic with an elastic net penalty, from the Gram matrix alone."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = ["descend"]


@njit(nogil=True, cache=True)
def descend(G, q, w, order, l1, l2, positive, tol, max_epochs):
    """Reduce ½ wᵀGw − cᵀw + l1 ‖w‖₁ + ½ l2 ‖w‖², one coordinate at a time; return the number of epochs.

    A coordinate that stays at zero costs one comparison; one that moves costs a row of G.

    G (IN)      float64[m, m]  symmetric
    q (OUT)     float64[m]     c − Gw, updated
    w (OUT)     float64[m]     updated
    order (IN)  int64[m]       in which the coordinates are visited
    tol (IN)    stop once no step of an epoch is larger, in units of the root of the objective
    """
    m = len(w)
    for epoch in range(max_epochs):
        largest = 0.0
        for j in order:
            curvature = G[j, j] + l2
            if curvature <= 0.0:
                continue
            target = q[j] + G[j, j] * w[j]
            size = (target if positive else abs(target)) - l1
            new = 0.0
            if size > 0.0:
                new = (size if target > 0.0 else -size) / curvature
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
