"""Intervals of scores on training rows, whose sets overlap from split to split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.data import Task
from probus.metrics import Estimate, Measure, Outcome
from probus.metrics.curves import quantile, wilson
from probus.model_selection._tested_rows import overlap_of, scored_rows

METHOD = "over training sets: rows, and models of overlapping sets"


@dataclass(frozen=True, eq=False)
class TrainingScores:
    """Estimates of training scores from the training rows of all splits.

    value : the score over all splits. moves : float64[U], by how much each row of the task, or group of rows, moves it.
    units : how many of them are in training sets. overlap : the mean share of rows that two training sets have in
        common. apart : the variance between the scores of splits that rows alone would cause.
    """

    value: float
    moves: np.ndarray
    units: int
    overlap: float
    apart: float

    @classmethod
    def of(
        cls, measure: Measure, outcomes: Sequence[Outcome], rows: Sequence[np.ndarray], task: Task
    ) -> TrainingScores | None:
        """From outcomes on training rows of a task; None for a measure without derivatives."""
        groups = task.groups
        scored = scored_rows(measure, outcomes, rows, groups)
        if scored is None:
            return None
        names = np.arange(len(task)) if groups is None else np.unique(groups)
        place = np.searchsorted(names, scored.names)[scored.unit]
        each, n_splits = scored.moves / len(scored.moves), len(rows)
        alone = 0.0
        for split in range(n_splits):
            inside = scored.split == split
            own = n_splits * (each[inside] - each[inside].mean())
            alone += float(np.sum(np.bincount(place[inside], own) ** 2)) / n_splits
        overlap = overlap_of(rows if groups is None else [np.searchsorted(names, groups[each]) for each in rows])
        moves = np.bincount(place, each, minlength=len(names))
        return cls(scored.value, moves, scored.n_units, overlap, (1 - overlap) * alone)

    @property
    def variance(self) -> float:
        """Of the value over other rows, given the models."""
        return self.units / (self.units - 1) * float(self.moves @ self.moves) if self.units > 1 else np.inf

    def between(self, scores: np.ndarray) -> float:
        """The variance of the value by models which differ by more than their rows explain.

        The variance e is seen that splits have in excess of what rows cause. As a term of second order it correlates by
        the squared overlap r² between splits, and J of them have e (1/J + r² (1 − 1/J)) / (1 − r²).
        """
        known = scores[~np.isnan(scores)]
        splits, r2 = len(known), self.overlap**2
        if splits < 2 or r2 >= 1:
            return 0.0
        excess = max(float(known.var(ddof=1)) - self.apart, 0.0)
        return excess * (1 / splits + r2 * (1 - 1 / splits)) / (1 - r2)


def training_interval(measure: Measure, scores: np.ndarray, of: TrainingScores, level: float) -> Estimate:
    """The score on training rows, with the interval that holds the expected score of a training set of this size.

    Its variance has two parts: that over rows, and that of models which differ by more than their rows explain.
    Degrees of freedom are Satterthwaite's. Measures between two bounds get Wilson's interval at the number of rows with
    which a share would vary as much.
    """
    splits, value = int(np.count_nonzero(~np.isnan(scores))), of.value
    if splits < 2 or of.units < 2:
        return Estimate(value, -np.inf, np.inf, level, METHOD, splits)
    between = of.between(scores)
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
