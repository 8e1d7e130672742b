"""What each test row of each split adds to a score: the basis of its interval and of paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probus.metrics import Measure, Outcome
from probus.metrics.bootstrap.draws import Draws
from probus.metrics.bootstrap.influence import cell_slopes, influence
from probus.metrics.bootstrap.resamples import value_of
from probus.metrics.bootstrap.sums import gradient
from probus.metrics.forms import Cells, Ranks, Sums, Whole
from probus.model_selection.joined_outcomes import joined
from probus.model_selection.splits import Splits

__all__ = ["TestedRows", "tested_rows"]

_MANY_CLASSES = 10  # beyond, the frequency of each matters little, and there are many to shift


@dataclass(frozen=True, eq=False)
class TestedRows:
    """A score over splits, and how much each row that was tested moves it.

    value : the score.
    moves : float64[N], one for each row of each split, with mean 0; row i moves the score by moves[i] / N.
    as_tested : float64[N], the part of the moves that rows have by being tested, not by being trained on.
    unit : int64[N], the row, or the group of rows, that it belongs to, from 0 to U − 1.
    split : int64[N], where it was tested.
    folds : the number of consecutive splits in which no row is tested twice.
    """

    __test__ = False  # the name is not an invitation to pytest

    value: float
    moves: np.ndarray
    as_tested: np.ndarray
    unit: np.ndarray
    split: np.ndarray
    folds: int

    def minus(self, other: TestedRows) -> TestedRows:
        """The difference of two scores on the same splits."""
        return replace(
            self,
            value=self.value - other.value,
            moves=self.moves - other.moves,
            as_tested=self.as_tested - other.as_tested,
        )

    @property
    def n_units(self) -> int:
        """U, the number of units."""
        return int(self.unit.max()) + 1

    @property
    def by_unit(self) -> np.ndarray:
        """float64[U], the mean of the moves of each unit, where it counts as often as it was tested."""
        return np.bincount(self.unit, self.moves) * (self.n_units / len(self.moves))


def tested_rows(
    measure: Measure, outcomes: Sequence[Outcome], splits: Splits, groups: np.ndarray | None
) -> TestedRows | None:
    """The rows of all splits on which the measure is defined; None where there are none, or no derivatives.

    A mean over rows, and an area under a curve, is averaged over splits. What is a function of such means (RMSE, R²,
    F1, κ) is that function of the means over all splits: the mean of roots is not the root of the mean.
    """
    kept = [s for s, outcome in enumerate(outcomes) if outcome.weights is None or outcome.weights.any()]
    together = joined([outcomes[s] for s in kept]) if kept else None
    form = measure.form_of(together) if together is not None else None
    if isinstance(form, Ranks):
        areas = np.array([value_of(measure, measure.form_of(outcomes[s]), outcomes[s]) for s in kept])
        kept, areas = [s for s, area in zip(kept, areas, strict=True) if area == area], areas[~np.isnan(areas)]
    if together is None or form is None or isinstance(form, Whole) or not kept:
        return None
    parts, rows = [outcomes[s] for s in kept], np.concatenate([splits.pairs[s][1] for s in kept])
    if isinstance(form, Ranks):
        value, as_tested = _of_ranks(measure, parts, areas)
        moves = as_tested
    else:
        value, as_tested, as_trained = _of_sums(measure, together, parts, int(np.count_nonzero(np.bincount(rows))))
        moves = as_tested + as_trained
    if np.isnan(value) or not np.isfinite(moves).all():
        return None
    _, unit = np.unique(rows if groups is None else groups[rows], return_inverse=True)
    split = np.repeat(kept, [len(outcomes[s]) for s in kept])
    found = TestedRows(value, moves, as_tested, unit.astype(np.int64), split, splits.folds)
    return found if groups is None else _grouped(found)


def _of_sums(
    measure: Measure, together: Outcome, outcomes: Sequence[Outcome], n_rows: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """The value of the mean over splits of what is summed over rows, and its derivatives along each row."""
    share = np.concatenate([_shares(outcome) for outcome in outcomes]) / len(outcomes)
    size = float(np.mean([len(each) if each.weights is None else each.weights.sum() for each in outcomes]))
    form = measure.form_of(together)
    assert isinstance(form, Sums | Cells)
    sums, terms = _sums(form, share, size)
    if isinstance(form, Cells):
        effect = cell_slopes(form, sums)[form.codes]
    else:
        effect = gradient(form.value, sums, size * (np.abs(terms) @ share)) @ terms
    moves = len(share) * size * share * (effect - effect @ share)
    return _value(form, sums), moves, _of_frequencies(measure, together, share, size, n_rows)


def _sums(form: Sums | Cells, share: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """The sums of a split of that size with the means of all, and what is summed."""
    if isinstance(form, Cells):
        return size * np.bincount(form.codes, share, minlength=form.k**2), np.empty(0)
    terms = np.array([*(np.where(share > 0, term, 0.0) for term in form.terms), np.ones(len(share))])
    return size * (terms @ share), terms


def _value(form: Sums | Cells, sums: np.ndarray) -> float:
    return float(form.value(sums.reshape(form.k, form.k) if isinstance(form, Cells) else sums))


def _shares(outcome: Outcome) -> np.ndarray:
    """The share of each row in a mean over its split."""
    if outcome.weights is None:
        return np.full(len(outcome), 1 / len(outcome))
    return np.asarray(outcome.weights / outcome.weights.sum(), dtype=np.float64)


def _of_frequencies(measure: Measure, together: Outcome, share: np.ndarray, size: float, n: int) -> np.ndarray:
    """How rows move the score as training rows, by the frequency of their class.

    Stratified folds train on the same class frequencies as the sample has, and the next sample has others. Their effect
    on a model is that of other prior odds: log p of class c moves by the relative change of its frequency. So the score
    of predictions with shifted odds gives its derivative s_c, and a row of class c moves it by s_c/π_c − Σs.
    """
    p, actual = together.probabilities, together.actual
    k = len(together.classes)
    if p is None or k > _MANY_CLASSES or not np.array_equal(p.argmax(axis=1), together.need("predicted")):
        return np.zeros(1)
    frequency = np.bincount(actual, share, minlength=k)
    slopes = np.zeros(k)
    for c in np.flatnonzero(frequency):
        step = np.sqrt((1 - frequency[c]) / (n * frequency[c]))  # as far as the frequency varies from sample to sample
        ends = []
        for sign in (1.0, -1.0):
            odds = p.copy()
            odds[:, c] *= np.exp(sign * step)
            shifted = together.with_probabilities(odds / odds.sum(axis=1, keepdims=True))
            form = measure.form_of(shifted)
            assert isinstance(form, Sums | Cells)
            ends.append(_value(form, _sums(form, share, size)[0]))
        slopes[c] = (ends[0] - ends[1]) / (2 * step) if step > 0 else 0.0
    of_class = slopes / np.where(frequency > 0, frequency, 1.0) - slopes.sum()
    return of_class[actual] * (len(share) * share)


def _of_ranks(measure: Measure, outcomes: Sequence[Outcome], areas: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean of areas over splits, and the derivative of each split's own area, around its distance to the mean."""
    value = float(areas.mean())
    own = [influence(measure.form_of(outcome), outcome, Draws.of(outcome, False, None)) for outcome in outcomes]
    shift = [np.full(len(each), (area - value) / len(each)) for each, area in zip(own, areas, strict=True)]
    moves = np.concatenate(own) + np.concatenate(shift)
    return value, moves * (len(moves) / len(outcomes))


def _grouped(rows: TestedRows) -> TestedRows:
    """One entry for each group and split, in place of those of its rows."""
    key = rows.split * rows.n_units + rows.unit
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    moves, as_tested = (np.bincount(place, each) * (len(first) / len(each)) for each in (rows.moves, rows.as_tested))
    return replace(rows, moves=moves, as_tested=as_tested, unit=rows.unit[first], split=rows.split[first])
