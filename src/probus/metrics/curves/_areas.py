"""Areas under curves, with intervals from the derivatives by the weights of rows."""

from __future__ import annotations

import numpy as np

from probus.metrics._estimates import Estimate
from probus.metrics._rank_slopes import area_slopes, precision_slopes
from probus.metrics.curves._score_ranking import RankedSide, ScoreRanking
from probus.metrics.curves._shares import wilson

_ROUNDING = 1e-20  # variances below are those of sums that cancel


def roc_area(ranking: ScoreRanking, level: float) -> Estimate:
    """The probability that a positive scores above a negative, ties counting half, with DeLong's variance.

    The variance (DeLong, DeLong and Clarke-Pearson 1988) becomes the number of rows with which a share would vary as
    much, n = A(1 − A)/Var A, and the interval is Wilson's for n rows: within 0 and 1, and for large samples DeLong's.
    Because few rows of a class know their variance badly, its z is that of a t distribution with as many degrees of
    freedom as the smaller class has rows, less one. Where the variance is estimated as 0 (a perfect order, one row of a
    class) n is the size of that class: no area varies more than such a share (Birnbaum and Klose 1957).
    """
    area, *slopes = area_slopes(ranking.true_positives, ranking.false_positives)
    return _as_share(area, _variance(ranking, slopes), ranking, level, "DeLong, Wilson")


def average_precision(ranking: ScoreRanking, level: float) -> Estimate:
    """The mean precision at each positive's own score, Σ (Rₖ − Rₖ₋₁) Pₖ, with its infinitesimal-jackknife variance.

    The derivative of the average with respect to each row's weight gives the variance Σ (w ∂AP/∂w)² (Efron 1982); the
    interval is Wilson's as for the area under the ROC curve.
    """
    average, *slopes = precision_slopes(ranking.true_positives, ranking.false_positives)
    return _as_share(average, _variance(ranking, slopes), ranking, level, "infinitesimal jackknife, Wilson")


def _variance(ranking: ScoreRanking, slopes: list[np.ndarray]) -> float:
    sides = zip((ranking.positives, ranking.negatives), slopes, strict=True)
    return sum(_squared_moves(rows, slope) for rows, slope in sides)


def _squared_moves(rows: RankedSide, slope: np.ndarray) -> float:
    """What the rows of a class add to the variance, given the derivative by a row's weight at each score."""
    if len(rows) == 1:
        return np.nan
    moved = rows.weight * slope[rows.place]
    return float(moved @ moved) * len(rows) / (len(rows) - 1)


def _as_share(value: float, variance: float, ranking: ScoreRanking, level: float, method: str) -> Estimate:
    value = min(max(value, 0.0), 1.0)
    smaller = min(ranking.positives.effective_size, ranking.negatives.effective_size)
    if variance > _ROUNDING and 0 < value < 1:
        low, high = wilson(value, value * (1 - value) / variance, level, df=max(smaller - 1, 1.0))
    else:
        low, high = wilson(value, smaller, level)
    return Estimate(value, float(low), float(high), level, method, len(ranking))
