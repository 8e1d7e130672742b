"""Callbacks of boosting that record scores and losses after each round, and the user's monitor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from probus.ensemble.boosting._binning import Bins
from probus.ensemble.boosting._iterations import GrownTree, Rounds
from probus.ensemble.boosting._leaf_values import add_leaf_values
from probus.ensemble.boosting._rows import DesignRows
from probus.ensemble.boosting._scoring import Score, mean_loss
from probus.ensemble.boosting._tree_assembly import trees_of
from probus.tree import Trees
from probus.tree.prediction import sums_of


class Round:
    """A finished round: the state of boosting, and the trees that the round added."""

    def __init__(self, rounds: Rounds, grown: list[GrownTree], bins: Bins, n_levels: np.ndarray):
        self.rounds, self.grown, self._bins, self._n_levels = rounds, grown, bins, n_levels

    @cached_property
    def trees(self) -> Trees:
        """The trees, assembled for prediction only if a callback needs them."""
        return trees_of(self.grown, self._bins, self._n_levels)

    @property
    def n_leaves(self) -> int:
        """The leaves of all trees of the round."""
        return sum(len(tree.grown.links) // 2 + 1 for tree in self.grown)


# -- recording -----------------------------------------------------------------------------------------


class HeldOut:
    """Rows held out of training, and their raw predictions so far.

    Rows of the training data are coded, which needs an eighth of the memory of their values. Those of another table may
    have missing values that training data has not, for which there are no codes.
    """

    def __init__(self, rows: DesignRows, start: np.ndarray, before: Trees | None):
        self.rows, self.raw = rows, rows.raw_predictions(start, before)
        self._codes: np.ndarray | None = None

    def begin(self, rounds: Rounds) -> None:
        """Code the rows."""
        if self.rows.at is not None:
            self._codes = rounds.bins.codes(self.rows.design.X, at=self.rows.at).by_row

    def add(self, finished: Round) -> None:
        """Add what the trees of the round predict."""
        if self._codes is None:
            sums_of(finished.trees, self.rows.design.X, self.raw.shape[1], None, self.raw)
            return
        rows, rounds = np.arange(len(self.raw), dtype=np.int32), finished.rounds
        for k, tree in enumerate(finished.grown):
            values = tree.leaves.value[:, None]
            add_leaf_values(self._codes, rounds.bins, tree.grown, values, rows, self.raw, k, rounds.pool)


class ScoreHistory:
    """Scores of the training rows, or of a sample of them, and of held-out rows; the first is that of the constant."""

    def __init__(self, score: Score, rows: DesignRows, sample: np.ndarray, held: HeldOut | None):
        self.train: list[float] = []
        self.validation: list[float] = []
        self._score, self._sample, self._held = score, sample, held
        self._X, self._y = rows.values_of(sample), rows.y[sample]
        self._weight = None if rows.weight is None else rows.weight[sample]
        self._held_X = held.rows.X if held is not None and score.uses_values else None

    @property
    def monitored(self) -> list[float]:
        """The scores that decide when to stop."""
        return self.train if self._held is None else self.validation

    def begin(self, rounds: Rounds) -> None:
        """Score the constant, unless a fit is continued."""
        if self._held is not None:
            self._held.begin(rounds)
        if not self.train and not self.validation:
            self._record(rounds)

    def after(self, finished: Round) -> bool:
        """Record the scores; never stops."""
        if self._held is not None:
            self._held.add(finished)
        self._record(finished.rounds)
        return False

    def _record(self, rounds: Rounds) -> None:
        self.train.append(self._score(self._X, self._y, self._weight, rounds.raw[self._sample]))
        if self._held is not None:
            rows = self._held.rows
            self.validation.append(self._score(self._held_X, rows.y, rows.weight, self._held.raw))


class LossHistory:
    """Mean losses after each round: of the rows it drew, of those it did not, and of held-out rows.

    train : of the rows that the trees of the round were grown on
    out_of_bag, improvement : of the others, and how much less than before the round that is
    validation : of held-out rows
    """

    def __init__(self, held: HeldOut | None):
        self.train: list[float] = []
        self.out_of_bag: list[float] = []
        self.improvement: list[float] = []
        self.validation: list[float] = []
        self._held = held

    def begin(self, rounds: Rounds) -> None:
        """Keep the raw predictions if they are needed after the first round."""
        if self._held is not None:
            self._held.begin(rounds)
        if rounds.plan.subsample < 1.0:
            self._before = rounds.raw.copy()

    def after(self, finished: Round) -> bool:
        """Record the losses; never stops."""
        rounds, drawn = finished.rounds, finished.grown[0].grown.rows
        loss, y, weight, raw = rounds.loss, rounds.y, rounds.weight, rounds.raw
        if len(drawn) == len(y):
            self.train.append(mean_loss(loss, y, raw, weight))
        else:
            inside = np.zeros(len(y), bool)
            inside[drawn] = True
            own, other = (None, None) if weight is None else (weight[inside], weight[~inside])
            self.train.append(mean_loss(loss, y[inside], raw[inside], own))
            before = mean_loss(loss, y[~inside], self._before[~inside], other)
            self.out_of_bag.append(mean_loss(loss, y[~inside], raw[~inside], other))
            self.improvement.append(before - self.out_of_bag[-1])
            self._before = raw.copy()
        if self._held is not None:
            self._held.add(finished)
            held = self._held.rows
            self.validation.append(mean_loss(loss, held.y, self._held.raw, held.weight))
        return False


# -- calling the user ----------------------------------------------------------------------------------

Monitor = Callable[[int, Any, dict[str, Any]], Any]


class MonitorCallback:
    """Calls the user's monitor after each round, with the model fitted so far; stops if it returns true."""

    def __init__(self, model: Any, monitor: Monitor, keep: Callable[[Trees], None]):
        self._model, self._monitor, self._keep = model, monitor, keep
        self._trees = [model.trees_] if hasattr(model, "trees_") else []

    def begin(self, rounds: Rounds) -> None:
        """Nothing to prepare."""

    def after(self, finished: Round) -> bool:
        """Whether the monitor stops the fit."""
        self._trees.append(finished.trees)
        self._keep(Trees.joined(self._trees))
        rounds = finished.rounds
        state = {"y": rounds.y, "sample_weight": rounds.weight, "raw_predictions": rounds.raw}
        return bool(self._monitor(self._model.n_iter_ - 1, self._model, state))
