"""A multiway tree as text, in the format of C4.5."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.tree.multiway._condition_text import ConditionText, condition_of
from probus.tree.multiway._multiway_tree import MultiwayTree


def text_of(tree: MultiwayTree, model: Any) -> str:
    """A line for each node below the root, indented by depth; leaves end in class, rows and errors."""
    names = ConditionText(model, tree.coding)
    if tree.node_count == 1:
        return _leaf_text(tree, 0, model.classes_)
    lines = []
    waiting = list(reversed(tree.children_of(0)))
    while waiting:
        node = waiting.pop()
        line = "|   " * (int(tree.depths[node]) - 1) + names.text(condition_of(tree, node)) + ":"
        lines.append(f"{line} {_leaf_text(tree, node, model.classes_)}" if tree.is_leaf[node] else line)
        waiting.extend(reversed(tree.children_of(node)))
    return "\n".join(lines)


def _leaf_text(tree: MultiwayTree, leaf: int, classes: np.ndarray) -> str:
    n, largest = float(tree.weight[leaf]), float(tree.counts[leaf].max())
    return f"{classes[tree.counts[leaf].argmax()]} ({cases_text(n, n - largest)})"


def cases_text(n: float, errors: float) -> str:
    """The training rows of a leaf and its errors, if any.

    >>> cases_text(145.71, 4.0), cases_text(5.04, 0.02)
    ('145.7/4.0', '5.0')
    """
    return f"{n:.1f}/{errors:.1f}" if errors >= 0.05 else f"{n:.1f}"
