"""The base class of multiway tree classifiers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, checked_weights, encoded_classes
from probus.data import Schema
from probus.errors import ModelFileError
from probus.parameters import attribute, parameter
from probus.state import Labels, Object, Size, Spec
from probus.tree.multiway._coding import ColumnCoding
from probus.tree.multiway._condition_text import Condition, ConditionText, condition_of
from probus.tree.multiway._multiway_growth import GrowingNode, Training, flattened
from probus.tree.multiway._multiway_tree import MultiwayTree
from probus.tree.multiway._row_paths import ends_of, shares_of
from probus.tree.preparation._design import Design, design_of


class MultiwayClassifier(Classifier, ABC):
    """Base class of multiway tree classifiers; a subclass defines the coding of columns and the growing of the tree."""

    max_depth: int | None = parameter(
        "The maximum number of splits from the root to a leaf; None sets no limit.", default=None, at_least=1
    )
    laplace: bool = parameter(
        "Whether one row of each class is added to a leaf for its probabilities, which are then never 0 or 1.",
        default=False,
    )

    tree_: MultiwayTree = attribute()
    classes_: np.ndarray = attribute()
    n_classes_: int = attribute()
    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "tree_": Object(MultiwayTree),
        "classes_": Labels("K"),
        "n_classes_": Size("K"),
    }

    @abstractmethod
    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        """The coding of the columns."""

    @abstractmethod
    def _grown(self, training: Training) -> GrowingNode:
        """The tree of the training rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiwayClassifier:
        """Grow the tree; a weight of 3 is equal to repeating the row three times."""
        design = design_of(self, X, reset=True)
        self.classes_, label = encoded_classes(y, design.n_rows)
        self.n_classes_ = len(self.classes_)
        weights = checked_weights(sample_weight, label)
        w = np.ones(len(label)) if weights is None else weights
        counted = w > 0
        design, label, w = Design(design.X[counted], design.n_levels), label[counted], w[counted]
        coding = self._coding(design, w)
        training = Training(np.asfortranarray(coding.coded(design.X)), label, w, self.n_classes_, coding)
        self.tree_ = flattened(self._grown(training), coding, self.laplace)
        return self

    @property
    def _schema(self) -> Schema | None:
        return getattr(self, "schema_", None)

    def _seen(self, X: Any) -> np.ndarray:
        """New data coded like the training data."""
        check_is_fitted(self)
        return self.tree_.coding.coded(design_of(self, X, reset=False).X)

    # -- prediction ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The class probabilities of each row.

        A row with a missing value goes to every child in proportion to the child's training weight. A row with a level
        that does not occur in training at a node ends there.
        """
        X = self._seen(X)
        return shares_of(self.tree_, X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> np.ndarray:
        """The node at which each row ends: a leaf, or a node where its level does not occur in training.

        A row with a missing value follows the child with the largest training weight.
        """
        X = self._seen(X)
        return ends_of(self.tree_, X)

    # -- inspection ------------------------------------------------------------------------------------

    def get_depth(self) -> int:
        """The depth of the tree."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """The information gain of the splits on each column, normalised to sum to 1."""
        check_is_fitted(self)
        return self.tree_.feature_importances()

    def export_text(self) -> str:
        """The tree as text in the format of C4.5: each leaf with its class, its training rows and its errors."""
        check_is_fitted(self)
        return text_of(self.tree_, self)

    def rules(self) -> PathRules:
        """A rule for each leaf: its conditions, class, rows and errors."""
        check_is_fitted(self)
        return rules_of(self.tree_, self)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless tree, columns and classes match."""
        schema = self._schema
        if self.tree_.n_features != self.n_features_in_ or (schema and len(schema) != self.n_features_in_):
            raise ModelFileError(f"a tree of {self.tree_.n_features} columns.", f"{self.n_features_in_}")
        most = [max(1, len(field.levels)) for field in schema] if schema else [0] * self.n_features_in_
        coding = self.tree_.coding
        if ((coding.n_codes > most) & (coding.binned == 0)).any():
            raise ModelFileError(f"a tree with columns of {coding.n_codes.tolist()} codes.", "at most their levels")
        if self.tree_.counts.shape[1] != self.n_classes_:
            raise ModelFileError(f"a tree of {self.tree_.counts.shape[1]} classes.", f"{self.n_classes_}")


# -- a multiway tree as a list of rules, one for each leaf ---------------------------------------------


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


# -- a multiway tree as text, in the format of C4.5 ----------------------------------------------------


def text_of(tree: MultiwayTree, model: Any) -> str:
    """A line for each node below the root, indented by depth; leaves end in class, rows and errors."""
    names = ConditionText(model, tree.coding)
    if tree.node_count == 1:
        return _leaf_text(tree, 0, model.classes_)
    lines = []
    waiting = list(reversed(tree.children_of(0)))
    while waiting:
        node = waiting.pop()
        line = "|   " * (int(tree.depths[node]) - 1) + names.text(condition_of(tree, node)) + ":"
        lines.append(f"{line} {_leaf_text(tree, node, model.classes_)}" if tree.is_leaf[node] else line)
        waiting.extend(reversed(tree.children_of(node)))
    return "\n".join(lines)


def _leaf_text(tree: MultiwayTree, leaf: int, classes: np.ndarray) -> str:
    n, largest = float(tree.weight[leaf]), float(tree.counts[leaf].max())
    return f"{classes[tree.counts[leaf].argmax()]} ({cases_text(n, n - largest)})"


def cases_text(n: float, errors: float) -> str:
    """The training rows of a leaf and its errors, if any.

    >>> cases_text(145.71, 4.0), cases_text(5.04, 0.02)
    ('145.7/4.0', '5.0')
    """
    return f"{n:.1f}/{errors:.1f}" if errors >= 0.05 else f"{n:.1f}"
