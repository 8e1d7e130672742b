"""A conditional tree as text: what each node tests, and how surely."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.tree.export.split_text import TreeText

__all__ = ["as_text"]


def as_text(model: Any) -> str:
    """A line for each node: the way to it, its rows, and the p-value of its split or its prediction."""
    words, pvalues = TreeText(model), model.pvalues_
    lines = [_line(words, pvalues, 0, "all rows")]
    tree = words.tree
    for node in range(1, tree.node_count):
        parent = int(tree.parents[node])
        split = words.split(parent)
        branch = f"{split.column} {split.side(node == tree.children_left[parent])}"
        lines.append("  " * int(tree.depths[node]) + _line(words, pvalues, node, branch))
    return "\n".join(lines)


def _line(words: TreeText, pvalues: np.ndarray, node: int, branch: str) -> str:
    if words.tree.is_leaf[node]:
        return f"[{node}] {branch}: {words.answer(node)}"
    chosen = int(words.tree.feature[node])
    return f"[{node}] {branch}: by {words.names[chosen]}, {_told(pvalues[node, chosen])}"


def _told(p: float) -> str:
    """A p-value as papers print it.

    >>> _told(0.0312), _told(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
