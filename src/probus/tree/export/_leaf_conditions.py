"""The conditions on the path to a leaf, merged by column: the box of the leaf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.tree._trees import Tree
from probus.tree.export._split_text import TreeText


@dataclass(frozen=True)
class LeafCondition:
    """A condition on one column: ``low < x ≤ high``, or a set of levels.

    levels : codes of every level that satisfies it, None for ordered columns.
    seen : those that occurred in training at these nodes; the others go where missing values go.
    missing : whether a missing value satisfies it; False if surrogates decide.
    missing_seen : whether that occurred in training.
    """

    feature: int
    low: float = -np.inf
    high: float = np.inf
    levels: frozenset[int] | None = None
    seen: frozenset[int] = frozenset()
    missing: bool = False
    missing_seen: bool = False

    def merged(self, other: LeafCondition) -> LeafCondition:
        """The conjunction of two conditions on the same column."""
        missing = self.missing and other.missing
        through = replace(self, missing=missing, missing_seen=missing and other.missing_seen)
        if self.levels is None or other.levels is None:
            return replace(through, low=max(self.low, other.low), high=min(self.high, other.high))
        return replace(through, levels=self.levels & other.levels, seen=self.seen & other.seen)

    def holds(self, x: np.ndarray) -> np.ndarray:
        """For each value of the column whether it satisfies the condition."""
        missing = np.isnan(x)
        if self.levels is None:
            inside = (x > self.low) & (x <= self.high)
        else:
            inside = np.isin(x, list(self.levels))
        return inside | missing if self.missing else inside & ~missing

    def text(self, words: TreeText) -> str:
        """The condition as text."""
        if self.low == np.inf or (self.levels is not None and not self.seen):
            return f"{words.names[self.feature]} is missing"
        return self._text_of_known(words) + " or missing" * self.missing_seen

    def _text_of_known(self, words: TreeText) -> str:
        name = words.names[self.feature]
        if self.levels is not None:
            everything = len(self.seen) == words.tree.n_levels[self.feature]
            return f"{name} {'is known' if everything else words.one_of(self.feature, self.seen)}"
        low, high = ("" if np.isinf(end) else words.threshold(self.feature, end) for end in (self.low, self.high))
        if not high:
            return f"{name} > {low}" if low else f"{name} is known"
        return f"{low} < {name} ≤ {high}" if low else f"{name} ≤ {high}"

    def to_dict(self, words: TreeText) -> dict[str, Any]:
        """Plain data, for JSON: open ends are None."""
        data: dict[str, Any] = {"column": words.names[self.feature]}
        if self.levels is not None:
            data["levels"] = [words.level(self.feature, code) for code in sorted(self.levels)]
        else:
            data |= {end: None if np.isinf(v) else v for end, v in (("low", self.low), ("high", self.high))}
        return data | {"missing": self.missing}


def boxes_of(tree: Tree) -> dict[int, tuple[LeafCondition, ...]]:
    """For each leaf, from left to right, its conditions: one per column on the path, in the order of the splits."""
    boxes: dict[int, dict[int, LeafCondition]] = {0: {}}
    for node in np.flatnonzero(~tree.is_leaf).tolist():  # parents come first
        above = boxes.pop(node)
        for left, child in ((True, tree.children_left[node]), (False, tree.children_right[node])):
            condition = _condition(tree, node, left)
            before = above.get(condition.feature)
            boxes[int(child)] = above | {condition.feature: before.merged(condition) if before else condition}
    return {leaf: tuple(boxes[leaf].values()) for leaf in leaves_in_order(tree)}


def leaves_in_order(tree: Tree) -> list[int]:
    """The leaves from left to right."""
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if tree.is_leaf[node]:
            leaves.append(node)
        else:
            waiting += [int(tree.children_right[node]), int(tree.children_left[node])]
    return leaves


def _condition(tree: Tree, node: int, left: bool) -> LeafCondition:
    """The condition of the left or right branch of a split."""
    feature = int(tree.feature[node])
    alone = tree.surrogates is None or not tree.surrogates.of(node)
    missing = alone and bool(tree.missing_go_to_left[node]) == left
    missing_seen = missing and tree.missing_seen is not None and bool(tree.missing_seen[node])
    if tree.subset[node] < 0:
        threshold = float(tree.threshold[node])
        low, high = (-np.inf, threshold) if left else (threshold, np.inf)
        return LeafCondition(feature, low, high, missing=missing, missing_seen=missing_seen)
    sides = [frozenset(map(int, codes)) for codes in tree.levels_of(node)]
    seen = sides[0] if left else sides[1]
    unknown = frozenset(range(int(tree.n_levels[feature]))) - sides[0] - sides[1]
    return LeafCondition(
        feature, levels=seen | unknown if missing else seen, seen=seen, missing=missing, missing_seen=missing_seen
    )
