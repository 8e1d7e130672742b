"""Reduced-error pruning: a split stays if rows that did not grow the tree are better off for it (Quinlan 1987)."""

from __future__ import annotations

import numpy as np
from numba import njit

from probus.errors import DataError
from probus.tree.prune.losses import climb, loss_at
from probus.tree.prune.subtree import subtree
from probus.tree.trees import LEAF, Tree

__all__ = ["reduced_error_pruned"]


def reduced_error_pruned(
    tree: Tree, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None, loss: str = "error"
) -> Tree:
    """The smallest subtree with the least loss on validation rows.

    From the leaves up, a node becomes a leaf where the rows that come to it lose no more by stopping there than below;
    so does a node that no row comes to.

    Parameters
    ----------
    X : float64 matrix as the tree sees it. y : codes of classes, or numbers. weights : of rows.
    loss : "error" or "brier" for classes, "squared_error" or "absolute_error" for numbers.
    """
    if len(X) == 0:
        raise DataError("no validation rows to prune by.", "at least one")
    return subtree(
        tree, worth_no_split(tree.children_left, tree.children_right, node_losses(tree, X, y, weights, loss))
    )


def node_losses(tree: Tree, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, loss: str) -> np.ndarray:
    """The summed loss at each node of the rows that pass it, were all to stop there."""
    w = np.ones(len(X)) if weights is None else weights
    at, leaves = loss_at(loss, tree.value[:, 0], y), tree.apply(X)
    everyone = np.arange(len(X))
    losses = np.bincount(leaves, w * at(everyone, leaves), tree.node_count)
    for rows, _, above in climb(tree, leaves):
        losses += np.bincount(above, w[rows] * at(rows, above), tree.node_count)
    return losses


@njit(nogil=True, cache=True)
def worth_no_split(left, right, loss):
    """The nodes whose loss as a leaf is no more than that of the best subtree below them, but for rounding.

    loss (IN) float64[m], what each node costs as a leaf
    """
    best, collapse = loss.copy(), np.zeros(left.shape[0], np.bool_)
    for t in range(left.shape[0] - 1, -1, -1):  # children come after their parents
        if left[t] != LEAF:
            below = best[left[t]] + best[right[t]]
            collapse[t] = loss[t] <= below * (1 + 1e-12)
            best[t] = loss[t] if collapse[t] else below
    return collapse
