"""Refinement of a least squares solution with residuals of higher precision, for nearly dependent columns."""

from __future__ import annotations

import numpy as np
from scipy import linalg

__all__ = ["Refined", "refined"]

_STEPS = 3


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
