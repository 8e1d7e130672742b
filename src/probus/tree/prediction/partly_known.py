"""Expected predictions of trees where only some features of a row are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.errors import DataError
from probus.tree.trees import Trees

__all__ = ["expected_predictions", "node_shares"]


def expected_predictions(trees: Trees, values: np.ndarray, features: Sequence[int], n_groups: int = 1) -> np.ndarray:
    """The expected sum of the trees' predictions: float64[n, n_groups · K].

    At a split on a feature that is not known a row goes both ways, by the weights of the training rows that did
    (Friedman 2001, section 8.2). Tree t adds to group t mod n_groups.

    values : float64[n, k], of the known features; these must be numeric.

    >>> from probus.tree import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 1.0, 4.0, 5.0]).tree_
    >>> expected_predictions(tree, np.array([[0.0], [1.0]]), [0]).ravel()
    array([0.5, 4.5])
    """
    if len(features) and (trees.n_levels[list(features)].any() or trees.surrogates is not None):
        raise DataError("features with levels, or trees with surrogates.", "numeric features", "Use method='brute'.")
    share, value = node_shares(trees), trees.value.reshape(-1, trees.n_values)
    out = np.zeros((n_groups, trees.n_values, len(values)))
    nodes, weight = trees.start[:-1], np.ones((len(trees), len(values)))
    while len(nodes):
        leaf = trees.is_leaf[nodes]
        reached = value[nodes[leaf], :, None] * weight[leaf, None, :]
        np.add.at(out, trees.tree_of[nodes[leaf]] % n_groups, reached)
        nodes, weight = nodes[~leaf], weight[~leaf]
        left, right = trees.children_left[nodes], trees.children_right[nodes]
        goes_left = np.repeat(share[left][:, None], len(values), axis=1)
        for feature, known in zip(features, values.T, strict=True):
            on = trees.feature[nodes] == feature
            below = known <= trees.threshold[nodes[on], None]
            goes_left[on] = np.where(np.isnan(known), trees.missing_go_to_left[nodes[on], None], below)
        nodes, weight = np.concatenate([left, right]), np.concatenate([weight * goes_left, weight * (1 - goes_left)])
    return out.reshape(-1, len(values)).T


def node_shares(trees: Trees) -> np.ndarray:
    """The share of each node in the weight of its parent; where there was no weight, halves."""
    share, nodes = np.ones(len(trees.children_left)), np.flatnonzero(~trees.is_leaf)
    left, right = trees.children_left[nodes], trees.children_right[nodes]
    cover = trees.weighted_n_node_samples
    both = cover[left] + cover[right]
    for child in (left, right):
        share[child] = np.divide(cover[child], both, out=np.full(len(nodes), 0.5), where=both > 0)
    return share
