"""Regression as the maximum of a posterior: the likelihood is the loss, the prior is the penalty."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, checked_numbers, checked_weights, matrix_input
from probus.linear_model.coefficient_summary import CoefficientSummary, Inference, summarised
from probus.linear_model.covariance import inverse_products, with_intercept
from probus.linear_model.elastic_net import Lasso
from probus.linear_model.least_squares import least_squares
from probus.linear_model.linear_base import LinearRegressor, check_squares, column_names
from probus.linear_model.moments import moments_of
from probus.linear_model.quantile_regression import pinball_fit
from probus.linear_model.ridge import ridge_solution
from probus.state import Maybe, Number, Object, Spec, String

__all__ = ["MAP"]

Found = tuple[np.ndarray, float]


class MAP(LinearRegressor):
    r"""The coefficients of the largest posterior density, :math:`\max_β \log p(y | X, β) + \log p(β)`.

    The negative logarithm of the likelihood is a loss, that of the prior a penalty. A normal likelihood with a normal
    prior is ridge regression, with a Laplace prior the lasso; a Laplace likelihood gives least absolute deviations, and
    Student's t a regression that ignores gross outliers. ``equivalent_`` names the penalised model.

    Parameters
    ----------
    likelihood : {"gaussian", "laplace", "student"}
        The distribution of the errors. "student" is not concave: the result is the local maximum that expectation
        maximisation reaches from the Laplace likelihood.
    prior : {"gaussian", "laplace", "flat"}
        The distribution of each coefficient; that of the intercept is flat.
    noise_scale, prior_scale : float
        The scales of the two: the standard deviation of a normal, b of a Laplace distribution.
    degrees_of_freedom : float
        Of Student's t.
    fit_intercept : bool
        Whether an intercept is estimated; otherwise it is 0.
    max_iter, tol : of expectation maximisation
        The largest number of iterations, and the increase of the log posterior at which they stop.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    log_posterior_ : float
        The logarithm of the likelihood times the prior.
    equivalent_ : str
        The penalised regression that has the same coefficients, for example ``"Ridge(alpha=4.0)"``.
    n_iter_ : int
    inference_ : what ``summary`` needs; None unless the posterior is normal

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = MAP("gaussian", "gaussian", noise_scale=2.0, prior_scale=1.0).fit(X, y)
    >>> model.equivalent_, model.coef_.round(3)
    ('Ridge(alpha=4.0)', array([0.667]))
    """

    accepts: Accepts = Accepts(weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "log_posterior_": Number(),
        "equivalent_": String(),
        "n_iter_": Number(),
        "inference_": Maybe(Object(Inference)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "likelihood": [StrOptions({"gaussian", "laplace", "student"})],
        "prior": [StrOptions({"gaussian", "laplace", "flat"})],
        "noise_scale": [Interval(Real, 0, None, closed="neither")],
        "prior_scale": [Interval(Real, 0, None, closed="neither")],
        "degrees_of_freedom": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        likelihood: str = "gaussian",
        prior: str = "gaussian",
        *,
        noise_scale: float = 1.0,
        prior_scale: float = 1.0,
        degrees_of_freedom: float = 4.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-10,
    ):
        self.likelihood = likelihood
        self.prior = prior
        self.noise_scale = noise_scale
        self.prior_scale = prior_scale
        self.degrees_of_freedom = degrees_of_freedom
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @classmethod
    def examples(cls) -> list[Model]:
        """Ridge regression, and expectation maximisation."""
        return [cls(), cls("student", "flat")]

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MAP:
        """Maximise the posterior."""
        X = matrix_input(self, X, reset=True)
        target = checked_numbers(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        check_squares(X, target)
        w = np.ones(len(target)) if weights is None else weights
        if self.likelihood == "student":
            coef, intercept = self._robust(X, target, w)
        elif self.likelihood == "laplace":
            coef, intercept = self._laplace(X, target, w)
            self.n_iter_ = 1
        else:
            coef, intercept = self._gaussian(X, target, w)
            self.n_iter_ = 1
        self._keep(coef[None], np.array([intercept]), True, X)
        self.log_posterior_ = self._log_posterior(target - X @ coef - intercept, w, coef)
        self.equivalent_ = self._name(float(w.sum()))
        self.inference_ = self._inference(X, target, weights, coef)
        return self

    def _gaussian(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Least squares with the penalty of the prior."""
        if self.prior == "laplace":
            alpha = self.noise_scale**2 / (float(w.sum()) * self.prior_scale)
            lasso = Lasso(alpha, fit_intercept=self.fit_intercept, tol=1e-8, max_iter=100_000).fit(X, y, w)
            return lasso.coef_, float(lasso.intercept_)
        if self.prior == "flat":
            found = least_squares(X, y[:, None], w, intercept=self.fit_intercept)
            return found.coef[0], float(found.intercept[0])
        alphas = np.array([(self.noise_scale / self.prior_scale) ** 2])
        coef, intercept = ridge_solution(X, y[:, None], w, alphas, intercept=self.fit_intercept)
        return coef[0], float(intercept[0])

    def _laplace(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Absolute errors with the penalty of the prior."""
        size = 0.5 * self.noise_scale / float(w.sum())
        l1 = size / self.prior_scale if self.prior == "laplace" else 0.0
        l2 = size / self.prior_scale**2 if self.prior == "gaussian" else 0.0
        return pinball_fit(X, y, w, 0.5, l1, intercept=self.fit_intercept, l2=l2)[:2]

    def _robust(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Expectation maximisation: Student's t is a normal whose variance is drawn for each row."""
        nu, coef, intercept = self.degrees_of_freedom, *self._laplace(X, y, w)
        value, self.n_iter_ = -np.inf, 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            r = y - X @ coef - intercept
            before, value = value, self._log_posterior(r, w, coef)
            if value - before <= self.tol * max(abs(value), 1.0):
                return coef, intercept
            expected = (nu + 1.0) / (nu + (r / self.noise_scale) ** 2)
            coef, intercept = self._gaussian(X, y, w * expected)
        warnings.warn(
            f"MAP failed to converge after {self.max_iter} iterations. Increase the number of iterations (max_iter).",
            ConvergenceWarning,
            stacklevel=3,
        )
        return coef, intercept

    def _log_posterior(self, r: np.ndarray, w: np.ndarray, coef: np.ndarray) -> float:
        laws = {"gaussian": stats.norm, "laplace": stats.laplace, "student": stats.t(self.degrees_of_freedom)}
        data = laws[self.likelihood].logpdf(r / self.noise_scale) - np.log(self.noise_scale)
        if self.prior == "flat":
            return float(w @ data)
        return float(w @ data + laws[self.prior].logpdf(coef, scale=self.prior_scale).sum())

    def _name(self, total: float) -> str:
        ratio = self.noise_scale / self.prior_scale
        names = {
            ("gaussian", "flat"): "LinearRegression()",
            ("gaussian", "gaussian"): f"Ridge(alpha={float(ratio**2)!r})",
            ("gaussian", "laplace"): f"Lasso(alpha={float(self.noise_scale * ratio / total)!r})",
            ("laplace", "flat"): "LeastAbsoluteDeviations()",
            ("laplace", "laplace"): f"LeastAbsoluteDeviations(alpha={float(ratio / total)!r})",
            ("laplace", "gaussian"): "absolute errors with a quadratic penalty",
        }
        return names.get((self.likelihood, self.prior), f"Student's t loss with a {self.prior} prior")

    def _inference(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, coef: np.ndarray
    ) -> Inference | None:
        """The covariance of a normal posterior, (XᵀX / σ² + I / τ²)⁻¹."""
        if self.likelihood != "gaussian" or self.prior == "laplace":
            return None
        sums = moments_of(X, y[:, None], weights, centred=self.fit_intercept)
        precision = sums.gram / self.noise_scale**2
        if self.prior == "gaussian":
            precision = precision + np.eye(len(coef)) / self.prior_scale**2
        found = inverse_products(precision)
        if found is None:
            return None
        covariance, condition = found
        if self.fit_intercept:
            covariance = with_intercept(covariance, sums.x_mean, self.noise_scale**2 / sums.total)
        left = sums.yy[0] - 2.0 * coef @ sums.xy[:, 0] + coef @ sums.gram @ coef
        explained = 1.0 - left / sums.yy[0] if sums.yy[0] > 0.0 else 0.0
        return Inference(covariance, np.ones(1), np.array([explained]), len(y), np.inf, condition)

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """The normal posterior of the coefficients: mean, standard deviation and credible interval.

        It exists for a Gaussian likelihood with a Gaussian or flat prior; ``noise_scale`` is taken as known.
        """
        check_is_fitted(self)
        kept = getattr(self, "inference_", None)
        intercept = np.atleast_1d(self.intercept_) if self.fit_intercept else None
        names, title = column_names(self, len(self.coef_)), f"MAP: {self.equivalent_}"
        notes = [f"Log posterior {self.log_posterior_:.6g}; the scales of errors and prior are taken as known."]
        return summarised(title, kept, self.coef_[None], intercept, names, level=level, notes=notes)
