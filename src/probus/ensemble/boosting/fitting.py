"""A fit: from a design and a target to trees, with an eye on rows held back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from probus.ensemble.boosting.binning import bins_of
from probus.ensemble.boosting.iterations import GrownTree, Rounds
from probus.ensemble.boosting.plan import Plan
from probus.ensemble.boosting.rows import Rows
from probus.ensemble.boosting.stopping import Score, Watch
from probus.ensemble.boosting.threads import Crew
from probus.ensemble.boosting.tree_assembly import trees_of
from probus.ensemble.trees import Trees
from probus.ensemble.walk import sums_of
from probus.parallel import thread_count

__all__ = ["Eye", "Fit", "Witness", "boosted"]


@dataclass(frozen=True, eq=False)
class Eye:
    """What is watched: the rows held back (None: the training rows themselves), the score, and when to stop."""

    rows: Rows | None
    score: Score
    watch: Watch
    train_watch: Watch
    train_sample: np.ndarray  # of the training rows, those that are scored


class Witness(Protocol):
    """Whoever looks on as rounds go by."""

    def begin(self, rounds: Rounds) -> None:
        """Before the first."""

    def after(self, rounds: Rounds, trees: list[GrownTree], made: Callable[[], Trees]) -> bool:
        """After each, with its trees, which are made fit to predict if asked for; whether to stop."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit found; scores begin with that of the constant."""

    trees: Trees
    n_rounds: int
    train_scores: np.ndarray
    validation_scores: np.ndarray


def boosted(
    plan: Plan, rows: Rows, start: np.ndarray, n_rounds: int, *, max_bins: int, n_jobs: int | None,
    eye: Eye | None = None, witness: Witness | None = None, before: Trees | None = None, verbose: bool = False,
) -> Fit:  # fmt: skip
    """Boost for so many rounds, or until eye or witness say stop; ``before`` are trees to go on from."""
    design, k = rows.design, len(start)
    n, d = len(rows), design.X.shape[1]
    bins = bins_of(design, max_bins, n_jobs, at=rows.at)
    codes = bins.codes(design.X, n_jobs, rows.at)
    raw = np.tile(start, (n, 1)) if rows.offset is None else start + rows.offset
    done = 0
    if before is not None:
        sums_of(before, rows.X, k, n_jobs, raw)
        done = len(before) // k
    grown: list[GrownTree] = []
    with Crew(thread_count(n_jobs, 20.0 * d * k * (n + 8_000))) as crew:  # 31 histograms are like 8,000 rows
        rounds = Rounds(plan, bins, codes, rows.y, rows.weight, raw, crew)
        look = _Look(eye, rows, raw, start, before)
        if witness is not None:
            witness.begin(rounds)
        for trees in rounds.trees(n_rounds, first=done):
            grown += trees
            if verbose:
                print(f"round {done + len(grown) // k}: {len(trees[0].grown.links) // 2 + 1} leaves", flush=True)
            made = partial(trees_of, trees, bins, design.n_levels)
            if eye is not None and look.after(made):
                break
            if witness is not None and witness.after(rounds, trees, made):
                break
    found = [] if not grown else [trees_of(grown, bins, design.n_levels)]
    together = Trees.joined([*([] if before is None else [before]), *found])
    return Fit(together, len(together) // k, *look.scores)


class _Look:
    """The scores of a fit under way."""

    def __init__(self, eye: Eye | None, rows: Rows, raw: np.ndarray, start: np.ndarray, before: Trees | None):
        self.eye, self.rows, self.raw = eye, rows, raw
        if eye is None:
            return
        if eye.rows is not None:
            self.held = np.tile(start, (len(eye.rows), 1))
            if before is not None:
                sums_of(before, eye.rows.design.X, len(start), None, self.held)
        if not eye.watch.scores and not eye.train_watch.scores:
            self._score()

    def after(self, trees: Any) -> bool:
        """Look after a round, whose trees are made only if they are needed; whether to stop."""
        assert self.eye is not None
        if self.eye.rows is not None:
            sums_of(trees(), self.eye.rows.design.X, self.held.shape[1], None, self.held)
        return self._score()

    def _score(self) -> bool:
        eye, some = self.eye, self.eye.train_sample if self.eye is not None else slice(0)
        assert eye is not None
        weight = None if self.rows.weight is None else self.rows.weight[some]
        stop = eye.train_watch.sees(eye.score(self.rows.values_of(some), self.rows.y[some], weight, self.raw[some]))
        if eye.rows is None:
            return stop
        return eye.watch.sees(eye.score(eye.rows.design.X, eye.rows.y, eye.rows.weight, self.held))

    @property
    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """On the training rows, and on those held back."""
        if self.eye is None:
            return np.zeros(0), np.zeros(0)
        return np.array(self.eye.train_watch.scores), np.array(self.eye.watch.scores)
