r"""Intervals of differences and ratios between groups that hold for all pairs of groups at once.

Each group has a value and an interval. The interval of a difference recovers its variance from these two (MOVER: Zou
and Donner 2008), so that it is as skewed as theirs, and of shares it is Newcombe's (1998):

.. math:: p_g - p_h - \sqrt{(p_g - l_g)^2 + (u_h - p_h)^2}

The intervals of the groups have the level at which those of all pairs hold together: :math:`z = q / \sqrt 2`, with the
quantile q of the studentised range (Tukey 1953; Kramer 1956 for groups of unequal size). The largest difference is
between the largest lower end of all pairs, which is at least 0, and the largest upper end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from probus.metrics import Estimate


@dataclass(frozen=True, eq=False)
class GroupValues:
    """A number for each group, with intervals of any level.

    values : float64[G], NaN where a group has none.
    interval : from a level to the lower and upper ends.
    """

    values: np.ndarray
    interval: Callable[[float], tuple[np.ndarray, np.ndarray]]


@lru_cache(maxsize=256)
def level_of_pairs(groups: int, level: float, families: int = 1) -> float:
    """The level of each interval at which those of all pairs of groups hold together.

    ``families`` of independent values, such as true and false positive rates, hold together too.

    >>> round(level_of_pairs(2, 0.95), 4), round(level_of_pairs(5, 0.95), 4)
    (0.95, 0.9936)
    """
    from scipy.stats import studentized_range

    z = studentized_range.ppf(level ** (1 / families), max(groups, 2), np.inf) / np.sqrt(2)
    return float(2 * NormalDist().cdf(float(z)) - 1)


def differences(p: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p_g − p_h for all pairs, with lower and upper ends: float64[G, G] each."""
    down, up = (p - low) ** 2, (high - p) ** 2
    d = p[:, None] - p[None, :]
    return d, d - np.sqrt(down[:, None] + up[None, :]), d + np.sqrt(up[:, None] + down[None, :])


def ratios(p: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p_g / p_h for all pairs, with lower and upper ends: differences of logarithms; ends that need log 0 are far."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = p[:, None] / p[None, :]
        logs = [np.log(each) for each in (p, low, high)]
        down, up = (logs[0] - logs[1]) ** 2, (logs[2] - logs[0]) ** 2
        bottom = r * np.exp(-np.sqrt(down[:, None] + up[None, :]))
        top = r * np.exp(np.sqrt(up[:, None] + down[None, :]))
        far_low, far_high = low[:, None] / high[None, :], high[:, None] / low[None, :]
    plain = (p[:, None] > 0) & (p[None, :] > 0)
    bottom, top = np.where(plain, bottom, far_low), np.where(plain, top, far_high)
    bottom = np.where(low[:, None] > 0, bottom, 0.0)
    return r, np.nan_to_num(bottom, nan=0.0), np.where(np.isnan(top), np.inf, top)


def largest_difference(found: GroupValues, level: float, families: int = 1) -> Estimate:
    """The largest difference between two groups."""
    known = ~np.isnan(found.values)
    each = level_of_pairs(int(known.sum()), level, families)
    low, high = found.interval(each)
    d, bottom, top = differences(found.values[known], low[known], high[known])
    others = ~np.eye(len(d), dtype=bool)
    bottom, top, value = bottom[others], top[others], float(d.max())
    return Estimate(value, min(max(float(bottom.max()), 0.0), value), max(float(top.max()), value), level)


def smallest_ratio(found: GroupValues, level: float, families: int = 1) -> Estimate:
    """The smallest ratio of two groups: that of the smallest value to the largest; NaN where both are 0."""
    known = ~np.isnan(found.values)
    p = found.values[known]
    each = level_of_pairs(int(known.sum()), level, families)
    low, high = found.interval(each)
    if not p.max() > 0:
        return Estimate(np.nan, 0.0, 1.0, level)
    _, bottom, top = ratios(p, low[known], high[known])
    others = ~np.eye(len(p), dtype=bool)
    bottom, top, value = bottom[others], top[others], float(p.min() / p.max())
    return Estimate(value, min(float(np.nanmin(bottom)), value), min(max(float(np.nanmin(top)), value), 1.0), level)
