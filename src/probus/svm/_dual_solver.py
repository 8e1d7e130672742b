"""The solver of a dual problem: of a small one by single kernel rows, of a large one by blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from probus.compiling import njit
from probus.parallel import chunked
from probus.svm._dual_problem import DualProblem, DualSolution
from probus.svm._kernel_rows import KernelRows
from probus.svm._row_kernel import RowSource
from probus.svm._smo import add_rows, fill_rows, improve, minimise
from probus.svm._training_kernel import TrainingKernel

Solver = Callable[[DualProblem], DualSolution]

_FREE = 256  # variables that move together: the cost is cubic
_BOUNDS = 8  # that are reached one after the other before single steps go on


def dual_solver(
    kernel: TrainingKernel, classes: Sequence[int], memory: np.ndarray, tol: float, max_iter: int, threads: int
) -> Solver:
    """The solver of problems of the rows of one class or of two.

    memory : float32, flat, for kernel rows
    """
    source = kernel.source(classes)

    def solve(problem: DualProblem) -> DualSolution:
        if source is not None and problem.n * len(problem.c) <= len(memory):
            return solve_small(problem, *source, memory, tol, max_iter)
        compute = kernel.whole(threads) if kernel.is_whole(classes) else kernel.pair(*classes)
        return solve_dual(problem, KernelRows(compute, problem.n, memory), tol, max_iter, threads)

    return solve


def solve_small(
    problem: DualProblem, source: RowSource, diagonal: np.ndarray, memory: np.ndarray, tol: float, max_iter: int
) -> DualSolution:
    """Step until the optimality conditions are violated by at most ``tol``, or ``max_iter`` steps are done.

    diagonal : float32[n], k(x, x) of every row
    memory : float32, flat, of at least n rows of a value per variable
    """
    m, n = len(problem.c), problem.n
    limit = max(10_000_000, 100 * m) if max_iter < 0 else max_iter
    rows, place = memory[: n * m].reshape(n, m), np.full(m, -1)
    beta, g, steps = problem.start.copy(), -problem.c, 0
    diagonal = np.tile(diagonal, m // n)
    if beta.any():
        moved = np.flatnonzero(beta)
        fill_rows(tuple(source), moved, rows, place)
        add_rows(rows, place[moved], beta[moved], 0, m, g)
    burst, stuck = max(1_000, 10 * m), np.inf
    while steps < limit:
        wanted = min(burst, limit - steps)
        done, violation = minimise(
            rows, place, tuple(source), diagonal, g, beta, problem.lo, problem.hi, problem.split, tol, wanted
        )
        steps += done
        if not violation > tol or steps >= limit or (done < wanted and not violation < 0.5 * stuck):
            break
        burst, stuck = burst * 5 // 4, violation if done < wanted else stuck
        for _ in range(_BOUNDS):
            if not _move_together(problem, rows, place, beta, g):
                break
    return DualSolution(problem, beta, g, steps, stopped=max_iter >= 0 and steps >= limit)


def _move_together(problem: DualProblem, rows: np.ndarray, place: np.ndarray, beta: np.ndarray, g: np.ndarray) -> bool:
    """Move the free variables to the minimum of their equations or to the first bound; whether there is a bound."""
    lo, hi = problem.lo, problem.hi
    free = np.flatnonzero((lo < beta) & (beta < hi))
    if not 2 <= len(free) <= _FREE:
        return False
    K = rows[np.ix_(place[free], free)].astype(np.float64)
    groups = np.column_stack([free < problem.split, free >= problem.split]).astype(np.float64)
    groups = groups[:, groups.any(axis=0)]
    slope, none = g[free] - groups @ ((groups.T @ g[free]) / groups.sum(axis=0)), np.zeros((groups.shape[1],) * 2)
    equations = np.block([[K, groups], [groups.T, none]])
    by = np.linalg.lstsq(equations, np.append(-slope, np.zeros(len(none))), rcond=None)[0][: len(free)]
    by -= groups @ ((groups.T @ by) / groups.sum(axis=0))  # the sums stay, whatever the rounding
    if not slope @ by < 0:
        return False
    room = np.full(len(free), np.inf)
    np.divide(np.where(by > 0, hi[free] - beta[free], lo[free] - beta[free]), by, out=room, where=by != 0)
    first = int(np.argmin(room))
    share = min(1.0, room[first])
    by *= share
    beta[free] = np.clip(beta[free] + by, lo[free], hi[free])
    if share < 1.0:
        beta[free[first]] = (hi if by[first] > 0 else lo)[free[first]]
    add_rows(rows, place[free], by, 0, len(g), g)
    return share < 1.0


# -- the solver of the dual problem: sequential minimal optimisation on one block of variables after the other
# The variables that violate the optimality conditions most, and free ones of the last block, form a block of up to
# 1,536, twice as many as moved in the last: rows of variables that do not move are computed for nothing. Its kernel
# rows come from matrix products, the block is solved with its small kernel matrix at hand, and the gradient of all
# variables follows in one pass over its rows.


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
