"""Line search for the best step."""

from __future__ import annotations

from collections.abc import Callable

LARGEST_STEP = 30.0  # in logarithms: if the best step is infinite (rows of one class), odds of 10¹³ are enough


def best_step(slope: Callable[[float], float], *, scale: float = 1.0, limit: float = LARGEST_STEP) -> float:
    """The zero of the slope of the summed loss, searched from 0 in the direction of descent, within ±limit.

    The step starts at ``scale`` and doubles until the slope changes sign; then Brent's method finds the zero.

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
