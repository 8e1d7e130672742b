"""A tree as a list of rules, one for each leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.display import Cells, OnlyHtml, OnlyText, Part, Results, percent
from probus.tree.export._leaf_conditions import boxes_of
from probus.tree.export._split_text import TreeText


@dataclass(frozen=True)
class LeafRule:
    """The conditions of a leaf and its prediction.

    Attributes
    ----------
    leaf : the number of the leaf.
    conditions : one phrase for each column.
    prediction : a class, or a number.
    distribution : the frequency of each class, by its name; None for numbers.
    n : the rows in the leaf.
    share : of all rows.
    impurity : of the leaf, by the criterion of the tree.
    answer : the prediction as text, with its support.
    """

    leaf: int
    conditions: tuple[str, ...]
    prediction: Any
    distribution: Mapping[str, float] | None
    n: int
    share: float
    impurity: float
    answer: str

    @property
    def condition(self) -> str:
        """All conditions as one phrase."""
        return " and ".join(self.conditions) or "always"

    def __str__(self) -> str:
        return f"{self.condition} → {self.answer}"


class TreeRules(Results[LeafRule]):
    """The rules of a tree, its leaves from left to right; exactly one of them holds for any row."""

    def _parts(self) -> list[Part]:
        text = [(rule.condition, "→", rule.answer) for rule in self]
        table = [("\n".join(rule.conditions) or "always", rule.answer, percent(rule.share)) for rule in self]
        return [OnlyText(Cells(text)), OnlyHtml(Cells([("if", "then", "rows"), *table]))]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each rule, a column for the share of each class."""
        rows = []
        for rule in self:
            cells = {"leaf": rule.leaf, "condition": rule.condition, "prediction": rule.prediction}
            shares = {f"share of {name}": share for name, share in (rule.distribution or {}).items()}
            rows.append({**cells, **shares, "n": rule.n, "share": rule.share, "impurity": rule.impurity})
        return rows


def export_rules(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> TreeRules:
    """A tree as rules, one for each leaf, with the conditions on a column merged into one.

    Parameters
    ----------
    decision_tree : A fitted tree.
    feature_names, class_names : names of columns and classes to use instead.

    Returns
    -------
    The rules, which print themselves.

    >>> from probus.datasets import iris
    >>> from probus.tree import DecisionTreeClassifier
    >>> flowers = iris()
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=4).fit(flowers.drop("species"), flowers["species"])
    >>> export_rules(tree)
    petal_length ≤ 2.45                                →  setosa (100 % of 50)
    2.45 < petal_length ≤ 4.95 and petal_width ≤ 1.75  →  versicolor (98 % of 48)
    petal_length > 4.95 and petal_width ≤ 1.75         →  virginica (67 % of 6)
    petal_length > 2.45 and petal_width > 1.75         →  virginica (98 % of 46)
    """
    words = TreeText(decision_tree, feature_names, class_names)
    tree = words.tree
    rules = []
    for leaf, box in boxes_of(tree).items():
        value = tree.value[leaf, 0].tolist()
        rules.append(
            LeafRule(
                leaf=leaf,
                conditions=tuple(condition.text(words) for condition in box),
                prediction=words.prediction(leaf) if words.classifies else value[0],
                distribution=dict(zip(words.classes, value, strict=True)) if words.classifies else None,
                n=int(tree.n_node_samples[leaf]),
                share=float(tree.n_node_samples[leaf] / tree.n_node_samples[0]),
                impurity=float(tree.impurity[leaf]),
                answer=words.answer(leaf),
            )
        )
    return TreeRules(tuple(rules))
