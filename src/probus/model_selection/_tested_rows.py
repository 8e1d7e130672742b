"""What each test row of each split adds to a score: the basis of its interval and of paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from probus.metrics import Measure, Outcome
from probus.metrics.bootstrap import Draws, cell_slopes, gradient, influence, value_of
from probus.metrics.resample_forms import ConfusionCells, Ranks, Sums, Whole
from probus.model_selection._joined_outcomes import joined
from probus.model_selection._splits import Splits

_MANY_CLASSES = 10  # beyond, the frequency of each matters little, and there are many to shift
_TINY = 1e-12  # in place of a probability of 0
_ROUNDING = 1e-9
_UNSEEN = 0.01  # the same, where rows are counted
_STEPS, _STEEPEST = 25, 50.0  # of Newton's method, and the largest slope in units of the mean absolute score


@dataclass(frozen=True, eq=False)
class Halves:
    """The predictions of models of one half of the rows for the other half, several times."""

    splits: Splits
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, eq=False)
class TestedRows:
    """A score over splits, and how much each row that was tested moves it.

    value : the score.
    moves : float64[N], one for each row of each split, with mean 0; row i moves the score by moves[i] / N.
    as_tested : float64[N], the part of the moves that rows have by being tested, not by being trained on.
    unit : int64[N], the row, or the group of rows, that it belongs to, from 0 to U − 1; names : what these are.
    split : int64[N], where it was tested.
    folds : the number of consecutive splits in which no row is tested twice.
    unstable : from 0 to 1, the share of the squared error that predictions have by their training rows; None where it
        is not known, as for a difference.
    ranked : whether the score is made of ranks, whose moves by training rows are not known.
    unbounded : whether it is a loss of probabilities without bound, of which a few rows may have almost all.
    overlap : the mean share of rows that two training sets have in common.
    halves : the same of models of halves of the rows, tested on the other half; None where there are none.
    certain : whether the score is the same on any rows, as the area of a model that predicts alike for all of them.
    """

    __test__ = False  # the name is not an invitation to pytest

    value: float
    moves: np.ndarray
    as_tested: np.ndarray
    unit: np.ndarray
    names: np.ndarray
    split: np.ndarray
    folds: int
    unstable: float | None = None
    ranked: bool = False
    unbounded: bool = False
    overlap: float = 1.0
    halves: TestedRows | None = None
    certain: bool = False

    def minus(self, other: TestedRows) -> TestedRows:
        """The difference of two scores on the same splits.

        A model without halves is a stable one, whose score hardly varies with them. A difference from a model that does
        not vary with its training rows, such as a constant one, varies as the other score does: nothing cancels.
        """
        a, b = self.halves, other.halves
        alone = self if other.is_constant else other if self.is_constant else None
        return replace(
            self,
            value=self.value - other.value,
            moves=self.moves - other.moves,
            as_tested=self.as_tested - other.as_tested,
            unstable=None if alone is None else alone.unstable,
            certain=False,
            halves=a.minus(b) if a is not None and b is not None else a or b,
        )

    @property
    def n_units(self) -> int:
        """U, the number of units."""
        return int(self.unit.max()) + 1

    @property
    def is_constant(self) -> bool:
        """Whether no row moves the score otherwise in one split than in another; not known of rows tested once."""
        if len(self.moves) == self.n_units:
            return not self.moves.any()
        mean = np.bincount(self.unit, self.moves) / np.bincount(self.unit)
        apart = np.abs(self.moves - mean[self.unit]).max(initial=0.0)
        return bool(apart <= _ROUNDING * max(np.abs(self.moves).max(initial=0.0), 1.0))

    @property
    def by_unit(self) -> np.ndarray:
        """float64[U], the mean of the moves of each unit, where it counts as often as it was tested."""
        return np.bincount(self.unit, self.moves) * (self.n_units / len(self.moves))

    @property
    def variance_of_rows(self) -> float:
        """The variance of the score over test rows, if models did not vary."""
        return float(np.sum(self.by_unit**2)) / (self.n_units * (self.n_units - 1))


def tested_rows(
    measure: Measure,
    outcomes: Sequence[Outcome],
    splits: Splits,
    groups: np.ndarray | None,
    halves: Halves | None = None,  # noqa: PT028 (not a test)
    *,
    as_trained: bool = True,  # noqa: PT028
) -> TestedRows | None:
    """The test rows of all splits on which the measure is defined; None where there are none, or no derivatives.

    ``halves`` of an unstable model show what its rows do as training rows, but for the class frequencies, which
    stratified halves share. Without ``as_trained``, rows move the score by being tested only.
    """
    tests = [test for _, test in splits.pairs]
    found = scored_rows(measure, outcomes, tests, groups, splits.folds, strength=halves is None, as_trained=as_trained)
    if found is None:
        return None
    code = None if groups is None else np.unique(groups, return_inverse=True)[1]
    trained = [train if code is None else code[train] for train, _ in splits.pairs]
    of_halves = None if halves is None else tested_rows(measure, halves.outcomes, halves.splits, groups)
    return replace(found, folds=splits.folds, overlap=overlap_of(trained), halves=of_halves)


def scored_rows(
    measure: Measure,
    outcomes: Sequence[Outcome],
    rows: Sequence[np.ndarray],
    groups: np.ndarray | None,
    folds: int = 1,
    *,
    strength: bool = True,
    as_trained: bool = True,
) -> TestedRows | None:
    """Outcomes on those rows of a task, one for each split, of which so many form a repetition.

    ``strength`` is whether a row counts by its effect on how strong the signal is taken to be, ``as_trained`` whether
    it counts as a training row at all.

    A mean over rows, and an area under a ROC curve, is averaged over splits. What is a function of such means (RMSE,
    R², F1, κ) is that function of the means over all splits: the mean of roots is not the root of the mean. Average
    precision is averaged over repetitions: of a few positives it is higher than of many that are ranked as well.
    """
    kept = [s for s, outcome in enumerate(outcomes) if outcome.weights is None or outcome.weights.any()]
    together = joined([outcomes[s] for s in kept]) if kept else None
    form = measure.form_of(together) if together is not None else None
    if isinstance(form, Ranks):
        ranked = _ranked_together(kept, folds if measure.pooled else 1)
        areas = np.array([_area(measure, [outcomes[s] for s in each]) for each in ranked])
        ranked, areas = [each for each, area in zip(ranked, areas, strict=True) if area == area], areas[areas == areas]
        kept = [s for each in ranked for s in each]
    if together is None or form is None or isinstance(form, Whole) or not kept:
        return None
    parts, scored = [outcomes[s] for s in kept], np.concatenate([rows[s] for s in kept])
    if isinstance(form, Ranks):
        value, as_tested = _of_ranks(measure, [joined([outcomes[s] for s in each]) for each in ranked], areas)
        moves = as_tested
    else:
        n_rows = int(np.count_nonzero(np.bincount(scored)))
        value, as_tested, by_training = _of_sums(measure, together, parts, n_rows, strength if as_trained else None)
        moves = as_tested + by_training
    if np.isnan(value) or not np.isfinite(moves).all():
        return None
    names, unit = np.unique(scored if groups is None else groups[scored], return_inverse=True)
    split = np.repeat(kept, [len(outcomes[s]) for s in kept])
    found = TestedRows(
        value=value,
        moves=moves,
        as_tested=as_tested,
        unit=unit.astype(np.int64),
        names=names,
        split=split,
        folds=1,
        unstable=_unstable(joined(parts)) if as_trained else None,
        ranked=isinstance(form, Ranks),
        unbounded=isinstance(form, Sums) and together.probabilities is not None and not np.isfinite(measure.high),
    )
    return found if groups is None else grouped_rows(found)


def overlap_of(trained: Sequence[np.ndarray]) -> float:
    """The mean share of rows that two training sets have in common; 1 where there is one set.

    >>> overlap_of([np.array([0, 1]), np.array([1, 2])])
    0.5
    """
    n_splits = len(trained)
    if n_splits < 2:
        return 1.0
    times = np.zeros(1 + max(int(each.max()) for each in trained))
    for each in trained:
        times[np.unique(each)] += 1
    shared = float(times @ times) / float(times.sum())  # splits that a training row is in
    return (shared - 1) / (n_splits - 1)


def _unstable(outcome: Outcome) -> float:
    """The share of the squared error that is the variance of predictions over training sets, from one of each row.

    A prediction f + ε, with f the same for all training sets, and ε not related to the target of a row that the model
    was not trained on, has the mean of (f + ε)(f + ε − y) = Var ε if f has no bias. Labels count as certain
    probabilities.
    """
    if outcome.classes:
        truth = np.eye(len(outcome.classes))[outcome.actual]
        p = outcome.probabilities
        predicted = np.eye(len(outcome.classes))[outcome.need("predicted")] if p is None else p
    else:
        centre = np.average(outcome.actual, weights=outcome.weights)
        truth, predicted = (each[:, None] - centre for each in (outcome.actual, outcome.need("predicted")))
    error, weights = predicted - truth, np.ones(len(truth)) if outcome.weights is None else outcome.weights
    squares = float(weights @ np.sum(error**2, axis=1))
    share = float(weights @ np.sum(predicted * error, axis=1)) / squares if squares > 0 else 0.0
    return min(max(share, 0.0), 1.0)


def _of_sums(
    measure: Measure, together: Outcome, outcomes: Sequence[Outcome], n_rows: int, strength: bool | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """The value of the mean over splits of what is summed over rows, and its derivatives along each row."""
    share = np.concatenate([_shares(outcome) for outcome in outcomes]) / len(outcomes)
    size = float(np.mean([len(each) if each.weights is None else each.weights.sum() for each in outcomes]))
    form = measure.form_of(together)
    assert isinstance(form, Sums | ConfusionCells)
    sums, terms = _sums(form, share, size)
    if isinstance(form, ConfusionCells):
        effect = cell_slopes(form, sums)[form.codes]
    else:
        effect = gradient(form.value, sums, size * (np.abs(terms) @ share)) @ terms
    moves = len(share) * size * share * (effect - effect @ share)
    if strength is None:
        return _value(form, sums), moves, np.zeros(1)
    return _value(form, sums), moves, _as_trained(measure, together, share, size, n_rows, strength)


def _sums(form: Sums | ConfusionCells, share: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """The sums of a split of that size with the means of all, and what is summed."""
    if isinstance(form, ConfusionCells):
        return size * np.bincount(form.codes, share, minlength=form.k**2), np.empty(0)
    terms = np.array([*(np.where(share > 0, term, 0.0) for term in form.terms), np.ones(len(share))])
    return size * (terms @ share), terms


def _value(form: Sums | ConfusionCells, sums: np.ndarray) -> float:
    return float(form.value(sums.reshape(form.k, form.k) if isinstance(form, ConfusionCells) else sums))


def _shares(outcome: Outcome) -> np.ndarray:
    """The share of each row in a mean over its split."""
    if outcome.weights is None:
        return np.full(len(outcome), 1 / len(outcome))
    return np.asarray(outcome.weights / outcome.weights.sum(), dtype=np.float64)


def _as_trained(
    measure: Measure, together: Outcome, share: np.ndarray, size: float, n: int, strength: bool
) -> np.ndarray:
    """How rows move the score as training rows, by the probabilities that models learn from them.

    Two directions are known for any classifier: the frequency of each class and, for what is counted, how strong the
    signal is taken to be. A loss is near its minimum in the second direction, so that it hardly moves.
    """
    k, counted = len(together.classes), isinstance(measure.form_of(together), ConfusionCells)
    logs = _log_probabilities(together, _UNSEEN if counted else _TINY) if k <= _MANY_CLASSES else None
    if logs is None:
        return np.zeros(1)
    along = _Along(measure, together, _spread_ties(logs, together.actual) if counted else logs, share, size)
    moves = _of_frequencies(along, k, n)
    if counted and strength:
        moves = moves + _of_strength(along, logs, n)
    return moves * (len(share) * share)


def _log_probabilities(together: Outcome, of_nothing: float) -> np.ndarray | None:
    """float64[N, K] of the probabilities by which classes were predicted; None where these are not the likeliest ones.

    Scores of a model without probabilities are log odds, in units that a logistic regression on them finds.
    """
    p, predicted = together.probabilities, together.need("predicted")
    if p is not None:
        return _logarithms(p, of_nothing) if np.array_equal(p.argmax(axis=1), predicted) else None
    if together.scores is None or len(together.classes) != 2:
        return None
    positive = 1 if together.positive is None else together.positive
    if not np.array_equal(together.scores > 0, predicted == positive):
        return None
    odds = np.zeros((len(predicted), 2))
    odds[:, positive] = together.scores * _steepness(together.scores, together.actual == positive)
    return np.asarray(odds - np.logaddexp(odds[:, :1], odds[:, 1:]))


def _logarithms(p: np.ndarray, of_nothing: float) -> np.ndarray:
    """log p, with this for 0, or the smallest probability if that is less.

    Neighbours and forests that were not trained on a class give it 0, which is no more certain than the least they
    could give. As the logarithm of next to nothing it would hide how strong the signal of all other rows is.
    """
    seen = p[p > 0]
    least = max(min(of_nothing, float(seen.min())), _TINY) if len(seen) < p.size else _TINY
    return np.log(np.maximum(p, least))


def _steepness(scores: np.ndarray, positive: np.ndarray) -> float:
    """The log odds for each unit of the score: a logistic regression without intercept, since the class changes at 0.

    A prior of one row of either class at the mean absolute score keeps it finite where the classes are separated.
    """
    unit = float(np.mean(np.abs(scores)))
    if unit == 0:
        return 0.0
    x, slope = np.append(scores / unit, [1.0, 1.0]), 0.0
    y = np.append(positive, [True, False])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-slope * x))
        slope += float(x @ (y - p)) / float(p * (1 - p) @ x**2)
        slope = min(max(slope, 0.0), _STEEPEST)
    return slope / unit


def _spread_ties(logs: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """The same for two classes, with equal log odds spread evenly up to the middle between them and the next ones.

    Votes of a few neighbours have few values, of which none may be where the class changes; those of another sample
    lie around them.
    """
    if logs.shape[1] != 2:
        return logs
    values, place = np.unique(logs[:, 1] - logs[:, 0], return_inverse=True)
    if len(values) < 2 or 2 * len(values) > len(logs):
        return logs
    middle = (values[1:] + values[:-1]) / 2
    low, high = np.append(2 * values[0] - middle[0], middle), np.append(middle, 2 * values[-1] - middle[-1])
    key = place * 2 + actual
    order = np.argsort(key, kind="stable")
    count = np.bincount(key)
    rank = np.empty(len(key))
    rank[order] = np.arange(len(key)) - np.repeat(np.cumsum(count) - count, count)
    odds = low[place] + (high - low)[place] * (rank + 0.5) / count[key]
    return np.column_stack([-np.logaddexp(0.0, odds), -np.logaddexp(0.0, -odds)])


@dataclass(frozen=True, eq=False)
class _Along:
    """The score as a function of the logarithms of the probabilities, float64[N, K]."""

    measure: Measure
    together: Outcome
    logs: np.ndarray
    share: np.ndarray
    size: float

    def slope(self, direction: np.ndarray, step: float) -> float:
        """The derivative along a direction, over as far as the models vary in it from sample to sample."""
        up, down = self._sides(direction, step)
        return (up + down) / 2

    def steepest(self, direction: np.ndarray, step: float) -> float:
        """The steeper of the derivatives to either side: at its floor a score moves to one side only."""
        return max(self._sides(direction, step), key=abs)

    def _sides(self, direction: np.ndarray, step: float) -> tuple[float, float]:
        if step <= 0:
            return 0.0, 0.0
        here, up, down = (self._value(self.logs + sign * step * direction) for sign in (0.0, 1.0, -1.0))
        return (up - here) / step, (here - down) / step

    def _value(self, logs: np.ndarray) -> float:
        odds = np.exp(logs - logs.max(axis=1, keepdims=True))
        form = self.measure.form_of(self.together.with_probabilities(odds / odds.sum(axis=1, keepdims=True)))
        assert isinstance(form, Sums | ConfusionCells)
        return _value(form, _sums(form, self.share, self.size)[0])


def _of_frequencies(along: _Along, k: int, n: int) -> np.ndarray:
    """The effect of the frequency of a row's class.

    Stratified folds train on the same class frequencies as the sample has, and the next sample has others. Their effect
    on a model is that of other prior odds: log p of class c moves by the relative change of its frequency. So the score
    of predictions with shifted odds gives its derivative s_c, and a row of class c moves it by s_c/π_c − Σs.
    """
    actual = along.together.actual
    frequency = np.bincount(actual, along.share, minlength=k)
    slopes = np.zeros(k)
    for c in np.flatnonzero(frequency):
        step = float(np.sqrt(max(1 - frequency[c], 0.0) / (n * frequency[c])))
        slopes[c] = along.slope(np.eye(k)[c], step)
    of_class = slopes / np.where(frequency > 0, frequency, 1.0) - slopes.sum()
    return np.asarray(of_class[actual])


def _of_strength(along: _Along, logs: np.ndarray, n: int) -> np.ndarray:
    """The effect of a row on how strong the signal is taken to be, and so on how many rows are called positive.

    It is the factor β by which log p is spread around its means. A row moves the β that fits best, as in a
    logistic regression on log p, by its score g over the information. Where probabilities are too sure of
    themselves, the squares of g are larger than the information, and take its place.
    """
    p = np.exp(logs)
    p /= p.sum(axis=1, keepdims=True)
    share, hot = along.share, np.eye(p.shape[1])[along.together.actual]
    weight = share[:, None] * p * (1 - p)
    spread = logs - np.sum(weight * logs, axis=0) / np.maximum(weight.sum(axis=0), _TINY)
    g = np.sum((hot - p) * spread, axis=1)
    variance = np.sum(p * (spread - np.sum(p * spread, axis=1, keepdims=True)) ** 2, axis=1)
    information = max(float(share @ variance), float(share @ g**2))
    if information <= 0:
        return np.zeros(1)
    return along.steepest(spread, 1 / np.sqrt(n * information)) / information * (g - share @ g)


def _ranked_together(kept: Sequence[int], folds: int) -> list[list[int]]:
    """The splits whose rows are ranked together: consecutive ones of a repetition.

    >>> _ranked_together([0, 1, 3, 4, 5], 3)
    [[0, 1], [3, 4, 5]]
    """
    return [list(each) for _, each in groupby(kept, lambda s: s // folds)]


def _area(measure: Measure, outcomes: Sequence[Outcome]) -> float:
    together = joined(outcomes)
    return value_of(measure, measure.form_of(together), together)


def _of_ranks(measure: Measure, outcomes: Sequence[Outcome], areas: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean of the areas, and the derivative of each, around its distance to the mean."""
    value = float(areas.mean())
    own = [influence(measure.form_of(outcome), outcome, Draws.of(outcome, False, None)) for outcome in outcomes]
    shift = [np.full(len(each), (area - value) / len(each)) for each, area in zip(own, areas, strict=True)]
    moves = np.concatenate(own) + np.concatenate(shift)
    return value, moves * (len(moves) / len(outcomes))


def grouped_rows(rows: TestedRows) -> TestedRows:
    """One entry for each group and split, in place of those of its rows."""
    key = rows.split * rows.n_units + rows.unit
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    moves, as_tested = (np.bincount(place, each) * (len(first) / len(each)) for each in (rows.moves, rows.as_tested))
    return replace(rows, moves=moves, as_tested=as_tested, unit=rows.unit[first], split=rows.split[first])
