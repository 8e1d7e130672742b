"""How the step size changes during training."""

from __future__ import annotations

import math

SCHEDULES = ("constant", "invscaling", "adaptive", "cosine", "one_cycle")
_FIRST, _LAST = 1 / 25, 1 / 25e4  # of the largest step of one cycle, as published by Smith and Topin (2018)
_RISE = 0.3  # the share of the steps in which one cycle rises


def rate_factor(
    schedule: str, step: int, total: int, *, rows_seen: int = 0, power: float = 0.5, warm_up: float = 0.0
) -> float:
    """The factor of the learning rate in a step, the first of which is 0, of a total.

    schedule : one of ``SCHEDULES``; "adaptive" is constant until the training stalls
    rows_seen, power : the rows that were used before the epoch, for "invscaling"
    warm_up : the share of the steps in which the factor rises from zero first

    >>> [round(rate_factor("cosine", step, 4), 3) for step in range(4)]
    [1.0, 0.854, 0.5, 0.146]
    >>> [rate_factor("constant", step, 10, warm_up=0.4) for step in range(5)]
    [0.25, 0.5, 0.75, 1.0, 1.0]
    """
    rising = round(warm_up * total)
    if step < rising:
        return (step + 1) / rising
    share = (step - rising) / max(total - rising, 1)
    if schedule == "invscaling":
        return 1.0 / (rows_seen + 1) ** power
    if schedule == "cosine":
        return _between(1.0, 0.0, share)
    if schedule == "one_cycle":
        if share < _RISE:
            return _between(_FIRST, 1.0, share / _RISE)
        return _between(1.0, _LAST, (share - _RISE) / (1.0 - _RISE))
    return 1.0


def _between(first: float, last: float, share: float) -> float:
    """From the first to the last value, along half a cosine."""
    return last + (first - last) * 0.5 * (1.0 + math.cos(math.pi * share))
