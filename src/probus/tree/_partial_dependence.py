"""Expected predictions of trees where only some features are known, as scikit-learn's "recursion" computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from probus.tree._trees import Trees


def partial_dependence_of(trees: Trees, grid: np.ndarray, features: Any, n_groups: int = 1) -> np.ndarray:
    """The expected sum of the trees' predictions where some features are known: float64[n_groups · K, n].

    At splits on other features a row goes both ways, by the weights of the training rows (Friedman 2001, section 8.2).
    Tree t adds to group t mod n_groups.

    grid : float64[n, len(features)]; nominal columns hold codes
    """
    share, value = node_shares(trees), trees.value.reshape(-1, trees.n_values)
    out = np.zeros((n_groups, trees.n_values, len(grid)))
    nodes, weight = trees.start[:-1], np.ones((len(trees), len(grid)))
    while len(nodes):
        leaf = trees.is_leaf[nodes]
        reached = value[nodes[leaf], :, None] * weight[leaf, None, :]
        np.add.at(out, trees.tree_of[nodes[leaf]] % n_groups, reached)
        nodes, weight = nodes[~leaf], weight[~leaf]
        left, right = trees.children_left[nodes], trees.children_right[nodes]
        goes_left = np.repeat(share[left][:, None], len(grid), axis=1)
        for feature, known in zip(features, grid.T, strict=True):
            on = trees.feature[nodes] == feature
            goes_left[on] = _goes_left(trees, nodes[on], known)
        nodes, weight = np.concatenate([left, right]), np.concatenate([weight * goes_left, weight * (1 - goes_left)])
    return out.reshape(-1, len(grid))


def _goes_left(trees: Trees, nodes: np.ndarray, x: np.ndarray) -> np.ndarray:
    """For each node and value whether the value goes left: [m, n]."""
    left, known = x <= trees.threshold[nodes, None], np.tile(~np.isnan(x), (len(nodes), 1))
    for place in np.flatnonzero(trees.subset[nodes] >= 0):
        levels = trees.levels_of(nodes[place])
        left[place], known[place] = np.isin(x, levels[0]), np.isin(x, np.concatenate(levels))
    return np.where(known, left, trees.missing_go_to_left[nodes, None] == 1)


def node_shares(trees: Trees) -> np.ndarray:
    """The share of each node in the weight of its parent; where there was no weight, halves."""
    share, nodes = np.ones(len(trees.children_left)), np.flatnonzero(~trees.is_leaf)
    left, right = trees.children_left[nodes], trees.children_right[nodes]
    cover = trees.weighted_n_node_samples
    both = cover[left] + cover[right]
    for child in (left, right):
        share[child] = np.divide(cover[child], both, out=np.full(len(nodes), 0.5), where=both > 0)
    return share
