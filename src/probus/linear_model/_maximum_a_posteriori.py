"""Regression as the maximum of a posterior: the likelihood is the loss, the prior is the penalty."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model
from probus.linear_model._elastic_net import Lasso
from probus.linear_model._linear_base import LinearRegressor, checked_rows, column_names
from probus.linear_model._quantile_regression import pinball_fit
from probus.linear_model._ridge import ridge_solution
from probus.linear_model.datafits._moments import moments_of
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, summarised
from probus.linear_model.inference._covariance import inverse_products, with_intercept
from probus.linear_model.solvers._least_squares import least_squares
from probus.losses import Quantile
from probus.parameters import FIT_INTERCEPT, MAX_ITER, TOL, parameter
from probus.state import Maybe, Number, Object, Spec, String

Found = tuple[np.ndarray, float, float]  # the coefficients, the intercept, and the certificate

_PRECISION = 1e-6  # of the certificate, above which a warning says what to do


class MAP(LinearRegressor):
    r"""The coefficients of the largest posterior density, :math:`\max_β \log p(y | X, β) + \log p(β)`.

    The negative logarithm of the likelihood is a loss, that of the prior a penalty. A normal likelihood with a normal
    prior is ridge regression, with a Laplace prior the lasso. A Laplace likelihood gives least absolute deviations, and
    Student's t a regression that ignores gross outliers. ``equivalent_`` names the penalised model.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    log_posterior_ : float
        The logarithm of the likelihood times the prior.
    equivalent_ : str
        The penalised regression that has the same coefficients, for example ``"Ridge(alpha=4.0)"``.
    optimality_ : float
        The certificate: the largest gradient of the log posterior, each relative to the length of its column times that
        of y; for a Laplace likelihood the duality gap, relative to the loss of zero coefficients.
    n_iter_ : int
    inference_ : what ``summary`` needs; None unless the posterior is normal

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = MAP("gaussian", "gaussian", noise_scale=2.0, prior_scale=1.0).fit(X, y)
    >>> model.equivalent_, model.coef_.round(3)
    ('Ridge(alpha=4.0)', array([0.667]))
    """

    likelihood: str = parameter(
        'The distribution of the errors. "student" is not concave: the result is the local maximum that expectation '
        "maximisation reaches from the Laplace likelihood.",
        default="gaussian",
        one_of=("gaussian", "laplace", "student"),
        kw_only=False,
    )
    prior: str = parameter(
        "The distribution of each coefficient; that of the intercept is flat.",
        default="gaussian",
        one_of=("gaussian", "laplace", "flat"),
        kw_only=False,
    )
    noise_scale: float = parameter(
        "The scale of the errors: the standard deviation of a normal, b of a Laplace distribution.",
        default=1.0,
        above=0,
    )
    prior_scale: float = parameter("The scale of the prior, in the same terms.", default=1.0, above=0)
    degrees_of_freedom: float = parameter("The degrees of freedom of Student's t.", default=4.0, above=0)
    fit_intercept: bool = FIT_INTERCEPT
    max_iter: int = MAX_ITER.but(doc="The maximum number of iterations of expectation maximisation.")
    tol: float = TOL.but(doc="The ``optimality_`` at which expectation maximisation stops.", default=1e-8)

    accepts = Accepts(weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "log_posterior_": Number(),
        "equivalent_": String(),
        "optimality_": Number(),
        "n_iter_": Number(),
        "inference_": Maybe(Object(Inference)),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Ridge regression, and expectation maximisation."""
        return [cls(), cls("student", "flat")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MAP:
        """Maximise the posterior."""
        X, target, weights = checked_rows(self, X, y, sample_weight)
        w = np.ones(len(target)) if weights is None else weights
        self.n_iter_ = 1
        maximise = {"gaussian": self._gaussian, "laplace": self._laplace, "student": self._robust}[self.likelihood]
        coef, intercept, self.optimality_ = maximise(X, target, w)
        self._keep(coef[None], np.array([intercept]), True, X)
        self.log_posterior_ = self._log_posterior(target - X @ coef - intercept, w, coef)
        self.equivalent_ = self._name(float(w.sum()))
        self.inference_ = self._inference(X, target, weights, coef)
        if not self.optimality_ <= max(_PRECISION, self.tol):
            warnings.warn(
                f"MAP failed to converge after {self.n_iter_} iterations: optimality {self.optimality_:.2e}. Increase "
                "the number of iterations (max_iter), scale the columns, or choose a smaller prior_scale.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _gaussian(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Least squares with the penalty of the prior."""
        if self.prior == "laplace":
            alpha = self.noise_scale**2 / (float(w.sum()) * self.prior_scale)
            lasso = Lasso(alpha, fit_intercept=self.fit_intercept, tol=1e-8, max_iter=100_000).fit(X, y, w)
            coef, intercept = lasso.coef_, float(lasso.intercept_)
        elif self.prior == "flat":
            found = least_squares(X, y[:, None], w, intercept=self.fit_intercept)
            coef, intercept = found.coef[0], float(found.intercept[0])
        else:
            alphas = np.array([(self.noise_scale / self.prior_scale) ** 2])
            coefs, intercepts = ridge_solution(X, y[:, None], w, alphas, intercept=self.fit_intercept)
            coef, intercept = coefs[0], float(intercepts[0])
        return coef, intercept, self._violation(X, y, w, coef, intercept)

    def _violation(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, coef: np.ndarray, intercept: float) -> float:
        """The largest gradient of a normal likelihood with the prior, without the units of X and y."""
        total = float(w.sum())
        x_mean, y_mean = (w @ X / total, float(w @ y) / total) if self.fit_intercept else (np.zeros(X.shape[1]), 0.0)
        rows, target = X - x_mean, y - y_mean
        slope = rows.T @ (w * (target - rows @ coef))
        if self.prior == "gaussian":
            slope -= (self.noise_scale / self.prior_scale) ** 2 * coef
        elif self.prior == "laplace":
            bound = self.noise_scale**2 / self.prior_scale
            slope = np.where(coef == 0.0, np.maximum(np.abs(slope) - bound, 0.0), slope - bound * np.sign(coef))
        shift = total * (y_mean - float(x_mean @ coef) - intercept)  # the gradient of the intercept
        slopes, lengths = np.append(slope, shift), np.sqrt(np.append(w @ rows**2, total) * float(w @ target**2))
        return float(np.divide(np.abs(slopes), lengths, out=np.zeros(len(slopes)), where=lengths > 0.0).max())

    def _laplace(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Absolute errors with the penalty of the prior."""
        size = 0.5 * self.noise_scale / float(w.sum())
        l1 = size / self.prior_scale if self.prior == "laplace" else 0.0
        l2 = size / self.prior_scale**2 if self.prior == "gaussian" else 0.0
        coef, intercept, found = pinball_fit(X, y, w, 0.5, l1, intercept=self.fit_intercept, l2=l2)
        loss = Quantile(0.5)
        constant = loss.constant(y, w)[0] if self.fit_intercept else 0.0
        whole = float(np.average(loss.value(y, np.full(len(y), constant)), weights=w))
        return coef, intercept, found.gap / whole if whole > 0.0 else 0.0

    def _robust(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Found:
        """Expectation maximisation: Student's t is a normal whose variance is drawn for each row."""
        nu, (coef, intercept, _) = self.degrees_of_freedom, self._laplace(X, y, w)
        self.n_iter_ = 0
        while True:
            expected = (nu + 1.0) / (nu + ((y - X @ coef - intercept) / self.noise_scale) ** 2)
            violation = self._violation(X, y, w * expected, coef, intercept)
            if violation <= self.tol or self.n_iter_ == self.max_iter:
                return coef, intercept, violation
            coef, intercept, _ = self._gaussian(X, y, w * expected)
            self.n_iter_ += 1

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
        Weights count rows: one of weight 2 is two rows.
        """
        check_is_fitted(self)
        kept = getattr(self, "inference_", None)
        intercept = np.atleast_1d(self.intercept_) if self.fit_intercept else None
        names, title = column_names(self, len(self.coef_)), f"MAP: {self.equivalent_}"
        notes = [f"Log posterior {self.log_posterior_:.6g}; the scales of errors and prior are taken as known."]
        return summarised(title, kept, self.coef_[None], intercept, names, level=level, notes=notes)
