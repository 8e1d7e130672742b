"""One tree of a forest as a single tree is fitted: exact, constrained, of several outputs, or by other criteria."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probus.tree import Tree, Trees
from probus.tree.growing import build_tree
from probus.tree.preparation import Design, Target, TreeSettings
from probus.tree.prune import pruned


def general_tree(
    design: Design, target: Target, weight: np.ndarray, settings: TreeSettings, order: np.ndarray | None
) -> Trees:
    """A tree on the rows of positive weight, in this order."""
    rows = np.flatnonzero(weight) if order is None else order[weight[order] > 0.0]
    mine, settings = Design(design.X[rows], design.n_levels), replace(settings, shuffled=True)
    return Trees.joined([build_tree(mine, target.take(rows, weight[rows]), settings, n_jobs=1)])


def pruned_trees(trees: Trees, alpha: float) -> Trees:
    """Each tree pruned with this ``ccp_alpha``."""

    def cut(tree: Tree) -> Tree:
        return pruned(tree, alpha)

    return Trees.joined(cut(tree) for tree in trees)
