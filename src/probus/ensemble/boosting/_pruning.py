"""Cost-complexity pruning of boosted trees, as in ``probus.tree.prune``, before leaf values are set."""

from __future__ import annotations

import numpy as np

from probus.ensemble.boosting._grower import LevelNodes
from probus.ensemble.boosting._node_arrays import FEATURE, GAIN, LEFT, NO_SPLIT
from probus.tree import LEAF
from probus.tree.prune import cut_weakest_links, reach


def gain_below(left: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """The total gain of the splits of each node and below it; the right child follows the left.

    >>> gain_below(np.array([1, LEAF, 3, LEAF, LEAF]), np.array([5.0, 0.0, 2.0, 0.0, 0.0]))
    array([7., 0., 2., 0., 0.])
    """
    total = np.where(left == LEAF, 0.0, gain)
    for node in np.flatnonzero(left != LEAF)[::-1]:
        total[node] += total[left[node]] + total[left[node] + 1]
    return total


def pruned(grown: LevelNodes, penalty: float) -> LevelNodes:
    """The subtree of minimal cost, with this penalty per leaf."""
    left = grown.links[:, LEFT].copy()
    inner = np.flatnonzero(left != LEAF)
    if len(inner) == 0:
        return grown
    closed = (left == LEAF) | (_penalties(left, gain_below(left, grown.facts[:, GAIN])) <= penalty)
    reached = np.zeros(len(left), np.bool_)
    reach(left, left + 1, closed, reached)
    kept, number = np.flatnonzero(reached), np.cumsum(reached) - 1
    links = grown.links[kept]
    links[:, LEFT] = np.where(closed[kept], LEAF, number[left[kept]])
    links[closed[kept], FEATURE] = NO_SPLIT
    return LevelNodes(links, grown.facts[kept], grown.sets[kept], grown.rows)


def _penalties(left: np.ndarray, risk: np.ndarray) -> np.ndarray:
    """The penalty per leaf from which on each node becomes a leaf."""
    right = np.where(left == LEAF, LEAF, left + 1)
    inner = np.flatnonzero(left != LEAF)
    parent = np.full(len(left), -1, np.int64)
    parent[left[inner]], parent[right[inner]] = inner, inner
    alphas, impurities, complexity = np.zeros(len(inner) + 1), np.zeros(len(inner) + 1), np.zeros(len(left))
    n_leaves, order = np.zeros(len(inner) + 1, np.int64), np.zeros(len(inner), np.int64)
    cut_weakest_links(left, right, parent, risk, alphas, impurities, n_leaves, order, complexity)
    return complexity
