"""The way of a row down a tree, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

import numpy as np

from probus.tree.export.wording import Question, Wording

__all__ = ["Step", "Trace", "Traces", "trace"]


@dataclass(frozen=True)
class Step:
    """One question on the way: the node that asks, in words what is asked and answered, and where the row goes.

    surrogate : the name of the column that was asked in place of a missing value.
    """

    node: int
    told: str
    left: bool
    surrogate: str | None = None

    def __str__(self) -> str:
        return f"{self.told} → {'left' if self.left else 'right'}"


@dataclass(frozen=True, repr=False)
class Trace:
    """The way of one row: its steps, the leaf they end in, and what that leaf says."""

    steps: tuple[Step, ...]
    leaf: int
    answer: str

    def lines(self) -> list[str]:
        """A line for each question, and one for the leaf."""
        return [*map(str, self.steps), f"leaf {self.leaf}: {self.answer}"]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        *steps, leaf = map(escape, self.lines())
        return f"<ol>{''.join(f'<li>{step}</li>' for step in steps)}</ol><p><b>{leaf}</b></p>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"steps": [dict(vars(step)) for step in self.steps], "leaf": self.leaf, "answer": self.answer}


@dataclass(frozen=True, repr=False)
class Traces(Sequence[Trace]):
    """The ways of several rows."""

    traces: tuple[Trace, ...]

    def __len__(self) -> int:
        return len(self.traces)

    @overload
    def __getitem__(self, place: int) -> Trace: ...
    @overload
    def __getitem__(self, place: slice) -> Traces: ...
    def __getitem__(self, place: int | slice) -> Trace | Traces:
        return Traces(self.traces[place]) if isinstance(place, slice) else self.traces[place]

    def __repr__(self) -> str:
        if len(self) == 1:
            return repr(self[0])
        return "\n".join(
            line for row, way in enumerate(self) for line in (f"row {row}", *(f"  {line}" for line in way.lines()))
        )

    def _repr_html_(self) -> str:
        return "".join(f"<p>row {row}</p>{way._repr_html_()}" for row, way in enumerate(self))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [way.to_dict() for way in self]

    def to_frame(self) -> Any:
        """A polars frame: a row for each step of each row."""
        import polars as pl

        return pl.DataFrame([{"row": row, **vars(step)} for row, way in enumerate(self) for step in way.steps])


def trace(decision_tree: Any, X: Any) -> Traces:
    """The questions each row of X is asked on its way to its leaf, in words.

    X is what ``predict`` takes; a single row may also be a flat sequence of numbers, or a dict of single values. Where
    a value is missing, the surrogate that was asked instead is named with its agreement: the share of training rows
    that it sends as the question itself does.

    >>> from probus.datasets import titanic
    >>> from probus.tree import DecisionTreeClassifier
    >>> people = titanic()
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(people[["Sex", "Fare", "Age"]], people["Survived"])
    >>> trace(tree, people.take([0]))
    Sex = male → left
    Age = 22 > 6.5 → right
    leaf 3: no (83 % of 553)
    """
    words = Wording(decision_tree)
    rows = words.model._seen(_as_rows(X))
    return Traces(tuple(_way(words, row) for row in rows))


def _as_rows(X: Any) -> Any:
    """A single row as a table of one."""
    if isinstance(X, Mapping) and all(np.ndim(value) == 0 for value in X.values()):
        return {name: [value] for name, value in X.items()}
    if isinstance(X, (list, tuple, np.ndarray)) and len(X) and all(np.ndim(value) == 0 for value in X):
        return [list(X)]
    return X


def _way(words: Wording, row: np.ndarray) -> Trace:
    tree, node, steps = words.tree, 0, []
    while not tree.is_leaf[node]:
        step = _step(words, node, row)
        steps.append(step)
        node = int(tree.children_left[node] if step.left else tree.children_right[node])
    return Trace(tuple(steps), node, words.answer(node))


def _step(words: Wording, node: int, row: np.ndarray) -> Step:
    """Ask the node, then its surrogates in turn; where none can tell, go as missing values go."""
    asked = words.question(node)
    go = asked.goes_left(row[asked.feature])
    if go is not None:
        return Step(node, words.compared(asked, row[asked.feature]), go)
    lacking = _lack(words, asked, row)
    for other in words.surrogates(node):
        x = row[other.feature]
        go = other.goes_left(x)
        if go is not None:
            told = f"asked {other.column} instead (agreement {other.agreement:.2f}): {words.compared(other, x)}"
            return Step(node, f"{lacking}; {told}", go, other.column)
        lacking += f", {_lack(words, other, row)}"
    last = "" if words.tree.surrogates is None else "; nothing else can tell, so with the majority"
    return Step(node, lacking + last, bool(words.tree.missing_go_to_left[node]))


def _lack(words: Wording, asked: Question, row: np.ndarray) -> str:
    """Why a question has no answer."""
    x = row[asked.feature]
    if np.isnan(x):
        return f"{asked.column} is missing"
    return f"{asked.column} = {words.cell(asked.feature, x)} is not known here"
