"""The rounds of boosting: gradients of the loss, trees grown on them, and updated raw predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from probus.ensemble.boosting._backtracking import without_rising_loss
from probus.ensemble.boosting._binning import Bins, Codes
from probus.ensemble.boosting._grower import LevelNodes, LevelWorkspace, grown_tree
from probus.ensemble.boosting._leaf_values import (
    Leaves,
    refitted_leaves,
    searched_leaves,
    shared_leaves,
    update_other_rows,
    with_leaf_bounds,
)
from probus.ensemble.boosting._node_arrays import MONOTONE
from probus.ensemble.boosting._packed_gradients import Amounts, packed, scales_of
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._pruning import pruned
from probus.ensemble.boosting._symmetric import noise_unit
from probus.ensemble.boosting._threads import ThreadPool
from probus.losses import Custom, check_derivatives

_ENOUGH = 20_000  # rows that are worth a thread
_LARGEST = 2**62 - 1


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A grown tree and the values of its leaves."""

    grown: LevelNodes
    leaves: Leaves


class Rounds:
    """The state of boosting: the raw predictions of the training rows, and what is needed for further rounds.

    train : int32[m], in order, the rows that trees are grown on; all if None. The others are only predicted
    """

    def __init__(
        self, plan: BoostingPlan, bins: Bins, codes: Codes, y: np.ndarray, weight: np.ndarray | None, raw: np.ndarray,
        pool: ThreadPool, train: np.ndarray | None = None,
    ):  # fmt: skip
        self.plan, self.bins, self.codes, self.pool = plan, bins, codes, pool
        self.y, self.weight, self.raw = y, weight, raw
        about = bins.about.copy()
        about[:, MONOTONE] = 0 if plan.monotone is None else plan.monotone
        interactions = np.zeros((0, len(about)), np.uint8) if plan.interactions is None else plan.interactions
        # trees of different classes grow in parallel, each on one thread; a single tree uses all threads
        self._parallel_trees = min(pool.threads, raw.shape[1]) if raw.shape[1] > 1 and not plan.shared else 1
        self._workspaces = [
            LevelWorkspace.of(
                codes, about, plan.rules, interactions, plan.max_leaves, pool.threads, symmetric=plan.symmetric
            )
            for _ in range(self._parallel_trees)
        ]
        self.train = np.arange(len(y), dtype=np.int32) if train is None else train
        # integer weights count as repeated rows
        self._times = weight if weight is not None and (weight == np.floor(weight)).all() else None
        self._gradient = np.empty(raw.shape)
        self.loss, self.before = plan.loss, raw
        self.searches = plan.line_search or not plan.loss.newton
        no_hessian = plan.loss.constant_hessian and weight is None
        self._hessian = None if no_hessian else np.empty(raw.shape)

    def trees(self, n_rounds: int, first: int = 0) -> Iterator[list[GrownTree]]:
        """The trees of each round, one for each output of the loss; the raw predictions are updated."""
        draws = min(self.plan.subsample, self.plan.columns_per_tree, self.plan.columns_per_level) < 1.0
        n_outputs = self.raw.shape[1]
        for round_ in range(first, first + n_rounds):
            if draws or round_ == first:  # creating a generator takes as long as growing a small tree
                random = np.random.default_rng([self.plan.seed, round_])
                rows, levels = self._drawn_rows(random), self._drawn_columns(random)
            self._compute_gradients()
            if self.plan.shared and n_outputs > 1:
                yield without_rising_loss(self, self._shared_trees(rows, levels, round_))
                continue
            grow = partial(self._tree, rows, levels, round_)
            grown: list[GrownTree] = []
            for start in range(0, n_outputs, self._parallel_trees):
                some = range(start, min(start + self._parallel_trees, n_outputs))
                grown += self.pool.run(
                    [partial(grow, k, workspace) for k, workspace in zip(some, self._workspaces, strict=False)]
                )
            yield without_rising_loss(self, grown)

    def _drawn_rows(self, random: np.random.Generator) -> np.ndarray:
        n = len(self.train)
        if self.plan.subsample >= 1.0:
            return self.train
        drawn = np.zeros(n, bool)
        drawn[random.permutation(n)[: max(1, int(self.plan.subsample * n))]] = True
        return self.train[drawn]

    def _drawn_columns(self, random: np.random.Generator) -> np.ndarray:
        """The columns that may be split at each depth."""
        plan, d = self.plan, len(self.bins.about)
        if min(plan.columns_per_tree, plan.columns_per_level) >= 1.0:
            return np.ones((1, d), np.uint8)

        def drawn(among: np.ndarray, share: float) -> np.ndarray:
            return random.permutation(among)[: max(1, round(share * len(among)))]

        columns = drawn(np.arange(d), plan.columns_per_tree) if plan.columns_per_tree < 1.0 else np.arange(d)
        if plan.columns_per_level >= 1.0:
            levels = np.zeros((1, d), np.uint8)
            levels[0, columns] = 1
            return levels
        levels = np.zeros((64, d), np.uint8)
        for level in levels:
            level[drawn(columns, plan.columns_per_level)] = 1
        return levels

    def _compute_gradients(self) -> None:
        """Compute gradients and hessians at the current raw predictions."""
        self.loss = loss = self.plan.loss.at(self.y, self._flat(self.raw), self.weight)
        if self.searches and self.raw.shape[1] > 1:  # all trees of a round start from the same predictions
            self.before = self.raw.copy()
        second = None if loss.constant_hessian else self._hessian

        def part(first: int, last: int) -> None:
            some = slice(first, last)
            g, h = self._gradient[some], None if self._hessian is None else self._hessian[some]
            if loss.constant_hessian and h is not None:
                h[:] = 1.0
            target = None if second is None else self._flat(second)[some]
            loss.derivatives(self.y[some], self._flat(self.raw)[some], self._flat(self._gradient)[some], target)
            if self.weight is not None:
                g *= self.weight[some, None]
                if h is not None:
                    h *= self.weight[some, None]

        self.pool.over(part, len(self.y), _ENOUGH)
        if isinstance(loss, Custom) or not type(loss).__module__.startswith("probus.losses."):
            check_derivatives(loss, self._gradient, second)

    @staticmethod
    def _flat(a: np.ndarray) -> np.ndarray:
        """A single output as a one-dimensional array."""
        return a[:, 0] if a.shape[1] == 1 else a

    def _tree(self, rows: np.ndarray, levels: np.ndarray, round_: int, k: int, workspace: LevelWorkspace) -> GrownTree:
        on_one_thread = self._parallel_trees > 1
        pool = ThreadPool(1) if on_one_thread else self.pool
        gradient = np.ascontiguousarray(self._gradient[:, k])
        hessian = None if self._hessian is None else np.ascontiguousarray(self._hessian[:, k])
        # without second order weights take the place of hessians, and integer ones are counts
        weight = self.weight if self._times is None else None
        amounts = Amounts(gradient, hessian if self.plan.second_order else weight, self._times)
        scales = scales_of(amounts, rows, pool)
        number = round_ * self.raw.shape[1] + k
        packed(amounts, rows, scales, number, pool, workspace.row_values)
        seed = self.plan.seed * 0x9E3779B1 + number & _LARGEST
        grown = grown_tree(workspace, rows, scales, levels, seed, pool, self._noise(amounts, rows))
        if self.plan.ccp_alpha > 0.0:
            weight_sum = len(rows) if self.weight is None else self.weight[rows].sum()
            grown = pruned(grown, self.plan.ccp_alpha * weight_sum)
        if self.plan.monotone is not None and (self.searches or not self.plan.second_order):
            step_of = partial(self.searched_step if self.searches else self._newton_step, k)
            grown = with_leaf_bounds(grown, self.plan.monotone, step_of)
        if self.searches:
            leaves = searched_leaves(self, grown, k)
        else:
            leaves = refitted_leaves(self, grown, gradient, hessian, k, pool)
        if len(rows) < len(self.y):
            update_other_rows(self, grown, leaves, rows, k, pool)
        return GrownTree(grown, leaves)

    def _shared_trees(self, rows: np.ndarray, levels: np.ndarray, round_: int) -> list[GrownTree]:
        """A tree with a value for each output, as one tree for each.

        It is grown on a random projection of the gradients: all outputs affect its splits, at the cost of one
        (Iosipoi and Vakhrushev 2022). Splits with hessians would follow the output that is projected with most weight.
        """
        n_outputs, workspace = self.raw.shape[1], self._workspaces[0]
        direction = np.random.default_rng([self.plan.seed, round_, n_outputs]).normal(size=n_outputs)
        # as if probabilities were ½; weights count as hessians
        hessian = np.full(len(self.y), 0.25) if self.weight is None else 0.25 * self.weight
        amounts = Amounts(np.einsum("nk,k->n", self._gradient, direction), hessian, self._times)
        scales = scales_of(amounts, rows, self.pool)
        packed(amounts, rows, scales, round_, self.pool, workspace.row_values)
        seed = self.plan.seed * 0x9E3779B1 + round_ & _LARGEST
        grown = grown_tree(workspace, rows, scales, levels, seed, self.pool, self._noise(amounts, rows))
        assert self._hessian is not None  # losses of several outputs have no constant hessian
        return [GrownTree(grown, leaves) for leaves in shared_leaves(self, grown, self._gradient, self._hessian)]

    def _noise(self, amounts: Amounts, rows: np.ndarray) -> float:
        """The noise in the scores of symmetric splits."""
        share = self.plan.score_noise
        return share * noise_unit(amounts, self.weight, rows) if share > 0.0 else 0.0

    def searched_step(self, k: int, rows: np.ndarray) -> float:
        """The best common step of rows, from the predictions before the round."""
        weight = None if self.weight is None else self.weight[rows]
        return self.loss.step(self.y[rows], self._flat(self.before)[rows], weight, k)

    def _newton_step(self, k: int, rows: np.ndarray) -> float:
        hessian = len(rows) if self._hessian is None else self._hessian[rows, k].sum()
        return -self._gradient[rows, k].sum() / max(hessian, 1e-150)
