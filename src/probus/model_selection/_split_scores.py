"""Scores of one model on its training rows, or on its test rows, over all splits, and linear combinations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.metrics import Estimate, Measure
from probus.metrics.curves import quantile
from probus.model_selection._resample_result import Resampled
from probus.model_selection._score_variance import score_variance
from probus.model_selection._split_intervals import OF_ROWS, corrected_interval
from probus.model_selection._training_intervals import TrainingScores

_ROUNDING = 1e-12
# of the variance of models, in a gap: at most, chosen on the populations of curve_bands.py that are not fresh; and for
# each unit of u/r², chosen on those of paired_gaps.py that are named so
_OWN, _UNSTABLE = 0.5, 1.5


@dataclass(frozen=True, eq=False)
class SplitScores:
    """A score over all splits, and what moves it.

    each : float64[S], the score of each split; NaN where it is undefined.
    value : the score over all splits: that of the means over splits for functions of means, such as RMSE.
    moves : float64[U], by how much each row of the task, or group of rows, moves the value; None where that is not
        known, as for functions of users. models : the variance of the value beyond that of rows.
    unstable : u/r², with u the share of the squared error that predictions have by their training rows, and r the mean
        share of rows that two training sets have in common; infinite for classes, whose stratified folds make training
        and test rows more alike than those of the next sample.
    """

    each: np.ndarray
    value: float
    moves: np.ndarray | None = None
    models: float = 0.0
    unstable: float = 0.0

    @classmethod
    def without_rows(cls, scores: np.ndarray) -> SplitScores:
        """From the scores of splits alone."""
        return cls(scores, float(np.nanmean(scores)) if not np.isnan(scores).all() else np.nan)

    @classmethod
    def of_test_rows(cls, result: Resampled, measure: Measure) -> SplitScores:
        """Of a model that was resampled."""
        tested, scores = result.tested(measure), result.scores(measure)
        if tested is None or tested.n_units < 2:
            return cls.without_rows(scores)
        names = np.arange(len(result.task)) if result.task.groups is None else np.unique(result.task.groups)
        moves = np.zeros(len(names))
        moves[np.searchsorted(names, tested.names)] = tested.by_unit / tested.n_units
        beyond = score_variance(tested).total - few(tested.n_units) * float(moves @ moves)
        numbers = not result.task.classes and tested.overlap > 0
        unstable = (tested.unstable or 0.0) / tested.overlap**2 if numbers else np.inf
        mean = float(np.nanmean(scores))
        same = abs(tested.value - mean) <= _ROUNDING * abs(mean)  # so that equal scores are exactly equal
        return cls(scores, mean if same else tested.value, moves, max(beyond, 0.0), unstable)

    @classmethod
    def of_training_rows(cls, scores: np.ndarray, rows: TrainingScores | None) -> SplitScores:
        """Of models on their own training rows."""
        if rows is None or rows.units < 2:
            return cls.without_rows(scores)
        return cls(scores, rows.value, rows.moves, rows.between(scores))


def few(units: int) -> float:
    """What a sum of squares of so many units is multiplied by, for a variance without bias."""
    return units / (units - 1)


def combined(
    terms: Sequence[tuple[float, SplitScores]],
    test_to_train: float,
    *,
    level: float = 0.95,
    value: float | None = None,
    same_models: bool = False,
) -> Estimate:
    """Σ a · score with its interval, from the scores' sums over rows; ``value`` in its place where it is linearised.

    Where the terms are scores of the ``same_models``, on training and on test rows, what varies with the models is
    common to both in part, and almost all of it for a stable model: the sum over pairs of rows by which fitting lowers
    the training loss is also what moves the cross-validated loss, up to terms of higher order, if training sets share
    most of their rows. Where the moves of a term are not known, the interval is that of the corrected resampled t-test
    over splits.
    """
    value = sum(a * term.value for a, term in terms) if value is None else value
    moves = [a * term.moves for a, term in terms if term.moves is not None]
    if len(moves) < len(terms):
        each = np.sum([a * term.each for a, term in terms], axis=0)
        found = corrected_interval(each, test_to_train, level=level)
        off = value - found.value
        return Estimate(value, found.low + off, found.high + off, level, found.method, found.n)
    total = np.sum(moves, axis=0)
    units = int(np.count_nonzero(np.any(moves, axis=0)))
    own = min(_OWN, _UNSTABLE * max(term.unstable for _, term in terms)) if same_models else 1.0
    variance = own * sum(a**2 * term.models for a, term in terms)
    if units > 1:
        variance += few(units) * float(total @ total)
    half = quantile(level, max(units - 1, 1)) * float(np.sqrt(variance))
    return Estimate(value, value - half, value + half, level, OF_ROWS, units)
