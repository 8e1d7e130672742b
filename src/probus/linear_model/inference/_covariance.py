"""Inverses of products of columns, and the covariance of an intercept that centred columns leave out."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def inverse_products(products: np.ndarray) -> tuple[np.ndarray, float] | None:
    """The inverse of XᵀX and the condition number of the columns at unit length; None where they are dependent.

    >>> inverse, condition = inverse_products(np.diag([4.0, 25.0]))
    >>> inverse.diagonal(), condition
    (array([0.25, 0.04]), 1.0)
    """
    length = np.sqrt(np.maximum(products.diagonal(), 0.0))
    if not (length > 0).all() or not np.isfinite(length).all():
        return None
    scale = np.outer(length, length)
    sizes = linalg.eigvalsh(products / scale)
    if sizes[0] <= len(length) * np.finfo(np.float64).eps * sizes[-1]:
        return None
    inverse = linalg.inv(products / scale, assume_a="pos") / scale
    return inverse, float(np.sqrt(sizes[-1] / sizes[0]))


def with_intercept(covariance: np.ndarray, mean: np.ndarray, variance: float) -> np.ndarray:
    """The covariance of coefficients and, last, the intercept, from those of centred columns.

    mean : of the columns. variance : of the mean of the target.
    """
    across = -covariance @ mean
    corner = np.array([[variance - across @ mean]])
    return np.block([[covariance, across[:, None]], [across[None], corner]])
