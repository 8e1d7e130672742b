"""Levels too rare to learn from: where a column has very many, the best partition of them overfits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probus.tree import Trees
from probus.tree.preparation import Design

_MANY_LEVELS = 32
_FEW_ROWS = 10  # as boosting has it in each node


def pooled(design: Design, weight: np.ndarray) -> tuple[Design, dict[int, np.ndarray]]:
    """The design, in which all levels of fewer than 10 rows are one, in columns of more than 32; and these levels.

    They all have the code of the first of them. Weights that are whole numbers count repetitions.
    """
    X, pools = design.X, {}
    repeated = weight if bool((weight == np.floor(weight)).all()) else (weight > 0).astype(np.float64)
    for j in np.flatnonzero(design.n_levels > _MANY_LEVELS):
        known = np.flatnonzero(~np.isnan(X[:, j]))
        level = X[known, j].astype(np.int64)
        rows = np.bincount(level, repeated[known], minlength=design.n_levels[j])
        rare = np.flatnonzero((rows > 0) & (rows < _FEW_ROWS))
        if (rows > 0).sum() > _MANY_LEVELS and len(rare) > 1:
            X = X.copy(order="A") if X is design.X else X
            X[known[rows[level] < _FEW_ROWS], j] = rare[0]
            pools[int(j)] = rare
    return Design(X, design.n_levels), pools


def known_alike(trees: Trees, pools: dict[int, np.ndarray]) -> Trees:
    """The trees, whose nodes send all levels of a pool where they send the first of them."""
    subsets = trees.subsets.copy()
    for j, rare in pools.items():
        size = (int(trees.n_levels[j]) + 31) // 32
        bits = np.zeros(size, np.uint32)
        np.bitwise_or.at(bits, rare >> 5, np.uint32(1) << (rare & 31).astype(np.uint32))
        begin = trees.subset[trees.feature == j]
        for words in (begin, begin + size):  # the levels that go left, and those that the node knows
            first = (subsets[words + (rare[0] >> 5)] >> np.uint32(rare[0] & 31)) & np.uint32(1)
            subsets[words[:, None] + np.arange(size)] |= first[:, None] * bits
    return replace(trees, subsets=subsets) if pools else trees
