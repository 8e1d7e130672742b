"""Areas under curves with their intervals, by how much each row weighs in them."""

from __future__ import annotations

import numpy as np

from probus.metrics.curves.ranking import Ranked, Ranking
from probus.metrics.curves.shares import wilson
from probus.metrics.estimates import Estimate

__all__ = ["average_precision", "roc_area"]

_ROUNDING = 1e-20  # variances below are those of sums that cancel


def roc_area(ranking: Ranking, level: float) -> Estimate:
    """The chance that a positive scores above a negative, ties counting half, with DeLong's variance.

    The variance (DeLong, DeLong and Clarke-Pearson 1988) becomes the number of rows with which a share would vary as
    much, n = A(1 − A)/Var A, and the interval is Wilson's for n rows: within 0 and 1, and for large samples DeLong's.
    Because few rows of a class know their variance badly, its z is that of a t distribution with as many degrees of
    freedom as the smaller class has rows, less one. Where no variance can be seen (a perfect order, one row of a
    class) n is the size of that class: no area varies more than such a share (Birnbaum and Klose 1957).
    """
    fpr, tpr = (counts / counts[-1] for counts in (ranking.false_positives, ranking.true_positives))
    # a positive beats the negatives below it; a negative is beaten by the positives above it
    beats, beaten = 1.0 - _midway(fpr), _midway(tpr)
    area = float(np.diff(tpr, prepend=0.0) @ beats)
    pulls = ((ranking.positives, beats - area), (ranking.negatives, beaten - area))
    variance = sum(_squared_pull(rows, pull / rows.weight.sum()) for rows, pull in pulls)
    return _as_share(area, variance, ranking, level, "DeLong, Wilson")


def average_precision(ranking: Ranking, level: float) -> Estimate:
    """The mean precision at each positive's own score, Σ (Rₖ − Rₖ₋₁) Pₖ, with its infinitesimal-jackknife variance.

    The derivative of the average with respect to each row's weight gives the variance Σ (w ∂AP/∂w)² (Efron 1982); the
    interval is Wilson's as for the area under the ROC curve.
    """
    tp, fp = ranking.true_positives, ranking.false_positives
    total, called = tp[-1], tp + fp
    precision, gained = tp / called, np.diff(tp, prepend=0.0)
    average = float(gained @ precision / total)
    # a row moves the precision at its own threshold and at all below it
    shift = _from_below(gained / called)
    drag = _from_below(gained * precision / called)
    pulls = ((ranking.positives, precision - average + shift - drag), (ranking.negatives, -drag))
    variance = sum(_squared_pull(rows, pull / total) for rows, pull in pulls)
    return _as_share(average, variance, ranking, level, "infinitesimal jackknife, Wilson")


def _midway(rate: np.ndarray) -> np.ndarray:
    """The rate half-way through the rows of each score."""
    return rate - np.diff(rate, prepend=0.0) / 2


def _from_below(terms: np.ndarray) -> np.ndarray:
    """Sums from each place to the last."""
    return np.cumsum(terms[::-1])[::-1]


def _squared_pull(rows: Ranked, pull: np.ndarray) -> float:
    """What the rows of a class add to the variance, ``pull`` being the derivative with respect to a row's weight."""
    if len(rows) == 1:
        return np.nan
    moved = rows.weight * pull[rows.place]
    return float(moved @ moved) * len(rows) / (len(rows) - 1)


def _as_share(value: float, variance: float, ranking: Ranking, level: float, method: str) -> Estimate:
    value = min(max(value, 0.0), 1.0)
    smaller = min(ranking.positives.effective_size, ranking.negatives.effective_size)
    if variance > _ROUNDING and 0 < value < 1:
        low, high = wilson(value, value * (1 - value) / variance, level, df=max(smaller - 1, 1.0))
    else:
        low, high = wilson(value, smaller, level)
    return Estimate(value, float(low), float(high), level, method, len(ranking))
