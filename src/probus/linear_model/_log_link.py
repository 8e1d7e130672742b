"""Regressions of targets that are not negative, through the logarithm: Poisson and gamma."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Regressor, checked_numbers, checked_weights, matrix_input
from probus.display import p_text
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._composition import Composition
from probus.linear_model._linear_base import column_names, raw_predictions
from probus.linear_model._linear_parameters import ALPHA, SILENT
from probus.linear_model.datafits._offsets import minimise_near_zero
from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.inference._assumption_tests import DOUBTFUL, assumption_tests
from probus.linear_model.inference._coefficient_summary import (
    CoefficientSummary,
    Inference,
    StandardErrors,
    counted_rows,
    summarised,
)
from probus.linear_model.inference._extrapolation import TrainingRange, training_range, warn_of_extrapolation
from probus.linear_model.inference._likelihood_inference import likelihood_inference, likelihood_scores
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import ModelOfRows, TrainingRows
from probus.linear_model.penalties import L2
from probus.linear_model.solvers import BySize
from probus.linear_model.solvers._newton import Minimum, has_hessian
from probus.losses import Gamma, Loss, Poisson
from probus.parameters import FIT_INTERCEPT, MAX_ITER, TOL, WARM_START, attribute, parameter
from probus.state import Array, Maybe, Number, Object, Spec

_TINY = np.finfo(np.float64).tiny


class LogLinkRegressor(ModelOfRows, Regressor):
    """Parent of the regressions that predict exp(Xβ + β₀), with the mean half deviance as loss."""

    alpha: float = ALPHA
    fit_intercept: bool = FIT_INTERCEPT
    solver: str = parameter(
        "Without effect: Newton's method or L-BFGS follows from the number of columns, to the same precision.",
        default="lbfgs",
        one_of=("lbfgs", "newton-cholesky"),
    )
    max_iter: int = MAX_ITER.but(default=100)
    tol: float = TOL.but(doc="The precision: the objective is minimised to about tol²/100.", at_least=None, above=0.0)
    warm_start: bool = WARM_START
    verbose: int = SILENT

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "coef_": Array("f8", "d"),
        "intercept_": Number(),
        "n_iter_": Number(),
        "optimality_": Number(),
        "inference_": Maybe(Object(Inference)),
        "training_range_": Maybe(Object(TrainingRange)),
    }

    weights_count_rows: ClassVar[bool] = True  # else they are precisions
    coef_: np.ndarray = attribute()
    intercept_: float = attribute()

    @abstractmethod
    def _loss(self) -> Loss:
        """Half the deviance."""

    def _composition(self) -> Composition:
        return Composition(self._loss(), L2(self.alpha), BySize(self.tol, self.max_iter))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogLinkRegressor:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        target, loss = checked_numbers(y, X.shape[0]), self._loss()
        _check_range(loss, target)
        weights = checked_weights(sample_weight, X)
        own = self._composition()
        problem, start = own.problem(X, target, weights, intercept=self.fit_intercept), None
        if self.warm_start and hasattr(self, "coef_"):
            start = np.append(self.coef_, self.intercept_)[: problem.shape[0], None]
        found = minimise_near_zero(problem, start, own.minimise)
        theta = found.theta[:, 0]
        self.coef_, self.intercept_ = (theta[:-1].copy(), float(theta[-1])) if self.fit_intercept else (theta, 0.0)
        self.n_iter_, self.optimality_ = found.n_iter, found.optimality
        self.inference_, self.training_range_ = self._inference(problem, found), training_range(X)
        self._keep_rows(X, target, weights)
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

    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        title, notes = type(self).__name__, []
        if kept is not None:
            title = f"{title}: share of the deviance explained {kept.explained[0]:.4f}"
            notes.append(f"{kept.n_rows:,} rows; {self._spread(kept)}; condition number {kept.condition:.3g}.")
            notes += self._cautions(kept) if errors is None else []
        if self.alpha:
            notes.append("Coefficients are shrunk by the penalty, and intervals ignore the bias; alpha=0 has none.")
        intercept = np.atleast_1d(self.intercept_)
        names = column_names(self, len(self.coef_))
        return summarised(title, kept, self.coef_[None], intercept, names, level=level, notes=notes, errors=errors)

    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_numbers(y, n_rows)

    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        problem = self._composition().problem(rows.X, rows.y, rows.weights, intercept=self.fit_intercept)
        theta = np.append(self.coef_, self.intercept_)[: problem.shape[0], None]
        ones = np.ones(len(rows.y))
        own, counts = (ones, rows.weights) if self.weights_count_rows else (ones if rows.weights is None else
                                                                           rows.weights, None)  # fmt: skip
        return [likelihood_scores(problem, theta, self._expect(problem), own, counts)]

    def _expect(self, problem: SmoothProblem) -> SmoothProblem:
        """The problem whose hessian is the expected information."""
        return problem

    def _spread(self, kept: Inference) -> str:
        """How much the targets vary, in words."""
        return f"dispersion {kept.variance[0]:.4g}"

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

    Weights count rows in ``summary``: one of weight 2 is two rows. Its ``errors="quasi"`` are for counts whose variance
    is a multiple of their mean.

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
    kinds_of_errors: ClassVar[tuple[str, ...]] = (*ModelOfRows.kinds_of_errors, "quasi")
    dispersion_: Any = attribute()

    def _loss(self) -> Loss:
        return Poisson()

    def _inference(self, problem: SmoothProblem, found: Minimum) -> Inference | None:
        """As of the parent; Pearson's statistic is kept too."""
        kept, self.dispersion_ = super()._inference(problem, found), None
        if kept is not None:
            mean = np.maximum(self._loss().mean(raw_predictions(problem.X, self.coef_, self.intercept_)), _TINY)
            self.dispersion_ = _pearson((problem.y - mean) ** 2 / mean, problem)
        return kept

    def _spread(self, kept: Inference) -> str:
        freedom, p = self._pearson_test(kept)
        return f"Pearson's dispersion {self.dispersion_:.4g} on {freedom:,.0f} degrees of freedom ({p_text(p)} for 1)"

    def _pearson_test(self, kept: Inference) -> tuple[float, float]:
        """Degrees of freedom, and the p-value that counts do not vary more than Poisson's."""
        freedom = kept.n_rows - len(kept.covariance)
        return freedom, float(stats.chi2.sf(self.dispersion_ * freedom, freedom))

    def _cautions(self, kept: Inference) -> list[str]:
        freedom, p = self._pearson_test(kept)
        if p > DOUBTFUL:
            return []
        ratio = self.dispersion_
        return [
            f"The counts vary {ratio:.2g} times as much as Poisson's (Pearson's statistic over {freedom:,} degrees of "
            f"freedom): standard errors are too small, by a factor of about {np.sqrt(ratio):.2g}. Use "
            'summary(errors="quasi"), or errors="robust" where the variance is no multiple of the mean.'
        ]

    def _standard_errors(self, errors: str, kept: Inference | None, *rows: Any) -> StandardErrors | None:
        own = super()._standard_errors(errors, kept, *rows)
        if errors != "quasi" or kept is None:
            return own
        size = np.sqrt(self.dispersion_ * kept.covariance.diagonal())
        note = "Standard errors hold for counts whose variance is the dispersion times their mean (quasi-Poisson)."
        return StandardErrors(size[None], float(kept.n_rows - len(size)), (note,))


class GammaRegressor(LogLinkRegressor):
    """Gamma regression: the logarithm of the mean of a positive amount is linear in the columns.

    The dispersion is estimated, so weights are precisions in ``summary``: a row of weight 2 counts once, with half the
    dispersion.

    Attributes are those of ``PoissonRegressor``, without ``dispersion_``.

    Examples
    --------
    >>> GammaRegressor(alpha=0.0).fit([[0.0], [0.0], [1.0], [1.0]], [1, 3, 7, 9]).predict([[0.0], [1.0]]).round(6)
    array([2., 8.])
    """

    weights_count_rows: ClassVar[bool] = False

    def _loss(self) -> Loss:
        return Gamma()

    def _expect(self, problem: SmoothProblem) -> SmoothProblem:
        mean = self._loss().mean(raw_predictions(problem.X, self.coef_, self.intercept_))
        return SmoothProblem(problem.X, mean, problem.weights, problem.loss, problem.l2, intercept=problem.intercept)

    def _inference(self, problem: SmoothProblem, found: Minimum) -> Inference | None:
        """As of the parent, with the expected information, and the dispersion by Pearson's statistic."""
        if not has_hessian(problem):
            return None
        mean, expected = (
            self._loss().mean(raw_predictions(problem.X, self.coef_, self.intercept_)),
            self._expect(problem),
        )
        value = problem.value(found.theta) if found.curvature is None else found.value
        information = expected.evaluate(found.theta, hessian=True)[2]
        kept = super()._inference(problem, replace(found, value=value, curvature=information))
        if kept is None:
            return None
        residual = (problem.y / mean - 1.0)[:, None] * np.sqrt(1.0 if problem.weights is None else problem.weights)[
            ..., None
        ]
        variance = np.array([_pearson((problem.y / mean - 1.0) ** 2, problem)])
        return replace(kept, variance=variance, assumptions=assumption_tests(residual))


def _pearson(squares: np.ndarray, problem: SmoothProblem) -> float:
    """The sum of squared residuals, in units of the variance that is assumed, over the degrees of freedom."""
    total = float(squares.sum() if problem.weights is None else problem.weights @ squares)
    return total / (counted_rows(len(squares), problem.weights) - problem.shape[0])
