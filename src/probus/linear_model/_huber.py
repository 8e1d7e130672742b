"""Huber's robust regression, with the scale estimated together with the coefficients or as R does."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

from probus.base import Accepts, Model, checked_numbers
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_rows, column_names
from probus.linear_model._linear_parameters import ALPHA
from probus.linear_model.datafits._offsets import far_offset, with_offset
from probus.linear_model.inference._assumption_tests import assumption_tests
from probus.linear_model.inference._coefficient_summary import (
    CoefficientSummary,
    Inference,
    StandardErrors,
    counted_rows,
    summarised,
)
from probus.linear_model.inference._covariance import inverse_products
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import ModelOfRows, TrainingRows
from probus.linear_model.solvers._concomitant import (
    ConcomitantProblem,
    JointEstimate,
    least_squares_step,
    minimise_jointly,
)
from probus.losses import weighted_quantile
from probus.parameters import FIT_INTERCEPT, MAX_ITER, TOL, WARM_START, parameter
from probus.sklearn_seam import original
from probus.state import Array, Maybe, Number, Object, Spec

_MOST_COLUMNS = 1000  # with more, scikit-learn's L-BFGS is used
_NORMAL_MEDIAN = 0.6745  # the median of |z| of a normal z, as R rounds it


class HuberRegressor(ModelOfRows, LinearRegressor):
    r"""Regression that is robust to outliers: squared errors up to ε scales, absolute errors beyond.

    It minimises :math:`\sum_i w_i \left(σ + σ H_ε\left(\frac{y_i - x_i^T β - β_0}{σ}\right)\right) + α ‖β‖^2` over β
    and σ together, as scikit-learn does, by Newton's method.

    The errors of ``summary`` are asymptotic (Huber 1981, section 7.6): those of independent rows with one symmetric
    distribution, of any shape. Weights are precisions: rows of weight 2 count once, with half the variance.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    scale_ : float
        The scale σ of the residuals.
    outliers_ : bool array of rows
        Whether the residual is larger than ε σ.
    n_iter_ : int
    optimality_ : float
        The certificate: the decrease of the objective that a further step would bring, relative to it; with "mad" the
        last change of the residuals relative to their scale, with more than 1,000 columns the largest gradient relative
        to the objective.
    inference_ : what ``summary`` needs; None where columns are dependent or not fewer than the rows

    Examples
    --------
    >>> X, y = np.arange(8.0)[:, None], np.array([0.1, 0.9, 2.0, 3.1, 3.9, 5.0, 6.1, 70.0])
    >>> model = HuberRegressor().fit(X, y)
    >>> model.coef_.round(1), model.outliers_[7]
    (array([1.]), np.True_)
    """

    epsilon: float = parameter(
        "The number of scales beyond which a row is an outlier. 1.35 has 95 % efficiency for normal errors.",
        default=1.35,
        at_least=1.0,
    )
    max_iter: int = MAX_ITER.but(default=100, at_least=0)
    alpha: float = ALPHA.but(default=0.0001)
    warm_start: bool = WARM_START
    fit_intercept: bool = FIT_INTERCEPT
    tol: float = TOL.but(
        doc="The precision: the next step would decrease the objective by less than ``1e-6 tol²`` of it.", default=1e-05
    )
    scale: str = parameter(
        'How σ is estimated. "concomitant" is scikit-learn\'s objective above. "proposal 2" (Huber) and "mad", the '
        "median of the absolute residuals divided by 0.6745, are those of ``MASS::rlm`` in R, and consistent for "
        "normal errors.",
        default="concomitant",
        one_of=("concomitant", "proposal 2", "mad"),
    )

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "scale_": Number(),
        "outliers_": Array("?", "n"),
        "n_iter_": Number(),
        "optimality_": Number(),
        "inference_": Maybe(Object(Inference)),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Both kinds of solver."""
        return [cls(), cls(scale="mad")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HuberRegressor:
        """Compute the coefficients and the scale."""
        X, target, weights = checked_rows(self, X, y, sample_weight)
        problem = self._problem(X, target, weights)
        offset = far_offset(X, intercept=self.fit_intercept)
        found = self._estimate(problem if offset is None else self._problem(X - offset, target, weights), offset)
        coef = found.theta[: X.shape[1]]
        self._keep(coef[None], found.theta[-1:] if self.fit_intercept else np.zeros(1), True, X)
        self.scale_, self.n_iter_, self.optimality_ = found.scale, found.n_iter, found.optimality
        residual = problem.residual(found.theta)
        self.outliers_ = np.abs(residual) > self.epsilon * self.scale_
        self.inference_ = _inference(problem, residual, self.scale_)
        self._keep_rows(X, target, weights)
        if not found.converged:
            warnings.warn(
                f"HuberRegressor failed to converge after {self.max_iter} iterations: optimality "
                f"{found.optimality:.2e}. Increase the number of iterations (max_iter), scale the columns, or increase "
                "epsilon.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _problem(self, X: Any, target: np.ndarray, weights: np.ndarray | None) -> ConcomitantProblem:
        total = self._total(X, weights)
        return ConcomitantProblem(
            X, target, weights, self.epsilon, self.alpha, intercept=self.fit_intercept, total=total
        )

    def _total(self, X: Any, weights: np.ndarray | None) -> float | None:
        """The factor of σ in the objective: the sum of weights, or that of proposal 2."""
        if self.scale != "proposal 2":
            return None
        inside = 2.0 * stats.norm.cdf(self.epsilon) - 1.0
        expected = inside + self.epsilon**2 * (1.0 - inside) - 2.0 * self.epsilon * stats.norm.pdf(self.epsilon)
        total = X.shape[0] if weights is None else float(weights.sum())
        return max(total - X.shape[1] - self.fit_intercept, 1e-9 * total) * float(expected)

    def _estimate(self, problem: ConcomitantProblem, offset: np.ndarray | None) -> JointEstimate:
        """The estimate, of the columns of the fit: those of the problem and the offset."""
        start = None
        if self.warm_start and hasattr(self, "coef_"):
            start = np.append(self.coef_, self.intercept_)[: problem.size]
            start = start if offset is None else with_offset(start, offset)
        if self.scale == "mad":
            found = _reweight(problem, start, self.tol, self.max_iter)
        elif problem.size > _MOST_COLUMNS and self.scale == "concomitant":
            found = _lbfgs(self, problem)
        else:
            found = minimise_jointly(problem, start, 1e-6 * self.tol**2, self.max_iter)
        return found if offset is None else replace(found, theta=with_offset(found.theta, -offset))

    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        n, notes = len(self.outliers_), []
        if kept is not None:
            without = f"; {n - kept.n_rows:,} without weight, which do not count" if n > kept.n_rows else ""
            notes.append(
                f"{n:,} rows, {int(self.outliers_.sum()):,} of them beyond {self.epsilon:g} scales{without}; "
                f"condition number {kept.condition:.3g}."
            )
        if self.alpha:
            notes.append(f"Coefficients are shrunk by the penalty alpha={self.alpha:g}; standard errors ignore it.")
        intercept = np.atleast_1d(self.intercept_)
        names = column_names(self, len(self.coef_))
        title = f"HuberRegressor: scale {self.scale_:.4g}"
        return summarised(title, kept, self.coef_[None], intercept, names, level=level, notes=notes, errors=errors)

    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_numbers(y, n_rows)

    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        problem = ConcomitantProblem(
            rows.X, rows.y, rows.weights, self.epsilon, self.alpha * self.scale_, intercept=self.fit_intercept
        )
        theta = np.append(self.coef_, np.atleast_1d(self.intercept_))[: problem.size]
        r, reach = problem.residual(theta), self.epsilon * self.scale_
        curvature = problem.weights * (np.abs(r) <= reach)
        pull = problem.weights * np.clip(r, -reach, reach)
        ridge = self.alpha * self.scale_
        scores = RowScores(rows.X, self.fit_intercept, pull[:, None], curvature[:, None, None], theta[None], ridge)
        if scores.is_singular:
            raise DataError(
                "HuberRegressor: the rows that are no outliers do not determine the coefficients.",
                "more rows within epsilon scales",
                "Increase epsilon.",
            )
        return [scores]


def _reweight(problem: ConcomitantProblem, start: np.ndarray | None, tol: float, max_iter: int) -> JointEstimate:
    """Least squares with weights min(1, εσ/|r|), σ the median of the absolute residuals; as ``MASS::rlm`` iterates."""
    theta = least_squares_step(problem, np.zeros(problem.size), problem.weights, 1.0) if start is None else start
    r, change, iteration = problem.residual(theta), np.inf, 0
    while True:
        scale = max(_median_scale(r, problem.weights), problem.floor)
        if change <= tol or iteration == max_iter:
            return JointEstimate(theta, scale, change, iteration, change <= tol)
        reach = problem.epsilon * scale
        weights = problem.weights * (reach / np.maximum(np.abs(r), reach))
        theta = least_squares_step(problem, theta, weights, scale)
        r, before = problem.residual(theta), r
        change, iteration = float(np.abs(r - before).max() / scale), iteration + 1


def _median_scale(r: np.ndarray, weights: np.ndarray) -> float:
    size = np.abs(r)
    same = weights.min() == weights.max()
    return float(np.median(size) if same else weighted_quantile(size, 0.5, weights)) / _NORMAL_MEDIAN


def _lbfgs(model: HuberRegressor, problem: ConcomitantProblem) -> JointEstimate:
    """The solution of scikit-learn's L-BFGS, for so many columns that the hessian is too large."""
    params = {name: value for name, value in model.get_params().items() if name != "scale"}
    found = original("sklearn.linear_model", "HuberRegressor")(**params).fit(problem.X, problem.y, problem.weights)
    theta = np.append(found.coef_, found.intercept_)[: problem.size]
    value, scale, r = problem.profile(theta)
    slope = problem.slope(theta, scale, r)
    steepest = float(np.abs(slope).max() / value) if value > 0.0 else 0.0
    return JointEstimate(theta, scale, steepest, int(found.n_iter_), steepest <= 100.0 * model.tol)


def _inference(problem: ConcomitantProblem, r: np.ndarray, scale: float) -> Inference | None:
    """The covariance κ² Σψ² / (n − p) / mean(ψ')² (XᵀX)⁻¹; None where columns are dependent or too many."""
    n, q = counted_rows(len(r), problem.weights), problem.size
    if n <= q or q > _MOST_COLUMNS:
        return None
    found = inverse_products(problem.normal_equations(r, problem.weights)[1])
    inside = np.abs(r) <= problem.epsilon * scale
    share = float(np.average(inside, weights=problem.weights))
    if found is None or share == 0.0:
        return None
    psi = np.where(inside, r, problem.epsilon * scale * np.sign(r))
    correction = 1.0 + q / n * n / (n - 1) * share * (1.0 - share) / share**2
    variance = float(problem.weights @ psi**2) / (n - q) * (correction / share) ** 2
    seen = problem.weights > 0
    sizes = (psi * np.sqrt(problem.weights))[seen, None]
    tests = assumption_tests(sizes, problem.X[seen]) if scale > problem.floor else None
    return Inference(found[0], np.array([variance]), np.array([np.nan]), n, np.inf, found[1], tests)
