"""Conversion of grown nodes to a flat tree."""

from __future__ import annotations

import numpy as np

from probus.tree._surrogates import Surrogates
from probus.tree._trees import LEAF, NO_FEATURE, NO_SUBSET, Tree, subset_words
from probus.tree.conditional._cut import Cut
from probus.tree.conditional._recursive_partitioning import PartitionNode


class _LevelSets:
    """The sets of levels of all splits, concatenated as 32-bit words."""

    def __init__(self) -> None:
        self.words: list[np.ndarray] = []
        self.size = 0

    def add(self, cut: Cut) -> int:
        """The offset of the sets of a split; ``NO_SUBSET`` for numbers."""
        if cut.left is None or cut.known is None:
            return NO_SUBSET
        start = self.size
        for levels in (cut.left, cut.known):
            bits = np.zeros(32 * subset_words(len(levels)), np.uint8)
            bits[: len(levels)] = levels
            self.words.append(np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32))
            self.size += len(self.words[-1])
        return start

    def flat(self) -> np.ndarray:
        """All sets as one array."""
        return np.concatenate([np.zeros(0, np.uint32), *self.words])


def flattened(
    nodes: list[PartitionNode], n_levels: np.ndarray, w: np.ndarray, value: np.ndarray, impurity: np.ndarray
) -> Tree:
    """The nodes as a Tree with the given predictions and impurities."""
    children = np.full((2, len(nodes)), LEAF, np.int64)
    for number, node in enumerate(nodes[1:], 1):
        children[0 if node.is_left else 1, node.parent] = number
    subsets = _LevelSets()
    cuts = [node.cut for node in nodes]
    return Tree(
        children_left=children[0],
        children_right=children[1],
        feature=np.array([NO_FEATURE if cut is None else cut.feature for cut in cuts], np.int64),
        threshold=np.array([float(NO_FEATURE) if cut is None else cut.threshold for cut in cuts]),
        missing_go_to_left=np.array([node.missing_left for node in nodes], np.uint8),
        subset=np.array([NO_SUBSET if cut is None else subsets.add(cut) for cut in cuts], np.int64),
        impurity=impurity,
        n_node_samples=np.array([len(node.rows) for node in nodes], np.int64),
        weighted_n_node_samples=np.array([w[node.rows].sum() for node in nodes]),
        value=value[:, None, :],
        n_levels=n_levels,
        surrogates=_surrogates(nodes, subsets),
        subsets=subsets.flat(),
    )


def _surrogates(nodes: list[PartitionNode], subsets: _LevelSets) -> Surrogates | None:
    every = [surrogate for node in nodes for surrogate in node.surrogates]
    if not every:
        return None
    return Surrogates(
        start=np.cumsum([0, *(len(node.surrogates) for node in nodes)], dtype=np.int64),
        feature=np.array([s.cut.feature for s in every], np.int64),
        threshold=np.array([s.cut.threshold for s in every]),
        flipped=np.array([s.flipped for s in every], np.uint8),
        subset=np.array([subsets.add(s.cut) for s in every], np.int64),
        agreement=np.array([s.agreement for s in every]),
        adjusted=np.array([s.adjusted for s in every]),
    )
