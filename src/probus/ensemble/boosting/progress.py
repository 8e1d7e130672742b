"""What a fit tells of itself, round by round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from probus.ensemble.boosting.iterations import GrownTree, Rounds
from probus.ensemble.boosting.rows import Rows
from probus.ensemble.boosting.stopping import Slackening
from probus.ensemble.boosting.telling import Teller
from probus.ensemble.trees import Trees
from probus.ensemble.walk import sums_of
from probus.losses import LogLoss, Loss, SquaredError

__all__ = ["Monitor", "Progress", "Shown"]

Monitor = Callable[[int, Any, dict[str, Any]], Any]

_DOUBLED = (SquaredError, LogLoss)  # halved as losses, but told as squared error and deviance, as scikit-learn does


class Progress:
    """Mean losses after each round: of the rows it drew, of those it did not, and of those held back.

    train : of the rows that the trees of the round were grown on
    out_of_bag, improvement : of the others, and how much less than before the round that is
    validation : of the rows held back
    """

    def __init__(self, held: Rows | None, held_raw: np.ndarray | None, watch: Slackening | None, teller: Teller | None):
        self.train: list[float] = []
        self.out_of_bag: list[float] = []
        self.improvement: list[float] = []
        self.validation: list[float] = []
        self._held, self._held_raw, self._watch, self._teller = held, held_raw, watch, teller

    def begin(self, rounds: Rounds) -> None:
        """Before the first round."""
        if rounds.plan.subsample < 1.0:
            self._before = rounds.raw.copy()

    def after(self, rounds: Rounds, trees: list[GrownTree], made: Callable[[], Trees]) -> bool:
        """Note the losses after a round; whether to stop."""
        loss, y, weight, raw = rounds.loss, rounds.y, rounds.weight, rounds.raw
        drawn = trees[0].grown.rows
        if len(drawn) == len(y):
            self.train.append(_mean_loss(loss, y, raw, weight))
        else:
            inside = np.zeros(len(y), bool)
            inside[drawn] = True
            own, other = (None, None) if weight is None else (weight[inside], weight[~inside])
            self.train.append(_mean_loss(loss, y[inside], raw[inside], own))
            before = _mean_loss(loss, y[~inside], self._before[~inside], other)
            self.out_of_bag.append(_mean_loss(loss, y[~inside], raw[~inside], other))
            self.improvement.append(before - self.out_of_bag[-1])
            self._before = raw.copy()
        stop = self._held is not None and self._validate(loss, made())
        if self._teller is not None:
            self._teller.after(self.train, self.improvement)
        return stop

    def _validate(self, loss: Loss, trees: Trees) -> bool:
        held, raw = self._held, self._held_raw
        assert held is not None
        assert raw is not None
        assert self._watch is not None
        sums_of(trees, held.design.X, raw.shape[1], None, raw)
        self.validation.append(_mean_loss(loss, held.y, raw, held.weight))
        return self._watch.sees(-self.validation[-1])


def _mean_loss(loss: Loss, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> float:
    flat = raw[:, 0] if raw.shape[1] == 1 else raw
    mean = float(np.average(loss.value(y, flat), weights=weight))
    return 2.0 * mean if isinstance(loss, _DOUBLED) else mean


class Shown:
    """A witness that shows the model to the user's monitor after each round, as far as it has come."""

    def __init__(self, model: Any, progress: Progress, monitor: Monitor):
        self.model, self.progress, self.monitor = model, progress, monitor
        self._trees = [model.trees_] if hasattr(model, "trees_") else []

    def begin(self, rounds: Rounds) -> None:
        """Before the first round."""
        self.progress.begin(rounds)

    def after(self, rounds: Rounds, trees: list[GrownTree], made: Callable[[], Trees]) -> bool:
        """Note the losses after a round and show the model; whether to stop."""
        stop = self.progress.after(rounds, trees, made)
        self._trees.append(made())
        self.model._keep(Trees.joined(self._trees), self.progress)
        there = {"y": rounds.y, "sample_weight": rounds.weight, "raw_predictions": rounds.raw}
        return bool(self.monitor(self.model.n_iter_ - 1, self.model, there)) or stop
