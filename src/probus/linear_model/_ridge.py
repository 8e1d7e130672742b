"""Ridge regression: least squares with a penalty on the sum of squared coefficients."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

from probus.allowed_values import InstanceOf, RealIn
from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_targets, float_dtype
from probus.linear_model._linear_parameters import ALPHA, POSITIVE, X_IS_KEPT
from probus.linear_model.datafits._moments import centred_rows, moments_of
from probus.parameters import FIT_INTERCEPT, MAX_ITER, RANDOM_STATE, TOL, parameter
from probus.sklearn_seam import original
from probus.state import Array, Spec, String

_OWN = ("auto", "cholesky", "svd")
_CELLS, _OPERATIONS = 4_000_000, 2_000_000_000  # up to which a sparse matrix is solved as a dense one


class RidgePenalised(Model):
    """What ridge regression and the ridge classifier declare."""

    alpha: Any = ALPHA.but(
        doc="The weight of the penalty on squared coefficients, or one for each target; 0 is ordinary least squares.",
        of=[RealIn(at_least=0), InstanceOf(np.ndarray)],
        kw_only=False,
    )
    fit_intercept: bool = FIT_INTERCEPT
    copy_X: bool = X_IS_KEPT
    max_iter: int | None = MAX_ITER.but(
        doc="The maximum number of iterations of the solvers that iterate; None is their own default.", default=None
    )
    tol: float = TOL.but(doc="The precision of the solvers that iterate.")
    solver: str = parameter(
        '"auto" and "cholesky" solve the normal equations of rows or columns, whichever are fewer; "svd" decomposes '
        "the matrix, which is slower and more precise. The others, ``positive`` and large sparse X use scikit-learn's.",
        default="auto",
        one_of=(*_OWN, "lsqr", "sparse_cg", "sag", "saga", "lbfgs"),
    )
    positive: bool = POSITIVE
    random_state: Any = RANDOM_STATE

    @property
    def accepts(self) -> Accepts:
        """Sparse matrices where the solver takes them."""
        return Accepts(sparse=self.solver != "svd", weights=True, scaled=True)


class Ridge(RidgePenalised, LinearRegressor):  # type: ignore[override]
    r"""Ridge regression, :math:`\min_β \sum_i w_i (y_i - x_i^T β - β_0)^2 + α ‖β‖^2`.

    The penalty biases coefficients towards 0, and reduces their variance. Where a text says that the penalised model is
    "no longer biased", it means "no longer unbiased".

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``
    n_iter_ : array of targets; 1 where the solver does not iterate
    solver_ : the solver that was used

    Examples
    --------
    >>> Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_
    array([1.])
    """

    several_targets: ClassVar[bool] = True
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "n_iter_": Array("i4", "*"),
        "solver_": String(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Normal equations, and the decomposition."""
        return [cls(), cls(solver="svd")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Compute the coefficients."""
        if issparse(X) and self.solver == "svd":
            raise DataError(
                "solver='svd' does not support sparse X.", "a dense matrix", "Use solver='auto', or X.toarray()."
            )
        if issparse(X) and self.solver == "cholesky" and self.fit_intercept:
            raise DataError(
                "solver='cholesky' does not support fitting the intercept on sparse data.",
                "a dense matrix, or no intercept",
                "Use solver='auto', or fit_intercept=False.",
            )
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True)
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        alphas = checked_alphas(self.alpha, targets.shape[1])
        if self.positive or self.solver not in _OWN or (issparse(X) and not _is_small(X.shape)):
            return self._fit_borrowed(X, targets[:, 0] if single else targets, weights, dtype)
        coef, intercept = ridge_solution(
            X.toarray() if issparse(X) else X,
            targets,
            weights,
            alphas,
            intercept=self.fit_intercept,
            decompose=self.solver == "svd",
        )
        self._keep_ridge(coef, intercept, single, X, dtype)
        self.n_iter_ = np.ones(len(coef), dtype=np.int32)
        self.solver_ = "svd" if self.solver == "svd" else "cholesky"
        return self

    def _keep_ridge(self, coef: np.ndarray, intercept: np.ndarray, single: bool, X: Any, dtype: type) -> None:
        self._keep(coef, intercept, single, X, dtype)
        if not single and len(coef) == 1:  # a target that is given as a column, as in scikit-learn
            self.coef_ = self.coef_[0]

    def _fit_borrowed(self, X: Any, y: np.ndarray, weights: np.ndarray | None, dtype: type) -> Ridge:
        """The solution by scikit-learn's iterative solvers."""
        model = original("sklearn.linear_model", "Ridge")(**self.get_params()).fit(X, y, weights)
        self._keep_ridge(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_), y.ndim == 1, X, dtype)
        epochs = 1 if model.n_iter_ is None else model.n_iter_
        self.n_iter_ = np.broadcast_to(epochs, len(np.atleast_2d(self.coef_))).astype(np.int32)
        self.solver_ = model.solver_
        return self


def _is_small(shape: tuple[int, int]) -> bool:
    """Whether the exact solution for a dense matrix costs little; iterative ones are precise to ``tol`` only."""
    cells = shape[0] * shape[1]
    return cells <= _CELLS and cells * min(shape) <= _OPERATIONS


def checked_alphas(alpha: Any, n_targets: int) -> np.ndarray:
    """The penalty of each target."""
    alphas = np.asarray(alpha, dtype=np.float64).ravel()
    if alphas.size not in (1, n_targets):
        raise DataError(
            f"Number of targets and number of penalties do not correspond: {alphas.size} != {n_targets}.",
            "one number, or one per target",
        )
    if not (np.isfinite(alphas) & (alphas >= 0)).all():
        raise DataError(f"alpha holds {alphas[~(alphas >= 0)].tolist() or 'infinite values'}.", "numbers of at least 0")
    return np.broadcast_to(alphas, n_targets)


def ridge_solution(
    X: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray | None,
    alphas: np.ndarray,
    *,
    intercept: bool,
    decompose: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients float64[k, p] and intercepts float64[k] of k targets, each with its own penalty."""
    n, p = X.shape
    if not decompose and n >= p:
        sums = moments_of(X, targets, weights, centred=intercept)
        coef = _penalise(sums.gram, sums.xy, alphas)
        if coef is not None:
            return coef.T, sums.y_mean - coef.T @ sums.x_mean
    rows, centred, x_mean, y_mean = centred_rows(X, targets, weights, intercept)
    coef = None
    if not decompose and n < p:
        dual = _penalise(rows @ rows.T, centred, alphas)
        coef = None if dual is None else rows.T @ dual
    if coef is None:
        coef = _by_svd(rows, centred, alphas)
    return coef.T, y_mean - coef.T @ x_mean


def _penalise(gram: np.ndarray, products: np.ndarray, alphas: np.ndarray) -> np.ndarray | None:
    """The solution of (G + αI) b = c for each target; None where that is singular."""
    found = np.empty_like(products)
    for alpha in np.unique(alphas):
        penalised, own = gram.copy(), alphas == alpha
        penalised.flat[:: len(gram) + 1] += alpha
        try:
            factor = linalg.cho_factor(penalised, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        diagonal = factor[0].diagonal()
        if diagonal.min() < 1e-7 * diagonal.max():  # half of the digits may be lost
            return None
        found[:, own] = linalg.cho_solve(factor, products[:, own], check_finite=False)
    return found


def _by_svd(rows: np.ndarray, targets: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    U, s, Vt = linalg.svd(rows, full_matrices=False, check_finite=False)
    kept = s > 1e-15 * s.max(initial=0.0)
    shrunk = np.where(kept, s, 1.0)[:, None]
    shrunk = kept[:, None] * shrunk / (shrunk**2 + alphas)
    return Vt.T @ (shrunk * (U.T @ targets))
