"""Rows in order of falling score: the counts that curves are made of, and the counts of resamples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._resampled_intervals import generator
from probus.metrics.curves._shares import effective_size

Statistic = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class RankedSide:
    """The rows of one side: the position of each among the distinct scores, highest first, and its weight."""

    place: np.ndarray
    weight: np.ndarray
    n_places: int

    def __len__(self) -> int:
        return len(self.place)

    @property
    def effective_size(self) -> float:
        """Rows of equal weight that know as much as these."""
        return float(effective_size(self.weight.sum(), np.square(self.weight).sum()))

    def at_or_above(self, rows: Any = slice(None), power: int = 1) -> np.ndarray:
        """The weight, to that power, of the rows at or above each distinct score."""
        weight = self.weight[rows] ** power
        return np.cumsum(np.bincount(self.place[rows], weight, minlength=self.n_places))


@dataclass(frozen=True, eq=False)
class ScoreRanking:
    """Positives and negatives by distinct score; rows of equal score share a place, so that ties are exact.

    thresholds : float64[m], the distinct scores, falling; a row is called positive at or above one.
    label : the positive class.
    """

    thresholds: np.ndarray
    positives: RankedSide
    negatives: RankedSide
    label: Level

    @classmethod
    def of(cls, side: OneVsRest) -> ScoreRanking:
        """Sort once."""
        falling, place = np.unique(-side.scores, return_inverse=True)
        positives, negatives = (
            RankedSide(place[rows], side.weights[rows], len(falling)) for rows in (side.positive, ~side.positive)
        )
        return cls(0.0 - falling, positives, negatives, side.label)

    def __len__(self) -> int:
        return len(self.positives) + len(self.negatives)

    @property
    def true_positives(self) -> np.ndarray:
        """Weight of the positives at or above each threshold."""
        return self.positives.at_or_above()

    @property
    def false_positives(self) -> np.ndarray:
        """Weight of the negatives at or above each threshold."""
        return self.negatives.at_or_above()

    def resampled(self, statistic: Statistic, n_resamples: int, random_state: Any, *, stratified: bool) -> np.ndarray:
        """``statistic(true_positives, false_positives)`` of rows drawn with replacement, one line per resample.

        ``stratified`` draws as many of each class as there are, for what is conditional on the class; otherwise the
        share of positives varies as it does between samples, and resamples without either class are drawn again.
        The time is that of a few passes over the rows per resample: about 0.4 ms for 10,000 rows.
        """
        rng = generator(random_state, n_resamples)
        n, n_positive = len(self), len(self.positives)
        drawn = np.full(n_resamples, n_positive)
        if not stratified:
            drawn = rng.binomial(n, n_positive / n, n_resamples)
            while (lost := (drawn == 0) | (drawn == n)).any():
                drawn[lost] = rng.binomial(n, n_positive / n, lost.sum())
        return np.array(
            [
                statistic(
                    self.positives.at_or_above(rng.integers(0, n_positive, k)),
                    self.negatives.at_or_above(rng.integers(0, n - n_positive, n - k)),
                )
                for k in drawn
            ]
        )
