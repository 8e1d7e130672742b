"""The solver of a dual problem: of a small one by single kernel rows, of a large one by blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from probus.svm._decomposition import solve_dual
from probus.svm._dual_problem import DualProblem, DualSolution
from probus.svm._kernel_rows import KernelRows
from probus.svm._row_kernel import RowSource
from probus.svm._smo import add_rows, fill_rows, minimise
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
