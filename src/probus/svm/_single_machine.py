"""What the kernel machines have in common that solve one problem and predict one number."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from probus.parallel import blas_on_one_thread, thread_count
from probus.state import Array, Number, Spec
from probus.svm._dual_problem import DualProblem, DualSolution
from probus.svm._dual_solver import dual_solver
from probus.svm._kernel_machine import KernelMachine


class SingleMachine(KernelMachine):
    """Parent of the machines other than classifiers."""

    fitted: ClassVar[dict[str, Spec]] = {
        **KernelMachine.fitted,
        "n_support_": Array("i4", "*"),
        "n_iter_": Number(),
        "optimality_": Number(),
        "dual_gap_": Number(),
    }

    def _coefficients(self, solution: DualSolution) -> tuple[np.ndarray, float]:
        """The coefficient of each row, and the intercept."""
        raise NotImplementedError

    def _fit_single(self, X: Any, rows: np.ndarray, problem: DualProblem) -> None:
        """Solve the problem of some rows and store the solution."""
        self.gamma_ = self._effective_gamma(X)
        kernel = self._training_kernel(X, [rows])
        threads = thread_count(None, 20.0 * len(rows) ** 2)
        with blas_on_one_thread(threads > 1):
            memory = self._memory(len(problem.c))
            solution = dual_solver(kernel, [0], memory, self.tol, self.max_iter, threads)(problem)
        beta, intercept = self._coefficients(solution)
        used = beta != 0
        self._keep(X, rows[used], beta[used][None, :], np.array([intercept]))
        self.n_support_ = np.array([used.sum()], dtype=np.int32)
        self.n_iter_ = solution.steps
        self.optimality_ = solution.violation
        self.dual_gap_ = solution.relative_gap
        self._certify([solution])

    def _raw(self, X: Any) -> np.ndarray:
        """Σ βᵢ k(xᵢ, x) + b of each row."""
        check_is_fitted(self)
        dual: Any = self.dual_coef_
        dual = dual.toarray()[0] if sparse.issparse(dual) else dual[0]
        return self._kernel_products(X, lambda K: K @ dual) + self.intercept_[0]
