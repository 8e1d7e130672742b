"""The solver of a dual problem: of a small one by single kernel rows, of a large one by blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from probus.svm.decomposition import solve_dual
from probus.svm.dual_problem import DualProblem, DualSolution
from probus.svm.kernel_rows import KernelRows
from probus.svm.small_problem import solve_small
from probus.svm.training_kernel import TrainingKernel

__all__ = ["Solver", "dual_solver"]

Solver = Callable[[DualProblem], DualSolution]


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
