"""Support vector regression with kernels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.base import Regressor, checked_numbers
from probus.sklearn_seam import num_samples
from probus.state import Spec
from probus.svm._dual_problem import DualProblem, DualSolution, nu_svr_problem, svr_problem
from probus.svm._kernel_machine import COST, EPSILON, NU
from probus.svm._single_machine import SingleMachine


class KernelRegressor(Regressor, SingleMachine):
    """Parent of SVR and NuSVR."""

    C: float = COST

    fitted: ClassVar[dict[str, Spec]] = SingleMachine.fitted

    def _problem(self, y: np.ndarray, caps: np.ndarray) -> DualProblem:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRegressor:
        """Find the support vectors."""
        X = self._training_rows(X)
        n = num_samples(X)
        y, weights = checked_numbers(y, n), self._weights(sample_weight, n)
        rows = np.flatnonzero(weights > 0)
        self._fit_single(X, rows, self._problem(y[rows], self.C * weights[rows]))
        return self

    def _coefficients(self, solution: DualSolution) -> tuple[np.ndarray, float]:
        n = solution.problem.n
        return solution.beta[:n] + solution.beta[n:], -float(np.mean(solution.levels))

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number of each row."""
        return self._raw(X)


class SVR(KernelRegressor):
    r"""Support vector regression, :math:`\min \frac12 ‖w‖^2 + C \sum_i \max(0, |y_i - w^⊤ φ(x_i) - b| - ε)`.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_, coef_, fit_status_, shape_fit_, gamma_
        As of ``SVC``, with one row of coefficients.
    n_support_ : array of 1
    n_iter_ : int
    optimality_ : float
        The violation of the optimality conditions that was reached.
    dual_gap_ : float
        The certificate: the objective is at most this far above its minimum, relative to it.

    Examples
    --------
    >>> model = SVR(kernel="linear", epsilon=0.0, C=10.0).fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
    >>> model.predict([[3.0]]).round(2), model.dual_gap_ < 1e-3
    (array([6.]), True)
    """

    epsilon: float = EPSILON

    def _problem(self, y: np.ndarray, caps: np.ndarray) -> DualProblem:
        return svr_problem(y, caps, self.epsilon)


class NuSVR(KernelRegressor):
    r"""Support vector regression with the share ν of support vectors in place of ε.

    At least a share ν of the rows are support vectors, and at most ν have larger errors than ε, which follows.

    Attributes are those of ``SVR``.

    Examples
    --------
    >>> model = NuSVR(kernel="linear", C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 2.0, 4.0, 6.0])
    >>> model.predict([[4.0]]).round(2)
    array([8.])
    """

    nu: float = NU

    def _problem(self, y: np.ndarray, caps: np.ndarray) -> DualProblem:
        return nu_svr_problem(y, caps, self.nu)
