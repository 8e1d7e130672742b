"""The solver of the dual problem: sequential minimal optimisation on one block of variables after the other.

The variables that violate the optimality conditions most, and free ones of the last block, form a block of up to
1,536, twice as many as moved in the last: rows of variables that do not move are computed for nothing. Its kernel rows
come from matrix products, the block is solved with its small kernel matrix at hand, and the gradient of all variables
follows in one pass over its rows.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.parallel import chunked
from probus.svm._dual_problem import DualProblem, DualSolution
from probus.svm._kernel_rows import KernelRows
from probus.svm._smo import add_rows, improve

_WHOLE = 512  # variables up to which a problem is one block
_SMALLEST, _LARGEST = 192, 1536
_KEPT = 0.75  # share of a block that free variables of the last may take
_BINS = 512
_STEPS = 100_000  # in one block, after which another may be better


def block_size(m: int) -> int:
    """The largest number of variables of a block, where memory allows.

    >>> block_size(100), block_size(1_500), block_size(20_000)
    (100, 192, 1536)
    """
    return m if m <= _WHOLE else max(_SMALLEST, min(_LARGEST, m // 8))


def solve_dual(problem: DualProblem, rows: KernelRows, tol: float, max_iter: int, threads: int = 1) -> DualSolution:
    """Step until the optimality conditions are violated by at most ``tol``, or ``max_iter`` steps are done."""
    m, n = len(problem.c), problem.n
    limit = max(10_000_000, 100 * m) if max_iter < 0 else max_iter
    beta, g, steps = problem.start.copy(), -problem.c, 0
    _follow(rows, beta, g, threads)
    size = block_size(m) if rows.capacity == n else min(block_size(m), rows.capacity)
    block, position = np.empty(0, dtype=np.int64), np.full(m, -1)
    last, room = np.empty((0, 0), dtype=np.float32), np.empty((2, size * size), dtype=np.float32)
    now = size if size == m else min(size, max(_SMALLEST, size // 4))
    while steps < limit:
        violation, block, before = _next_block(g, beta, problem.lo, problem.hi, problem.split, block, now, position)
        if not violation > tol:
            break
        slots = rows.slots(block % n if m > n else block)
        room = room[::-1]
        K = room[0, : len(block) ** 2].reshape(len(block), -1)
        done, by = improve(
            rows.cache, slots, n, block, before, last, K, g, beta, problem.lo, problem.hi,
            int(np.searchsorted(block, problem.split)), tol if size == m else max(0.1 * violation, 0.5 * tol),
            min(_STEPS, limit - steps),
        )  # fmt: skip
        if not by.any():  # steps below the precision of numbers
            break
        _add(rows, slots, by, g, threads)
        steps, last = steps + done, K
        if size < m:
            now = min(size, max(_SMALLEST, 2 * int(np.count_nonzero(by))))
    return DualSolution(problem, beta, g, steps, stopped=max_iter >= 0 and steps >= limit)


def _follow(rows: KernelRows, beta: np.ndarray, g: np.ndarray, threads: int) -> None:
    """Update the gradient for the start of all variables."""
    moved = np.flatnonzero(beta)
    for start in range(0, len(moved), rows.capacity):
        part = moved[start : start + rows.capacity]
        _add(rows, rows.slots(part % rows.n), beta[part], g, threads)


def _add(rows: KernelRows, slots: np.ndarray, by: np.ndarray, g: np.ndarray, threads: int) -> None:
    """Update the gradient for steps of variables whose rows are in the cache."""
    chunked(lambda start, stop: add_rows(rows.cache, slots, by, start, stop, g), rows.n, threads)


@njit(nogil=True, cache=True)
def _next_block(g, beta, lo, hi, split, last, size, position):
    """The violation of the optimality conditions, the sorted variables of the next block and their places in the last.

    last (IN)       int64[k]  the last block, whose free variables are kept
    position (OUT)  int64[m]  −1, overwritten and restored
    """
    m = len(g)
    chosen = np.empty(m, np.bool_)
    for v in range(m):
        chosen[v] = size >= m
    kept, free = 0, 0
    for v in last:
        free += lo[v] < beta[v] < hi[v]
    share, place = min(1.0, _KEPT * size / max(free, 1)), 0.0
    for v in last:
        if lo[v] < beta[v] < hi[v]:
            place += share  # spreads those that are kept over all
            if int(place) > kept:
                chosen[v] = True
                kept += 1
    violation = 0.0
    for part in range(2):
        start, stop = (0, split) if part == 0 else (split, m)
        low, high = np.inf, -np.inf
        for v in range(start, stop):
            if beta[v] < hi[v]:
                low = min(low, g[v])
            if beta[v] > lo[v]:
                high = max(high, g[v])
        violation = max(violation, high - low)
        if size < m and high > low:
            quota = (size - kept) // (2 if split == m else 4) - 1  # and the most extreme one
            _choose(g, beta, hi, start, stop, low, high - low, 1.0, quota, chosen)
            _choose(g, beta, lo, start, stop, high, high - low, -1.0, quota, chosen)
    for a in range(len(last)):
        position[last[a]] = a
    count = 0
    for v in range(m):
        count += chosen[v]
    block, before, a = np.empty(count, np.int64), np.empty(count, np.int64), 0
    for v in range(m):
        if chosen[v]:
            block[a], before[a] = v, position[v]
            a += 1
    for v in last:
        position[v] = -1
    return violation, block, before


@njit(nogil=True)
def _choose(g, beta, bound, start, stop, extreme, gap, sign, quota, chosen):
    """Mark about ``quota`` variables with the most extreme gradients of those that are not at a bound.

    They are ordered by bins of the gradient, and by number within the last bin; the most extreme is always marked.

    sign (IN)     1 for small gradients, −1 for large ones
    chosen (OUT)  bool[m]
    """
    counts = np.empty(_BINS + 1, np.int64)
    for b in range(_BINS + 1):
        counts[b] = 0
    scale = sign * _BINS / gap
    for v in range(start, stop):
        if not chosen[v] and beta[v] != bound[v]:
            counts[min(int((g[v] - extreme) * scale), _BINS)] += 1
    total, last = 0, 0
    while last < _BINS and total + counts[last] <= quota:
        total += counts[last]
        last += 1
    room, found = quota - total, False
    for v in range(start, stop):
        if beta[v] != bound[v]:
            position = int((g[v] - extreme) * scale)
            first = g[v] == extreme and not found
            found |= first
            if position < last or first:
                chosen[v] = True
            elif position == last and position < _BINS and room > 0 and not chosen[v]:
                chosen[v] = True
                room -= 1
