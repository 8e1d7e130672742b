"""An interval of the lift of a rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.metrics.curves import quantile, wilson


def lift_interval(both: Any, one: Any, other: Any, n: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    r"""The ends of an interval of lifts, from the baskets that hold both sides of a rule, the one, and the other.

    The lift is :math:`1 / (q + (1 - q) r)` with q the share of baskets that hold the left side and r the ratio of the
    share of the right side without the left and with it. The interval of r combines Wilson's intervals of the two
    shares (Donner and Zou 2012); the uncertainty of q is added on the scale of logarithms.

    >>> low, high = lift_interval(np.array([30]), np.array([40]), np.array([30]), 100, 0.95)
    >>> low.round(2), high.round(2)
    (array([1.92]), array([3.18]))
    """
    both, one, other = (np.asarray(count, dtype=np.float64) for count in (both, one, other))
    q = one / n
    outside = n - one
    given, without = both / one, (other - both) / np.maximum(outside, 1)
    low_given, high_given = wilson(given, one, level)
    low_without, high_without = wilson(without, outside, level)
    product = given * without
    # Donner and Zou's ends, the lower with its numerator made rational, since its denominator may vanish
    below, above = low_without * (2 * without - low_without), high_given * (2 * given - high_given)
    root = np.sqrt(np.maximum(product**2 - below * above, 0.0))
    low_ratio = np.where(product > 0, below / np.where(product > 0, product + root, 1.0), 0.0)
    above, below = high_without * (2 * without - high_without), low_given * (2 * given - low_given)
    high_ratio = (product + np.sqrt(np.maximum(product**2 - above * below, 0.0))) / below
    ratio = without / given
    lift = 1 / (q + (1 - q) * ratio)
    spread = quantile(level) * lift * np.abs(1 - ratio) * np.sqrt(q * (1 - q) / n)
    ends = [np.log(lift * (q + (1 - q) * end)) for end in (high_ratio, low_ratio)]
    return lift * np.exp(-np.hypot(ends[0], spread)), lift * np.exp(np.hypot(ends[1], spread))
