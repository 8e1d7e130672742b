"""Intervals from the values of a measure on resamples."""

from __future__ import annotations

import numpy as np

from probus.metrics.curves._shares import quantile

Ends = tuple[float, float]

_TIED = 1e-10  # relative: a value and its resample summed in another order


def percentile(values: np.ndarray, level: float) -> Ends:
    """The middle of the resampled values.

    >>> percentile(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(values, _tails(level))
    return float(low), float(high)


def basic(value: float, values: np.ndarray, level: float) -> Ends:
    """The percentiles mirrored at the value: 2θ − θ*, for what errs as its resamples do.

    >>> basic(40.0, np.arange(101.0), 0.5)
    (5.0, 55.0)
    """
    low, high = percentile(values, level)
    return 2 * value - high, 2 * value - low


def normal(value: float, error: float, level: float) -> Ends:
    """θ ± z·se."""
    z = quantile(level) * error
    return value - z, value + z


def bca(value: float, values: np.ndarray, influence: np.ndarray, level: float) -> Ends:
    """Percentiles corrected for bias and for a standard error that changes with the value (Efron 1987).

    With α the probability of the tail, the percentile taken is Φ(z₀ + (z₀ + z_α)/(1 − a(z₀ + z_α))).
    """
    from scipy.special import ndtr

    shift = bias_correction(value, values)
    a = acceleration(influence)
    z = shift + quantile(level) * np.array([-1.0, 1.0])
    low, high = np.quantile(values, ndtr(shift + z / (1 - a * z)))
    return float(min(low, high)), float(max(low, high))


def bias_correction(value: float, values: np.ndarray) -> float:
    """z₀: the normal quantile of the share of resamples below the value, ties counting half.

    Where all resamples lie on one side the share is taken as half a resample.
    """
    from scipy.special import ndtri

    tied = np.isclose(values, value, rtol=_TIED, atol=0.0)
    below = np.count_nonzero((values < value) & ~tied) + np.count_nonzero(tied) / 2
    return float(ndtri(np.clip(below, 0.5, len(values) - 0.5) / len(values)))


def acceleration(influence: np.ndarray) -> float:
    """a = Σl³ / (6 (Σl²)^1.5), a sixth of the skewness of the influence values; 0 where there are none."""
    squares = float(np.sum(influence**2))
    return float(np.sum(influence**3) / (6 * squares**1.5)) if squares > 0 else 0.0


def bootstrap_t(value: float, error: float, values: np.ndarray, errors: np.ndarray, level: float) -> Ends:
    """The bootstrap-t: θ − t*·se with the quantiles of t* = (θ* − θ)/se* (Efron 1979, Hall 1988).

    A resample without spread has no scale; its statistic is infinite.
    """
    off = values - value
    far = np.where(np.abs(off) > _TIED * np.abs(value), np.copysign(np.inf, off), 0.0)
    t = np.divide(off, errors, out=far, where=errors > 0)
    low, high = np.quantile(t, _tails(level), method="inverted_cdf")
    return float(value - high * error), float(value - low * error)


def _tails(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2
