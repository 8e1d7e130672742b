"""Sequential minimal optimisation of a block of variables whose kernel matrix is at hand.

The problem is min ½ βᵀKβ − cᵀβ with lo ≤ β ≤ hi and a fixed sum of β in each of at most two groups of variables;
g = Kβ − c is the gradient. A step moves two variables of a group in opposite directions: i up, j down. The first group
comes first, and ``split`` is where the second begins.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.svm._row_kernel import kernel_row

_LANES = 64  # sequences of variables that are searched side by side
_TILE = 16  # columns of one line of the processor's cache
_WIDTH = 1024  # columns whose sums stay in the first level of the processor's cache
_FLAT = 1e-12  # a smaller curvature counts as this one, as in LIBSVM


@njit(nogil=True, cache=True, error_model="numpy")
def minimise(rows, place, source, diagonal, g, beta, lo, hi, split, tol, max_steps):
    """Step until the optimality conditions are violated by at most ``tol``; return how many steps, and the violation.

    The pair is the i with the smallest gradient of those that can move up, and the j for which the step decreases the
    objective most when bounds are ignored (Fan, Chen and Lin 2005). Bounds are penalties of 0 or ∞ on the gradient, and
    the best of all variables is the best of the bests of every 64th: loops without branches, which compilers vectorise.
    It ends too where a step is below the precision of numbers.

    rows (OUT)     float32[k, m]  rows of the kernel matrix
    place (OUT)    int64[m]       where in ``rows`` the row of each variable is; −1 where it is computed when needed
    source (IN)    RowSource      what rows are computed from, as a tuple
    diagonal (IN)  float32[m]
    g, beta (OUT)  float64[m]     updated
    lo, hi (IN)    float64[m]
    """
    m = len(g)
    rise, fall, gains = np.empty(m), np.empty(m), np.empty(m, np.float32)
    lanes, single_lanes = np.empty(_LANES), np.empty(_LANES, np.float32)
    products, filled = np.empty(len(source[1])), place.max() + 1
    for v in range(m):
        rise[v] = 0.0 if beta[v] < hi[v] else np.inf
        fall[v] = 0.0 if beta[v] > lo[v] else np.inf
    violation = 0.0
    for step in range(max_steps):
        violation, best, i, j = 0.0, np.float32(0.0), -1, -1
        for part in range(2):
            start, stop = (0, split) if part == 0 else (split, m)
            width = min(_LANES, stop - start)
            if width == 0:
                continue
            low, k = _lowest(g[start:stop], rise[start:stop], lanes[:width])
            if k < 0:
                continue
            k += start
            filled = _fill(source, k, products, rows, place, filled)
            high, gain, v = _best_partner(
                rows[place[k], start:stop], diagonal[k], diagonal[start:stop], g[start:stop], fall[start:stop], low,
                gains[start:stop], lanes[:width], single_lanes[:width],
            )  # fmt: skip
            violation = max(violation, high - low)
            if gain > best:
                best, i, j = gain, k, start + v
        if not violation > tol or i < 0 or j < 0:
            return step, violation
        filled = _fill(source, j, products, rows, place, filled)
        up, down = rows[place[i]], rows[place[j]]
        t = (g[j] - g[i]) / max(np.float64(diagonal[i]) + diagonal[j] - 2.0 * up[j], _FLAT)
        room_up, room_down, before_i, before_j = hi[i] - beta[i], beta[j] - lo[j], beta[i], beta[j]
        t = min(t, room_up, room_down)
        beta[i] = hi[i] if t == room_up else beta[i] + t
        beta[j] = lo[j] if t == room_down else beta[j] - t
        if beta[i] == before_i and beta[j] == before_j:
            return step, violation
        for v in (i, j):
            rise[v] = 0.0 if beta[v] < hi[v] else np.inf
            fall[v] = 0.0 if beta[v] > lo[v] else np.inf
        for v in range(m):
            g[v] += t * (np.float64(up[v]) - np.float64(down[v]))
    return max_steps, violation


@njit(nogil=True)
def _fill(source, v, products, rows, place, filled):
    """Compute the row of a variable behind those that are filled, if it is not there; return how many are."""
    if place[v] >= 0:
        return filled
    m, n = len(place), len(products)
    kernel_row(source, v % n, products, rows[filled, :n])
    for begin in range(n, m, n):
        rows[filled, begin : begin + n] = rows[filled, :n]
    for w in range(v % n, m, n):
        place[w] = filled
    return filled + 1


@njit(nogil=True, cache=True)
def fill_rows(source, variables, rows, place):
    """Compute the rows of some variables where they are not there; arguments as of ``minimise``."""
    products, filled = np.empty(len(source[1])), place.max() + 1
    for v in variables:
        filled = _fill(source, v, products, rows, place, filled)


@njit(nogil=True)
def _lowest(g, rise, lowest):
    """The smallest gradient of the variables that can move up, and its place; −1 where there is none.

    lowest (OUT)  float64[min(64, m)]  working memory
    """
    lowest[:] = np.inf
    for begin in range(0, len(g), _LANES):
        own, penalty = g[begin : begin + _LANES], rise[begin : begin + _LANES]
        for k in range(len(own)):
            value = own[k] + penalty[k]
            lowest[k] = value if value < lowest[k] else lowest[k]
    lane = np.argmin(lowest)
    low = lowest[lane]
    for v in range(lane, len(g), _LANES):
        if g[v] + rise[v] == low and low < np.inf:
            return low, v
    return low, -1


@njit(nogil=True, error_model="numpy")
def _best_partner(row, own, diagonal, g, fall, low, gains, highs, bests):
    """The largest gradient of variables that can move down, the largest gain of a step with one of them, and which.

    row, diagonal (IN)  float32[m]  the kernel of the variable to move up, and of each with itself; own is that one's
    low (IN)            the gradient of the variable to move up
    gains (OUT)         float32[m]  the decrease of the objective by a step, in single precision: it only ranks them
    highs, bests (OUT)  float64[min(64, m)], float32[min(64, m)]  working memory
    """
    highs[:], bests[:] = -np.inf, 0.0
    for begin in range(0, len(g), _LANES):
        end = begin + _LANES
        slope, penalty, kernel, size, out = (
            g[begin:end],
            fall[begin:end],
            row[begin:end],
            diagonal[begin:end],
            gains[begin:end],
        )
        for k in range(len(slope)):
            value = slope[k] - penalty[k]
            highs[k] = value if value > highs[k] else highs[k]
            gap = np.float32(max(value - low, 0.0))
            gain = gap * gap / max(own + size[k] - np.float32(2.0) * kernel[k], np.float32(_FLAT))
            out[k] = gain
            bests[k] = gain if gain > bests[k] else bests[k]
    lane = np.argmax(bests)
    for v in range(lane, len(g), _LANES):
        if gains[v] == bests[lane]:
            return highs.max(), bests[lane], v
    return highs.max(), np.float32(0.0), -1


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
    nothing = (np.empty((0, 0)), np.empty(0), 0, 0.0, 0.0, 0)  # is computed
    steps, _ = minimise(
        K, np.arange(len(block)), nothing, np.diag(K), own_g, part, own_lo, own_hi, split, tol, max_steps
    )
    for a in range(len(block)):
        v = block[a]
        by[a] = part[a] - beta[v]
        beta[v] = part[a]
    return steps, by


@njit(nogil=True)
def _gather(cache, slots, n, block, before, last, K):
    """Copy kernel values from the last block where both variables were in it, else from the cache."""
    m = len(block)
    new, old = np.flatnonzero(before < 0), np.flatnonzero(before >= 0)
    for a in new:
        row, out = cache[slots[a]], K[a]
        for place in range(m):
            v = block[place]
            out[place] = row[v if v < n else v - n]
    for a in old:
        row, out = last[before[a]], K[a]
        for b in old:
            out[b] = row[before[b]]
    for begin in range(0, len(new), _TILE):  # the transpose, by tiles that stay in the processor's cache
        some = new[begin : begin + _TILE]
        for b in old:
            out = K[b]
            for a in some:
                out[a] = K[a, b]


@njit(nogil=True, cache=True)
def add_rows(cache, slots, by, start, stop, g):
    """Add ``by[a]`` times row ``slots[a]`` of the cache to the gradient, in the columns from ``start`` to ``stop``.

    cache (IN)  float32[capacity, n]
    by (IN)     float64[k]
    g (OUT)     float64[n], or float64[2n] where each row has two variables
    """
    n = cache.shape[1]
    moved = np.flatnonzero(by)
    for begin in range(start, stop, _WIDTH):
        end = min(begin + _WIDTH, stop)
        for part in range(0, len(g), n):
            sums = g[part + begin : part + end]
            for a in range(0, len(moved) - 3, 4):  # four rows at a time: sums are loaded and stored once for them
                p, q, r, s = moved[a], moved[a + 1], moved[a + 2], moved[a + 3]
                _add_four(
                    cache[slots[p], begin:end], cache[slots[q], begin:end], cache[slots[r], begin:end],
                    cache[slots[s], begin:end], by[p], by[q], by[r], by[s], sums,
                )  # fmt: skip
            for p in moved[len(moved) - len(moved) % 4 :]:
                row, t = cache[slots[p], begin:end], by[p]
                for v in range(len(sums)):
                    sums[v] += t * np.float64(row[v])


@njit(nogil=True)
def _add_four(a, b, c, d, s, t, u, w, sums):
    """Add s a + t b + u c + w d to the sums."""
    for v in range(len(sums)):
        first = s * np.float64(a[v]) + t * np.float64(b[v])
        sums[v] += first + (u * np.float64(c[v]) + w * np.float64(d[v]))
