"""Ridge regression with the penalty chosen by cross-validation, leave-one-out in closed form by default."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter

from probus.base import Accepts, checked_weights, matrix_input
from probus.linear_model.linear_base import LinearRegressor, checked_targets
from probus.state import Array, Either, Maybe, Number, Spec

__all__ = ["RidgeCV"]


class RidgeCV(LinearRegressor):
    """Ridge regression with the best of several penalties.

    The errors of every row left out follow from one decomposition of the columns; scikit-learn's solver computes them.

    Parameters
    ----------
    alphas : array
        The weights of the penalty, of which the best is chosen.
    fit_intercept : bool
        Whether β₀, which is not penalised, is estimated; otherwise it is 0.
    scoring : str, callable or None
        The measure, of which larger is better; where None, minus the mean squared error, or R² with ``cv``.
    cv : int, splitter, splits or None
        Leave-one-out where None.
    gcv_mode : {"auto", "svd", "eigen"} or None
        Which decomposition leave-one-out uses; by default it follows from the shape.
    store_cv_results : bool
        Whether ``cv_results_`` is kept; leave-one-out only.
    alpha_per_target : bool
        Whether each target has a penalty of its own; leave-one-out only.

    Attributes
    ----------
    coef_, intercept_ : as of ``Ridge``
    alpha_, best_score_ : the chosen penalty and its score, arrays with ``alpha_per_target``
    cv_results_ : the squared errors of the rows left out, or predictions with ``scoring``; rows (× targets) × alphas

    Examples
    --------
    >>> X, y = np.arange(20.0).reshape(10, 2) % 7, np.arange(10.0) % 3
    >>> RidgeCV([0.1, 1.0, 10.0]).fit(X, y).alpha_
    10.0
    """

    several_targets: ClassVar[bool] = True
    accepts: Accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "alpha_": Either(Number(), Array("f8", "*")),
        "best_score_": Either(Number(), Array("f8", "*")),
        "cv_results_": Maybe(Either(Array("f8", "* *"), Array("f8", "* * *"))),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alphas": ["array-like", Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "scoring": [str, callable, None],
        "cv": ["cv_object"],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def _borrowed(self) -> Any:
        from sklearn.linear_model._ridge import RidgeCV as Borrowed  # the public name may be patched

        return Borrowed(**self.get_params(deep=False))

    def get_metadata_routing(self) -> MetadataRouter:
        """As in scikit-learn."""
        return self._borrowed().get_metadata_routing()

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeCV:
        """Choose the penalty, and compute the coefficients with it; ``params`` are routed as in scikit-learn."""
        X = matrix_input(self, X, reset=True)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        model = self._borrowed().fit(X, targets[:, 0] if single else targets, sample_weight=weights, **params)
        self._keep(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_), single, X)
        if not single and len(self.coef_) == 1:  # a target that is given as a column, as in scikit-learn
            self.coef_ = self.coef_[0]
        self.alpha_, self.best_score_ = model.alpha_, model.best_score_
        self.__dict__.pop("cv_results_", None)
        if hasattr(model, "cv_results_"):
            self.cv_results_ = model.cv_results_
        return self
