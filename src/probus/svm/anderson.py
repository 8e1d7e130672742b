"""Anderson's extrapolation: the limit of a sequence that converges linearly, guessed from its last members."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = ["MEMORY", "extrapolate"]

MEMORY = 5  # differences of consecutive members


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def extrapolate(history, chosen, size, out):
    """Write the combination of the last members, with weights of sum 1, whose differences combine to the least.

    history (IN)       float64[MEMORY + 1, m]
    chosen, size (IN)  int64[m]: the first of them number the variables that count
    out (OUT)          float64[m], written for those
    Return whether there is one.
    """
    G, differences = np.zeros((MEMORY, MEMORY + 1)), np.empty(MEMORY)
    for c in range(size):
        v, last = chosen[c], history[0, chosen[c]]
        for a in range(MEMORY):
            value = history[a + 1, v]
            differences[a], last = value - last, value
        for a in range(MEMORY):
            for b in range(a + 1):
                G[a, b] += differences[a] * differences[b]
    for a in range(MEMORY):
        for b in range(a):
            G[b, a] = G[a, b]
        G[a, MEMORY] = 1.0
    trace = 0.0
    for a in range(MEMORY):
        trace += G[a, a]
    if not trace > 0.0:
        return False
    for a in range(MEMORY):
        G[a, a] += 1e-10 * trace
    for a in range(MEMORY):  # elimination without pivots: G is positive definite
        for b in range(a + 1, MEMORY):
            factor = G[b, a] / G[a, a]
            for k in range(a, MEMORY + 1):
                G[b, k] -= factor * G[a, k]
    weights, whole = np.empty(MEMORY), 0.0
    for a in range(MEMORY - 1, -1, -1):
        value = G[a, MEMORY]
        for b in range(a + 1, MEMORY):
            value -= G[a, b] * weights[b]
        weights[a] = value / G[a, a]
        whole += weights[a]
    if not abs(whole) > 0.0:
        return False
    for c in range(size):
        v = chosen[c]
        value = 0.0
        for a in range(MEMORY):
            value += weights[a] * history[a + 1, v]
        out[v] = value / whole
    return True
