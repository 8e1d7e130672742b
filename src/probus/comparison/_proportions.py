"""The interval for a difference of two proportions of the same rows."""

from __future__ import annotations

import math

import numpy as np

from probus.metrics import Estimate

METHOD = "score interval for paired proportions (Tango 1998)"


def paired_difference(only_a: int, only_b: int, n: int, level: float = 0.95) -> Estimate:
    """The difference (only_a − only_b)/n with Tango's (1998) score interval: every δ that the score test accepts.

    The test of δ is |only_a − only_b − nδ| ≤ z √(n(2q + δ(1 − δ))), where q is the likeliest share of rows that
    only b gets right if the difference is δ; for δ = 0 it is McNemar's without correction. Its coverage holds for
    few rows, and the interval has a length even where the models never disagree.

    >>> paired_difference(only_a=12, only_b=5, n=100)
    0.070 [-0.012, 0.157]
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    z = float(norm.ppf((1 + level) / 2))
    value = (only_a - only_b) / n

    def bound(end: float) -> float:
        def excess(delta: float) -> float:
            gap = only_a - only_b - n * delta
            return gap * gap - z * z * _variance(delta, only_a, only_b, n)

        if value == end or excess(end) <= 0:
            return end
        # models that never disagree have no variance at the value itself, but some beside it
        return float(brentq(excess, value + 1e-9 * (end - value), end, xtol=1e-14))

    return Estimate(value, bound(-1.0), bound(1.0), level, METHOD, n)


def _variance(delta: float, only_a: int, only_b: int, n: int) -> float:
    """Of only_a − only_b, if the difference is delta and the rest is as likely as can be."""
    linear = (2 * n - only_a + only_b) * delta - only_a - only_b
    constant = -only_b * delta * (1 - delta)
    q = (math.sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    return float(np.clip(n * (2 * q + delta * (1 - delta)), 0.0, None))
