"""The targets of the training rows in the leaves of a forest: what its conditional distributions are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from probus.ensemble.forest._bags import Bags
from probus.errors import ModelFileError
from probus.parallel import chunked, thread_count
from probus.state import Array, Part, Spec
from probus.tree import Trees
from probus.tree.prediction import leaves_of

_PURE = 1e-12  # of the impurity of its tree's root: what rounding leaves of a leaf whose targets are all the same


@dataclass(frozen=True, eq=False)
class LeafTargets(Part):
    """Which targets, with which weights, are in the leaves that hold more than one.

    A leaf of one target predicts it and needs nothing kept; in trees grown to the end that is nearly every leaf.

    Attributes
    ----------
    targets : float64[u] all training targets, ascending, each once.
    leaf : int32[p] the leaves with several, numbered within the trees, ascending.
    start : int64[p + 1] where each one's entries begin.
    rank : int32[s] their places in ``targets``.
    weight : float64[s] their shares of the leaf's weight.
    """

    targets: np.ndarray
    leaf: np.ndarray
    start: np.ndarray
    rank: np.ndarray
    weight: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "targets": Array("f8", "u"),
        "leaf": Array("i4", "p", 0),
        "start": Array("i8", "*", 0),
        "rank": Array("i4", "s", 0, "u"),
        "weight": Array("f8", "s"),
    }

    def check(self) -> None:
        """Raise unless each leaf has its entries."""
        start, leaf = self.start, self.leaf
        shared_out = len(start) == len(leaf) + 1 and start[0] == 0 and start[-1] == len(self.rank)
        if not shared_out or (np.diff(start) < 1).any() or (np.diff(leaf) < 1).any() or len(self.targets) < 1:
            raise ModelFileError("leaves that do not share out their targets.", "some for each leaf")
        if (np.diff(self.targets) <= 0).any():
            raise ModelFileError("targets that are not in order.", "each once, ascending")

    def place_of(self, n_nodes: int) -> np.ndarray:
        """For each node its place in ``leaf``: int32, -1 for those that are not in it."""
        place = np.full(n_nodes, -1, np.int32)
        place[self.leaf] = np.arange(len(self.leaf))
        return place


def leaf_targets_of(
    trees: Trees, X: np.ndarray, y: np.ndarray, weight: np.ndarray, bags: Bags, n_jobs: int | None = None
) -> LeafTargets:
    """The targets in the leaves of trees grown on these rows, drawn as the bags have it, or else with these weights."""
    targets, rank = np.unique(y, return_inverse=True)
    several = _hold_several(trees)
    if not several.any():
        none = np.empty(0, np.int32)
        return LeafTargets(targets, none, np.zeros(1, np.int64), none, np.empty(0))

    def part(first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # tree by tree: the leaves of all rows in all trees would take more memory than the data
        leaves = leaves_of(trees.take(first, last), X, n_jobs=1)[:, 0] + np.int32(trees.start[first])
        weighs = weight if bags.size == 0 else bags.counts(first)
        rows = np.flatnonzero((weighs > 0) & several[leaves])
        rows = rows[np.argsort(leaves[rows], kind="stable")]
        return leaves[rows], rank[rows].astype(np.int32), weighs[rows].astype(np.float64)

    parts = chunked(part, len(trees), thread_count(n_jobs, 30.0 * len(X) * len(trees)), chunk=1)
    at, ranks, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    leaf, start, size = np.unique(at, return_index=True, return_counts=True)
    total = np.add.reduceat(weights, start)
    return LeafTargets(targets, leaf, np.append(start, len(at)).astype(np.int64), ranks, weights / total.repeat(size))


def _hold_several(trees: Trees) -> np.ndarray:
    """For each node whether it is a leaf with more than one target."""
    if trees.impurity is None:
        return trees.is_leaf & (trees.n_node_samples > 1)
    most = trees.impurity[trees.start[:-1]][trees.tree_of]
    return trees.is_leaf & (trees.n_node_samples > 1) & (trees.impurity > _PURE * most)
