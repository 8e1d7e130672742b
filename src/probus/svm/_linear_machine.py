"""What the linear machines have in common: the constant column, the choice of a method, and its report."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.allowed_values import OneOf, TrueOrFalse
from probus.base import Accepts, Model
from probus.errors import DataError
from probus.linear_model import INTERCEPT_SCALING, SILENT
from probus.parameters import FIT_INTERCEPT, MAX_ITER, RANDOM_STATE, TOL, attribute, parameter
from probus.svm._dual_descent import minimise_dual
from probus.svm._flat_rows import FlatRows
from probus.svm._kernel_machine import COST
from probus.svm._primal_newton import minimise_primal

Fit = tuple[np.ndarray, float, int]  # the weights with that of the constant column last, the relative gap, iterations

_LARGEST_SYSTEM = 1000  # columns up to which Newton's method factorises its equations
_SMALL_SYSTEM = 200  # columns up to which it does so even if there are fewer rows
_STALLED = 1e-10  # a relative gap at which further steps reduce nothing only where the columns need scaling
_PRECISION = 1e-2  # of ``tol``: the relative duality gap at which a fit ends


class LinearMachine(Model):
    """Parent of LinearSVC and LinearSVR."""

    dual: Any = parameter(
        "Without effect where it is allowed: the method is chosen by the shape of X, and the solution is the same.",
        default="auto",
        of=[TrueOrFalse(), OneOf("auto")],
    )
    tol: float = TOL.but(doc="The fit ends at a duality gap of tol / 100, relative to the objective.")
    C: float = COST.but(at_most=None)
    fit_intercept: bool = FIT_INTERCEPT
    intercept_scaling: float = INTERCEPT_SCALING
    verbose: int = SILENT
    random_state: Any = RANDOM_STATE.but(doc="The seed of the order in which the dual visits rows.")
    max_iter: int = MAX_ITER.but(doc="The maximum number of passes over the rows, or of Newton steps.", at_least=0)

    loss: str = attribute()

    accepts = Accepts(sparse=True, weights=True, scaled=True)

    def _check_supported(self, penalty: str, duals: dict[tuple[str, str], tuple[bool, ...]]) -> None:
        """Raise an error for a penalty and a loss that do not go together, or not with that ``dual``."""
        allowed = duals.get((penalty, self.loss), ())
        if allowed and (self.dual == "auto" or self.dual in allowed):
            return
        together = f"The combination of penalty='{penalty}' and loss='{self.loss}'"
        reason = f"{together} are not supported when dual={self.dual}" if allowed else f"{together} is not supported"
        raise ValueError(
            f"Unsupported set of arguments: {reason}, Parameters: penalty={penalty!r}, loss={self.loss!r}, "
            f"dual={self.dual!r}. Use dual='auto', and loss='squared_hinge' for penalty='l1'."
        )

    @property
    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _with_bias(self, X: Any) -> Any:
        """The rows with the constant column, where there is an intercept."""
        if not self.fit_intercept:
            return X
        column = np.full((X.shape[0], 1), self._bias)
        return sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([X, column])

    def _minimise(
        self, X: Any, y: np.ndarray, signs: np.ndarray, caps: np.ndarray, epsilon: float | None, seed: int
    ) -> Fit:
        """The machine with a quadratic penalty: by Newton's method for a squared loss of few columns, else by its dual.

        epsilon : None for classes
        """
        squared, tol = self.loss.startswith("squared"), _PRECISION * self.tol
        if squared and X.shape[1] <= max(_SMALL_SYSTEM, min(_LARGEST_SYSTEM, X.shape[0])):
            w, gap, steps = minimise_primal(
                self._with_bias(X), y, caps, epsilon=epsilon, tol=tol, max_iter=self.max_iter
            )
            return (w if self.fit_intercept else np.append(w, 0.0)), gap, steps
        return minimise_dual(
            FlatRows.of(X, self._bias), y, signs, caps,
            squared=squared, epsilon=epsilon or 0.0, tol=tol, max_iter=self.max_iter, seed=seed,
        )  # fmt: skip

    def _weights_of(self, fits: list[Fit]) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients float64[m, d] and intercepts float64[m]; warns where a fit is not precise."""
        W = np.stack([fit[0] for fit in fits])
        gap, steps = max(fit[1] for fit in fits), max(fit[2] for fit in fits)
        if not np.isfinite(W).all():
            raise DataError(
                f"the weights of {type(self).__name__} are not finite: X contains large values.",
                "columns of moderate size",
                "Scale the columns, for example with sklearn.preprocessing.StandardScaler.",
            )
        if gap > _PRECISION * self.tol and (steps >= self.max_iter or gap > _STALLED):
            warnings.warn(
                f"{type(self).__name__} failed to converge, increase the number of iterations: the duality gap is "
                f"{gap:.1e} of the objective after max_iter={self.max_iter}. Or scale the columns, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return np.ascontiguousarray(W[:, :-1]), self._bias * W[:, -1]
