"""A multiway tree as a list of rules, one for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probus.tree.multiway._c45_text import cases_text
from probus.tree.multiway._condition_text import Condition, ConditionText, condition_of
from probus.tree.multiway._multiway_tree import MultiwayTree


@dataclass(frozen=True)
class PathRule:
    """If all conditions hold, predict this class, which is correct for ``n - errors`` of ``n`` training rows."""

    leaf: int
    conditions: tuple[str, ...]
    prediction: Any
    shares: tuple[float, ...]
    n: float
    errors: float

    def __str__(self) -> str:
        condition = " and ".join(self.conditions) or "always"
        return f"{condition}: {self.prediction} ({cases_text(self.n, self.errors)})"


@dataclass(frozen=True, repr=False)
class PathRules(Sequence[PathRule]):
    """The rules of a tree in the order of its branches."""

    rules: tuple[PathRule, ...]

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, place: Any) -> Any:
        return self.rules[place]

    def __repr__(self) -> str:
        return "\n".join(map(str, self.rules))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [{**vars(rule), "conditions": list(rule.conditions), "shares": list(rule.shares)} for rule in self.rules]

    def to_frame(self) -> Any:
        """A polars frame with a row for each rule."""
        import polars as pl

        return pl.DataFrame([{**rule, "conditions": " and ".join(rule["conditions"])} for rule in self.to_dict()])


def rules_of(tree: MultiwayTree, model: Any) -> PathRules:
    """A rule for each leaf, with the conditions on a column merged."""
    names = ConditionText(model, tree.coding)
    rules = []
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, merged = waiting.pop()
        if tree.is_leaf[node]:
            conditions = tuple(names.text(condition, among_others=True) for condition in merged.values())
            rules.append(_rule(tree, node, model.classes_, conditions))
        for child in reversed(tree.children_of(node)):
            condition = condition_of(tree, child)
            before = merged.get(condition.feature, condition)
            waiting.append((child, {**merged, condition.feature: before.merged(condition)}))
    return PathRules(tuple(rules))


def _rule(tree: MultiwayTree, leaf: int, classes: Any, conditions: tuple[str, ...]) -> PathRule:
    counts, n = tree.counts[leaf], float(tree.weight[leaf])
    prediction = classes[[counts.argmax()]].tolist()[0]
    return PathRule(leaf, conditions, prediction, tuple(tree.value[leaf].tolist()), n, n - float(counts.max()))
