"""A multiway tree as text, in the manner of C4.5."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.tree.multiway.flat import MultiwayTree
from probus.tree.multiway.wording import Wording, condition_of

__all__ = ["leaf_told", "text_of"]


def text_of(tree: MultiwayTree, model: Any) -> str:
    """A line for each node below the root, indented by depth; leaves end in class, rows and errors."""
    wording = Wording(model, tree.coding)
    if tree.node_count == 1:
        return leaf_told(tree, 0, model.classes_)
    lines = []
    waiting = list(reversed(tree.children_of(0)))
    while waiting:
        node = waiting.pop()
        line = "|   " * (int(tree.depths[node]) - 1) + wording.told(condition_of(tree, node)) + ":"
        lines.append(f"{line} {leaf_told(tree, node, model.classes_)}" if tree.is_leaf[node] else line)
        waiting.extend(reversed(tree.children_of(node)))
    return "\n".join(lines)


def leaf_told(tree: MultiwayTree, leaf: int, classes: np.ndarray) -> str:
    """The class of a leaf with its training rows and, where there are any, its errors: ``yes (5.0/1.0)``."""
    n, errors = tree.weight[leaf], tree.weight[leaf] - tree.counts[leaf].max()
    told = f"{n:.1f}/{errors:.1f}" if errors >= 0.05 else f"{n:.1f}"
    return f"{classes[tree.counts[leaf].argmax()]} ({told})"
