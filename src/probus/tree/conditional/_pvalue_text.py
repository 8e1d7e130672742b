"""A conditional tree as text: the split of each node with its p-value."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.tree.export._split_text import TreeText


def as_text(model: Any) -> str:
    """A line for each node: its branch, and its split with p-value or its prediction."""
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
    return f"[{node}] {branch}: by {words.names[chosen]}, {_p_value_text(pvalues[node, chosen])}"


def _p_value_text(p: float) -> str:
    """A p-value as it is printed in papers.

    >>> _p_value_text(0.0312), _p_value_text(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
