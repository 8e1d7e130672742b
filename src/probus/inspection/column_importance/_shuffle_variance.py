"""By how much a score falls when columns are shuffled, with its variance over rows that are predicted and that donate.

With h(i, m) the change by row i with the value of row m, an importance is the mean of h over pairs of rows. Each row is
predicted R times and gives its value R times. With u_i the mean of h over the pairs in which row i is predicted, plus
that over the pairs in which it donates, the variance is (Var u − Var(h)/R)/n: two pairs vary together if they share a
row, and each pair was counted for two rows.

On splits, and out of bag, a row is predicted by models that other rows have trained, and trains those that predict
them. What two rows then have in common counts for both: without any effect of a column, the variance is up to twice
that. On splits, it is that of their losses, corrected for their overlap, if that is more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probus.metrics import Estimate, Measure, Outcome
from probus.metrics.curves import quantile
from probus.model_selection import (
    Splits,
    TestedRows,
    grouped_rows,
    scored_rows,
    tested_rows,
)

_ROUNDING = 1e-9  # of what rows move by
_LEAST = 0.2  # of the variance of u: what is left of it at least
# for rows that are also training rows of the models that predict others, chosen on the populations of
# research/noise_columns.py without a mark: times the variance out of bag and on splits, and times that between splits
_BAGGED, _TRAINED, _APART = 1.5, 1.3, 0.7
_BLOCKS = 30  # of rows left out in turn, for a measure without derivatives
_SMALLEST = 1e-300

OF_ROWS = "over rows, for this model"
OF_BAGS = "over rows, which are test rows of some trees and training rows of others"
OF_SPLITS = "variance of rows and of training sets"


@dataclass(frozen=True, eq=False)
class Loss:
    """An estimate of what is lost.

    moves : float64[U], by how much each unit moves it: their squares sum to its variance; None where it is not known.
    """

    estimate: Estimate
    moves: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of unshuffled rows, with which those of shuffled ones are compared.

    bases : the outcome of each part. rows : the rows of each, in the order of the outcomes. splits : of the task.
    """

    measure: Measure
    bases: Sequence[Outcome]
    rows: Sequence[np.ndarray]
    splits: Splits
    units: np.ndarray | None
    level: float
    out_of_bag: bool = False

    @property
    def tested(self) -> TestedRows | None:
        """What each row adds to the score; None where the measure has no derivatives, or is undefined."""
        return self._tested(self.bases)

    def _tested(self, outcomes: Sequence[Outcome]) -> TestedRows | None:
        if len(self.bases) == 1:
            return scored_rows(self.measure, outcomes, self.rows, None, as_trained=False)
        pairs = tuple((train, rows) for (train, _), rows in zip(self.splits.pairs, self.rows, strict=True))
        return tested_rows(self.measure, outcomes, replace(self.splits, pairs=pairs), None, as_trained=False)

    def loss(
        self, tested: TestedRows | None, shuffled: Sequence[Sequence[Outcome]], donors: Sequence[np.ndarray]
    ) -> Loss:
        """The mean loss over the repeats; ``shuffled`` has the repeats of each part, ``donors`` int64[R, n] of each."""
        sign = self.measure.better(1.0)
        each = [self._tested(outcomes) for outcomes in zip(*shuffled, strict=True)]
        if tested is None or any(one is None or len(one.moves) != len(tested.moves) for one in each):
            return self._by_blocks(shuffled, donors)
        repeats, place = len(each), _places(tested, self.rows)
        value = sign * float(np.mean([tested.value - one.value for one in each if one is not None]))
        change, moved, squares = np.zeros(len(tested.moves)), np.zeros(len(tested.moves)), 0.0
        for r, one in enumerate(each):
            assert one is not None
            h = sign * (tested.as_tested - one.as_tested)
            squares += float(h @ h) / repeats
            change += h / repeats
            for begin, which in place:
                moved[begin + donors[which][r]] += h[begin : begin + len(donors[which][r])] / repeats
        return self._estimate(replace(tested, value=value), change, change + moved, squares / repeats)

    def _estimate(self, tested: TestedRows, h: np.ndarray, u: np.ndarray, twice: float) -> Loss:
        """From what rows move by being predicted, and all they move; squares of pairs that this counts twice."""
        predicted, both = self._rows(tested, h), self._rows(tested, u)
        rows = max(both.variance_of_rows - twice / len(u) ** 2, _LEAST * both.variance_of_rows)
        n = both.n_units
        total, df, method = rows, max(n - 1.0, 1.0), OF_ROWS
        if self.out_of_bag:
            total, method = _BAGGED * rows, OF_BAGS
        elif len(self.bases) > 1:
            total, method = max(_TRAINED * rows, _APART * _between(predicted) * self._overlap), OF_SPLITS
        if np.abs(u).max() <= _ROUNDING * np.abs(tested.as_tested).max():  # no prediction depends on the column
            total = 0.0
        half = quantile(self.level, df) * float(np.sqrt(total))
        estimate = Estimate(tested.value, tested.value - half, tested.value + half, self.level, method, n)
        spread = float(np.sum(both.by_unit**2))
        return Loss(estimate, both.by_unit * np.sqrt(total / spread) if spread > _SMALLEST else np.zeros(n))

    @property
    def _overlap(self) -> float:
        """1/J + n_test/n_train, by which the variance between J splits counts (Nadeau and Bengio 2003)."""
        return 1 / len(self.bases) + self.splits.test_to_train

    def _rows(self, tested: TestedRows, moves: np.ndarray) -> TestedRows:
        """The same rows, or their groups, with these moves."""
        rows = replace(tested, moves=moves, as_tested=moves, ranked=False, unbounded=False, halves=None)
        if self.units is None:
            return rows
        kept = [self.rows[which] for which in np.unique(tested.split)]
        names, unit = np.unique(self.units[np.concatenate(kept)], return_inverse=True)
        return grouped_rows(replace(rows, unit=unit.astype(np.int64), names=names))

    def _by_blocks(self, shuffled: Sequence[Sequence[Outcome]], donors: Sequence[np.ndarray]) -> Loss:
        """For measures without derivatives: a jackknife over blocks of rows, with pairs in which one is left out."""
        sign, values, ends = self.measure.better(1.0), [], []
        for base, outcomes, rows, mine in zip(self.bases, shuffled, self.rows, donors, strict=True):
            whole = sign * np.mean([self.measure.compute(base) - self.measure.compute(one) for one in outcomes])
            values.append(whole)
            unit = rows if self.units is None else np.unique(self.units[rows], return_inverse=True)[1]
            block = np.random.default_rng(0).permutation(int(unit.max()) + 1)[unit] % min(_BLOCKS, int(unit.max()) + 1)
            left = []
            for b in np.unique(block):
                kept = [np.flatnonzero((block != b) & (block[to] != b)) for to in mine]
                own = np.flatnonzero(block != b)
                if len(own) and all(map(len, kept)):
                    score = self.measure.compute(base.take(own))
                    others = [self.measure.compute(one.take(k)) for one, k in zip(outcomes, kept, strict=True)]
                    left.append(sign * (score - np.mean(others)))
            ends.append(np.array(left)[np.isfinite(left)] if np.isfinite(whole) else np.empty(0))
        known = np.isfinite(values)
        if not known.any():
            return Loss(Estimate(np.nan, -np.inf, np.inf, self.level, "undefined on these rows", 0))
        value, parts = float(np.mean(np.array(values)[known])), int(known.sum())
        variance = sum((len(e) - 1) ** 2 / len(e) * np.var(e, ddof=1) for e in ends if len(e) > 1) / parts**2
        usable = any(len(e) > 1 for e in ends)
        half = quantile(self.level, _BLOCKS - 1) * float(np.sqrt(variance)) if usable else np.inf
        method = f"{OF_ROWS}, by blocks left out" if parts == 1 else "over rows, by blocks left out, for these models"
        if parts < len(values):
            method += f", undefined on {len(values) - parts} of {len(values)} splits, which are left out"
        estimate = Estimate(value, value - half, value + half, self.level, method, sum(map(len, self.rows)))
        return Loss(estimate)


def _between(predicted: TestedRows) -> float:
    """The variance of the losses of splits."""
    _, split = np.unique(predicted.split, return_inverse=True)
    means = np.bincount(split, predicted.moves) / np.bincount(split)
    return float(means.var(ddof=1)) if len(means) > 2 else 0.0


def _places(tested: TestedRows, rows: Sequence[np.ndarray]) -> list[tuple[int, int]]:
    """Where the rows of each part begin among the moves, and which part it is; parts may have been left out."""
    begins, begin = [], 0
    for which in np.unique(tested.split).tolist():
        begins.append((begin, which))
        begin += len(rows[which])
    return begins
