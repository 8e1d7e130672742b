"""The losses of rows in all pruned trees at once."""

from __future__ import annotations

import numpy as np

from probus.tree._trees import Tree
from probus.tree.prune._cost_complexity import PruningPath
from probus.tree.prune._node_losses import LossAt, climb


def losses_along(
    tree: Tree, path: PruningPath, leaves: np.ndarray, at: LossAt, w: np.ndarray, alphas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The weighted sums of the losses and of their squares, over all rows, in the tree pruned at each of the alphas.

    As alpha rises, a row ends at nodes closer to the root, and its loss changes only there; so each row is visited once
    per node of its path, for any number of alphas.

    Parameters
    ----------
    path : of the tree. leaves : of the rows in the full tree.
    at : see ``loss_at``. w : weights of the rows. alphas : ascending.
    """
    everyone = np.arange(len(leaves))
    loss = at(everyone, leaves)
    sums, squares = np.zeros((2, len(alphas) + 1))
    sums[0], squares[0] = w @ loss, w @ loss**2
    first = np.searchsorted(alphas + path.noise, path.complexity)  # index of the first alpha at which a node is a leaf
    for rows, _, above in climb(tree, leaves):
        now = at(rows, above)
        np.add.at(sums, first[above], w[rows] * (now - loss[rows]))
        np.add.at(squares, first[above], w[rows] * (now**2 - loss[rows] ** 2))
        loss[rows] = now
    return np.cumsum(sums)[:-1], np.cumsum(squares)[:-1]
