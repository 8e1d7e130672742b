"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, checked_numbers, matrix_input
from probus.linear_model._linear_base import LinearRegressor, column_names, float_dtype, raw_predictions
from probus.linear_model.inference._extrapolation import training_range, warn_of_extrapolation
from probus.linear_model.stochastic._sgd_base import StochasticDescent, Walk, checked_start
from probus.losses.margin_losses import NUMBER_LOSSES
from probus.parameters import inherited, parameter
from probus.state import Array, Either, Spec


class SGDRegressor(StochasticDescent, LinearRegressor):
    r"""A linear regression by stochastic gradient descent, :math:`\frac1n \sum_i w_i L(y_i, x_i β + β_0) + α R(β)`.

    Attributes
    ----------
    coef_ : array of columns
    intercept_ : array of 1
    n_iter_ : int, epochs
    t_ : float, steps and one

    Examples
    --------
    >>> X = [[-1.0], [0.0], [1.0], [2.0]]
    >>> SGDRegressor(eta0=0.1, random_state=0).fit(X, [-1.0, 1.0, 3.0, 5.0]).coef_.round(1)
    array([2.])
    """

    loss: str = parameter(
        'Half the square of the residual, linear beyond ``epsilon`` for "huber"; or how far a residual exceeds '
        "``epsilon``.",
        default="squared_error",
        one_of=NUMBER_LOSSES,
        kw_only=False,
    )
    learning_rate: str = inherited(default="invscaling")
    power_t: float = inherited(default=0.25)

    accepts = StochasticDescent.accepts
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "coef_": Either(Array("f8", "d"), Array("f4", "d")),
        "intercept_": Array("f8", "m"),
        **StochasticDescent.fitted,
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Least squares."""
        return [cls()]

    def fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> SGDRegressor:
        """Compute the coefficients, in epochs over all rows."""
        self._check_settings(partial=False)
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True, order="C", accept_large_sparse=False)
        if self.warm_start and getattr(self, "coef_", None) is not None:
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        self._forget()
        walks = self._descend(X, y, sample_weight, coef_init, intercept_init, self.max_iter)
        self.coef_, self.training_range_ = self.coef_.astype(dtype, copy=False), training_range(X)
        self._warn(walks)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> SGDRegressor:
        """One epoch over a batch of rows."""
        first = getattr(self, "coef_", None) is None
        if first:
            self._check_settings(partial=True)
        dtype, X = float_dtype(X), matrix_input(self, X, reset=first, order="C", accept_large_sparse=False)
        if not hasattr(self, "t_"):
            self.t_ = 1.0
        coef = getattr(self, "_standard_coef" if self.average else "coef_", None)
        intercept = getattr(self, "_standard_intercept" if self.average else "intercept_", None)
        self._descend(X, y, sample_weight, coef, intercept, 1)
        self.coef_, self.training_range_ = self.coef_.astype(dtype, copy=False), None  # later batches may have another
        return self

    def _descend(self, X: Any, y: Any, sample_weight: Any, coef: Any, intercept: Any, max_iter: int) -> list[Walk]:
        target = checked_numbers(y, X.shape[0])
        coef = checked_start(coef, (1, X.shape[1]), "coef_init")
        intercept = checked_start(intercept, (1,), "intercept_init")
        data, held_out, weight = self._training_rows(X, target, sample_weight, max_iter)
        (walk,), (seed,) = self._start(1, coef, intercept, X.shape[1]), self._seeds(1)
        kept, known = X[held_out], target[held_out]

        def score(w: np.ndarray, b: float) -> float:
            from sklearn.metrics import r2_score

            return r2_score(known, kept @ w + b, sample_weight=weight[held_out])

        self._walk(walk, data, target[data.source], data.weight, int(seed), max_iter, score)
        self._store([walk])
        self.coef_ = self.coef_[0]
        return [walk]

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number of each row.

        An ``ExtrapolationWarning`` names the columns of rows that lie far outside the training range of ``fit``.
        """
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        warn_of_extrapolation(self, X, getattr(self, "training_range_", None), column_names)
        return np.ravel(raw_predictions(X, self.coef_, self.intercept_))
