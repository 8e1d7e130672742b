"""Regressions of targets that are not negative, through the logarithm: Poisson and gamma."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Regressor, checked_numbers, checked_weights, matrix_input
from probus.errors import DataError
from probus.linear_model.coefficient_summary import CoefficientSummary, Inference, counted_rows, summarised
from probus.linear_model.extrapolation import TrainingRange, training_range, warn_of_extrapolation
from probus.linear_model.likelihood_inference import likelihood_inference
from probus.linear_model.linear_base import column_names, raw_predictions
from probus.linear_model.newton import Minimum, has_hessian, minimise_smooth
from probus.linear_model.smooth_problem import SmoothProblem
from probus.losses import Gamma, Loss, Poisson
from probus.state import Array, Maybe, Number, Object, Spec

__all__ = ["GammaRegressor", "LogLinkRegressor", "PoissonRegressor"]

_DOUBTFUL = 0.01  # the p-value of Pearson's statistic at which a summary doubts the variance of counts
_TINY = np.finfo(np.float64).tiny


class LogLinkRegressor(Regressor):
    """Parent of the regressions that predict exp(Xβ + β₀), with the mean half deviance as loss."""

    accepts: Accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "coef_": Array("f8", "d"),
        "intercept_": Number(),
        "n_iter_": Number(),
        "optimality_": Number(),
        "inference_": Maybe(Object(Inference)),
        "training_range_": Maybe(Object(TrainingRange)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"lbfgs", "newton-cholesky"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    coef_: np.ndarray
    intercept_: float

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    @abstractmethod
    def _loss(self) -> Loss:
        """Half the deviance."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogLinkRegressor:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        target, loss = checked_numbers(y, X.shape[0]), self._loss()
        _check_range(loss, target)
        weights = checked_weights(sample_weight, X)
        problem = SmoothProblem(X, target, weights, loss, self.alpha, intercept=self.fit_intercept)
        start = None
        if self.warm_start and hasattr(self, "coef_"):
            start = np.append(self.coef_, self.intercept_)[: problem.shape[0], None]
        with problem.on_one_thread():
            found = minimise_smooth(problem, start, 0.01 * self.tol**2, self.max_iter)
        theta = found.theta[:, 0]
        self.coef_, self.intercept_ = (theta[:-1].copy(), float(theta[-1])) if self.fit_intercept else (theta, 0.0)
        self.n_iter_, self.optimality_ = found.n_iter, found.optimality
        self.inference_, self.training_range_ = self._inference(problem, found), training_range(X)
        if not found.converged:
            warnings.warn(
                f"{type(self).__name__} failed to converge after {self.max_iter} iterations: optimality "
                f"{found.optimality:.2e}. Increase the number of iterations (max_iter) or scale the columns.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The predicted mean of each row.

        An ``ExtrapolationWarning`` names the columns of rows that lie far outside the training range.
        """
        return self._loss().mean(self._raw(X, warn=True))

    def _inference(self, problem: SmoothProblem, found: Minimum) -> Inference | None:
        """What a summary needs; None where columns are dependent, many, or not fewer than the rows."""
        freedom = counted_rows(len(problem.y), problem.weights) - problem.shape[0]
        return likelihood_inference(problem, found) if freedom > 0 else None

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """Coefficients of the logarithm of the mean with standard errors, intervals, z statistics and p-values.

        Weights of ``PoissonRegressor`` count rows: one of weight 2 is two rows. Those of ``GammaRegressor``, whose
        dispersion is estimated, are precisions: a row of weight 2 counts once, with half the dispersion.
        """
        check_is_fitted(self)
        kept, title = getattr(self, "inference_", None), type(self).__name__
        notes = []
        if kept is not None:
            title = f"{title}: share of the deviance explained {kept.explained[0]:.4f}"
            spread = f"{kept.n_rows:,} rows; dispersion {kept.variance[0]:.4g}"
            notes.append(f"{spread}; condition number {kept.condition:.3g}.")
            notes += self._cautions(kept)
        if self.alpha:
            notes.append("Coefficients are shrunk by the penalty, and intervals ignore the bias; alpha=0 has none.")
        intercept = np.atleast_1d(self.intercept_) if self.fit_intercept else None
        names = column_names(self, len(self.coef_))
        return summarised(title, kept, self.coef_[None], intercept, names, level=level, notes=notes)

    def _cautions(self, kept: Inference) -> list[str]:
        """What makes the standard errors doubtful."""
        return []

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the deviance that is explained: 1 is perfect, 0 as good as the mean of y."""
        raw, loss = self._raw(X), self._loss()
        target = checked_numbers(y, len(raw))
        _check_range(loss, target)
        weights = checked_weights(sample_weight, target)
        constant = np.full(len(raw), loss.constant(target, weights)[0])
        left, whole = (np.average(loss.value(target, f), weights=weights) for f in (raw, constant))
        return float(1.0 - left / whole)

    def _raw(self, X: Any, *, warn: bool = False) -> np.ndarray:
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        if warn:
            warn_of_extrapolation(self, X, getattr(self, "training_range_", None), column_names)
        return raw_predictions(X, self.coef_, self.intercept_)


def _check_range(loss: Loss, target: np.ndarray) -> None:
    """Raise scikit-learn's error, with the reason, where the distribution does not have a value."""
    try:
        loss.check(target)
    except DataError as error:
        raise DataError(
            f"Some value(s) of y are out of the valid range of the loss: {str(error).partition(chr(10))[0]}",
            "values of the distribution",
            "Use LinearRegression or HuberRegressor for other numbers.",
        ) from None


class PoissonRegressor(LogLinkRegressor):
    r"""Poisson regression: the logarithm of the mean of a count is linear in the columns.

    Parameters
    ----------
    alpha : float
        The weight of the penalty :math:`\frac12 ‖β‖^2`.
    fit_intercept : bool
        Whether β₀, which is not penalised, is estimated; otherwise it is 0.
    solver : {"lbfgs", "newton-cholesky"}
        As in scikit-learn; the solver follows from the number of columns, and the precision is the same.
    max_iter, tol : as of ``LogisticRegression``
    warm_start : bool
        Whether ``fit`` starts at the last coefficients.
    verbose : as in scikit-learn; ignored.

    Attributes
    ----------
    coef_, intercept_ : of the logarithm of the mean
    n_iter_, optimality_ : as of ``LogisticRegression``
    inference_ : what ``summary`` needs; None where columns are dependent, many, or not fewer than the rows
    dispersion_ : Pearson's statistic over its degrees of freedom: 1 where the variance of counts is their mean

    Examples
    --------
    >>> PoissonRegressor(alpha=0.0).fit([[0.0], [0.0], [1.0], [1.0]], [1, 3, 7, 9]).predict([[0.0], [1.0]]).round(6)
    array([2., 8.])
    """

    fitted: ClassVar[dict[str, Spec]] = {**LogLinkRegressor.fitted, "dispersion_": Maybe(Number())}

    def _loss(self) -> Loss:
        return Poisson()

    def _inference(self, problem: SmoothProblem, found: Minimum) -> Inference | None:
        """As of the parent; Pearson's statistic is kept too."""
        kept, self.dispersion_ = super()._inference(problem, found), None
        if kept is not None:
            mean = np.maximum(self._loss().mean(raw_predictions(problem.X, self.coef_, self.intercept_)), _TINY)
            self.dispersion_ = _pearson((problem.y - mean) ** 2 / mean, problem)
        return kept

    def _cautions(self, kept: Inference) -> list[str]:
        freedom = kept.n_rows - len(kept.covariance)
        ratio = self.dispersion_
        if ratio is None or stats.chi2.sf(ratio * freedom, freedom) > _DOUBTFUL:
            return []
        return [
            f"The counts vary {ratio:.2g} times as much as Poisson's (Pearson's statistic over {freedom:,} degrees of "
            f"freedom): standard errors are too small, by a factor of about {np.sqrt(ratio):.2g}."
        ]


class GammaRegressor(LogLinkRegressor):
    """Gamma regression: the logarithm of the mean of a positive amount is linear in the columns.

    Parameters and attributes are those of ``PoissonRegressor``.

    Examples
    --------
    >>> GammaRegressor(alpha=0.0).fit([[0.0], [0.0], [1.0], [1.0]], [1, 3, 7, 9]).predict([[0.0], [1.0]]).round(6)
    array([2., 8.])
    """

    def _loss(self) -> Loss:
        return Gamma()

    def _inference(self, problem: SmoothProblem, found: Minimum) -> Inference | None:
        """As of the parent, with the expected information, and the dispersion by Pearson's statistic."""
        if not has_hessian(problem):
            return None
        mean = self._loss().mean(raw_predictions(problem.X, self.coef_, self.intercept_))
        expected = SmoothProblem(
            problem.X, mean, problem.weights, problem.loss, problem.l2, intercept=problem.intercept
        )
        value = problem.value(found.theta) if found.curvature is None else found.value
        information = expected.evaluate(found.theta, hessian=True)[2]
        kept = super()._inference(problem, replace(found, value=value, curvature=information))
        return (
            None
            if kept is None
            else replace(kept, variance=np.array([_pearson((problem.y / mean - 1.0) ** 2, problem)]))
        )


def _pearson(squares: np.ndarray, problem: SmoothProblem) -> float:
    """The sum of squared residuals, in units of the variance that is assumed, over the degrees of freedom."""
    total = float(squares.sum() if problem.weights is None else problem.weights @ squares)
    return total / (counted_rows(len(squares), problem.weights) - problem.shape[0])
