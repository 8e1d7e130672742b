"""Linear support vector regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.base import Model, checked_numbers, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model import LinearRegressor
from probus.linear_model.inference import training_range
from probus.parameters import parameter
from probus.state import Array, Number, Spec
from probus.svm._kernel_machine import EPSILON
from probus.svm._linear_machine import LinearMachine

_DUALS: dict[tuple[str, str], tuple[bool, ...]] = {
    ("l2", "epsilon_insensitive"): (True,),
    ("l2", "squared_epsilon_insensitive"): (True, False),
}


class LinearSVR(LinearRegressor, LinearMachine):
    r"""Linear support vector regression, :math:`\min \frac12 ‖w‖^2 + C \sum_i \max(0, |y_i - x_i^⊤ w| - ε)`.

    As in scikit-learn the intercept is penalised: it is the weight of a column of the constant ``intercept_scaling``.

    Attributes
    ----------
    coef_ : array of columns
    intercept_ : array of 1
    n_iter_ : int
    dual_gap_ : float
        The certificate: the objective is at most this far above its minimum, relative to it.

    Examples
    --------
    >>> model = LinearSVR(C=100.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[3.0]]).round(2), model.dual_gap_ < 1e-6
    (array([7.]), True)
    """

    epsilon: float = EPSILON.but(default=0.0)
    loss: str = parameter(
        "What exceeds ε, or its square.",
        default="epsilon_insensitive",
        one_of=("epsilon_insensitive", "squared_epsilon_insensitive"),
    )

    accepts = LinearMachine.accepts
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "coef_": Array("f8", "d"),
        "intercept_": Array("f8", "*"),
        "n_iter_": Number(),
        "dual_gap_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Precise, so that equivalent data give equal models."""
        return [cls(loss="squared_epsilon_insensitive", tol=1e-20)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Compute the weights."""
        X = matrix_input(self, X, reset=True, order="C", accept_large_sparse=False)
        y = checked_numbers(y, X.shape[0])
        check_squares(X, y)
        weights = checked_weights(sample_weight, X)
        self._check_supported("l2", _DUALS)
        self.training_range_ = training_range(X)
        caps = np.full(len(y), float(self.C)) if weights is None else self.C * weights
        used = np.flatnonzero(caps)
        if len(used) < len(caps):
            X, y, caps = X[used], y[used], caps[used]
        fit = self._minimise(X, y, np.zeros(len(y)), caps, float(self.epsilon), self._seed())
        coef, self.intercept_ = self._weights_of([fit])
        self.coef_, self.dual_gap_, self.n_iter_ = coef[0], float(fit[1]), int(fit[2])
        return self
