"""Lasso and elastic net with the penalty chosen by cross-validation along the path."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_scalar
from sklearn.utils.metadata_routing import MetadataRouter

from probus.allowed_values import ArrayValue, IntegerIn, OneOf, RealIn, TrueOrFalse
from probus.base import Model, checked_numbers, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._elastic_net import SparseRegressor
from probus.linear_model._elastic_net_path import alpha_grid, enet_path, lasso_path
from probus.linear_model._fold_splits import fold_router, fold_splits
from probus.linear_model._linear_parameters import FOLDS_IN_PARALLEL, L1_RATIO, POSITIVE, SILENT
from probus.linear_model.datafits._quadratic import problem_of
from probus.linear_model.solvers._working_set import path_fits
from probus.parameters import CV, MAX_ITER, inherited, parameter
from probus.state import Array, Either, Number, Spec


class ElasticNetCV(SparseRegressor):
    """The elastic net with the penalty of the smallest mean squared error in cross-validation.

    Attributes
    ----------
    alpha_, l1_ratio_ : the chosen penalty
    coef_, intercept_, dual_gap_, n_iter_ : of the fit to all rows with it
    alphas_ : the penalties, descending; l1_ratios × alphas where they differ
    mse_path_ : the mean squared error of each fold, l1_ratios × alphas × folds; without the first for one l1_ratio

    Examples
    --------
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> model = ElasticNetCV(l1_ratio=[0.5, 1.0]).fit(X, X[:, 0])
    >>> model.coef_.round(2), model.mse_path_.shape
    (array([1., 0.]), (2, 100, 5))
    """

    l1_ratio: Any = L1_RATIO.but(
        doc="The share of the absolute values in the penalty; of several the best is chosen.",
        of=[RealIn(at_least=0, at_most=1), ArrayValue()],
    )
    eps: float = parameter("The ratio of the smallest penalty to the largest.", default=1e-3, above=0)
    alphas: Any = parameter(
        "The number of penalties, from the smallest for which all coefficients are zero down; or the penalties.",
        default=100,
        of=[IntegerIn(at_least=1), ArrayValue()],
    )
    precompute: Any = parameter(
        "XᵀX where it is known; otherwise what is computed follows from the shape of X.",
        default="auto",
        of=[OneOf("auto"), ArrayValue(), TrueOrFalse()],
    )
    max_iter: int = MAX_ITER.but(doc="The maximum number of passes over the coefficients, for each penalty.")
    cv: Any = CV.but(doc="How the rows are split: a number of folds, a splitter, or pairs of rows. None is five folds.")
    verbose: Any = SILENT
    n_jobs: int | None = FOLDS_IN_PARALLEL
    positive: bool = POSITIVE

    fitted: ClassVar[dict[str, Spec]] = {
        **SparseRegressor.fitted,
        "alpha_": Number(),
        "l1_ratio_": Number(),
        "alphas_": Either(Array("f8", "a"), Array("f8", "r a")),
        "mse_path_": Either(Array("f8", "a f"), Array("f8", "r a f")),
    }
    path = staticmethod(enet_path)

    @classmethod
    def examples(cls) -> list[Model]:
        """Few penalties and folds."""
        return [cls(alphas=5, cv=3)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> ElasticNetCV:
        """Choose the penalty, and fit the model to all rows with it; ``params`` go to the splitter, if routed."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        target = checked_numbers(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        problem, x_mean, y_mean = problem_of(X, target, weights, intercept=self.fit_intercept)
        ratios = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        grids = np.stack([alpha_grid(problem, self._alphas(), r, self.eps, self.positive) for r in ratios])
        splits = fold_splits(self, X, target, params, classifier=False, sample_weight=sample_weight)
        _check_weighted(weights, splits)
        jobs = [(r, g, train, test) for r, g in zip(ratios, grids, strict=True) for train, test in splits]
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        errors = run(delayed(self._fold_errors)(X, target, weights, *job) for job in jobs)
        path = np.stack(errors).reshape(len(ratios), len(splits), -1).transpose(0, 2, 1)
        means = path.mean(axis=2)
        at = np.unravel_index(means.argmin(), means.shape)
        self.l1_ratio_, self.alpha_ = float(ratios[at[0]]), float(grids[at])
        single = len(ratios) == 1
        self.mse_path_ = path[0] if single else path
        self.alphas_ = grids[0] if single or not isinstance(self.alphas, Integral) else grids
        (fit,) = path_fits(problem, grids[at][None], self.l1_ratio_, **self._solver())
        self._keep(fit.coef[None], np.array([y_mean - float(fit.coef @ x_mean)]), True, X)
        self.dual_gap_, self.n_iter_ = fit.gap / X.shape[0], fit.n_iter
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """As in scikit-learn."""
        return fold_router(self, classifier=False)

    def _alphas(self) -> Any:
        if isinstance(self.alphas, Integral):
            return self.alphas
        for i, alpha in enumerate(self.alphas):
            check_scalar(alpha, f"alphas[{i}]", Real, min_val=0.0, include_boundaries="left")
        return np.asarray(self.alphas, dtype=np.float64)

    def _solver(self) -> dict[str, Any]:
        names = ("positive", "max_iter", "tol", "selection", "random_state")
        return {name: getattr(self, name) for name in names}

    def _fold_errors(
        self, X: Any, y: np.ndarray, weights: np.ndarray | None, ratio: float, alphas: np.ndarray, train: Any, test: Any
    ) -> np.ndarray:
        """The mean squared error of the test rows for each penalty."""
        own = None if weights is None else weights[train]
        problem, x_mean, y_mean = problem_of(X[train], y[train], own, intercept=self.fit_intercept)
        fits = path_fits(problem, alphas, ratio, **self._solver())
        coefs = np.stack([fit.coef for fit in fits], axis=1)
        residuals = y[test][:, None] - y_mean + (x_mean @ coefs - X[test] @ coefs)
        return np.average(residuals**2, axis=0, weights=None if weights is None else weights[test])


def _check_weighted(weights: np.ndarray | None, splits: list[tuple[Any, Any]]) -> None:
    """Raise an error where all training rows, or all test rows, of a fold have weight 0."""
    for k, rows in enumerate(splits if weights is not None else ()):
        for part, what in zip(rows, ("training", "test"), strict=True):
            if not weights[part].any():  # type: ignore[index]
                raise DataError(
                    f"all {what} rows of fold {k + 1} of {len(splits)} have weight 0.",
                    "a weight above 0 among the rows of each fold",
                    "Drop the rows of weight 0, or shuffle: cv=KFold(5, shuffle=True).",
                )


class LassoCV(ElasticNetCV):
    """The lasso with the penalty of the smallest mean squared error in cross-validation.

    It is ``ElasticNetCV`` with ``l1_ratio=1``, and has its attributes.

    Examples
    --------
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> LassoCV().fit(X, X[:, 0]).coef_.round(2)
    array([1., 0.])
    """

    verbose: Any = inherited(default=False)

    path = staticmethod(lasso_path)
    l1_ratio = 1.0
