"""Gaussian knockoffs: copies of columns that relate to each other as the columns do, and not to the target."""

from __future__ import annotations

import numpy as np
from scipy import linalg

_SWEEPS, _TOL = 60, 1e-6
_SMALLEST = 1e-8  # eigenvalue of the covariances that are inverted


def knockoff_variances(correlation: np.ndarray) -> np.ndarray:
    """s, by which the covariance of a column with its knockoff is below its variance: the knockoffs of largest entropy.

    The diagonal s maximises log det(2 Σ - S) + log det S, one coordinate at a time: with D = 2 Σ - S, s_j becomes the
    mean of itself and 1 / (D⁻¹)_jj. Both factors stay positive definite. (Gimenez and Zou 2019.)

    Parameters
    ----------
    correlation : of the columns, float64[p, p], positive definite.

    >>> knockoff_variances(np.eye(2))
    array([1., 1.])
    """
    p = len(correlation)
    s = np.full(p, min(1.0, float(linalg.eigvalsh(correlation)[0])))
    inverse = linalg.inv(2 * correlation - np.diag(s))
    for _ in range(_SWEEPS):
        before = s.copy()
        for j in range(p):
            step = 0.5 * (s[j] + 1.0 / inverse[j, j]) - s[j]
            s[j] += step
            row = inverse[j].copy()  # D loses ``step`` at (j, j): Sherman and Morrison
            inverse += np.outer(row, row) * (step / (1.0 - step * row[j]))
        if np.abs(s - before).max() < _TOL:
            break
    return np.clip(s, 0.0, 1.0 + 1e-12)


def gaussian_knockoffs(X: np.ndarray, covariance: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """A knockoff of each column, drawn from its normal distribution given the row (Candès et al. 2018).

    The mean is x - S Σ⁻¹ (x - μ), the covariance 2 S - S Σ⁻¹ S.

    Parameters
    ----------
    X : the rows, float64[n, p].
    covariance : of the columns, or an estimate of it.
    rng : draws the numbers.
    """
    scale = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(scale, scale)
    least = float(linalg.eigvalsh(correlation)[0])
    if least < _SMALLEST:
        shrink = (_SMALLEST - least) / (1.0 - least)
        correlation = (1 - shrink) * correlation + shrink * np.eye(len(correlation))
    s = knockoff_variances(correlation)
    Z = (X - X.mean(axis=0)) / scale
    solved = linalg.solve(correlation, np.diag(s), assume_a="pos")
    left = 2 * np.diag(s) - np.diag(s) @ solved
    values, vectors = linalg.eigh((left + left.T) / 2)
    noise = rng.standard_normal(X.shape) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    return (Z - Z @ solved + noise) * scale + X.mean(axis=0)


def knockoff_threshold(statistics: np.ndarray, fdr: float, offset: int = 1) -> float:
    """The smallest threshold at which the estimated false discovery rate is at most ``fdr``; infinite if none is.

    The estimate is (offset + #{W ≤ -t}) / #{W ≥ t}.

    >>> knockoff_threshold(np.array([5.0, 4.0, 3.0, -1.0, 0.5]), 0.4)
    3.0
    """
    for t in np.sort(np.unique(np.abs(statistics[statistics != 0]))):
        wrong, right = offset + int((statistics <= -t).sum()), int((statistics >= t).sum())
        if right and wrong / right <= fdr:
            return float(t)
    return float("inf")
