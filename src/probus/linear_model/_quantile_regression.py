"""Quantile regression and least absolute deviations."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse, stats
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Accepts, Model
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_rows, column_names
from probus.linear_model._linear_parameters import ALPHA
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, summarised
from probus.linear_model.solvers._pinball_programme import PinballProgramme, Vertex, solve_pinball
from probus.losses import Quantile
from probus.parameters import FIT_INTERCEPT, parameter
from probus.state import Maybe, Number, Object, Spec

_MOST_COLUMNS = 1000  # with more, the covariance of the coefficients is not kept

_REMOVED = ("interior-point", "revised simplex")  # from SciPy


class PinballRegressor(LinearRegressor):
    """Parent of the regressions that minimise asymmetric absolute errors."""

    alpha: float = ALPHA.but(doc="The weight of the penalty on absolute coefficients; 0 is no penalty.", default=0.0)
    fit_intercept: bool = FIT_INTERCEPT

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "n_iter_": Number(),
        "dual_gap_": Number(),
        "inference_": Maybe(Object(Inference)),
    }

    def _fit_pinball(
        self, X: Any, y: Any, sample_weight: Any, quantile: float, factor: float, method: str, options: Any
    ) -> None:
        """Minimise the mean of ``factor`` times the pinball loss plus alpha ‖β‖₁."""
        X, target, weights = checked_rows(self, X, y, sample_weight)
        coef, intercept, found = pinball_fit(
            X, target, weights, quantile, self.alpha / factor, intercept=self.fit_intercept, method=method,
            options=options,
        )  # fmt: skip
        self._keep(coef[None], np.array([intercept]), True, X)
        self.n_iter_, self.dual_gap_ = found.n_iter, factor * found.gap
        if not found.converged:
            warnings.warn(
                f"Linear programming for {type(self).__name__} did not succeed: the duality gap is "
                f"{self.dual_gap_:.2e}. Scale the columns, or use solver='highs-ds'.",
                ConvergenceWarning,
                stacklevel=3,
            )
        residual = target - X @ coef - intercept
        self.inference_ = None
        if self.alpha == 0.0:
            explained = _explain(target, residual, weights, quantile, self.fit_intercept)
            self.inference_ = _inference(X, residual, weights, quantile, self.fit_intercept, explained)

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """Coefficients with standard errors, intervals, t statistics and p-values; without a penalty only.

        Standard errors are Powell's (1991), from a kernel estimate of the density of each residual at zero: errors need
        not have equal distributions. Weights are those of a sample: a row of weight 2 counts once, and multiplying all
        weights by a number changes nothing. A row without weight does not count.
        """
        check_is_fitted(self)
        kept = getattr(self, "inference_", None)
        name, intercept = type(self).__name__, np.atleast_1d(self.intercept_) if self.fit_intercept else None
        names, notes = column_names(self, len(self.coef_)), []
        if kept is not None:
            name = f"{name}: R¹ {kept.explained[0]:.4f}"
            freedom = f"{kept.n_rows:,} rows on {kept.freedom:,.0f} degrees of freedom"
            notes.append(f"{freedom}; condition number {kept.condition:.3g}.")
        return summarised(name, kept, self.coef_[None], intercept, names, level=level, notes=notes)


class QuantileRegressor(PinballRegressor):
    r"""Regression of a quantile, :math:`\min_β \frac1W \sum_i w_i ρ_τ(y_i - x_i^T β - β_0) + α ‖β‖_1`.

    :math:`ρ_τ(r)` is τ r above the prediction and (τ - 1) r below, so a share τ of the rows lies below.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    dual_gap_ : float
        The certificate: the objective is at most this far above its minimum.
    n_iter_ : int
    inference_ : what ``summary`` needs; None with a penalty, or where columns are dependent

    Examples
    --------
    >>> X, y = np.arange(9.0)[:, None], np.arange(9.0) + [0, 1, 2] * 3
    >>> model = QuantileRegressor(quantile=0.9, alpha=0.0).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6), (y <= model.predict(X) + 1e-9).mean()
    (array([1.]), np.float64(2.0), np.float64(1.0))
    """

    quantile: float = parameter("The quantile τ.", default=0.5, above=0, below=1)
    alpha: float = ALPHA.but(
        doc="The weight of the penalty on absolute coefficients. The default of 1 is scikit-learn's; 0 is Koenker and "
        "Bassett's regression quantile."
    )
    solver: str = parameter(
        '"highs" is an interior point method with systems of columns for many rows, then the simplex method of HiGHS '
        "for the rows near the fit. The others are HiGHS on all rows.",
        default="highs",
        one_of=("highs", "highs-ds", "highs-ipm", *_REMOVED),
    )
    solver_options: dict[str, Any] | None = parameter(
        "Options of SciPy's ``linprog``; with them HiGHS solves the programme of all rows.",
        default=None,
        of=[InstanceOf(dict), NoneAllowed()],
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Without a penalty, which would remove all columns."""
        return [cls(alpha=0.0)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuantileRegressor:
        """Compute the coefficients."""
        if self.solver in _REMOVED:
            raise DataError(
                f"Solver {self.solver} is not anymore available in SciPy >= 1.11.0.",
                "highs, highs-ds or highs-ipm",
                "Use the default, which is an interior point method where there are many rows.",
            )
        own = self.solver == "highs" and not self.solver_options
        method = "auto" if own else self.solver
        self._fit_pinball(X, y, sample_weight, self.quantile, 1.0, method, self.solver_options)
        return self


class LeastAbsoluteDeviations(PinballRegressor):
    r"""Regression that is robust to outliers, :math:`\min_β \frac1W \sum_i w_i |y_i - x_i^T β - β_0| + α ‖β‖_1`.

    It predicts the median.

    Attributes
    ----------
    coef_, intercept_, dual_gap_, n_iter_, inference_ : as of ``QuantileRegressor``

    Examples
    --------
    >>> X, y = np.arange(9.0)[:, None], np.arange(9.0)
    >>> y[8] = 100.0
    >>> LeastAbsoluteDeviations().fit(X, y).coef_.round(6)
    array([1.])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeastAbsoluteDeviations:
        """Compute the coefficients."""
        self._fit_pinball(X, y, sample_weight, 0.5, 2.0, "auto", None)
        return self


def pinball_fit(
    X: Any,
    y: np.ndarray,
    weights: np.ndarray | None,
    quantile: float,
    l1: float,
    *,
    intercept: bool,
    l2: float = 0.0,
    method: str = "auto",
    options: dict[str, Any] | None = None,
) -> tuple[np.ndarray, float, Vertex]:
    r"""The minimum of :math:`\frac1W \sum_i w_i ρ_τ(r_i) + l_1 ‖β‖_1 + \frac12 l_2 ‖β‖^2`.

    Returned are coefficients, intercept and the certificate. Columns are scaled, and dense ones centred with
    ``intercept``, so that their units do not matter.
    """
    if weights is not None:
        used = weights > 0.0
        X, y, weights = X[used], y[used], weights[used]
    n, p = X.shape
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    middle, size = _centre_and_size(X, intercept)
    about = float(np.median(y)) if intercept else 0.0
    unit = float(_power_of_two(np.abs(y - about).mean() or 1.0))
    rows = X.multiply(1.0 / size).tocsr() if issparse(X) else (X - middle) / size
    if intercept:
        rows = _stack([rows, np.ones((n, 1))], axis=1)
    A, target, above, below = rows, (y - about) / unit, n * quantile * share, n * (1.0 - quantile) * share
    if l1 > 0.0:
        A = _stack([rows, np.eye(p, p + intercept)], axis=0)
        target = np.append(target, np.zeros(p))
        above, below = np.append(above, n * l1 / size), np.append(below, n * l1 / size)
    ridge = np.append(n * l2 * unit / size**2, np.zeros(int(intercept)))
    found = solve_pinball(PinballProgramme(A, target, above, below, ridge), method, options)
    beta = found.beta.copy()
    if l1 > 0.0 and not l2:
        beta[:p][np.abs(found.dual[n:]) < (1.0 - 1e-9) * above[n:]] = 0.0
    coef = beta[:p] * unit / size
    constant = about + unit * beta[p] - float(middle @ coef) if intercept else 0.0
    return coef, constant, Vertex(beta, found.dual, found.gap * unit / n, found.n_iter, found.converged)


def _centre_and_size(X: Any, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """What is subtracted from the columns, and by what they are divided: powers of two, which round nothing."""
    middle = np.zeros(X.shape[1])
    if issparse(X):
        size = np.sqrt(np.asarray(X.multiply(X).mean(axis=0)).ravel())
    else:
        middle = X.mean(axis=0) if intercept else middle
        size = np.sqrt(((X - middle) ** 2).mean(axis=0))
    size[~(size > 1e-14 * np.abs(middle))] = 1.0
    size = _power_of_two(size)
    return np.round(middle / size) * size, size


def _power_of_two(size: Any) -> Any:
    return np.exp2(np.round(np.log2(size)))


def _stack(blocks: list[Any], axis: int) -> Any:
    if issparse(blocks[0]):
        return (sparse.hstack if axis else sparse.vstack)(blocks, format="csr")
    return np.concatenate(blocks, axis=axis)


def _inference(
    X: Any, residual: np.ndarray, weights: np.ndarray | None, quantile: float, intercept: bool, explained: float
) -> Inference | None:
    """Powell's sandwich, as ``summary.rq(se="ker")`` of R's quantreg; None where columns are dependent or too many."""
    if weights is not None:
        X, residual, weights = X[weights > 0], residual[weights > 0], weights[weights > 0]
    n, q = X.shape[0], X.shape[1] + intercept
    if n <= q or q > _MOST_COLUMNS or issparse(X):
        return None
    rows = np.column_stack([X, np.ones(n)]) if intercept else X
    w = np.ones(n) if weights is None else weights * (n / weights.sum())
    gram = rows.T @ (rows * (w**2)[:, None])
    length = np.sqrt(gram.diagonal())
    width = _bandwidth(residual, quantile)
    if not (length > 0).all() or not width > 0.0:
        return None
    density = w * stats.norm.pdf(residual / width) / width
    bread = (rows.T @ (rows * density[:, None])) / np.outer(length, length)
    unit = gram / np.outer(length, length)
    sizes = linalg.eigvalsh(unit)
    smallest = q * np.finfo(np.float64).eps
    if sizes[0] <= smallest * sizes[-1] or linalg.eigvalsh(bread)[0] <= smallest * bread.diagonal().max():
        return None
    inverse = linalg.inv(bread, assume_a="pos")
    covariance = quantile * (1.0 - quantile) * (inverse @ unit @ inverse) / np.outer(length, length)
    condition = float(np.sqrt(sizes[-1] / sizes[0]))
    return Inference(covariance, np.ones(1), np.array([explained]), n, float(n - q), condition)


def _explain(
    y: np.ndarray, residual: np.ndarray, weights: np.ndarray | None, quantile: float, intercept: bool
) -> float:
    """Koenker and Machado's R¹: the share of the loss of a constant that the columns explain."""
    loss = Quantile(quantile)
    constant = loss.constant(y, weights)[0] if intercept else 0.0
    whole = np.average(loss.value(y, np.full(len(y), constant)), weights=weights)
    left = np.average(loss.value(residual, np.zeros(len(y))), weights=weights)
    return float(1.0 - left / whole) if whole > 0.0 else 0.0


def _bandwidth(residual: np.ndarray, quantile: float) -> float:
    """Hall and Sheather's (1988), in units of the residuals."""
    n, z = len(residual), stats.norm.ppf(quantile)
    h = n ** (-1 / 3) * stats.norm.ppf(0.975) ** (2 / 3)
    h *= (1.5 * stats.norm.pdf(z) ** 2 / (2.0 * z**2 + 1.0)) ** (1 / 3)
    while quantile - h < 0.0 or quantile + h > 1.0:
        h /= 2.0
    low, high = np.quantile(residual, [0.25, 0.75])
    spread = min(float(residual.std(ddof=1)), float(high - low) / 1.34)
    return float(stats.norm.ppf(quantile + h) - stats.norm.ppf(quantile - h)) * spread
