"""The best step along one direction, where no formula gives it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["LARGEST_STEP", "best_step"]

LARGEST_STEP = 30.0  # in logarithms: where the best step is infinite (rows of one class), odds of 10¹³ are enough


def best_step(slope: Callable[[float], float], *, scale: float = 1.0, limit: float = LARGEST_STEP) -> float:
    """Where the slope of the summed loss crosses zero from below, sought from 0 downhill, within ±limit.

    The search doubles its stride, ``scale`` at first, until the slope changes sign; Brent's method does the rest.

    >>> round(best_step(lambda step: 2 * (step - 5.0)), 9)
    5.0
    """
    from scipy.optimize import brentq

    here = slope(0.0)
    if here == 0.0:
        return 0.0
    downhill = -1.0 if here > 0.0 else 1.0
    start, stride = 0.0, scale
    while stride < limit and slope(downhill * stride) * here > 0.0:
        start, stride = stride, 2.0 * stride
    end = min(stride, limit)
    if slope(downhill * end) * here > 0.0:
        return downhill * limit
    return float(brentq(slope, downhill * start, downhill * end, xtol=1e-12 * scale))
