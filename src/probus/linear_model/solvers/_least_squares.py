"""Least squares: from the Gram matrix where it is precise enough, else by an orthogonal factorisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from probus.linear_model.datafits._moments import centred_rows, moments_of

_SMALL = 100_000  # cells below which a factorisation is over before it matters
_NAMED = 1000  # columns up to which dependent ones are found
_WIDE = 2000  # columns above which products of columns cost more than they save
_ILL_CONDITIONED = 30.0  # of unit columns: above, digits are lost that refinement recovers
_WELL_CONDITIONED = 1e-5  # of the Gram matrix of unit columns: about ten correct digits, and no second pass
_STEPS = 3


@dataclass(frozen=True)
class Solution:
    """Coefficients float64[k, p] and intercepts float64[k] of k targets.

    rank : the number of independent columns. singular : the singular values of the centred columns, descending.
    squares : the sums of squared residuals of the targets, and of the centred targets; float64[2, k].
    x_mean : the means of the columns. inverse : (XᵀX)⁻¹ of the centred columns, None where they are dependent.
    condition : the condition number of the columns, scaled to unit length. dependent : see ``dependent_columns``.
    """

    coef: np.ndarray
    intercept: np.ndarray
    rank: int
    singular: np.ndarray
    squares: np.ndarray
    x_mean: np.ndarray
    inverse: np.ndarray | None
    condition: float
    dependent: np.ndarray


def least_squares(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, *, intercept: bool) -> Solution:
    """The coefficients that minimise the sum of squared residuals, the shortest such where columns are dependent.

    Columns are scaled to unit length first, so that the answer does not depend on their units.

    >>> least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), None, intercept=True).coef
    array([[2.]])
    """
    n, p = X.shape
    if n * p > _SMALL and p <= _WIDE and n >= 2 * p:
        solution = _from_products(X, Y, weights, intercept)
        if solution is not None:
            return solution
    return _from_rows(X, Y, weights, intercept)


def _from_products(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, intercept: bool) -> Solution | None:
    """The solution of the normal equations; None where they are not well conditioned."""
    sums = moments_of(X, Y, weights, centred=intercept)
    length = np.sqrt(sums.gram.diagonal())
    if not (length > 0).all() or not np.isfinite(length).all():
        return None
    unit = sums.gram / np.outer(length, length)
    sizes = linalg.eigvalsh(unit)
    if sizes[0] < _WELL_CONDITIONED:
        return None
    inverse = linalg.inv(unit, assume_a="pos")
    coef = linalg.solve(unit, sums.xy / length[:, None], assume_a="pos").T / length
    singular = np.sqrt(np.maximum(linalg.eigvalsh(sums.gram)[::-1], 0.0))
    squares = np.stack([np.maximum(sums.yy - (coef.T * sums.xy).sum(axis=0), 0.0), sums.yy])
    condition = float(np.sqrt(sizes[-1] / sizes[0]))
    return Solution(
        coef, sums.y_mean - coef @ sums.x_mean, len(length), singular, squares, sums.x_mean,
        inverse / np.outer(length, length), condition, np.empty(0, dtype=np.int64),
    )  # fmt: skip


def _from_rows(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, intercept: bool) -> Solution:
    rows, targets, x_mean, y_mean = centred_rows(X, Y, weights, intercept)
    n, p = rows.shape
    singular = linalg.svdvals(rows, check_finite=False) if min(n, p) else np.empty(0)
    length = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    found = _by_qr(rows / length, targets) if n >= p and (length > 0).all() else None
    if found is None:
        coef, _, rank, _ = linalg.lstsq(rows, targets, cond=max(n, p) * np.finfo(np.float64).eps, check_finite=False)
        left = ((targets - rows @ coef) ** 2).sum(axis=0)
        constant, inverse, condition = y_mean - x_mean @ coef, None, np.inf
    else:
        coef, rank, condition = found.coef / length[:, None], p, found.condition
        inverse = found.inverse / np.outer(length, length)
        left, constant = ((targets - rows @ coef) ** 2).sum(axis=0), y_mean - x_mean @ coef
        if condition > _ILL_CONDITIONED and n * p <= _SMALL:
            o = found.order
            factors = found.Q, found.R * length[o]
            better = refined(X[:, o], Y, weights, x_mean[o], *factors, coef[o], intercept=intercept)
            coef[o], constant, left = better.coef, better.intercept, better.squares
    squares = np.stack([left, (targets**2).sum(axis=0)])
    dependent = np.empty(0, dtype=np.int64) if found is not None or p > _NAMED else dependent_columns(rows)
    return Solution(coef.T, constant, int(rank), singular, squares, x_mean, inverse, condition, dependent)


def dependent_columns(rows: np.ndarray) -> np.ndarray:
    """The columns that are zero, or combinations of columns before them.

    >>> dependent_columns(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    array([1, 2])
    """
    n, p = rows.shape
    basis, found, size = np.empty((n, min(n, p))), [], 0
    for j in range(p):
        length = np.linalg.norm(rows[:, j])
        rest = rows[:, j] / (length or 1.0)
        for _ in range(2):  # twice: once leaves rounding errors of the size of the column
            rest = rest - basis[:, :size] @ (rest @ basis[:, :size])
        if size == n or np.linalg.norm(rest) <= 1e-10:
            found.append(j)
        else:
            basis[:, size] = rest / np.linalg.norm(rest)
            size += 1
    return np.array(found, dtype=np.int64)


@dataclass(frozen=True)
class _Factorised:
    """Coefficients and (XᵀX)⁻¹ of unit columns, their condition number, and QR of the columns in their ``order``."""

    coef: np.ndarray
    inverse: np.ndarray
    condition: float
    Q: np.ndarray
    R: np.ndarray
    order: np.ndarray


def _by_qr(unit: np.ndarray, targets: np.ndarray) -> _Factorised | None:
    """The solution with column pivoting; None where columns are dependent."""
    Q, R, order = linalg.qr(unit, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(R.diagonal())
    if diagonal[-1] <= max(unit.shape) * np.finfo(np.float64).eps * diagonal[0]:
        return None
    coef, inverse = np.empty((len(order), targets.shape[1])), np.empty(R.shape)
    coef[order] = linalg.solve_triangular(R, Q.T @ targets, check_finite=False)
    inverse[order] = linalg.solve_triangular(R, np.eye(len(R)), check_finite=False)
    sizes = linalg.svdvals(R, check_finite=False)
    return _Factorised(coef, inverse @ inverse.T, float(sizes[0] / sizes[-1]), Q, R, order)


class Refined:
    """Coefficients float64[p, k], intercepts and sums of squared residuals float64[k]."""

    def __init__(self, coef: np.ndarray, intercept: np.ndarray, squares: np.ndarray):
        self.coef, self.intercept, self.squares = coef, intercept, squares


def refined(
    X: np.ndarray,
    Y: np.ndarray,
    weights: np.ndarray | None,
    x_mean: np.ndarray,
    Q: np.ndarray,
    R: np.ndarray,
    coef: np.ndarray,
    *,
    intercept: bool,
) -> Refined:
    """The solution of min ‖W½ (Y − Xβ − c)‖ near ``coef``, float64[p, k].

    Björck's (1967) refinement of the augmented system r + Aβ = y, Aᵀr = 0 with the factors QR of the rounded, centred
    columns. Its right-hand sides are computed in extended precision (of 64 bits on x86; elsewhere it may be that of
    doubles, and nothing is gained), so that the rounding of centred columns does not matter either.
    """
    root = np.ones((len(X), 1)) if weights is None else np.sqrt(weights.astype(np.longdouble))[:, None]
    A = (X.astype(np.longdouble) - x_mean) * root
    T = Y.astype(np.longdouble) * root
    if intercept:
        A, size = np.column_stack([A, root]), float(np.sqrt((root**2).sum()))
        Q = np.column_stack([Q, (root / size).astype(np.float64)])
        R = linalg.block_diag(R, size)
        start = T - A[:, :-1] @ coef.astype(np.longdouble)
        beta = np.vstack([coef.astype(np.longdouble), (root * start).sum(axis=0) / size**2])
    else:
        beta = coef.astype(np.longdouble)
    r = T - A @ beta
    for _ in range(_STEPS):
        first, second = (T - r - A @ beta).astype(np.float64), -(A.T @ r).astype(np.float64)
        moved = Q.T @ first - linalg.solve_triangular(R, second, trans=1, check_finite=False)
        beta = beta + linalg.solve_triangular(R, moved, check_finite=False)
        r = r + (first - Q @ moved)
    found = beta[:-1] if intercept else beta
    constant = beta[-1] - x_mean @ found if intercept else np.zeros(T.shape[1])
    squares = (r**2).sum(axis=0).astype(np.float64)
    return Refined(found.astype(np.float64), np.asarray(constant, dtype=np.float64), squares)
