"""A multiway tree as a list of rules, one for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probus.data import Table
from probus.tree.multiway.flat import MultiwayTree
from probus.tree.multiway.wording import Condition, Wording, condition_of

__all__ = ["PathRule", "Rules", "rules_of"]


@dataclass(frozen=True)
class PathRule:
    """If all conditions hold, then this class: it was right for ``n - errors`` of ``n`` training rows."""

    leaf: int
    conditions: tuple[str, ...]
    prediction: Any
    shares: tuple[float, ...]
    n: float
    errors: float

    def __str__(self) -> str:
        told = f"{self.n:.1f}/{self.errors:.1f}" if self.errors >= 0.05 else f"{self.n:.1f}"
        return f"{' and '.join(self.conditions) or 'always'}: {self.prediction} ({told})"


@dataclass(frozen=True, repr=False)
class Rules(Sequence[PathRule]):
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

    def to_frame(self) -> Table:
        """A row for each rule."""
        return Table.of(
            {
                "rule": [" and ".join(rule.conditions) or "always" for rule in self.rules],
                "prediction": [rule.prediction for rule in self.rules],
                "n": [rule.n for rule in self.rules],
                "errors": [rule.errors for rule in self.rules],
            },
            infer=False,
        )


def rules_of(tree: MultiwayTree, model: Any) -> Rules:
    """A rule for each leaf, what its path asks of one column merged."""
    wording = Wording(model, tree.coding)
    rules = []
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, demanded = waiting.pop()
        if tree.is_leaf[node]:
            rules.append(_rule(tree, node, model.classes_, tuple(wording.told(c) for c in demanded.values())))
        for child in reversed(tree.children_of(node)):
            condition = condition_of(tree, child)
            before = demanded.get(condition.feature, condition)
            waiting.append((child, {**demanded, condition.feature: before.merged(condition)}))
    return Rules(tuple(rules))


def _rule(tree: MultiwayTree, leaf: int, classes: Any, conditions: tuple[str, ...]) -> PathRule:
    counts, n = tree.counts[leaf], float(tree.weight[leaf])
    prediction = classes[counts.argmax()]
    shares = tuple(tree.value[leaf].tolist())
    return PathRule(leaf, conditions, getattr(prediction, "item", lambda: prediction)(), shares, n, n - counts.max())
