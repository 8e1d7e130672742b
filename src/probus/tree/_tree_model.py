"""What estimators that hold one binary tree have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sklearn.tree
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier, Model, Regressor
from probus.parameters import attribute
from probus.state import Object, Spec
from probus.tree._partial_dependence import partial_dependence_of
from probus.tree._trees import Tree
from probus.tree.preparation._design import design_of
from probus.tree.preparation._several_outputs import CLASSES, by_output, check_outputs, log_of, predicted_classes

if TYPE_CHECKING:
    from probus.tree.export import Regions, Traces


class TreeModel(Model):
    """Parent of estimators that hold one binary tree.

    A child's ``fit`` sets ``tree_``; the columns it was grown on are ``schema_`` where they have kinds, plain numbers
    otherwise.
    """

    tree_: Tree = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"tree_": Object(Tree)}

    def _seen(self, X: Any, check_input: bool = True) -> np.ndarray:
        """X validated for prediction; without ``check_input`` it must be a matrix with levels as codes."""
        check_is_fitted(self)
        return design_of(self, X, reset=False).X if check_input else X

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The index of the leaf that each row reaches."""
        X = self._seen(X, check_input)
        return self.tree_.apply(X)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """A sparse matrix of rows × nodes that marks the nodes each row passes."""
        X = self._seen(X, check_input)
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """The depth of the tree: the number of splits on the longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def n_outputs_(self) -> int:
        """The number of outputs."""
        check_is_fitted(self)
        return self.tree_.n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """The decrease of impurity by the splits on each feature, normalised to sum to 1."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def trace(self, X: Any) -> Traces:
        """The splits on the path of each row to its leaf, as text; see ``probus.tree.export.trace``.

        >>> from probus.datasets import mtcars
        >>> from probus.tree import DecisionTreeRegressor
        >>> cars = mtcars()
        >>> tree = DecisionTreeRegressor(max_depth=2).fit(cars[["wt", "hp"]], cars["mpg"])
        >>> tree.trace({"wt": 2.0, "hp": 100})
        wt = 2 ≤ 2.26 → left
        wt = 2 > 1.885 → right
        leaf 3: 28.57 (n = 3)
        """
        from probus.tree.export import trace

        return trace(self, X)

    def regions(self) -> Regions:
        """The tree as a sum of constants on boxes of the input space; see ``probus.tree.export.regions``.

        >>> from probus.tree import DecisionTreeRegressor
        >>> DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [7.0]], [1.0, 1.0, 9.0]).regions()
        f(x) = Σ c_m 1[x ∈ Q_m], 2 regions
          c_m        Q_m
          1 (n = 2)  x[0] ≤ 4.5
          9 (n = 1)  x[0] > 4.5
        """
        from probus.tree.export import regions

        return regions(self)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless tree, columns and classes belong together."""
        check_outputs(self, self.tree_)


@sklearn.tree.DecisionTreeClassifier.register  # so that scikit-learn's export_text and plot_tree accept it
class TreeClassifier(Classifier, TreeModel):
    """Parent of classifiers that hold one binary tree."""

    classes_: Any = attribute()
    n_classes_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**TreeModel.fitted, **CLASSES}

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The fraction of each class in the leaf of each row: an array, or a list with one for each output."""
        X = self._seen(X, check_input)
        return by_output(self.tree_.predict(X), self.n_classes_)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of ``predict_proba``."""
        return log_of(self.predict_proba(X))

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The most frequent class in the leaf of each row."""
        leaves = self.apply(X, check_input)
        value = self.tree_.value if self.tree_.n_outputs > 1 else self.tree_.value[:, 0]
        if len(leaves) < len(value):
            return predicted_classes(self.classes_, value[leaves])
        return predicted_classes(self.classes_, value)[leaves]


@sklearn.tree.DecisionTreeRegressor.register
class TreeRegressor(Regressor, TreeModel):
    """Parent of regressors that hold one binary tree."""

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The value of the leaf of each row."""
        leaves = self.apply(X, check_input)
        return self.tree_.value[leaves, 0, 0] if self.tree_.n_outputs == 1 else self.tree_.value[leaves, :, 0]

    def _compute_partial_dependence_recursion(self, grid: np.ndarray, target_features: np.ndarray) -> np.ndarray:
        """The mean prediction for each row of the grid; ``sklearn.inspection.partial_dependence`` calls this."""
        grid, fields = np.array(grid), getattr(self, "schema_", None) or ()
        for k, field in enumerate(fields[j] for j in target_features if fields):
            if field.levels:
                codes = {level: code for code, level in enumerate(field.levels)}
                grid[:, k] = [codes.get(level, np.nan) for level in grid[:, k]]
        return partial_dependence_of(self.tree_, grid.astype(np.float64), target_features)
