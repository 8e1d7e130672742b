"""Ridge regression with the penalty chosen by cross-validation, leave-one-out in closed form by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from scipy.sparse import issparse
from sklearn.utils.metadata_routing import MetadataRouter

from probus.allowed_values import ArrayValue, RealIn
from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model._linear_base import LinearRegressor, checked_targets
from probus.linear_model._linear_parameters import SCORING
from probus.linear_model.datafits._moments import centred_rows
from probus.parameters import CV, FIT_INTERCEPT, parameter
from probus.sklearn_seam import original
from probus.state import Array, Either, Maybe, Number, Spec


class RidgeChosen(Model):
    """What ridge regression and the ridge classifier with cross-validation declare."""

    alphas: Any = parameter(
        "The weights of the penalty, of which the best is chosen.",
        default=(0.1, 1.0, 10.0),
        of=[ArrayValue(), RealIn(above=0)],
        kw_only=False,
    )
    fit_intercept: bool = FIT_INTERCEPT
    scoring: Any = SCORING.but(
        doc="The measure that chooses, by its name or as a function; larger values are better. None is minus the mean "
        "squared error, or with ``cv`` the score of the model."
    )
    cv: Any = CV.but(
        doc="How the rows are split: a number of folds, a splitter, or pairs of rows. None leaves out one at a time."
    )
    store_cv_results: bool = parameter("Whether ``cv_results_`` is kept; leave-one-out only.", default=False)

    accepts = Accepts(sparse=True, weights=True, scaled=True)


class RidgeCV(RidgeChosen, LinearRegressor):
    """Ridge regression with the best of several penalties.

    The errors of every row left out follow from one decomposition of the columns. Other measures and other splits,
    sparse X, and fewer rows than columns use scikit-learn's solver.

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

    gcv_mode: str | None = parameter(
        "Which decomposition leave-one-out uses; by default it follows from the shape of X.",
        default=None,
        one_of=("auto", "svd", "eigen"),
    )
    alpha_per_target: bool = parameter(
        "Whether each target has a penalty of its own; leave-one-out only.", default=False
    )

    several_targets: ClassVar[bool] = True
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "alpha_": Either(Number(), Array("f8", "*")),
        "best_score_": Either(Number(), Array("f8", "*")),
        "cv_results_": Maybe(Either(Array("f8", "* *"), Array("f8", "* * *"))),
    }

    def _borrow(self) -> Any:
        return original("sklearn.linear_model", "RidgeCV")(**self.get_params(deep=False))

    def get_metadata_routing(self) -> MetadataRouter:
        """As in scikit-learn."""
        return self._borrow().get_metadata_routing()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeCV:
        """Choose the penalty, and compute the coefficients with it; ``params`` are routed as in scikit-learn."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        self.__dict__.pop("cv_results_", None)
        if params or not self.is_closed_form(X):
            model = self._borrow().fit(X, targets[:, 0] if single else targets, sample_weight=weights, **params)
            coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
            self.alpha_, self.best_score_ = model.alpha_, model.best_score_
            if hasattr(model, "cv_results_"):
                self.cv_results_ = model.cv_results_
        else:
            coef, intercept = self._choose(X, targets, weights, single)
        self._keep(coef, intercept, single, X)
        if not single and len(self.coef_) == 1:  # a target that is given as a column, as in scikit-learn
            self.coef_ = self.coef_[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0
        return self

    def is_closed_form(self, X: Any) -> bool:
        """Whether the squared errors of rows left out decide, of more dense rows than columns and valid penalties."""
        plain = self.cv is None and self.scoring is None and self.gcv_mode != "svd"
        return plain and not issparse(X) and X.shape[0] > X.shape[1] and _are_positive(self.alphas)

    def _choose(
        self, X: np.ndarray, targets: np.ndarray, weights: np.ndarray | None, single: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients of the penalty with the smallest mean squared error, for all targets or for each."""
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        means = x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(targets.shape[1])
        coefs, scores, stored = [], [], []
        for coef, squares in leave_one_out(X, targets, weights, alphas, means, intercept=self.fit_intercept):
            coefs.append(coef)
            scores.append(-squares.mean(axis=0))
            if self.store_cv_results:
                stored.append(squares[:, 0] if single else squares)
        score = np.array(scores)  # alphas × targets
        every, several = np.arange(targets.shape[1]), self.alpha_per_target and targets.shape[1] > 1
        best = score.argmax(axis=0) if several else np.full(len(every), score.mean(axis=1).argmax())
        chosen, reached = alphas[best], score[best, every]
        self.alpha_ = chosen if several else float(chosen[0])
        self.best_score_ = reached if self.alpha_per_target and not single else float(reached.mean())
        if self.store_cv_results:
            self.cv_results_ = np.stack(stored, axis=-1)
        coef = np.array(coefs)[best, :, every]
        return coef, y_mean - coef @ x_mean


def _are_positive(alphas: Any) -> bool:
    found = np.atleast_1d(np.asarray(alphas))
    return found.ndim == 1 and found.size > 0 and found.dtype.kind in "fiu" and bool((found > 0).all())


def leave_one_out(
    X: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray | None,
    alphas: np.ndarray,
    means: tuple[np.ndarray, np.ndarray],
    *,
    intercept: bool,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each penalty the coefficients float64[p, k], and the squared errors float64[n, k] of each row left out.

    The error of a row left out is its residual divided by 1 minus its leverage; squares are multiplied by the weights.
    ``means`` receive those of the columns and of the targets.
    """
    rows, centred, means[0][:], means[1][:] = centred_rows(X, targets, weights, intercept)
    sizes, V = linalg.eigh(rows.T @ rows, check_finite=False)
    rotated = rows @ V
    products, squares = rotated.T @ centred, rotated**2
    constant: Any = 0.0
    if intercept:
        constant = 1.0 / len(X) if weights is None else weights / weights.sum()
    for alpha in alphas:
        shrunk = 1.0 / (np.maximum(sizes, 0.0) + alpha)
        coef = shrunk[:, None] * products
        left = 1.0 - squares @ shrunk - constant
        yield V @ coef, ((centred - rotated @ coef) / left[:, None]) ** 2
