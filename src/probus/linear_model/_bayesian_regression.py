"""Bayesian linear regression: one precision of the coefficients, or one for each, by maximising the evidence."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, stats
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, matrix_input
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_rows, column_names
from probus.linear_model._linear_parameters import SILENT, X_IS_KEPT
from probus.linear_model.datafits._moments import centred_rows, moments_of
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, summarised
from probus.linear_model.inference._covariance import with_intercept
from probus.parameters import FIT_INTERCEPT, MAX_ITER, TOL, attribute, parameter
from probus.state import Array, Either, Many, Number, Spec

_SMALL = 100_000  # cells below which rows are decomposed, which is more precise than products of columns
_GAMMA = parameter("A parameter of a gamma prior.", default=1.0e-6, at_least=0)


class BayesianLinear(LinearRegressor):
    """Parent of the regressions with a normal posterior of the coefficients."""

    max_iter: int = MAX_ITER.but(default=300)
    tol: float = TOL.but(
        doc="The sum of the absolute changes of the coefficients at which iterations stop.",
        default=1.0e-3,
        at_least=None,
        above=0,
    )
    alpha_1: float = _GAMMA.but(doc="The shape of the gamma prior of α, the precision of the errors.")
    alpha_2: float = _GAMMA.but(doc="The rate of the gamma prior of α.")
    lambda_1: float = _GAMMA.but(doc="The shape of the gamma prior of λ, the precision of the coefficients.")
    lambda_2: float = _GAMMA.but(doc="The rate of the gamma prior of λ.")
    compute_score: bool = parameter(
        "Whether the logarithm of the evidence of every iteration is computed.", default=False
    )
    fit_intercept: bool = FIT_INTERCEPT
    copy_X: bool = X_IS_KEPT
    verbose: Any = SILENT.but(default=False)

    accepts = Accepts(weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "alpha_": Number(),
        "scores_": Either(Array("f8", "i"), Many(Number())),
        "n_iter_": Number(),
        "X_offset_": Array("f8", "d"),
        "X_scale_": Array("f8", "d"),
        "sigma_": Array("f8", "k k"),
        "r2_": Number(),
        "n_rows_": Number(),
    }
    alpha_: float = attribute()
    sigma_: np.ndarray = attribute()

    @abstractmethod
    def _kept(self) -> np.ndarray:
        """The columns that ``sigma_`` is about."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the predictive distribution of each row, and with ``return_std`` its standard deviation."""
        mean = super().predict(X)
        if not return_std:
            return mean
        rows = (matrix_input(self, X, reset=False) - self.X_offset_)[:, self._kept()]
        return mean, np.sqrt(np.einsum("ij,ij->i", rows @ self.sigma_, rows) + 1.0 / self.alpha_)

    def predict_interval(self, X: Any, *, level: float = 0.95) -> np.ndarray:
        """The interval in which each new target lies with probability ``level``, float64[n, 2].

        It is that of the posterior for the estimated precisions, so it ignores their uncertainty.
        """
        _check_level(level)
        mean, deviation = self.predict(X, return_std=True)
        reach = stats.norm.ppf(0.5 + 0.5 * level) * deviation
        return np.column_stack([mean - reach, mean + reach])

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """The posterior of the coefficients: mean, standard deviation and credible interval.

        The column p is twice the posterior probability of the other sign. Columns without a coefficient are left out.
        Weights count rows: one of weight 2 is two rows.
        """
        check_is_fitted(self)
        kept, name = self._kept(), type(self).__name__
        if not len(kept):
            raise DataError(f"{name}: every coefficient is zero.", "a column that predicts the target")
        names = np.array(column_names(self, len(self.coef_)), dtype=object)[kept]
        sizes = np.sqrt(self.sigma_.diagonal())
        strength = linalg.eigvalsh(self.sigma_ / np.outer(sizes, sizes))
        covariance, intercept = self.sigma_, None
        if self.fit_intercept:
            intercept = np.atleast_1d(self.intercept_)
            covariance = with_intercept(self.sigma_, self.X_offset_[kept], 1.0 / (self.alpha_ * self.n_rows_))
        condition = float(np.sqrt(strength[-1] / max(strength[0], 1e-300)))
        inference = Inference(covariance, np.ones(1), np.array([self.r2_]), int(self.n_rows_), np.inf, condition)
        notes = [
            f"{self.n_rows_:,.0f} rows; standard deviation of the noise {self.alpha_**-0.5:.4g}. Intervals are of the "
            "posterior for the estimated precisions."
        ]
        title = f"{name}: R² {self.r2_:.4f}"
        return summarised(title, inference, self.coef_[kept][None], intercept, list(names), level=level, notes=notes)

    def _finish(self, X: np.ndarray, coef: np.ndarray, problem: _Rotated, scores: list[float]) -> None:
        self.X_offset_, self.X_scale_ = problem.x_mean, np.ones(X.shape[1])
        self.scores_: Any = np.array(scores) if scores else []
        self.n_rows_ = problem.total
        self.r2_ = 1.0 - problem.squares(coef) / problem.yy if problem.yy > 0.0 else 0.0
        intercept = problem.y_mean - float(coef @ problem.x_mean) if self.fit_intercept else 0.0
        self._keep(coef[None], np.array([intercept]), True, X)


class _Rotated:
    """Products of centred, weighted rows, from rows or from one pass over many: XᵀX = V diag(s²) Vᵀ and Vᵀ Xᵀy."""

    def __init__(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, intercept: bool):
        n, p = X.shape
        if n * p > _SMALL and n >= 2 * p:
            sums = moments_of(X, y[:, None], weights, centred=intercept)
            self.gram, self.xy, self.yy, self.total = sums.gram, sums.xy[:, 0], float(sums.yy[0]), sums.total
            self.x_mean, self.y_mean = sums.x_mean, float(sums.y_mean[0])
            eigenvalues, V = linalg.eigh(self.gram)
            self.eigenvalues, self.V = np.maximum(eigenvalues, 0.0), V
            along = V.T @ self.xy
            self.along = np.where(self.eigenvalues > 0, along / np.sqrt(np.maximum(self.eigenvalues, 1e-300)), 0.0)
            self.rest = max(self.yy - float(self.along @ self.along), 0.0)
            return
        rows, targets, self.x_mean, y_mean = centred_rows(X, y[:, None], weights, intercept)
        target, self.y_mean = targets[:, 0], float(y_mean[0])
        self.total = float(n) if weights is None else float(weights.sum())
        U, s, Vh = linalg.svd(rows, full_matrices=n < p, check_finite=False)
        U = U[:, : len(s)]
        self.eigenvalues, self.along = np.zeros(p), np.zeros(p)
        self.eigenvalues[: len(s)], self.along[: len(s)], self.V = s**2, U.T @ target, Vh.T
        self.gram, self.xy, self.yy = rows.T @ rows, rows.T @ target, float(target @ target)
        self.rest = float(((target - U @ self.along[: len(s)]) ** 2).sum())

    def ridge(self, ratio: float) -> tuple[np.ndarray, float]:
        """The coefficients of ridge regression with that penalty, and the sum of squared residuals."""
        root = np.sqrt(self.eigenvalues)
        found = root * self.along / (self.eigenvalues + ratio)
        return self.V @ found, self.rest + float(((self.along - root * found) ** 2).sum())

    def squares(self, coef: np.ndarray) -> float:
        """The sum of squared residuals."""
        return self.rest + float(((self.along - np.sqrt(self.eigenvalues) * (self.V.T @ coef)) ** 2).sum())


class BayesianRidge(BayesianLinear):
    r"""Ridge regression whose penalty maximises the evidence (MacKay 1992; Tipping 2001).

    Errors are normal with precision α, coefficients normal with precision λ, and both have gamma priors. The
    coefficients are those of ridge regression with the penalty λ / α. All iterations need one pass over the rows.

    Attributes
    ----------
    coef_, intercept_ : the mean of the posterior
    sigma_ : its covariance, columns × columns
    alpha_, lambda_ : the precisions of errors and coefficients
    scores_ : the log evidence of every iteration and of the result
    X_offset_, X_scale_ : the means of the columns, and ones
    n_iter_ : int
    r2_, n_rows_ : the share of the variance that is explained, and the sum of weights

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2) % 5
    >>> model = BayesianRidge().fit(X, X[:, 0] + [0.1, -0.1] * 3)
    >>> model.coef_.round(2), model.predict_interval(X[:1]).round(2)
    (array([ 1.03, -0.01]), array([[-0.27,  0.2 ]]))
    """

    alpha_init: float | None = parameter(
        "The precision of the errors to start with; None is 1 / Var(y).", default=None, at_least=0
    )
    lambda_init: float | None = parameter(
        "The precision of the coefficients to start with; None is 1.", default=None, at_least=0
    )

    fitted: ClassVar[dict[str, Spec]] = {**BayesianLinear.fitted, "lambda_": Number()}

    def _kept(self) -> np.ndarray:
        return np.arange(len(self.coef_))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianRidge:
        """Estimate the precisions and the posterior."""
        X, target, weights = checked_rows(self, X, y, sample_weight)
        problem = _Rotated(X, target, weights, self.fit_intercept)
        eigenvalues, scores, before = problem.eigenvalues, [], None
        alpha = _precision(target, weights) if self.alpha_init is None else self.alpha_init
        lam = 1.0 if self.lambda_init is None else self.lambda_init
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            coef, left = problem.ridge(lam / alpha)
            if self.compute_score:
                scores.append(self._log_evidence(problem, alpha, lam, coef, left))
            effective = float((alpha * eigenvalues / (lam + alpha * eigenvalues)).sum())
            lam = (effective + 2.0 * self.lambda_1) / (float(coef @ coef) + 2.0 * self.lambda_2)
            alpha = (problem.total - effective + 2.0 * self.alpha_1) / (left + 2.0 * self.alpha_2)
            if before is not None and np.abs(before - coef).sum() < self.tol:
                break
            before = coef
        coef, left = problem.ridge(lam / alpha)
        if self.compute_score:
            scores.append(self._log_evidence(problem, alpha, lam, coef, left))
        self.alpha_, self.lambda_ = float(alpha), float(lam)
        self.sigma_ = problem.V @ (problem.V / (alpha * eigenvalues + lam)).T
        self._finish(X, coef, problem, scores)
        return self

    def _log_evidence(self, problem: _Rotated, alpha: float, lam: float, coef: np.ndarray, left: float) -> float:
        """The logarithm of the density of y and the precisions."""
        priors = self.lambda_1 * np.log(lam) - self.lambda_2 * lam + self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        evidence = len(coef) * np.log(lam) + problem.total * np.log(alpha / (2.0 * np.pi))
        evidence -= alpha * left + lam * float(coef @ coef) + float(np.log(lam + alpha * problem.eigenvalues).sum())
        return float(priors + 0.5 * evidence)


class ARDRegression(BayesianLinear):
    r"""Regression with a precision of its own for each coefficient (automatic relevance determination).

    Precisions maximise the evidence (MacKay 1992; Tipping 2001). Columns whose precision exceeds a threshold are
    removed, so the coefficients are sparse. All iterations together need one pass over the rows.

    Attributes
    ----------
    coef_, intercept_, alpha_, scores_, X_offset_, X_scale_, n_iter_, r2_, n_rows_ : as of ``BayesianRidge``
    lambda_ : array of columns, the precisions of the coefficients
    sigma_ : the covariance of the posterior of the coefficients that are not zero

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 4))
    >>> ARDRegression().fit(X, X[:, 2] + 0.01 * X[:, 0] * X[:, 1]).coef_.round(2)
    array([0., 0., 1., 0.])
    """

    threshold_lambda: float = parameter(
        "The precision of a coefficient above which it is set to zero.", default=1.0e4, at_least=0
    )

    fitted: ClassVar[dict[str, Spec]] = {**BayesianLinear.fitted, "lambda_": Array("f8", "d")}

    def _kept(self) -> np.ndarray:
        return np.flatnonzero(self.lambda_ < self.threshold_lambda)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ARDRegression:
        """Estimate the precisions and the posterior."""
        X, target, weights = checked_rows(self, X, y, sample_weight, ensure_min_samples=2)
        problem = _Rotated(X, target, weights, self.fit_intercept)
        p, scores, before = X.shape[1], [], None
        alpha, lam = _precision(target, weights), np.ones(p)
        kept = np.ones(p, dtype=bool)
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            coef, sigma = _posterior(problem, alpha, lam, kept)
            left = problem.squares(coef)
            effective = 1.0 - lam[kept] * sigma.diagonal()
            lam[kept] = (effective + 2.0 * self.lambda_1) / (coef[kept] ** 2 + 2.0 * self.lambda_2)
            alpha = (problem.total - effective.sum() + 2.0 * self.alpha_1) / (left + 2.0 * self.alpha_2)
            kept = lam < self.threshold_lambda
            coef[~kept] = 0.0
            if self.compute_score:
                scores.append(self._log_evidence(problem, alpha, lam, coef, left, sigma))
            if not kept.any() or (before is not None and np.abs(before - coef).sum() < self.tol):
                break
            before = coef
        self.coef_, self.sigma_ = _posterior(problem, alpha, lam, kept)
        self.alpha_, self.lambda_ = float(alpha), lam
        self._finish(X, self.coef_, problem, scores)
        return self

    def _log_evidence(
        self, problem: _Rotated, alpha: float, lam: np.ndarray, coef: np.ndarray, left: float, sigma: np.ndarray
    ) -> float:
        priors = (self.lambda_1 * np.log(lam) - self.lambda_2 * lam).sum()
        priors += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        evidence = np.linalg.slogdet(sigma)[1] + problem.total * np.log(alpha) + np.log(lam).sum()
        return float(priors + 0.5 * (evidence - alpha * left - (lam * coef**2).sum()))


def _posterior(problem: _Rotated, alpha: float, lam: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the coefficients, zero unless ``kept``, and the covariance of those."""
    own = np.flatnonzero(kept)
    coef = np.zeros(len(lam))
    if not len(own):
        return coef, np.empty((0, 0))
    # at unit diagonal, so that the units of the columns do not matter
    precision = alpha * problem.gram[np.ix_(own, own)] + np.diag(lam[own])
    size = np.sqrt(precision.diagonal())
    sigma = linalg.pinvh(precision / np.outer(size, size), check_finite=False) / np.outer(size, size)
    coef[own] = alpha * (sigma @ problem.xy[own])
    return coef, sigma


def _precision(y: np.ndarray, weights: np.ndarray | None) -> float:
    """1 / Var(y), to start with."""
    variance = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)
    return float(1.0 / (variance + np.finfo(np.float64).eps))


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise DataError(f"level is {level}.", "a number between 0 and 1")
