"""The interval of the background that passes where a share of the signal is kept, with the error of the threshold."""

from __future__ import annotations

import numpy as np

from probus.metrics.curves._shares import clopper_pearson, quantile

_ROUNDING = 1e-12  # of sums of weights


def background_where_kept(
    kept: np.ndarray, passing: np.ndarray, efficiency: float, sizes: tuple[float, float], level: float
) -> tuple[float, float]:
    """The interval of the share of background above the highest threshold that keeps that share of the signal.

    The true threshold t is not known. It is z(t) standard deviations off where the signal above it has a binomial tail
    of Φ(−z). A share π of background is within the interval if at some t the squared deviations of signal and
    background together are at most z², the quantile of the level. So the interval joins those of Clopper and Pearson
    at every t, each with the part of z² that the signal leaves. For large samples its half-width is that of the delta
    method, z √(Var F̂ + slope² Var Ê). It needs neither densities nor random numbers. With other statistics this is the
    empirical likelihood of Claeskens et al. (2003, Scandinavian Journal of Statistics 30).

    kept (IN)     shares of the signal at or above each distinct score, falling scores
    passing (IN)  the same of the background
    sizes (IN)    effective numbers of rows of signal and background
    """
    # above all scores nothing is kept
    kept, passing = np.concatenate([[0.0], kept]), np.concatenate([[0.0], passing])
    signal, background = sizes
    left = quantile(level) ** 2 - _deviations(kept * signal, efficiency, signal) ** 2
    possible = left >= 0
    low, high = clopper_pearson(passing[possible], background, np.sqrt(left[possible]))
    return float(low.min()), float(high.max())


def _deviations(above: np.ndarray, efficiency: float, n: float) -> np.ndarray:
    """How many standard deviations each score is from the highest threshold that keeps that share of the signal.

    With the true threshold at a score, at least that share is at or above the score, and less is strictly above it.
    """
    from scipy.special import betainc, ndtri

    above = np.minimum(above, n)
    strictly = np.concatenate([[0.0], above[:-1]])
    missing = n - above
    smallest = np.finfo(float).tiny  # the incomplete beta functions need positive numbers
    as_few = np.where(missing <= _ROUNDING * n, 1.0, betainc(np.maximum(missing, smallest), above + 1, 1 - efficiency))
    as_many = np.where(strictly <= 0, 1.0, betainc(np.maximum(strictly, smallest), n - strictly + 1, efficiency))
    return np.maximum(0.0, -ndtri(np.minimum(as_few, as_many)))
