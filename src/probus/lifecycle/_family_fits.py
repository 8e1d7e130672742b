"""One configuration of a family on the rows of one fit: fitted, predicted and scored, its errors caught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.calibration import cheapest, cost_matrix
from probus.data import Task
from probus.data.findings import Copies
from probus.data.row_selection import drawn_rows
from probus.errors import DataError
from probus.lifecycle._families import BASELINE
from probus.metrics import Measure, Outcome
from probus.model_selection import Splits, repeated_folds, seeds, splits_of
from probus.model_selection.engine import unwarned
from probus.model_selection.one_split import Labelled, attempt, constant_outcome, error_line
from probus.model_selection.splitters import Pair

OUTER = -1  # in place of the number of an inner split: the outer split itself
SAMPLE = -3  # the same: the outer split with some of its training rows, for an early result on a large table
FEW = -4  # the same with very few of them, for a first result
_SAMPLED_ROWS = {FEW: 1_000, SAMPLE: 10_000}
_WORTHWHILE = {FEW: 1.5, SAMPLE: 4.0}  # times as many training rows, from which on a stage with fewer saves time
_INNER_FOLDS = 3
_HOLD_OUT_ROWS = 4_000  # training rows from which one inner hold-out, a quarter of them, is enough to choose by
_MOST_ROWS = 20_000  # training rows of an inner fit

Job = tuple[str, Mapping[str, Any], int, int]  # family, configuration, run, inner split or one of the numbers above


@dataclass(frozen=True, eq=False)
class Fitted:
    """The predictions of a fit for its test rows, its score (more is better, NaN without one), seconds and error."""

    outcome: Outcome
    score: float
    seconds: float
    error: str | None = None


@dataclass(frozen=True, eq=False)
class FamilyFits:
    """Fits configurations of families on the rows of a run; it can be sent to other processes.

    A run is the tuning of a family on some rows. There is one for each outer split, on its training rows, and a last
    one, on all rows, for the final model. Inner splits divide the rows of a run. Every family and configuration has the
    same splits and the same seeds. ``start`` has configurations that families try first. Measures of predicted classes
    score the decisions that ``cost`` makes best.
    """

    models: Mapping[str, Any]
    task: Task
    outer: Splits
    measure: Measure
    random_state: int
    cost: Any = None
    start: Mapping[str, Any] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """The run on all rows."""
        return len(self.outer)

    @property
    def stages(self) -> tuple[int, ...]:
        """The rows that families are trained on, one after the other: on a large table a FEW, a SAMPLE, then all."""
        n = len(self.outer.pairs[0][0])
        return (*(each for each, rows in _SAMPLED_ROWS.items() if n >= _WORTHWHILE[each] * rows), OUTER)

    def stage_rows(self, stage: int) -> int:
        """The number of training rows of a stage."""
        return len(self.pair(0, stage)[0])

    def sample(self, run: int, how: int) -> np.ndarray:
        """Some of the rows of a run, a SAMPLE or a FEW of them."""
        rows = np.arange(len(self.task)) if run == self.last else self.outer.pairs[run][0]
        return _some(self.task, np.asarray(rows), np.random.default_rng(self.seeds[run]), _SAMPLED_ROWS[how])

    @cached_property
    def cannot_tune(self) -> str:
        """Why the rows of some run cannot be split again; empty where all can."""
        try:
            for run in range(self.last + 1):
                self._inner(run)
        except DataError as error:
            return str(error).partition("\n")[0].rstrip(".")
        return ""

    def n_inner(self, run: int) -> int:
        """The number of inner splits of a run."""
        return len(self._inner(run))

    def split(self, family: str, config: Mapping[str, Any], run: int, inner: int) -> Fitted:
        """Fit a family with a configuration on the training rows of a split, and score it on the test rows."""
        pair = self.pair(run, inner)
        try:
            with unwarned():  # a search tries strange configurations; their scores tell
                model = clone(self.models[family]).set_params(**config)
                return self._score(model, pair, self.seeds[run], decide=family != BASELINE)
        except Exception as reason:  # parameters that the model rejects
            return self.failed(pair, error_line(reason))

    def pair(self, run: int, inner: int) -> Pair:
        """The training and test rows of an inner split, or of the outer one."""
        if inner in _SAMPLED_ROWS:
            return self.sample(run, inner), self.outer.pairs[run][1]
        return self.outer.pairs[run] if inner == OUTER else self._inner(run)[inner]

    def truth(self, run: int, inner: int) -> Outcome:
        """The truth about the test rows of a split, without predictions yet."""
        return self._data.truth(self.pair(run, inner)[1])

    def failed(self, pair: Pair, error: str, seconds: float = 0.0) -> Fitted:
        """A fit that failed: the constant predictor predicts instead."""
        return Fitted(constant_outcome(self._data, *pair), np.nan, seconds, error)

    @property
    def by_cost(self) -> bool:
        """Whether the score depends on the cost by which classes are predicted."""
        return self.cost is not None and self.measure.needs in ("labels", "predictions")

    def score(self, outcome: Outcome, *, decide: bool = True) -> float:
        """The score of predictions, more is better; of a model that decides, for the classes of least expected cost."""
        if decide and self.by_cost and outcome.probabilities is not None:
            outcome = replace(outcome, predicted=cheapest(outcome.probabilities, self._costs))
        return self.measure.better(float(self.measure.compute(outcome)))

    @cached_property
    def _costs(self) -> np.ndarray:
        task = self.task
        positive = len(task.classes) - 1 if task.pos_label is None else task.classes.index(task.pos_label)
        actual = task.table[task.target].values
        return cost_matrix(self.cost, actual, task.sample_weight, np.array(task.classes), positive)

    def _score(self, model: Any, pair: Pair, seed: int, *, decide: bool) -> Fitted:
        done = attempt(model, self._data, pair, seed=seed)
        if done.error:
            return Fitted(done.outcome, np.nan, done.seconds, done.error)
        try:
            score = self.score(done.outcome, decide=decide)
        except DataError:  # undefined on these rows, or the model does not predict what it needs
            score = np.nan
        return Fitted(done.outcome, score, done.seconds)

    @cached_property
    def _data(self) -> Labelled:
        return Labelled.of(self.task, self.task.X)

    @cached_property
    def seeds(self) -> list[int]:
        """The seed of each run."""
        return seeds(self.random_state, len(self.outer) + 1)

    @cached_property
    def _pairs(self) -> dict[int, list[Pair]]:
        return {}

    def _inner(self, run: int) -> list[Pair]:
        if run not in self._pairs:
            rows = np.arange(len(self.task)) if run == self.last else self.outer.pairs[run][0]
            self._pairs[run] = _inner_splits(self.task, np.asarray(rows), self.seeds[run], self.outer.copies)
        return self._pairs[run]


def _inner_splits(task: Task, rows: np.ndarray, seed: int, copies: Copies | None = None) -> list[Pair]:
    """Splits of some rows: folds, or one hold-out where there are many; groups stay whole, later rows test earlier."""
    once, part = len(rows) > _HOLD_OUT_ROWS, task.take(rows)
    units = len(part) if part.groups is None else len(np.unique(part.groups))
    n_folds = min(_INNER_FOLDS + once, max(units, 2))
    among = None if copies is None else copies.take(rows)
    folds = repeated_folds(part, n_folds, 1, seed, among) if part.times is None else splits_of(n_folds, part)
    first = len(folds) - 1 if once and part.times is not None else 0  # of rows in order, the last are tested
    random = np.random.default_rng(seed)
    pairs = folds.pairs[first : first + 1 if once else None]
    return [(_some(task, rows[train], random, _MOST_ROWS), rows[test]) for train, test in pairs]


def _some(task: Task, rows: np.ndarray, random: np.random.Generator, most: int) -> np.ndarray:
    """Some of those rows of a task, among them two of each class."""
    return drawn_rows(rows, most, random, task.table[task.target].values[rows] if task.classes else None)
