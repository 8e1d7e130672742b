"""Numbers so large that float64 cannot hold their squares, sums or ranges."""

from __future__ import annotations

import numpy as np

__all__ = ["moments", "within_range"]

_LARGE = 1e100  # a sum of many squares of smaller numbers is finite


def within_range(values: np.ndarray) -> tuple[np.ndarray, float]:
    """The finite values over a power of two, and that power: 1 unless their squares may be infinite.

    >>> within_range(np.array([1.0, 3.0])), within_range(np.array([0.0, 2.0**1000]))
    ((array([1., 3.]), 1.0), (array([0., 1.]), 1.0715086071862673e+301))
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest < _LARGE:
        return values, 1.0
    power = 2.0 ** (np.frexp(largest)[1] - 1)
    return values / power, float(power)


def moments(values: np.ndarray) -> tuple[float, float | None]:
    """The mean and standard deviation of finite values, the latter None for one value, infinite beyond float64.

    >>> moments(np.array([2.0**999, -(2.0**999), 0.0]))[1] == 2.0**999, moments(np.array([2.0]))
    (True, (2.0, None))
    """
    values, power = within_range(values)
    with np.errstate(over="ignore"):
        spread = float(np.float64(values.std(ddof=1)) * power) if len(values) > 1 else None
    return float(values.mean()) * power, spread
