"""Sequential minimal optimisation of a block of variables whose kernel matrix is at hand.

The problem is min ½ βᵀKβ − cᵀβ with lo ≤ β ≤ hi and a fixed sum of β in each of at most two groups of variables;
g = Kβ − c is the gradient. A step moves two variables of a group in opposite directions: i up, j down. The first group
comes first, and ``split`` is where the second begins.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = ["add_rows", "gather", "solve_block"]

_FLAT = 1e-12  # a smaller curvature counts as this one, as in LIBSVM


@njit(nogil=True, cache=True, error_model="numpy")
def solve_block(K, diagonal, g, beta, lo, hi, split, tol, max_steps):
    """Step until the optimality conditions are violated by at most ``tol``; return the number of steps.

    The pair is the i with the smallest gradient of those that can move up, and the j for which the step decreases the
    objective most when bounds are ignored (Fan, Chen and Lin 2005).

    K (IN)         float32[m, m]
    diagonal (IN)  float64[m]
    g, beta (OUT)  float64[m]     updated
    lo, hi (IN)    float64[m]
    """
    m = len(g)
    for step in range(max_steps):
        violation, best, i, j = 0.0, 0.0, -1, -1
        for part in range(2):
            start, stop = (0, split) if part == 0 else (split, m)
            low, k = np.inf, -1
            for v in range(start, stop):
                if g[v] < low and beta[v] < hi[v]:
                    low, k = g[v], v
            if k < 0:
                continue
            row = K[k]
            for v in range(start, stop):
                gap = g[v] - low
                if gap > 0.0 and beta[v] > lo[v]:
                    violation = max(violation, gap)
                    gain = gap * gap / max(diagonal[k] + diagonal[v] - 2.0 * row[v], _FLAT)
                    if gain > best:
                        best, i, j = gain, k, v
        if not violation > tol:
            return step
        up, down = K[i], K[j]
        t = (g[j] - g[i]) / max(diagonal[i] + diagonal[j] - 2.0 * up[j], _FLAT)
        room_up, room_down = hi[i] - beta[i], beta[j] - lo[j]
        t = min(t, room_up, room_down)
        beta[i] = hi[i] if t == room_up else beta[i] + t
        beta[j] = lo[j] if t == room_down else beta[j] - t
        for v in range(m):
            g[v] += t * (np.float64(up[v]) - np.float64(down[v]))
    return max_steps


@njit(nogil=True, cache=True)
def gather(cache, slots, rows, out, diagonal):
    """The kernel matrix of a block: rows of the cache at some columns.

    cache (IN)     float32[capacity, n]
    slots (IN)     int64[m]    where the row of each variable is
    rows (IN)      int64[m]    which row it is
    out (OUT)      float32[m, m]
    diagonal (OUT) float64[m]
    """
    m = len(rows)
    for a in range(m):
        row = cache[slots[a]]
        for b in range(m):
            out[a, b] = row[rows[b]]
        diagonal[a] = out[a, a]


@njit(nogil=True, cache=True)
def add_rows(cache, slots, steps, start, stop, out):
    """Add ``steps[a]`` times row ``slots[a]`` of the cache to ``out``, in the columns from ``start`` to ``stop``.

    cache (IN)  float32[capacity, n]
    steps (IN)  float64[m]
    out (OUT)   float64[n]
    """
    width = 2048  # columns whose sums stay in the first level of the processor's cache
    for begin in range(start, stop, width):
        end = min(begin + width, stop)
        for a in range(len(slots)):
            row, t = cache[slots[a]], steps[a]
            if t != 0.0:
                for v in range(begin, end):
                    out[v] += t * np.float64(row[v])
