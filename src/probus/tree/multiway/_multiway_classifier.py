"""The base class of multiway tree classifiers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, checked_weights, encoded_classes
from probus.data import Schema
from probus.errors import ModelFileError
from probus.parameters import attribute, parameter
from probus.state import Labels, Object, Size, Spec
from probus.tree.multiway._c45_text import text_of
from probus.tree.multiway._coding import ColumnCoding
from probus.tree.multiway._multiway_growth import GrowingNode, Training, flattened
from probus.tree.multiway._multiway_tree import MultiwayTree
from probus.tree.multiway._path_rules import PathRules, rules_of
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
