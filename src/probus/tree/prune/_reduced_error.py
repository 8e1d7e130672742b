"""Reduced-error pruning: a split is kept if it reduces the loss of validation rows (Quinlan 1987)."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.tree._trees import LEAF, Tree
from probus.tree.prune._node_losses import climb, loss_at
from probus.tree.prune._subtree import subtree


def reduced_error_pruned(
    tree: Tree, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None, loss: str = "error"
) -> Tree:
    """The smallest subtree with the least loss on validation rows.

    From the leaves up, a node becomes a leaf if the loss of its rows is not larger than that of the subtree below it,
    or if it has no rows.

    Parameters
    ----------
    tree : the tree.
    X : the rows, as a coded float64 matrix.
    y : the codes of classes, or numbers.
    weights : the weight of each row; None is 1.
    loss : "error" or "brier" for classes, "squared_error" or "absolute_error" for numbers.

    Returns
    -------
    The subtree.
    """
    if len(X) == 0:
        raise DataError("no validation rows to prune by.", "at least one")
    return subtree(
        tree, worth_no_split(tree.children_left, tree.children_right, node_losses(tree, X, y, weights, loss))
    )


def node_losses(tree: Tree, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, loss: str) -> np.ndarray:
    """The summed loss of the rows of each node if they ended there."""
    w = np.ones(len(X)) if weights is None else weights
    at, leaves = loss_at(loss, tree.value[:, 0], y), tree.apply(X)
    everyone = np.arange(len(X))
    losses = np.bincount(leaves, w * at(everyone, leaves), tree.node_count)
    for rows, _, above in climb(tree, leaves):
        losses += np.bincount(above, w[rows] * at(rows, above), tree.node_count)
    return losses


@njit(nogil=True, cache=True)
def worth_no_split(left, right, loss):
    """The nodes whose loss as a leaf is at most that of the best subtree below them, up to rounding.

    loss (IN) float64[m], the loss of each node as a leaf
    """
    best, collapse = loss.copy(), np.zeros(left.shape[0], np.bool_)
    for t in range(left.shape[0] - 1, -1, -1):  # children come after their parents
        if left[t] != LEAF:
            below = best[left[t]] + best[right[t]]
            collapse[t] = loss[t] <= below * (1 + 1e-12)
            best[t] = loss[t] if collapse[t] else below
    return collapse
