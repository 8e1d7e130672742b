"""What one new test set is likely to score, which varies more than the expected score does."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, isfinite, log, sqrt

from probus.display import counted
from probus.metrics import Estimate, Measure


def score_of_new_test_set(score: Estimate, measure: Measure, tested: int, new: int) -> Estimate:
    """The score with the interval in which that of one new test set of ``new`` rows is, at the level of the estimate.

    The score of ``new`` rows varies about the expected score, and the estimate of ``tested`` rows does too: the
    variance of their difference is 1 + tested/new times that of the estimate. Two sets of as many rows differ in
    either direction alike, on a scale on which their variance is about constant. So the interval is symmetric on that
    scale: of the log odds for a score between two bounds, of the logarithm of the distance for one with one bound. A
    set of few rows often reaches a bound, such as no error at all: an end within one row's share of it is moved there.

    >>> from probus.metrics import measure
    >>> score_of_new_test_set(Estimate(0.8, 0.75, 0.84), measure("roc_auc"), 200, 200)
    0.800 [0.729, 0.856]
    >>> score_of_new_test_set(Estimate(0.8, 0.75, 0.84), measure("roc_auc"), 200, 10**9)
    0.800 [0.751, 0.841]
    """
    to, back = _scale(float(measure.low), float(measure.high))
    ends = [to(end) for end in (score.low, score.value, score.high)]
    stretch = sqrt(1 + tested / new)
    if all(map(isfinite, ends)):
        half = stretch * (ends[2] - ends[0]) / 2
        low, high = _reach(back(ends[1] - half), back(ends[1] + half), measure, new)
    else:  # at a bound, or without an interval
        low = max(score.value - stretch * (score.value - score.low), float(measure.low))
        high = min(score.value + stretch * (score.high - score.value), float(measure.high))
    method = f"for the score of one new test set of {counted(new, 'row')}; {score.method}"
    return Estimate(score.value, low, high, score.level, method, score.n)


def _reach(low: float, high: float, measure: Measure, new: int) -> tuple[float, float]:
    """The ends, at a bound of the measure where they are within one row's share of it."""
    least, most = float(measure.low), float(measure.high)
    share = (most - least) / new
    if not isfinite(share):
        return low, high
    return (least if low < least + share else low), (most if high > most - share else high)


def _scale(low: float, high: float) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """From scores between the bounds to numbers without bounds, and back."""
    if isfinite(low) and isfinite(high):
        width = high - low
        return lambda x: _log(x - low) - _log(high - x), lambda z: low + width / (1 + exp(-z))
    if isfinite(low):
        return lambda x: _log(x - low), lambda z: low + exp(z)
    if isfinite(high):
        return lambda x: -_log(high - x), lambda z: high - exp(-z)
    return lambda x: x, lambda z: z


def _log(x: float) -> float:
    return log(x) if x > 0 else -inf
