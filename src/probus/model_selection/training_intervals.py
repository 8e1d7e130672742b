"""Intervals of scores on training rows, whose sets overlap from split to split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.metrics import Estimate, Measure, Outcome
from probus.metrics.bootstrap.draws import Draws
from probus.metrics.bootstrap.influence import influence
from probus.metrics.curves.shares import quantile, wilson
from probus.metrics.forms import Whole

__all__ = ["TrainingRows", "training_interval"]

METHOD = "over training sets: rows, and models of overlapping sets"


@dataclass(frozen=True)
class TrainingRows:
    """What the training rows of all splits say about the mean of their scores.

    variance : of the mean over other rows, given the models. overlap : the mean share of rows that two training sets
        have in common. units : the number of different rows, or groups of them. apart : the variance between the splits
        that rows alone would cause.
    """

    variance: float
    overlap: float
    units: int
    apart: float

    @classmethod
    def of(
        cls, measure: Measure, outcomes: Sequence[Outcome], rows: Sequence[np.ndarray], groups: np.ndarray | None
    ) -> TrainingRows | None:
        """From the influence of every row on the scores; None for a measure whose rows have none that is known."""
        n_rows = 1 + max(int(each.max()) for each in rows)
        unit = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
        moved, times = np.zeros((2, int(unit.max()) + 1))
        each_alone = 0.0
        for outcome, where in zip(outcomes, rows, strict=True):
            form = measure.form_of(outcome)
            if isinstance(form, Whole):
                return None
            by_row = influence(form, outcome, Draws.of(outcome))
            by_unit = np.bincount(unit[where], by_row, minlength=len(moved))
            moved += by_unit / len(rows)
            times += np.bincount(unit[where], minlength=len(times)) > 0
            each_alone += float(by_unit @ by_unit) / len(rows)
        units, splits = int(np.count_nonzero(times)), len(rows)
        shared = float(times @ times) / float(times.sum())  # splits that a training row is in, over all of them
        overlap = (shared - 1) / (splits - 1) if splits > 1 else 1.0
        few = units / (units - 1) if units > 1 else np.inf
        return cls(few * float(moved @ moved), overlap, units, (1 - overlap) * each_alone)


def training_interval(measure: Measure, scores: np.ndarray, of: TrainingRows, level: float) -> Estimate:
    """The mean of the scores, with the interval that holds the expected score of a training set of this size.

    The variance of the mean has two parts: that over rows, V = Σ (mean influence of a row)², and that of models which
    differ by more than their rows explain. Of the second, the variance e that splits have in excess of what rows cause
    is seen; as a term of second order it correlates by the squared overlap r² between splits, and J of them have
    e (1/J + r² (1 − 1/J)) / (1 − r²). Degrees of freedom are Satterthwaite's. Measures between two bounds get Wilson's
    interval at the number of rows with which a share would vary as much.
    """
    known = scores[~np.isnan(scores)]
    splits, value = len(known), float(known.mean()) if len(known) else np.nan
    if splits < 2 or of.units < 2:
        return Estimate(value, -np.inf, np.inf, level, METHOD, splits)
    r2 = of.overlap**2
    excess = max(float(known.var(ddof=1)) - of.apart, 0.0) if r2 < 1 else 0.0
    between = excess * (1 / splits + r2 * (1 - 1 / splits)) / (1 - r2) if excess else 0.0
    variance = of.variance + between
    df = variance**2 / (of.variance**2 / (of.units - 1) + between**2 / (splits - 1)) if variance > 0 else None
    low, high = float(measure.low), float(measure.high)
    if np.isfinite([low, high]).all():
        p, width = (value - low) / (high - low), high - low
        rows = p * (1 - p) * width**2 / variance if variance > 0 and 0 < p < 1 else of.units
        bottom, top = (low + width * float(end) for end in wilson(p, rows, level, df))
        return Estimate(value, bottom, top, level, METHOD, splits)
    half = quantile(level, df) * float(np.sqrt(variance))
    return Estimate(value, max(value - half, low), min(value + half, high), level, METHOD, splits)
