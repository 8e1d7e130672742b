"""Decision stumps: trees of one split, as used in boosting."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.base import Accepts, Model, PoorScoreMixin, checked_numbers, checked_weights, encoded_classes
from probus.state import Spec
from probus.tree._cart import DecisionTreeClassifier, DecisionTreeRegressor, of_one_class, of_positive_weight
from probus.tree._tree_model import TreeClassifier, TreeModel, TreeRegressor
from probus.tree._trees import Tree
from probus.tree.growing._build import build_tree
from probus.tree.preparation._design import Design, design_of
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._several_outputs import must_be_counts
from probus.tree.preparation._tree_settings import CATEGORICAL_FEATURES, IMPURITY, LOSS_OF_SPLITS, MISSING, settings_of


class _Stump(TreeModel):
    """What stumps have in common."""

    criterion: str = LOSS_OF_SPLITS
    missing: str = MISSING
    categorical_features: Any = CATEGORICAL_FEATURES

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind; missing values unless they are an error."""
        return Accepts(nominal=True, missing=self.missing != "error", sparse=True, weights=True)


def _one_split(tree: DecisionTreeClassifier | DecisionTreeRegressor, design: Design, target: Target) -> Tree:
    """The tree of such an estimator, without validation of its parameters."""
    design, target = of_positive_weight(design, target)
    settings = settings_of(tree, design.n_rows, design.X.shape[1], design.n_levels, target.weight)
    return build_tree(design, target, settings, n_jobs=1)


class DecisionStumpClassifier(PoorScoreMixin, TreeClassifier, _Stump):
    """A decision tree classifier of one split.

    Examples
    --------
    >>> stump = DecisionStumpClassifier().fit([[1.0], [2.0], [7.0], [8.0]], ["low", "low", "high", "high"])
    >>> stump.tree_.threshold[0], stump.predict([[5.0]])
    (np.float64(4.5), array(['high'], dtype='<U4'))
    """

    fitted: ClassVar[dict[str, Spec]] = TreeClassifier.fitted
    criterion: str = IMPURITY

    @classmethod
    def examples(cls) -> list[Model]:
        """By impurity, and by errors."""
        return [cls(), cls(criterion="misclassification", missing="error")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionStumpClassifier:
        """Find the split."""
        design = design_of(self, X, reset=True, nominal=self.categorical_features)
        self.classes_, codes = encoded_classes(y, design.n_rows)
        self.n_classes_ = len(self.classes_)
        weights = checked_weights(sample_weight, codes)
        target = Target(codes, np.ones(design.n_rows) if weights is None else weights, max(2, self.n_classes_))
        tree = _one_split(
            DecisionTreeClassifier(max_depth=1, criterion=self.criterion, missing=self.missing), design, target
        )
        self.tree_ = of_one_class(tree) if self.n_classes_ == 1 else tree
        return self


class DecisionStumpRegressor(PoorScoreMixin, TreeRegressor, _Stump):
    """A decision tree regressor of one split.

    Examples
    --------
    >>> DecisionStumpRegressor().fit([[1.0], [2.0], [7.0], [10.0]], [1.0, 1.0, 9.0, 11.0]).predict([[8.0]])
    array([10.])
    """

    fitted: ClassVar[dict[str, Spec]] = TreeRegressor.fitted

    @classmethod
    def examples(cls) -> list[Model]:
        """With missing values, and without."""
        return [cls(), cls(missing="error")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionStumpRegressor:
        """Find the split."""
        design = design_of(self, X, reset=True, nominal=self.categorical_features)
        numbers = checked_numbers(y, design.n_rows)
        if self.criterion == "poisson":
            must_be_counts(numbers)
        weights = checked_weights(sample_weight, numbers)
        target = Target(numbers, np.ones(design.n_rows) if weights is None else weights, 1)
        self.tree_ = _one_split(
            DecisionTreeRegressor(max_depth=1, criterion=self.criterion, missing=self.missing), design, target
        )
        return self
