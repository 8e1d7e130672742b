"""Ordinary least squares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import optimize
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator, lsqr

from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_targets, column_names
from probus.linear_model._linear_parameters import POSITIVE, THREADS_FOLLOW, X_IS_KEPT
from probus.linear_model.datafits._moments import centred_rows
from probus.linear_model.inference._assumption_tests import assumption_tests, tested_rows
from probus.linear_model.inference._coefficient_summary import (
    CoefficientSummary,
    Inference,
    StandardErrors,
    counted_rows,
    summarised,
)
from probus.linear_model.inference._covariance import with_intercept
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import ModelOfRows, TrainingRows
from probus.linear_model.solvers._least_squares import Solution, least_squares
from probus.parameters import FIT_INTERCEPT, TOL
from probus.sklearn_seam import original
from probus.state import Array, Maybe, Number, Object, Spec

_MOST_COLUMNS = 1000  # with more, the covariance of the coefficients is not kept
_COLLINEAR = 100.0
_EXACT = 1e10  # t statistics from which on residuals are taken for rounding errors
_ROUNDING = 4.0 * np.finfo(np.float64).eps


class LinearRegression(ModelOfRows, LinearRegressor):
    r"""Ordinary least squares, :math:`\min_β \sum_i w_i (y_i - x_i^T β - β_0)^2`.

    For independent columns the coefficients are :math:`(X^T X)^{-1} X^T y`; some course notes drop the second
    :math:`X^T`. Where columns are dependent, the shortest of the best coefficients is returned. The answer does not
    depend on the units of the columns.

    The errors of ``summary`` are those of independent rows of equal variance, or in inverse proportion to the weights:
    these are precisions, and a row of weight 2 counts once. A row without weight does not count.

    Attributes
    ----------
    coef_ : array of columns, or of targets × columns
    intercept_ : float, or array of targets
    inference_ : what ``summary`` needs; None where columns are dependent or not fewer than the rows
    dependent_ : the numbers of the columns that are constant or combinations of columns before them; as ``rank_``
    rank_, singular_ : the rank and the singular values of the centred columns; dense X without ``positive`` only.

    Examples
    --------
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[1.5]]).round(6)
    array([4.])
    """

    fit_intercept: bool = FIT_INTERCEPT
    copy_X: bool = X_IS_KEPT
    tol: float = TOL.but(doc="The precision of the iterative solver, for sparse X only.", default=1e-6)
    n_jobs: int | None = THREADS_FOLLOW
    positive: bool = POSITIVE.but(doc="Whether coefficients are kept from being negative; only for dense X.")

    several_targets: ClassVar[bool] = True
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "rank_": Maybe(Number()),
        "singular_": Maybe(Array("f8", "r")),
        "inference_": Maybe(Object(Inference)),
        "dependent_": Maybe(Array("i8", "*")),
    }

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """Sparse matrices unless coefficients are kept from being negative."""
        return Accepts(sparse=not self.positive, weights=True)

    @classmethod
    def examples(cls) -> list[Model]:
        """Any sign, and no negative coefficient."""
        return [cls(), cls(positive=True)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegression:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        for name in ("rank_", "singular_", "inference_", "dependent_"):
            self.__dict__.pop(name, None)
        if self.positive:
            coef, intercept = _not_negative(X, targets, weights, self.fit_intercept)
        elif issparse(X):
            coef, intercept = _sparse(X, targets, weights, self.fit_intercept, self.tol)
        else:
            found = least_squares(X, targets, weights, intercept=self.fit_intercept)
            coef, intercept = found.coef, found.intercept
            self.rank_, self.singular_ = found.rank, found.singular
            self.inference_ = self._inference(found, X, targets, weights)
            self.dependent_ = found.dependent
        self._keep(coef, intercept, single, X)
        self._keep_rows(X, targets, weights)
        return self

    def _inference(
        self, found: Solution, X: np.ndarray, targets: np.ndarray, weights: np.ndarray | None
    ) -> Inference | None:
        """What a summary needs; None where there are too many columns for it, or too few rows."""
        p = found.coef.shape[1]
        n_rows = counted_rows(len(targets), weights)
        freedom = n_rows - p - self.fit_intercept
        if found.inverse is None or p > _MOST_COLUMNS or freedom <= 0:
            return None
        covariance = found.inverse
        total = n_rows if weights is None else weights.sum()
        if self.fit_intercept:
            covariance = with_intercept(covariance, found.x_mean, 1.0 / total)
        left, whole = found.squares
        mean = found.intercept + found.coef @ found.x_mean
        constant = whole <= total * (_ROUNDING * mean) ** 2
        explained = np.where(constant, np.nan, 1.0 - left / np.where(constant, 1.0, whole))
        tests = None
        if not (left <= whole * _ROUNDING**2 * freedom).any():  # else residuals are rounding errors
            which = tested_rows(*X.shape)
            inverse = found.inverse if self.fit_intercept and weights is None and isinstance(which, slice) else None
            rows = X[which]
            residual = targets[which] - rows @ found.coef.T - found.intercept
            if weights is not None:
                seen = weights[which] > 0
                rows, residual = rows[seen], (residual * np.sqrt(weights[which])[:, None])[seen]
            tests = assumption_tests(residual, rows, inverse)
        return Inference(covariance, left / freedom, explained, n_rows, float(freedom), found.condition, tests)

    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_targets(y, n_rows)[0]

    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        return least_squares_scores(rows, np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_), self.fit_intercept)

    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        coef, name = np.atleast_2d(self.coef_), type(self).__name__
        notes, title = [], name
        if kept is not None:
            adjusted = 1.0 - (1.0 - kept.explained) * (kept.n_rows - self.fit_intercept) / kept.freedom
            title = f"{name}: R² {_shares(kept.explained)}"
            title += "" if np.isnan(adjusted).all() else f" (adjusted {_shares(adjusted)})"
            error = ", ".join(f"{value:.4g}" for value in np.sqrt(kept.variance))
            notes.append(
                f"{kept.n_rows:,.10g} rows; residual standard error {error} on {kept.freedom:,.0f} degrees of freedom; "
                f"condition number {kept.condition:.3g}."
            )
            if kept.condition > _COLLINEAR:
                notes.append("Columns are nearly dependent: their separate coefficients are uncertain, not their sum.")
        names = column_names(self, coef.shape[1])
        if self.positive and kept is None:
            raise DataError(
                f"{name}: there are no standard errors with positive=True, which keeps some coefficients at 0.",
                "positive=False",
                "Judge the predictions with probus.resample.",
            )
        dependent = [repr(names[j]) for j in getattr(self, "dependent_", ())]
        if kept is None and dependent:
            raise DataError(
                f"{name}: there are no standard errors. Constant, or combinations of the columns before them: "
                f"{', '.join(dependent[:10])}{', …' if len(dependent) > 10 else ''}.",
                "columns that do not depend on each other, and fewer of them than rows",
                "Drop these columns, or use Ridge or Lasso.",
            )
        intercept = np.atleast_1d(self.intercept_)
        targets = [f"target {t}" for t in range(len(coef))]
        found = summarised(title, kept, coef, intercept, names, level=level, notes=notes, targets=targets,
                           errors=errors)  # fmt: skip
        if (np.abs(found.statistic) < _EXACT).all():
            return found
        note = "The fit is exact up to rounding: standard errors and p-values are those of rounding errors."
        return replace(found, notes=(*found.notes, note))


def least_squares_scores(
    rows: TrainingRows, coef: np.ndarray, intercept: np.ndarray, has_intercept: bool, *, counts: bool = False
) -> list[RowScores]:
    """What rows add to the normal equations of each target; their weights are precisions, or count rows."""
    ones = np.ones(rows.X.shape[0]) if rows.weights is None else rows.weights
    own, times = (np.ones(len(ones)), ones) if counts else (ones, None)
    pull = (rows.y - rows.X @ coef.T - intercept) * own[:, None]
    theta = np.column_stack([coef, intercept]) if has_intercept else coef
    curvature = own[:, None, None]
    return [
        RowScores(rows.X, has_intercept, pull[:, [t]], curvature, theta[[t]], 0.0, times) for t in range(len(theta))
    ]


def _shares(values: np.ndarray) -> str:
    return ", ".join("undefined: the target is constant" if np.isnan(value) else f"{value:.4f}" for value in values)


# RANSACRegressor tests for it, to know how many rows a fit needs
original("sklearn.linear_model", "LinearRegression").register(LinearRegression)


def _not_negative(
    X: np.ndarray, targets: np.ndarray, weights: np.ndarray | None, intercept: bool
) -> tuple[np.ndarray, np.ndarray]:
    rows, centred, x_mean, y_mean = centred_rows(X, targets, weights, intercept)
    coef = np.stack([optimize.nnls(rows, target)[0] for target in centred.T])
    return coef, y_mean - coef @ x_mean


def _sparse(
    X: Any, targets: np.ndarray, weights: np.ndarray | None, intercept: bool, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """Paige and Saunders' LSQR on the centred columns, which are never stored."""
    n = X.shape[0]
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    root = np.ones(n) if weights is None else np.sqrt(weights)
    x_mean = X.T @ share if intercept else np.zeros(X.shape[1])
    y_mean = targets.T @ share if intercept else np.zeros(targets.shape[1])
    operator = LinearOperator(
        X.shape,
        matvec=lambda b: root * (X @ b.ravel() - x_mean @ b.ravel()),
        rmatvec=lambda r: X.T @ (root * r) - x_mean * (root @ r),
        dtype=np.float64,
    )
    coef = np.stack(
        [lsqr(operator, root * (t - m), atol=tol, btol=tol)[0] for t, m in zip(targets.T, y_mean, strict=True)]
    )
    return coef, y_mean - coef @ x_mean
