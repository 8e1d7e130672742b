"""What the classifiers that are one multiway tree have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, checked_weights, encoded_classes
from probus.data import Schema
from probus.errors import ModelFileError
from probus.state import Labels, Object, Size, Spec
from probus.tree.design import Design, design_of
from probus.tree.multiway.coding import ColumnCoding
from probus.tree.multiway.grow import Node, Training, flattened
from probus.tree.multiway.multiway_tree import MultiwayTree
from probus.tree.multiway.rules import PathRules, rules_of
from probus.tree.multiway.text import text_of
from probus.tree.multiway.walk import ends_of, shares_of

__all__ = ["MultiwayClassifier"]


class MultiwayClassifier(Classifier, ABC):
    """Parent of classifiers that hold one multiway tree; a child says how columns are coded and how the tree grows."""

    laplace: bool
    tree_: MultiwayTree
    classes_: np.ndarray
    n_classes_: int

    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "tree_": Object(MultiwayTree),
        "classes_": Labels("K"),
        "n_classes_": Size("K"),
    }

    @abstractmethod
    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        """What may be asked of each column."""

    @abstractmethod
    def _grown(self, training: Training) -> Node:
        """The tree of the training rows."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiwayClassifier:
        """Grow the tree; a weight of 3 is a row three times, and one of 0 no row."""
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
        """New data as the tree saw the old."""
        check_is_fitted(self)
        return self.tree_.coding.coded(design_of(self, X, reset=False).X)

    # -- asking it -------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of the classes where each row ends.

        A row that lacks the answer to a question goes to every child by the child's share of the training rows. A
        row with a level that no training row at the node had ends there.
        """
        X = self._seen(X)
        return shares_of(self.tree_, X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> np.ndarray:
        """The node at which each row ends: a leaf, or where it has a level that no training row there had.

        A row that lacks the answer to a question follows the child with the most training rows.
        """
        X = self._seen(X)
        return ends_of(self.tree_, X)

    # -- looking at it ---------------------------------------------------------------------------------

    def get_depth(self) -> int:
        """How many questions the longest path asks."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """How many bits about the class the splits on each column give, as shares of the whole."""
        check_is_fitted(self)
        return self.tree_.feature_importances()

    def export_text(self) -> str:
        """The tree as text, as C4.5 prints it: each leaf with its class, its training rows and its errors."""
        check_is_fitted(self)
        return text_of(self.tree_, self)

    def rules(self) -> PathRules:
        """A rule for each leaf: what its path demands of each column, its class, how many rows and errors."""
        check_is_fitted(self)
        return rules_of(self.tree_, self)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless tree, columns and classes belong together."""
        schema = self._schema
        if self.tree_.n_features != self.n_features_in_ or (schema and len(schema) != self.n_features_in_):
            raise ModelFileError(f"a tree of {self.tree_.n_features} columns.", f"{self.n_features_in_}")
        if self.tree_.counts.shape[1] != self.n_classes_:
            raise ModelFileError(f"a tree of {self.tree_.counts.shape[1]} classes.", f"{self.n_classes_}")
