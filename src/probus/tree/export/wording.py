"""What a tree asks and answers, in words: the columns, levels, thresholds and classes as people know them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.data import Kind
from probus.data.schema import Field
from probus.display import percent
from probus.errors import DataError
from probus.tree.export.phrases import date_of, fewest_digits, in_set, rounded, short_number, told_apart
from probus.tree.trees import Tree

__all__ = ["Question", "Wording"]


@dataclass(frozen=True)
class Question:
    """One split, in words and as a function: what its left and its right branch demand of the column.

    threshold : infinite where the split parts the known from the missing.
    levels : for nominal columns the codes that go left and those that go right, else None.
    flipped : whether rows at or below the threshold go right, as some surrogates have it.
    agreement : for surrogates the share of rows they send as the primary split does.

    >>> asked = Question(0, "Age", "≤ 6.5", "> 6.5", threshold=6.5)
    >>> print(asked)
    Age ≤ 6.5
    >>> asked.goes_left(4.0), asked.goes_left(np.nan)
    (True, None)
    """

    feature: int
    column: str
    left: str
    right: str
    threshold: float = np.nan
    levels: tuple[frozenset[int], frozenset[int]] | None = None
    flipped: bool = False
    agreement: float | None = None

    def __str__(self) -> str:
        return f"{self.column} {self.left}"

    def side(self, left: bool) -> str:
        """What one branch demands."""
        return self.left if left else self.right

    def goes_left(self, x: float) -> bool | None:
        """Where a value of the column goes; None where this question cannot tell."""
        if np.isnan(x):
            return None
        if self.levels is None:
            return bool(x <= self.threshold) != self.flipped
        return next((left for left, codes in zip((True, False), self.levels, strict=True) if x in codes), None)


class Wording:
    """The names of everything in a fitted tree, which a search such as ``CostComplexityCV`` may hold.

    Names of columns are those given, else those of the fit, else ``unnamed`` with the number of the column; kinds and
    levels come from the model's schema. Thresholds of a column have as few digits as tell them apart.
    """

    def __init__(
        self,
        model: Any,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | bool | None = None,
        unnamed: str = "x[{}]",
    ):
        self.model = model = _tree_model(model)
        self.tree: Tree = model.tree_
        self.names = _column_names(model, self.tree, feature_names, unnamed)
        self.fields: list[Field | None] = list(getattr(model, "schema_", None) or [None] * self.tree.n_features)
        self.classes = _class_names(model, class_names)
        self.criterion = str(getattr(model, "criterion", "impurity"))

    # -- questions -------------------------------------------------------------------------------------

    def question(self, node: int) -> Question:
        """What an inner node asks."""
        tree, feature = self.tree, int(self.tree.feature[node])
        levels = tree.levels_of(node) if tree.subset[node] >= 0 else None
        asked = self._asked(feature, float(tree.threshold[node]), levels)
        if tree.missing_seen is None or not tree.missing_seen[node] or tree.surrogates or asked.right == "is missing":
            return asked
        left = bool(tree.missing_go_to_left[node])
        return replace(asked, left=asked.left + " or missing" * left, right=asked.right + " or missing" * (not left))

    def surrogates(self, node: int) -> list[Question]:
        """What an inner node asks instead where it lacks an answer, best first."""
        tree, ranked = self.tree, self.tree.surrogates
        if ranked is None:
            return []
        return [
            self._asked(
                int(ranked.feature[place]),
                float(ranked.threshold[place]),
                tree.surrogate_levels_of(place) if ranked.subset[place] >= 0 else None,
                bool(ranked.flipped[place]),
                float(ranked.agreement[place]),
            )
            for place in ranked.of(node)
        ]

    def _asked(
        self,
        feature: int,
        threshold: float,
        levels: tuple[np.ndarray, np.ndarray] | None,
        flipped: bool = False,
        agreement: float | None = None,
    ) -> Question:
        codes = None if levels is None else (frozenset(map(int, levels[0])), frozenset(map(int, levels[1])))
        if np.isposinf(threshold) or (codes and not codes[1]):
            sides = "is known", "is missing"
        elif codes is None:
            told = self.threshold(feature, threshold)
            sides = f"≤ {told}", f"> {told}"
        else:
            sides = self.one_of(feature, codes[0]), self.one_of(feature, codes[1])
        if flipped:
            sides, codes = (sides[1], sides[0]), codes and (codes[1], codes[0])
        return Question(feature, self.names[feature], *sides, threshold, codes, flipped, agreement)

    # -- parts of questions ----------------------------------------------------------------------------

    def threshold(self, feature: int, threshold: float) -> str:
        """A threshold of a column: a level where it is ordinal, a date where it counts days, else a short number."""
        field = self.fields[feature]
        if field is not None and field.kind is Kind.ORDINAL:
            return self.level(feature, int(np.clip(np.floor(threshold), 0, len(field.levels) - 1)))
        if field is not None and field.dates:
            return date_of(threshold)
        return short_number(threshold, self._digits[feature])

    def one_of(self, feature: int, codes: Iterable[int]) -> str:
        """What a branch demands that takes those levels."""
        return in_set([self.level(feature, code) for code in sorted(codes)])

    def level(self, feature: int, code: int) -> str:
        """The name of a level; its code where the model knows no names."""
        field = self.fields[feature]
        return str(field.levels[code]) if field is not None and field.levels else str(code)

    def cell(self, feature: int, x: float) -> str:
        """A value of a column as the tree sees it, in words."""
        field = self.fields[feature]
        if field is not None and field.kind.has_levels:
            return self.level(feature, int(x))
        if field is not None and field.dates:
            return date_of(x, whole=False)
        return short_number(x)

    def compared(self, question: Question, x: float) -> str:
        """A value and what it meets, with as many digits as it takes for the comparison to be seen to hold."""
        left = question.goes_left(x)
        assert left is not None
        cell, side = self.cell(question.feature, x), question.side(left)
        if question.levels is not None or side == "is known":
            return f"{question.column} = {cell}" if side == f"= {cell}" else f"{question.column} = {cell} {side}"
        below = x <= question.threshold
        if self._is_plain(question.feature):
            cell, side = told_apart(x, question.threshold, self._digits[question.feature])
        else:
            side = self.threshold(question.feature, question.threshold)
        return f"{question.column} = {cell} {'≤' if below else '>'} {side}"

    def _is_plain(self, feature: int) -> bool:
        field = self.fields[feature]
        return field is None or not (field.kind.has_levels or field.dates)

    @cached_property
    def _digits(self) -> list[int]:
        """For each column the digits its thresholds need."""
        tree, surrogates = self.tree, self.tree.surrogates
        feature, threshold = tree.feature, tree.threshold
        if surrogates is not None:
            feature = np.concatenate([feature, surrogates.feature])
            threshold = np.concatenate([threshold, surrogates.threshold])
        return [fewest_digits(threshold[feature == j]) for j in range(tree.n_features)]

    # -- answers ---------------------------------------------------------------------------------------

    @property
    def classifies(self) -> bool:
        """Whether the tree predicts classes."""
        return bool(self.classes)

    def prediction(self, node: int) -> str:
        """What a node predicts: a class or a short number."""
        value = self.tree.value[node, 0]
        return self.classes[int(value.argmax())] if self.classifies else rounded(float(value[0]))

    def answer(self, node: int) -> str:
        """What a node predicts, how sure it is, and on how many rows.

        A class comes with its share of them.
        """
        rows = f"{int(self.tree.n_node_samples[node]):,}"
        if not self.classifies:
            return f"{self.prediction(node)} (n = {rows})"
        return f"{self.prediction(node)} ({percent(self.tree.value[node, 0].max())} of {rows})"


# -- at the door ---------------------------------------------------------------------------------------


def _tree_model(model: Any) -> Any:
    """The model that holds the tree: the one given, or the one it has chosen."""
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    if not isinstance(getattr(model, "tree_", None), Tree):
        raise DataError(f"{type(model).__name__} holds no binary tree of Probus.", "a fitted tree of probus.tree")
    return model


def _column_names(model: Any, tree: Tree, given: Sequence[str] | None, unnamed: str) -> list[str]:
    if given is not None:
        if len(given) != tree.n_features:
            raise DataError(f"feature_names must contain {tree.n_features} elements, got {len(given)}.")
        return [str(name) for name in given]
    known = getattr(model, "feature_names_in_", None)
    return [unnamed.format(j) for j in range(tree.n_features)] if known is None else [str(name) for name in known]


def _class_names(model: Any, given: Sequence[str] | bool | None) -> list[str]:
    if not is_classifier(model):
        return []
    if given is None or isinstance(given, bool):
        return [str(label) for label in model.classes_]
    if len(given) != len(model.classes_):
        raise DataError(f"class_names has {len(given)} names.", f"one for each of the {len(model.classes_)} classes")
    return [str(name) for name in given]
