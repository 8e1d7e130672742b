"""Coefficients of the elastic net for a descending sequence of penalties."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state

from probus.data.array_checks import checked_array
from probus.errors import DataError
from probus.linear_model.least_squares import centred_rows
from probus.linear_model.moments import moments_of
from probus.linear_model.quadratic import DenseRows, ProductsOnly, Quadratic, SparseRows
from probus.linear_model.working_set import Fit, WorkingSet

__all__ = ["alpha_grid", "enet_path", "lasso_path", "path_fits", "problem_of"]

GAP = 0.01  # the duality gap is reduced to this share of the tolerance: the last digits are cheap
_FEW_COLUMNS = 1500  # all products of columns are computed, once
_VERY_FEW_COLUMNS = 200  # for sparse columns too, however few numbers they have


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    alphas: Any = 100,
    precompute: Any = "auto",
    copy_X: bool = True,
    coef_init: Any = None,
    return_n_iter: bool = False,
    positive: bool = False,
    max_iter: int = 1000,
    tol: float = 1e-4,
    selection: str = "cyclic",
    random_state: Any = None,
) -> tuple[Any, ...]:
    r"""The elastic net :math:`\frac1{2n} ‖y - Xβ‖^2 + α ρ ‖β‖_1 + \frac12 α (1 - ρ) ‖β‖^2` for every α of a path.

    As scikit-learn's function, without intercept. Several targets are passed on to it (a group penalty).

    Parameters
    ----------
    X, y : the rows, and the target or targets.
    l1_ratio : float
        ρ: 1 is the lasso.
    eps : float
        The ratio of the smallest to the largest penalty, where ``alphas`` is a number.
    alphas : int or array
        The number of penalties, equally spaced in their logarithm from the smallest for which all coefficients are
        zero; or the penalties.
    precompute : XᵀX where it is known; otherwise what is computed follows from the shape.
    copy_X : as in scikit-learn; X is never overwritten.
    coef_init : array of columns, the start for the first penalty
    return_n_iter : whether the numbers of epochs are returned too.
    positive : whether coefficients are at least 0
    max_iter, tol, selection, random_state : as of ``ElasticNet``

    Returns
    -------
    alphas, descending; coefficients, columns × alphas; duality gaps; with ``return_n_iter`` the numbers of epochs

    Examples
    --------
    >>> alphas, coefs, gaps = enet_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], l1_ratio=1.0, alphas=[0.1])
    >>> coefs.round(3)
    array([[0.979]])
    """
    X = check_array(checked_array(X), accept_sparse="csc", dtype=np.float64)
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if y.ndim != 1:
        from sklearn.linear_model._coordinate_descent import enet_path as borrowed  # the public name may be patched

        return borrowed(
            X, y, l1_ratio=l1_ratio, eps=eps, alphas=alphas, coef_init=coef_init, return_n_iter=return_n_iter,
            positive=positive, max_iter=max_iter, tol=tol, selection=selection, random_state=random_state,
        )  # fmt: skip
    if len(y) != X.shape[0]:
        raise DataError(
            f"X has {X.shape[0]} rows and y has {len(y)}: inconsistent numbers of samples.", "equal numbers"
        )
    problem, _, _ = problem_of(X, y, None, intercept=False, gram=precompute)
    grid = alpha_grid(problem, alphas, l1_ratio, eps, positive)
    fits = path_fits(
        problem, grid, l1_ratio, start=coef_init, positive=positive, max_iter=max_iter, tol=tol, selection=selection,
        random_state=random_state,
    )  # fmt: skip
    gaps = np.array([fit.gap for fit in fits]) / X.shape[0]
    found = (grid, np.stack([fit.coef for fit in fits], axis=1), gaps)
    return (*found, [fit.n_iter for fit in fits]) if return_n_iter else found


def lasso_path(X: Any, y: Any, *, eps: float = 1e-3, alphas: Any = 100, **params: Any) -> tuple[Any, ...]:
    """The lasso for every penalty of a path: ``enet_path`` with ``l1_ratio=1``.

    Parameters
    ----------
    X, y, eps, alphas, params : as in ``enet_path``.

    Returns
    -------
    As of ``enet_path``.
    """
    return enet_path(X, y, l1_ratio=1.0, eps=eps, alphas=alphas, **params)


def problem_of(
    X: Any, y: np.ndarray, weights: np.ndarray | None, *, intercept: bool, gram: Any = None
) -> tuple[Quadratic, np.ndarray, float]:
    """Half the sum of squares of weighted rows, centred with ``intercept``, and the means of X and y.

    Weights are scaled so that they add up to the number of rows. ``gram`` is XᵀX where it is an array.
    """
    n, p = X.shape
    if weights is not None:
        weights = weights * (n / weights.sum())
    if issparse(X):
        return _sparse_problem(X, y, weights, intercept)
    given = _given_gram(X, gram, weights, intercept)
    if given is not None:
        middle = float(y.mean()) if intercept else 0.0
        left = y - middle
        return ProductsOnly(given, X.T @ left, float(left @ left), n), np.zeros(p), middle
    if p <= _FEW_COLUMNS and n >= p:
        sums = moments_of(X, y[:, None], weights, centred=intercept)
        return ProductsOnly(sums.gram, sums.xy[:, 0], float(sums.yy[0]), n), sums.x_mean, float(sums.y_mean[0])
    rows, target, x_mean, y_mean = centred_rows(X, y[:, None], weights, intercept)
    return DenseRows(rows, target[:, 0]), x_mean, float(y_mean[0])


def _given_gram(X: np.ndarray, gram: Any, weights: np.ndarray | None, intercept: bool) -> np.ndarray | None:
    """XᵀX as the user computed it, where that can be used: without weights, and with centred columns."""
    if gram is None or isinstance(gram, (bool, np.bool_, str)) or weights is not None:
        return None
    given, p = check_array(gram, dtype=np.float64), X.shape[1]
    if intercept and not np.allclose(X.mean(axis=0), 0.0):
        warnings.warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.", stacklevel=4
        )
        return None
    a, b = p // 2, min(p // 2 + 1, p - 1)
    close = 1e-4 if getattr(gram, "dtype", None) == np.float32 else 1e-7
    if given.shape != (p, p) or not np.isclose(given[a, b], X[:, a] @ X[:, b], rtol=close, atol=1e-5):
        raise DataError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation: its shape is "
            f"{given.shape}, or its value at [{a}, {b}] is not the product of those columns.",
            f"XᵀX of {p} columns",
        )
    return given


def _sparse_problem(
    X: Any, y: np.ndarray, weights: np.ndarray | None, intercept: bool
) -> tuple[Quadratic, np.ndarray, float]:
    n, p = X.shape
    root = np.ones(n) if weights is None else np.sqrt(weights)
    X = X.tocsc() if weights is None else X.multiply(root[:, None]).tocsc()
    unit = root / np.linalg.norm(root)
    shift, y_mean = np.zeros(p), 0.0
    if intercept:
        shift, y_mean = X.T @ unit, float(root**2 @ y) / n
    target, x_mean = root * (y - y_mean), shift / np.linalg.norm(root)
    if (p <= _FEW_COLUMNS and X.nnz >= p * p) or p <= _VERY_FEW_COLUMNS:
        gram = (X.T @ X).toarray() - np.outer(shift, shift)
        return ProductsOnly(gram, X.T @ target, float(target @ target), n), x_mean, y_mean
    return SparseRows(X, shift, unit, target), x_mean, y_mean


def alpha_grid(problem: Quadratic, alphas: Any, l1_ratio: float, eps: float, positive: bool) -> np.ndarray:
    """The penalties, descending."""
    if not isinstance(alphas, (int, np.integer)):
        return np.sort(np.asarray(alphas, dtype=np.float64))[::-1]
    if l1_ratio == 0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
            "estimator with the appropriate `alphas=` argument."
        )
    size = problem.products if positive else np.abs(problem.products)
    largest = max(float(size.max()), 0.0) / (problem.size[0] * l1_ratio)
    if largest <= np.finfo(np.float64).resolution:
        return np.full(alphas, np.finfo(np.float64).resolution)
    return np.geomspace(largest, largest * eps, alphas)


def path_fits(
    problem: Quadratic,
    alphas: np.ndarray,
    l1_ratio: float,
    *,
    start: Any = None,
    positive: bool = False,
    max_iter: int = 1000,
    tol: float = 1e-4,
    selection: str = "cyclic",
    random_state: Any = None,
    quiet: bool = False,
) -> list[Fit]:
    """The fit for each penalty, from the one before; unless ``quiet``, with a warning where one has not converged."""
    if selection not in ("cyclic", "random"):
        raise ValueError("selection should be either random or cyclic.")
    rng = check_random_state(random_state) if selection == "random" else None
    columns = WorkingSet(problem, start, positive=positive, rng=rng)
    n, limit = problem.size[0], GAP * tol * problem.square
    fits = columns.solve_path(alphas * (l1_ratio * n), alphas * ((1.0 - l1_ratio) * n), limit, max_iter)
    if not all(np.isfinite(fit.gap) and np.isfinite(fit.coef).all() for fit in fits):
        raise DataError(
            "Coordinate descent iterations resulted in non-finite parameter values: numbers of X or y are so large "
            "that their squares overflow.",
            "numbers below about 1e150",
            "Pre-process the columns, for example with StandardScaler.",
        )
    rough = [fit for fit in fits if fit.gap > tol * problem.square]
    if rough and not quiet:
        warnings.warn(
            "Objective did not converge. You might want to increase the number of iterations (max_iter), scale the "
            f"columns, or increase alpha. Of {len(fits)} penalties, {len(rough)} did not converge in {max_iter} "
            f"epochs: duality gap {max(fit.gap for fit in rough) / n:.3e}, tolerance {tol * problem.square / n:.3e}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return fits
