"""Coefficients of the elastic net for a descending sequence of penalties."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from probus.data import checked_array
from probus.errors import DataError
from probus.linear_model.datafits._quadratic import Quadratic, problem_of
from probus.linear_model.solvers._working_set import path_fits


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
        from sklearn.linear_model import enet_path as borrowed

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
