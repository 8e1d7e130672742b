"""Lasso and elastic net: least squares with a penalty on the absolute values of the coefficients."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model.elastic_net_path import enet_path, lasso_path, path_fits, problem_of
from probus.linear_model.linear_base import LinearRegressor, checked_targets, float_dtype
from probus.state import Array, Either, Many, Number, Spec

__all__ = ["ElasticNet", "Lasso"]


class ElasticNet(LinearRegressor):
    r"""The elastic net, :math:`\min_β \frac1{2n} ‖y - Xβ - β_0‖^2 + α ρ ‖β‖_1 + \frac12 α (1 - ρ) ‖β‖^2`.

    Parameters
    ----------
    alpha : float
        The weight α of the penalty.
    l1_ratio : float
        The share ρ of the absolute values: 1 is the lasso.
    fit_intercept : bool
        Whether β₀, which is not penalised, is estimated; otherwise it is 0.
    precompute : bool or array of columns × columns
        XᵀX where it is known; otherwise what is computed follows from the shape.
    copy_X : bool
        As in scikit-learn; X is never overwritten.
    max_iter : int
        The largest number of passes over the coefficients.
    tol : float
        The largest duality gap relative to the mean square of y. The solver goes on to a hundredth of it.
    warm_start : bool
        Whether ``fit`` starts at the last coefficients.
    positive : bool
        Whether coefficients are at least 0.
    random_state, selection : "cyclic" or "random"
        Whether the coefficients are visited in order or at random.

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

    several_targets: ClassVar[bool] = True
    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "dual_gap_": Either(Number(), Array("f8", "t")),
        "n_iter_": Either(Number(), Many(Number())),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }
    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    @classmethod
    def examples(cls) -> list[Model]:
        """Small penalties, so that there is something to predict with."""
        return [cls(alpha=0.01)]

    @property
    def sparse_coef_(self) -> csr_matrix:
        """The coefficients as a sparse matrix."""
        return csr_matrix(self.coef_)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> ElasticNet:
        """Compute the coefficients; ``check_input`` is as in scikit-learn, and X and y are always validated."""
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True, accept_sparse="csc")
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(None if isinstance(sample_weight, Real) else sample_weight, X)
        starts = np.atleast_2d(self.coef_) if self.warm_start and hasattr(self, "coef_") else [None] * targets.shape[1]
        if self.alpha == 0:
            warnings.warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator",
                stacklevel=2,
            )
        found = [self._fit_target(X, t, weights, s) for t, s in zip(targets.T, starts, strict=True)]
        coefs, intercepts, gaps, epochs = (list(part) for part in zip(*found, strict=True))
        self._keep(np.stack(coefs), np.array(intercepts), single, X, dtype)
        self.dual_gap_ = gaps[0] if single else np.array(gaps)
        self.n_iter_ = epochs[0] if single else epochs
        return self

    def _fit_target(
        self, X: Any, y: np.ndarray, weights: np.ndarray | None, start: np.ndarray | None
    ) -> tuple[np.ndarray, float, float, int]:
        """Coefficients, intercept, duality gap and number of epochs."""
        problem, x_mean, y_mean = problem_of(X, y, weights, intercept=self.fit_intercept, gram=self.precompute)
        (fit,) = path_fits(
            problem,
            np.array([self.alpha]),
            self.l1_ratio,
            start=start,
            positive=self.positive,
            max_iter=1000 if self.max_iter is None else self.max_iter,
            tol=self.tol,
            selection=self.selection,
            random_state=self.random_state,
        )
        return fit.coef, y_mean - float(fit.coef @ x_mean), fit.gap / X.shape[0], fit.n_iter


class Lasso(ElasticNet):
    r"""The lasso, :math:`\min_β \frac1{2n} ‖y - Xβ - β_0‖^2 + α ‖β‖_1`: the elastic net with ``l1_ratio=1``.

    Parameters and attributes are those of ``ElasticNet``.

    Examples
    --------
    >>> Lasso(alpha=0.1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0]).coef_.round(3)
    array([1.85, 0.  ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: kinds for name, kinds in ElasticNet._parameter_constraints.items() if name != "l1_ratio"
    }
    path = staticmethod(lasso_path)
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
