"""Intervals for shares: of rows, of weighted rows, and of anything that behaves like a share."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._estimates import Estimate


def quantile(level: float, df: float | None = None) -> float:
    """How many standard deviations either side of the mean hold that much of a normal or a t distribution."""
    if not 0 < level < 1:
        raise DataError(f"a confidence level of {level}.", "a number between 0 and 1", "95 % is 0.95.")
    if df is None:
        return NormalDist().inv_cdf((1 + level) / 2)
    from scipy.stats import t

    return float(t.ppf((1 + level) / 2, df))


def wilson(p: Any, n: Any, level: float, df: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's (1927) score interval of shares ``p`` of ``n`` rows: every true share that p would not contradict.

    The ends solve (p − π)² = z² π(1 − π)/n. They stay within 0 and 1, and a share of none or all of a few rows does
    not claim certainty. Of no rows nothing is known: [0, 1]. Where ``n`` was itself estimated, z is the quantile of a
    t distribution with ``df`` degrees of freedom.

    >>> low, high = wilson([0.8, 1.0], [10, 10], 0.95)
    >>> low.round(4), high.round(4)
    (array([0.4902, 0.7225]), array([0.9433, 1.    ]))
    """
    z2 = quantile(level, df) ** 2
    p, n = np.nan_to_num(np.asarray(p, dtype=np.float64), nan=0.5), np.asarray(n, dtype=np.float64)
    centre = p * n + z2 / 2
    half = np.sqrt(z2 * np.maximum(n * p * (1 - p), 0.0) + z2**2 / 4)
    # rounding must not push the interval off a share of exactly 0 or 1
    low = np.where(p == 0, 0.0, np.minimum((centre - half) / (n + z2), p))
    high = np.where(p == 1, 1.0, np.maximum((centre + half) / (n + z2), p))
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def clopper_pearson(p: Any, n: Any, z: Any) -> tuple[np.ndarray, np.ndarray]:
    """The interval of Clopper and Pearson (1934) of shares ``p`` of ``n`` rows, of z standard deviations either side.

    Each end is the share for which so many rows, or more extreme numbers, have a probability of Φ(−z). It is never too
    short, and wider than Wilson's where few rows count.

    >>> low, high = clopper_pearson([0.0, 0.8], 10, quantile(0.95))
    >>> low.round(4), high.round(4)
    (array([0.    , 0.4439]), array([0.3085, 0.9748]))
    """
    from scipy.special import betaincinv, ndtr

    count = np.asarray(p, dtype=np.float64) * n
    tail, smallest = ndtr(-np.asarray(z, dtype=np.float64)), np.finfo(float).tiny
    low = betaincinv(np.maximum(count, smallest), n - count + 1, tail)
    high = betaincinv(count + 1, np.maximum(n - count, smallest), 1 - tail)
    return np.where(count <= 0, 0.0, low), np.where(count >= n, 1.0, high)


def effective_size(weight: Any, squares: Any) -> Any:
    """Rows of equal weight that know as much as weighted ones: (Σw)²/Σw² (Kish 1965); 0 where there are none."""
    return np.square(weight) / np.where(squares > 0, squares, np.inf)


def share(p: float, n: float, level: float, method: str = "Wilson", rows: int | None = None) -> Estimate:
    """A share with its Wilson interval, from ``n`` (effective) rows; ``rows`` is how many were counted."""
    low, high = wilson(p, n, level)
    return Estimate(float(p), float(low), float(high), level, method, rows)
