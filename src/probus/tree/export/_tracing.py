"""The decision path of a row as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Notes, Paragraph, Part, Result, Results
from probus.tree.export._split_text import SplitText, TreeText


@dataclass(frozen=True)
class Step:
    """One split on a path.

    Attributes
    ----------
    node : the number of the node.
    text : the value and the condition.
    left : whether the left branch was taken.
    surrogate : the name of the column that was used in place of a missing value.
    """

    node: int
    text: str
    left: bool
    surrogate: str | None = None

    def __str__(self) -> str:
        return f"{self.text} → {'left' if self.left else 'right'}"


@dataclass(frozen=True, repr=False)
class RowTrace(Result):
    """The path of one row.

    Attributes
    ----------
    steps : the splits on the path.
    leaf : the number of the leaf.
    answer : its prediction, as text.
    """

    steps: tuple[Step, ...]
    leaf: int
    answer: str

    def lines(self) -> list[str]:
        """A line for each split, and one for the leaf."""
        return [*map(str, self.steps), f"leaf {self.leaf}: {self.answer}"]

    def _parts(self, margin: int = 0) -> list[Part]:
        *steps, leaf = self.lines()
        return [Notes(steps, margin=margin, ordered=True), Paragraph(leaf, bold=True, margin=margin)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each step."""
        return [vars(step) for step in self.steps]


class Traces(Results[RowTrace]):
    """The paths of several rows; ``to_frame`` has a row for each step of each of them."""

    def _parts(self) -> list[Part]:
        if len(self) == 1:
            return self[0]._parts()
        return [part for row, path in enumerate(self) for part in (Paragraph(f"row {row}"), *path._parts(margin=2))]

    def _rows(self) -> list[dict[str, Any]]:
        return [{"row": row, **step} for row, path in enumerate(self) for step in path._rows()]


def trace(decision_tree: Any, X: Any) -> Traces:
    """The decision path of each row of X as text.

    X is the input of ``predict``; a single row may also be a flat sequence of numbers, or a dict of single values. If a
    value is missing, the surrogate used instead is named with its agreement: the share of training rows that it sends
    to the same side as the split.

    Parameters
    ----------
    decision_tree : A fitted tree.
    X : the rows, as of ``predict``.

    Returns
    -------
    The path of each row.

    >>> from probus.datasets import titanic
    >>> from probus.tree import DecisionTreeClassifier
    >>> people = titanic()
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(people[["Sex", "Fare", "Age"]], people["Survived"])
    >>> trace(tree, people.take([0]))
    Sex = male → left
    Age = 22 > 6.5 → right
    leaf 3: no (83 % of 553)
    """
    words = TreeText(decision_tree)
    rows = words.model._seen(_as_rows(X))
    return Traces(tuple(_path(words, row) for row in rows))


def _as_rows(X: Any) -> Any:
    """A single row as a table with one row."""
    if isinstance(X, Mapping) and all(np.ndim(value) == 0 for value in X.values()):
        return {name: [value] for name, value in X.items()}
    if isinstance(X, (list, tuple, np.ndarray)) and len(X) and all(np.ndim(value) == 0 for value in X):
        return [list(X)]
    return X


def _path(words: TreeText, row: np.ndarray) -> RowTrace:
    tree, node, steps = words.tree, 0, []
    while not tree.is_leaf[node]:
        step = _step(words, node, row)
        steps.append(step)
        node = int(tree.children_left[node] if step.left else tree.children_right[node])
    return RowTrace(tuple(steps), node, words.answer(node))


def _step(words: TreeText, node: int, row: np.ndarray) -> Step:
    """Apply the split, or its surrogates in turn, or the default direction of missing values."""
    split = words.split(node)
    go = split.goes_left(row[split.feature])
    if go is not None:
        return Step(node, words.compared(split, row[split.feature]), go)
    lacking = _why_not_applied(words, split, row)
    for other in words.surrogates(node):
        x = row[other.feature]
        go = other.goes_left(x)
        if go is not None:
            used = f"used {other.column} instead (agreement {other.agreement:.2f}): {words.compared(other, x)}"
            return Step(node, f"{lacking}; {used}", go, other.column)
        lacking += f", {_why_not_applied(words, other, row)}"
    last = "" if words.tree.surrogates is None else "; no surrogate applies, so it follows the majority"
    return Step(node, lacking + last, bool(words.tree.missing_go_to_left[node]))


def _why_not_applied(words: TreeText, split: SplitText, row: np.ndarray) -> str:
    """Why a split cannot be applied."""
    x = row[split.feature]
    if np.isnan(x):
        return f"{split.column} is missing"
    return f"{split.column} = {words.cell(split.feature, x)} is not a known level here"
