"""Least squares: from the Gram matrix where it is precise enough, else by an orthogonal factorisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from probus.linear_model.moments import moments_of

__all__ = ["Solution", "centred_rows", "least_squares"]

_SMALL = 100_000  # cells below which a factorisation is over before it matters
_WIDE = 2000  # columns above which products of columns cost more than they save
_WELL_CONDITIONED = 1e-5  # of the Gram matrix of unit columns: about ten correct digits, and no second pass


@dataclass(frozen=True)
class Solution:
    """Coefficients float64[k, p] and intercepts float64[k] of k targets.

    rank : the number of independent columns. singular : the singular values of the centred columns, descending.
    """

    coef: np.ndarray
    intercept: np.ndarray
    rank: int
    singular: np.ndarray


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
    rows, targets, x_mean, y_mean = centred_rows(X, Y, weights, intercept)
    return _from_rows(rows, targets, x_mean, y_mean)


def centred_rows(
    X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, intercept: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows and targets minus their means, times the root of the weights, and the means; copies, in column order."""
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    rows, targets = np.array(X, dtype=np.float64, order="F"), np.array(Y, dtype=np.float64, order="F")
    if intercept:
        x_mean, y_mean = np.average(rows, axis=0, weights=weights), np.average(targets, axis=0, weights=weights)
        rows -= x_mean
        targets -= y_mean
        for centred, mean in ((rows, x_mean), (targets, y_mean)):  # the mean itself was rounded
            rest = np.average(centred, axis=0, weights=weights)
            centred -= rest
            mean += rest
    if weights is not None:
        root = np.sqrt(weights)[:, None]
        rows *= root
        targets *= root
    return rows, targets, x_mean, y_mean


def _from_products(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, intercept: bool) -> Solution | None:
    """The solution of the normal equations; None where they are not well conditioned."""
    sums = moments_of(X, Y, weights, centred=intercept)
    length = np.sqrt(sums.gram.diagonal())
    if not (length > 0).all() or not np.isfinite(length).all():
        return None
    unit = sums.gram / np.outer(length, length)
    if linalg.eigvalsh(unit, subset_by_index=[0, 0])[0] < _WELL_CONDITIONED:
        return None
    coef = linalg.solve(unit, sums.xy / length[:, None], assume_a="pos").T / length
    singular = np.sqrt(np.maximum(linalg.eigvalsh(sums.gram)[::-1], 0.0))
    return Solution(coef, sums.y_mean - coef @ sums.x_mean, len(length), singular)


def _from_rows(rows: np.ndarray, targets: np.ndarray, x_mean: np.ndarray, y_mean: np.ndarray) -> Solution:
    n, p = rows.shape
    singular = linalg.svdvals(rows, check_finite=False) if min(n, p) else np.empty(0)
    length = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    coef = None
    if n >= p and (length > 0).all():
        coef = _by_qr(rows / length, targets)
    if coef is None:
        coef, _, rank, _ = linalg.lstsq(rows, targets, cond=max(n, p) * np.finfo(np.float64).eps, check_finite=False)
    else:
        coef, rank = coef / length[:, None], p
    coef = coef.T
    return Solution(coef, y_mean - coef @ x_mean, int(rank), singular)


def _by_qr(unit: np.ndarray, targets: np.ndarray) -> np.ndarray | None:
    """The solution by a factorisation with column pivoting; None where columns are dependent."""
    Q, R, order = linalg.qr(unit, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(R.diagonal())
    if diagonal[-1] <= max(unit.shape) * np.finfo(np.float64).eps * diagonal[0]:
        return None
    coef = np.empty((len(order), targets.shape[1]))
    coef[order] = linalg.solve_triangular(R, Q.T @ targets, check_finite=False)
    return coef
