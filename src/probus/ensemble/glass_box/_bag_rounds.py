"""Rounds of boosting in several bags, each of which leaves out a fold; one number of rounds for all.

Every row is left out about equally often, and the rounds are as many as have the least loss on the rows left out, all
bags together: a choice from all rows, where a stop of each bag by itself would follow the noise of its few.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from probus.ensemble.glass_box._curve_kernel import MOST_LEAVES, CurvePlan, StepRule, add_round, sum_by_code
from probus.ensemble.glass_box._pair_kernel import PairPlan, add_pair_round, pair_sums
from probus.losses import Loss
from probus.parallel import chunked, thread_count

_REFRESH = 4  # rounds until the hessians of the bins are summed again
EVERY = 4  # rounds from one measured loss to the next
_CHUNK = 4 * EVERY  # rounds between looks at all bags
_FOLDS = 8


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows in codes with their targets: ``raw`` is what is predicted before the first round, float64[n, k]."""

    codes: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    raw: np.ndarray

    def some(self, which: np.ndarray) -> CodedRows:
        """A subset, by number."""
        weight = None if self.weight is None else self.weight[which]
        return CodedRows(np.ascontiguousarray(self.codes[:, which]), self.y[which], weight, self.raw[which])


@dataclass(frozen=True)
class Rounds:
    """How rounds are run.

    smooth : how many are the first ones, whose splits are drawn; None for all
    patience : how many rounds go on without a lower loss; 0 runs all
    """

    rate: float
    l2: float
    level_l2: float
    min_rows: float
    max_leaves: int
    smooth: int | None
    most: int
    patience: int


@dataclass(eq=False)
class Bag:
    """The rows of one bag, training rows first, and what its rounds have added so far."""

    rows: CodedRows
    m: int
    loss: Loss
    plan: CurvePlan | PairPlan
    rounds: Rounds
    random: np.random.Generator
    done: int = 0
    kept: dict[int, np.ndarray] = field(default_factory=dict)
    held_loss: list[float] = field(default_factory=list)
    columns: np.ndarray | None = None  # those that get a curve; all if None

    def __post_init__(self) -> None:
        size, k = int(self.plan.starts[-1]), self.rows.raw.shape[1]
        self.terms = np.zeros((size, k))
        self.raw = self.rows.raw.copy()
        self.gradient, self.hessian = np.empty((self.m, k)), np.empty((self.m, k))
        self.hessian_of = np.empty((size, k))
        weight = np.ones(self.m) if self.rows.weight is None else self.rows.weight[: self.m]
        rows_of = np.empty((size, 1))
        self._sum(np.ascontiguousarray(weight[:, None]), rows_of)
        self.rows_of = rows_of[:, 0].copy()
        self._measure()

    def run(self, n: int) -> None:
        """Add rounds; the loss of the rows left out is measured after every few."""
        for step in range(n):
            first = step == 0
            self._derivatives()
            if first or (self.done % _REFRESH == 0 and not self._same_hessian):
                self._sum(self.hessian, self.hessian_of)
            moved = np.zeros_like(self.raw)
            self._add(moved)
            self.raw += moved
            self.done += 1
            if self.done % EVERY == 0:
                self._measure()

    @property
    def _smooth(self) -> bool:
        return self.rounds.smooth is None or self.done < self.rounds.smooth

    @property
    def _same_hessian(self) -> bool:
        return self.loss.constant_hessian

    def _add(self, moved: np.ndarray) -> None:
        how, plan = self.rounds, self.plan
        rule = StepRule(how.rate, how.l2, how.level_l2, how.min_rows, how.max_leaves, self._smooth)
        given = (self.rows.codes, self.m, self.gradient, self.hessian, self.rows_of, self.hessian_of, plan, rule)
        if isinstance(plan, PairPlan):
            draws = self.random.random((len(plan.pairs), 6))
            add_pair_round(*given, self.random.permutation(len(plan.pairs)), draws, self.terms, moved)
        else:
            d = len(plan.nominal)
            draws = self.random.random((d, MOST_LEAVES))
            order = self.random.permutation(np.arange(d) if self.columns is None else self.columns)
            add_round(*given, order, draws, self.terms, moved)

    def _sum(self, values: np.ndarray, out: np.ndarray) -> None:
        if isinstance(self.plan, PairPlan):
            pair_sums(self.rows.codes, self.m, values, self.plan, out)
        else:
            sum_by_code(self.rows.codes, self.m, values, self.plan.starts, out)

    def _derivatives(self) -> None:
        y, raw = self.rows.y[: self.m], self.raw[: self.m]
        if raw.shape[1] == 1:
            self.loss.derivatives(y, raw[:, 0].copy(), self.gradient.reshape(-1), self.hessian.reshape(-1))
        else:
            self.loss.derivatives(y, raw, self.gradient, self.hessian)
        if self.rows.weight is not None:
            self.gradient *= self.rows.weight[: self.m, None]
            self.hessian *= self.rows.weight[: self.m, None]

    def _measure(self) -> None:
        self.kept[self.done] = self.terms.copy()
        y, raw = self.rows.y[self.m :], self.raw[self.m :]
        values = self.loss.value(y, raw[:, 0] if raw.shape[1] == 1 else raw)
        weight = self.rows.weight
        self.held_loss.append(float(values.sum() if weight is None else values @ weight[self.m :]))


def fold_masks(y: np.ndarray, n_bags: int, for_classes: bool, seed: int) -> list[np.ndarray]:
    """For each bag which rows it leaves out: folds of the rows, stratified by class; more bags take further splits."""
    found: list[np.ndarray] = []
    random, n = np.random.default_rng(seed), len(y)
    while len(found) < n_bags:
        folds = min(max(n_bags - len(found), 2), _FOLDS, n)
        order = random.permutation(n)
        if for_classes:
            order = order[np.argsort(y[order], kind="stable")]
        fold = np.empty(n, np.int64)
        fold[order] = np.arange(n) % folds
        found += [fold == f for f in range(min(folds, n_bags - len(found)))]
    return found


def run_bags(bags: list[Bag], rounds: Rounds, n_jobs: int | None) -> int:
    """Run all bags until the loss of the rows left out has not fallen for some rounds; returns the best number."""
    size = bags[0].rows.codes.size * bags[0].rows.raw.shape[1]
    threads = min(thread_count(n_jobs, 4.0 * len(bags) * _CHUNK * size), len(bags))
    best = done = 0
    while done < rounds.most:
        some = min(_CHUNK, rounds.most - done)

        def run(first: int, last: int, some: int = some) -> None:
            for bag in bags[first:last]:
                bag.run(some)

        chunked(run, len(bags), threads, chunk=1)
        done += some
        if not rounds.patience:
            for bag in bags:
                bag.kept = {done: bag.terms}
            best = done
            continue
        losses = np.sum([bag.held_loss for bag in bags], axis=0)
        best = EVERY * int(np.argmin(losses))
        for bag in bags:
            bag.kept = {at: terms for at, terms in bag.kept.items() if at >= best}
        if done - best >= rounds.patience:
            break
    return best
