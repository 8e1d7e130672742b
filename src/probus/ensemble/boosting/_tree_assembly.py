"""Grown trees as ``Trees``: codes become values and levels again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.ensemble.boosting._binning import Bins
from probus.ensemble.boosting._iterations import GrownTree
from probus.ensemble.boosting._node_arrays import CUT, END, FEATURE, GAIN, LEFT, MISSING_LEFT, START
from probus.tree import LEAF, NO_FEATURE, NO_SUBSET, Trees, subset_words


def trees_of(grown: Sequence[GrownTree], bins: Bins, n_levels: np.ndarray) -> Trees:
    """The trees in the order in which they were grown."""
    links = np.concatenate([tree.grown.links for tree in grown])
    facts = np.concatenate([tree.grown.facts for tree in grown])
    sets = np.concatenate([tree.grown.sets for tree in grown])
    sizes = [len(tree.grown.links) for tree in grown]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    inner = links[:, LEFT] >= 0
    feature = np.where(inner, links[:, FEATURE], NO_FEATURE).astype(np.int32)
    left = np.where(inner, links[:, LEFT] + np.repeat(start[:-1], sizes), LEAF).astype(np.int32)
    by_level = inner & (n_levels[np.maximum(feature, 0)] > 0)
    by_value = inner & ~by_level
    threshold = np.full(len(links), -2.0)
    threshold[by_value] = bins.edges[feature[by_value], links[by_value, CUT]]
    subset, subsets = _subsets(feature, by_level, sets, bins, n_levels)
    return Trees(
        start=start,
        children_left=left,
        children_right=np.where(inner, left + 1, LEAF),
        feature=feature,
        threshold=threshold,
        missing_go_to_left=(inner & (links[:, MISSING_LEFT] == 1)).astype(np.uint8),
        subset=subset,
        subsets=subsets,
        value=np.concatenate([tree.leaves.value for tree in grown])[:, None, None],
        weighted_n_node_samples=np.concatenate([tree.leaves.cover for tree in grown]),
        n_node_samples=links[:, END] - links[:, START],
        gain=np.where(inner, facts[:, GAIN], 0.0),
        n_levels=n_levels,
    )


def _subsets(
    feature: np.ndarray, by_level: np.ndarray, sets: np.ndarray, bins: Bins, n_levels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The position of the level set of each nominal split, and the words of these sets."""
    subset = np.full(len(feature), NO_SUBSET, np.int32)
    parts, at = [np.zeros(0, np.uint32)], 0
    for f in np.unique(feature[by_level]):
        nodes = np.flatnonzero(by_level & (feature == f))
        codes = bins.level_codes[int(f)].astype(np.int64)
        size = int(subset_words(n_levels[f]))
        words = np.zeros((len(nodes), 2, size), np.uint32)
        for half in range(2):  # the levels that go left, the levels with rows
            bits = (sets[nodes][:, 4 * half + (codes >> 6)] >> (codes & 63).astype(np.uint64)) & np.uint64(1)
            padded = np.zeros((len(nodes), 32 * size), np.uint8)
            padded[:, : len(codes)] = bits
            words[:, half] = np.packbits(padded, axis=1, bitorder="little").view(np.uint32)
        subset[nodes] = at + 2 * size * np.arange(len(nodes))
        parts.append(words.ravel())
        at += words.size
    return subset, np.concatenate(parts)
