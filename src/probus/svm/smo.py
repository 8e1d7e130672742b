"""Sequential minimal optimisation of a block of variables whose kernel matrix is at hand.

The problem is min ½ βᵀKβ − cᵀβ with lo ≤ β ≤ hi and a fixed sum of β in each of at most two groups of variables;
g = Kβ − c is the gradient. A step moves two variables of a group in opposite directions: i up, j down. The first group
comes first, and ``split`` is where the second begins.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = ["add_rows", "improve", "solve_block"]

_FLAT = 1e-12  # a smaller curvature counts as this one, as in LIBSVM


@njit(nogil=True, error_model="numpy")
def solve_block(K, g, beta, lo, hi, split, tol, max_steps):
    """Step until the optimality conditions are violated by at most ``tol``; return the number of steps.

    The pair is the i with the smallest gradient of those that can move up, and the j for which the step decreases the
    objective most when bounds are ignored (Fan, Chen and Lin 2005).

    K (IN)         float32[m, m]
    g, beta (OUT)  float64[m]     updated
    lo, hi (IN)    float64[m]
    """
    m = len(g)
    diagonal = np.empty(m)
    for v in range(m):
        diagonal[v] = K[v, v]
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
def improve(cache, slots, n, block, before, last, K, g, beta, lo, hi, split, tol, max_steps):
    """Solve a block of variables, given the rest; return the number of steps and how far each variable has moved.

    cache (IN)       float32[capacity, n]
    slots (IN)       int64[k]       where the row of each variable is in the cache
    block (IN)       int64[k]       the variables; the row of v is v % n
    before (IN)      int64[k]       the position of each in the last block, or -1
    last (IN)        float32[j, j]  the kernel matrix of the last block
    K (OUT)          float32[k, k]  the kernel matrix of this one
    g, lo, hi (IN)   float64[m]
    beta (OUT)       float64[m]     updated
    split (IN)       where the second group begins in the block
    """
    _gather(cache, slots, n, block, before, last, K)
    part, own_g, by = np.empty(len(block)), np.empty(len(block)), np.empty(len(block))
    own_lo, own_hi = np.empty(len(block)), np.empty(len(block))
    for a in range(len(block)):
        v = block[a]
        part[a], own_g[a], own_lo[a], own_hi[a] = beta[v], g[v], lo[v], hi[v]
    steps = solve_block(K, own_g, part, own_lo, own_hi, split, tol, max_steps)
    for a in range(len(block)):
        v = block[a]
        by[a] = part[a] - beta[v]
        beta[v] = part[a]
    return steps, by


@njit(nogil=True)
def _gather(cache, slots, n, block, before, last, K):
    """Copy kernel values from the last block where both variables were in it, else from the cache."""
    for a in range(len(block)):
        if before[a] < 0:
            row = cache[slots[a]]
            for b in range(len(block)):
                value = row[block[b] if block[b] < n else block[b] - n]
                K[a, b] = value
                if before[b] >= 0:
                    K[b, a] = value
        else:
            row = last[before[a]]
            for b in range(len(block)):
                if before[b] >= 0:
                    K[a, b] = row[before[b]]


@njit(nogil=True, cache=True)
def add_rows(cache, slots, by, start, stop, g):
    """Add ``by[a]`` times row ``slots[a]`` of the cache to the gradient, in the columns from ``start`` to ``stop``.

    cache (IN)  float32[capacity, n]
    by (IN)     float64[k]
    g (OUT)     float64[n], or float64[2n] where each row has two variables
    """
    n, width = cache.shape[1], 2048  # columns whose sums stay in the first level of the processor's cache
    for begin in range(start, stop, width):
        end = min(begin + width, stop)
        for part in range(0, len(g), n):
            sums = g[part : part + n]
            for a in range(len(slots)):
                row, t = cache[slots[a]], by[a]
                if t != 0.0:
                    for v in range(begin, end):
                        sums[v] += t * np.float64(row[v])
