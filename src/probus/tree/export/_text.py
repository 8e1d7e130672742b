"""A tree as indented text, in scikit-learn's layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data import Kind
from probus.errors import DataError
from probus.tree.export._scikit_learn import or_scikit_learn
from probus.tree.export._split_text import SplitText, TreeText


@or_scikit_learn
def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """A tree as indented text, identical to scikit-learn's if the columns are numeric.

    Nominal splits name their levels, ordinal and date columns theirs. A tree fitted on named columns uses those names,
    while scikit-learn numbers them.

    Parameters
    ----------
    decision_tree : a fitted tree.
    feature_names, class_names : names of columns and classes to use instead.
    max_depth : deeper branches are shown as truncated.
    spacing : the width of an indent.
    decimals : the digits after the point.
    show_weights : whether leaves show the weight of each class.

    Returns
    -------
    The text.

    >>> from probus.datasets import titanic
    >>> from probus.tree import DecisionTreeClassifier
    >>> people = titanic()
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(people[["Sex", "Pclass", "Age"]], people["Survived"])
    >>> print(export_text(tree))
    |--- Sex = male
    |   |--- Age <= 6.50
    |   |   |--- class: yes
    |   |--- Age >  6.50
    |   |   |--- class: no
    |--- Sex = female
    |   |--- Pclass <= 2
    |   |   |--- class: yes
    |   |--- Pclass >  2
    |   |   |--- class: no
    <BLANKLINE>
    """
    for name, number, least in (("max_depth", max_depth, 0), ("spacing", spacing, 1), ("decimals", decimals, 0)):
        if number < least:
            raise DataError(f"{name}={number}.", f"at least {least}")
    words = TreeText(decision_tree, feature_names, class_names, unnamed="feature_{}")
    tree = words.tree
    heights = _heights(words)
    lines: list[str] = []
    waiting: list[tuple[int, int, str]] = [(0, 0, "")]  # a node, its depth, and the branch that leads to it
    while waiting:
        node, depth, branch = waiting.pop()
        if branch:
            lines.append(f"{_indent(depth - 1, spacing)} {branch}")
        if tree.is_leaf[node]:
            lines.append(_indent(depth, spacing) + _leaf(words, node, decimals, show_weights))
        elif depth > max_depth:
            lines.append(f"{_indent(depth, spacing)} truncated branch of depth {heights[node]}")
        else:
            left, right = _branches(words, node, decimals)
            waiting.append((int(tree.children_right[node]), depth + 1, right))
            waiting.append((int(tree.children_left[node]), depth + 1, left))
    return "\n".join(lines) + "\n"


def _indent(depth: int, spacing: int) -> str:
    return ("|" + " " * spacing) * depth + "|" + "-" * spacing


def _branches(words: TreeText, node: int, decimals: int) -> tuple[str, str]:
    """The conditions of the two branches; numbers with fixed decimals, signs in ASCII and aligned."""
    split: SplitText = words.split(node)
    if words.tree.subset[node] >= 0:
        return f"{split.column} {split.left}", f"{split.column} {split.right}"
    field = words.fields[split.feature]
    named = field is not None and (field.kind is Kind.ORDINAL or field.dates)
    threshold = split.left.removeprefix("≤ ") if named else f"{words.tree.threshold[node]:.{decimals}f}"
    return f"{split.column} <= {threshold}", f"{split.column} >  {threshold}"


def _leaf(words: TreeText, node: int, decimals: int, show_weights: bool) -> str:
    value = words.tree.value[node, 0]
    if not words.classifies:
        return f" value: [{value[0]:.{decimals}f}]"
    weights = ", ".join(f"{v:.{decimals}f}" for v in value * words.tree.weighted_n_node_samples[node])
    return (f" weights: [{weights}]" if show_weights else "") + f" class: {words.prediction(node)}"


def _heights(words: TreeText) -> np.ndarray:
    """The height of the subtree of each node, itself included."""
    heights = np.ones(words.tree.node_count, np.int64)
    for node in range(words.tree.node_count - 1, 0, -1):
        parent = words.tree.parents[node]
        heights[parent] = max(heights[parent], heights[node] + 1)
    return heights
