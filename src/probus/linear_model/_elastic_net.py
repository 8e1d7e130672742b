"""Lasso and elastic net: least squares with a penalty on the absolute values of the coefficients."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from probus.allowed_values import ArrayValue, TrueOrFalse
from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model._composition import Composition
from probus.linear_model._elastic_net_path import enet_path, lasso_path
from probus.linear_model._linear_base import LinearRegressor, checked_targets, float_dtype
from probus.linear_model._linear_parameters import ALPHA, L1_RATIO, POSITIVE, X_IS_KEPT
from probus.linear_model.penalties import L1L2
from probus.linear_model.solvers import ToDualityGap
from probus.losses import SquaredError
from probus.parameters import FIT_INTERCEPT, MAX_ITER, RANDOM_STATE, TOL, WARM_START, parameter
from probus.state import Array, Either, Many, Number, Spec

SELECTIONS = ("cyclic", "random")


class SparseRegressor(LinearRegressor):
    """Parent of the least squares regressions whose penalty sets coefficients to zero."""

    l1_ratio: float = L1_RATIO
    fit_intercept: bool = FIT_INTERCEPT
    max_iter: int | None = MAX_ITER.but(doc="The maximum number of passes over the coefficients; None is 1,000.")
    copy_X: bool = X_IS_KEPT
    tol: float = TOL.but(
        doc="The largest duality gap, relative to the mean square of y; the solver goes on to a hundredth of it."
    )
    random_state: Any = RANDOM_STATE
    selection: str = parameter(
        "Whether the coefficients are visited in order or at random.", default="cyclic", one_of=SELECTIONS
    )

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {**LinearRegressor.fitted, "dual_gap_": Number(), "n_iter_": Number()}

    @property
    def sparse_coef_(self) -> csr_matrix:
        """The coefficients as a sparse matrix."""
        return csr_matrix(self.coef_)


class ElasticNet(SparseRegressor):
    r"""The elastic net, :math:`\min_β \frac1{2n} ‖y - Xβ - β_0‖^2 + α ρ ‖β‖_1 + \frac12 α (1 - ρ) ‖β‖^2`.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    dual_gap_ : float or array of targets
        The certificate: the objective is at most this far above its minimum.
    n_iter_ : int or list of targets

    Examples
    --------
    >>> model = ElasticNet(alpha=0.1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(3), model.dual_gap_ < 1e-6
    (array([1.791, 0.   ]), True)
    """

    alpha: float = ALPHA.but(kw_only=False)
    precompute: Any = parameter(
        "XᵀX where it is known; True and False leave it to the shape of X.",
        default=False,
        of=[TrueOrFalse(), ArrayValue()],
    )
    warm_start: bool = WARM_START
    positive: bool = POSITIVE

    several_targets: ClassVar[bool] = True
    fitted: ClassVar[dict[str, Spec]] = {
        **SparseRegressor.fitted,
        "dual_gap_": Either(Number(), Array("f8", "t")),
        "n_iter_": Either(Number(), Many(Number())),
    }
    path = staticmethod(enet_path)

    @classmethod
    def examples(cls) -> list[Model]:
        """Small penalties, so that there is something to predict with."""
        return [cls(alpha=0.01)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> ElasticNet:
        """Compute the coefficients; ``check_input`` is as in scikit-learn, and X and y are always validated."""
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True, accept_sparse="csc")
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(None if isinstance(sample_weight, Real) else sample_weight, X)
        warm = self.warm_start and hasattr(self, "coef_")
        starts = [w[:, None] for w in np.atleast_2d(self.coef_)] if warm else [None] * targets.shape[1]
        if self.alpha == 0:
            warnings.warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator",
                stacklevel=2,
            )
        own = self._composition()
        found = [
            own.minimise(own.problem(X, t, weights, intercept=self.fit_intercept), s)
            for t, s in zip(targets.T, starts, strict=True)
        ]
        thetas = np.stack([each.theta[:, 0] for each in found])
        intercepts = thetas[:, -1] if self.fit_intercept else np.zeros(len(thetas))
        self._keep(thetas[:, : X.shape[1]], intercepts, single, X, dtype)
        gaps, epochs = [each.optimality for each in found], [each.n_iter for each in found]
        self.dual_gap_ = gaps[0] if single else np.array(gaps)
        self.n_iter_ = epochs[0] if single else epochs
        return self

    def _composition(self) -> Composition:
        n_epochs = 1000 if self.max_iter is None else self.max_iter
        solver = ToDualityGap(self.tol, n_epochs, self.selection, self.random_state, self.precompute)
        return Composition(SquaredError(), L1L2(self.alpha, self.l1_ratio, self.positive), solver)


class Lasso(ElasticNet):
    r"""The lasso, :math:`\min_β \frac1{2n} ‖y - Xβ - β_0‖^2 + α ‖β‖_1`: the elastic net with ``l1_ratio=1``.

    Attributes are those of ``ElasticNet``.

    Examples
    --------
    >>> Lasso(alpha=0.1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0]).coef_.round(3)
    array([1.85, 0.  ])
    """

    path = staticmethod(lasso_path)
    l1_ratio = 1.0
