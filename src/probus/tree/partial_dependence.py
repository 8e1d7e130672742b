"""Partial dependence of a tree by one pass over its nodes, as scikit-learn's "recursion" method computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from probus.tree.trees import Tree

__all__ = ["partial_dependence_of"]


def partial_dependence_of(tree: Tree, grid: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The mean prediction where some features have the values of the grid: float64[n].

    At splits on other features a row goes both ways, by the weights of the training rows (Friedman 2001, section 8.2).

    grid : float64[n, len(features)]
    """
    reach, column = np.zeros((tree.node_count, len(grid))), {int(j): k for k, j in enumerate(features)}
    reach[0] = 1.0
    weight = tree.weighted_n_node_samples
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        left, right = tree.children_left[node], tree.children_right[node]
        k = column.get(int(tree.feature[node]))
        share = weight[left] / weight[node] if k is None else _goes_left(tree, node, grid[:, k])
        reach[left], reach[right] = share * reach[node], (1.0 - share) * reach[node]
    return tree.value[tree.is_leaf, 0, 0] @ reach[tree.is_leaf]


def _goes_left(tree: Tree, node: int, x: np.ndarray) -> np.ndarray:
    """1 where a value goes left, else 0."""
    missing = np.isnan(x)
    left = x <= tree.threshold[node]
    if tree.subset[node] >= 0:
        levels = tree.levels_of(node)
        left, missing = np.isin(x, levels[0]), ~np.isin(x, np.concatenate(levels))
    return np.where(missing, tree.missing_go_to_left[node] == 1, left).astype(np.float64)
