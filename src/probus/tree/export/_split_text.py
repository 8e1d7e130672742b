"""The splits and predictions of a tree as text, with the names of columns, levels and classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.data import Field, Kind
from probus.display import percent
from probus.errors import DataError
from probus.tree._trees import Tree
from probus.tree.export._short_text import date_of, distinguished, fewest_digits, in_set, rounded, short_number


@dataclass(frozen=True)
class SplitText:
    """One split, as text and as a function: the conditions of its left and right branch.

    threshold : infinite if the split separates known from missing values.
    levels : for nominal columns the codes that go left and those that go right, else None.
    flipped : whether rows at or below the threshold go right, as in some surrogates.
    agreement : for surrogates, the share of rows sent to the same side as by the primary split.

    >>> split = SplitText(0, "Age", "≤ 6.5", "> 6.5", threshold=6.5)
    >>> print(split)
    Age ≤ 6.5
    >>> split.goes_left(4.0), split.goes_left(np.nan)
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
        """The condition of one branch."""
        return self.left if left else self.right

    def goes_left(self, x: float) -> bool | None:
        """Whether a value of the column goes left; None if the split cannot decide."""
        if np.isnan(x):
            return None
        if self.levels is None:
            return bool(x <= self.threshold) != self.flipped
        return next((left for left, codes in zip((True, False), self.levels, strict=True) if x in codes), None)


class TreeText:
    """The names used in the text of a fitted tree, or of the tree of a search such as ``CostComplexityCV``.

    Names of columns are those given, else those of ``fit``, else ``unnamed`` with the number of the column; kinds
    and levels come from the model's schema. Thresholds of a column have enough digits to distinguish them.
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
        criterion = getattr(model, "criterion", "impurity")
        self.criterion = getattr(criterion, "__name__", "impurity") if callable(criterion) else str(criterion)

    # -- splits ----------------------------------------------------------------------------------------

    def split(self, node: int) -> SplitText:
        """The split of an inner node."""
        tree, feature = self.tree, int(self.tree.feature[node])
        levels = tree.levels_of(node) if tree.subset[node] >= 0 else None
        split = self._split_text(feature, float(tree.threshold[node]), levels)
        if tree.missing_seen is None or not tree.missing_seen[node] or tree.surrogates or split.right == "is missing":
            return split
        left = bool(tree.missing_go_to_left[node])
        return replace(split, left=split.left + " or missing" * left, right=split.right + " or missing" * (not left))

    def surrogates(self, node: int) -> list[SplitText]:
        """The surrogate splits of an inner node, best first."""
        tree, ranked = self.tree, self.tree.surrogates
        if ranked is None:
            return []
        return [
            self._split_text(
                int(ranked.feature[place]),
                float(ranked.threshold[place]),
                tree.surrogate_levels_of(place) if ranked.subset[place] >= 0 else None,
                bool(ranked.flipped[place]),
                float(ranked.agreement[place]),
            )
            for place in ranked.of(node)
        ]

    def _split_text(
        self,
        feature: int,
        threshold: float,
        levels: tuple[np.ndarray, np.ndarray] | None,
        flipped: bool = False,
        agreement: float | None = None,
    ) -> SplitText:
        codes = None if levels is None else (frozenset(map(int, levels[0])), frozenset(map(int, levels[1])))
        if np.isposinf(threshold) or (codes and not codes[1]):
            sides = "is known", "is missing"
        elif codes is None:
            shown = self.threshold(feature, threshold)
            sides = f"≤ {shown}", f"> {shown}"
        else:
            sides = self.one_of(feature, codes[0]), self.one_of(feature, codes[1])
        if flipped:
            sides, codes = (sides[1], sides[0]), codes and (codes[1], codes[0])
        return SplitText(feature, self.names[feature], *sides, threshold, codes, flipped, agreement)

    # -- parts of splits -------------------------------------------------------------------------------

    def threshold(self, feature: int, threshold: float) -> str:
        """A threshold of a column: a level if it is ordinal, a date if it counts days, else a short number."""
        field = self.fields[feature]
        if field is not None and field.kind is Kind.ORDINAL:
            return self.level(feature, int(np.clip(np.floor(threshold), 0, len(field.levels) - 1)))
        if field is not None and field.dates:
            return date_of(threshold)
        return short_number(threshold, self._digits[feature])

    def one_of(self, feature: int, codes: Iterable[int]) -> str:
        """The condition of a branch with those levels."""
        return in_set([self.level(feature, code) for code in sorted(codes)])

    def level(self, feature: int, code: int) -> str:
        """The name of a level; its code if the model has no names."""
        field = self.fields[feature]
        return str(field.levels[code]) if field is not None and field.levels else str(code)

    def cell(self, feature: int, x: float) -> str:
        """A value of a column of the coded matrix as text."""
        field = self.fields[feature]
        if field is not None and field.kind.has_levels:
            return self.level(feature, int(x))
        if field is not None and field.dates:
            return date_of(x, whole=False)
        return short_number(x)

    def compared(self, split: SplitText, x: float) -> str:
        """A value and the condition it satisfies, with enough digits to show that it does."""
        left = split.goes_left(x)
        assert left is not None
        cell, side = self.cell(split.feature, x), split.side(left)
        if split.levels is not None or side == "is known":
            return f"{split.column} = {cell}" if side == f"= {cell}" else f"{split.column} = {cell} {side}"
        below = x <= split.threshold
        if self._is_plain(split.feature):
            cell, side = distinguished(x, split.threshold, self._digits[split.feature])
        else:
            side = self.threshold(split.feature, split.threshold)
        return f"{split.column} = {cell} {'≤' if below else '>'} {side}"

    def _is_plain(self, feature: int) -> bool:
        field = self.fields[feature]
        return field is None or not (field.kind.has_levels or field.dates)

    @cached_property
    def _digits(self) -> list[int]:
        """The number of digits for the thresholds of each column."""
        tree, surrogates = self.tree, self.tree.surrogates
        feature, threshold = tree.feature, tree.threshold
        if surrogates is not None:
            feature = np.concatenate([feature, surrogates.feature])
            threshold = np.concatenate([threshold, surrogates.threshold])
        return [fewest_digits(threshold[feature == j]) for j in range(tree.n_features)]

    # -- predictions -----------------------------------------------------------------------------------

    @property
    def classifies(self) -> bool:
        """Whether the tree predicts classes."""
        return bool(self.classes)

    def prediction(self, node: int) -> str:
        """The prediction of a node: a class or a short number."""
        value = self.tree.value[node, 0]
        return self.classes[int(value.argmax())] if self.classifies else rounded(float(value[0]))

    def answer(self, node: int) -> str:
        """The prediction of a node with its number of rows.

        A class is shown with its frequency.
        """
        rows = f"{int(self.tree.n_node_samples[node]):,}"
        if not self.classifies:
            return f"{self.prediction(node)} (n = {rows})"
        return f"{self.prediction(node)} ({percent(self.tree.value[node, 0].max())} of {rows})"


# -- input validation ----------------------------------------------------------------------------------


def _tree_model(model: Any) -> Any:
    """The model with the tree: the one given, or the one selected by a search."""
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    if not isinstance(getattr(model, "tree_", None), Tree):
        raise DataError(f"{type(model).__name__} has no binary tree of Probus.", "a fitted tree of probus.tree")
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
