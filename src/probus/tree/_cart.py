"""Decision trees as estimators: scikit-learn's names and parameters, on columns of any kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model, MultiLabelMixin, MultiOutputMixin, checked_weights
from probus.errors import DataError
from probus.parameters import CLASS_WEIGHT, attribute, parameter
from probus.state import Size, Spec
from probus.tree._criteria import names_of
from probus.tree._own_criterion import grow_by, with_leaf_rule
from probus.tree._tree_model import TreeClassifier, TreeModel, TreeRegressor
from probus.tree._trees import Tree
from probus.tree.forest_engine._binned_tree import binned_tree, is_of_forest
from probus.tree.forest_engine._column_bins import binned
from probus.tree.growing._build import build_tree
from probus.tree.growing._node_memory import must_fit_into_memory
from probus.tree.preparation._design import Design, design_of
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._several_outputs import class_weights, encoded_outputs, must_be_counts, number_outputs
from probus.tree.preparation._tree_settings import (
    IMPURITY,
    LOSS_OF_SPLITS,
    MISSING,
    GrowsTrees,
    must_be_constrainable,
    n_features_to_try,
    settings_of,
)
from probus.tree.prune import pessimistic_pruned, pruned, pruning_path, reduced_error_pruned, subtree


class _DecisionTree(MultiOutputMixin, GrowsTrees, TreeModel):
    """What classification and regression trees have in common."""

    splitter: str = parameter(
        '"best" searches all thresholds of the features that a node tries. "random" draws one threshold of each, '
        "uniform between its smallest and largest value in the node, and a subset of the levels of a nominal column.",
        default="best",
        one_of=("best", "random"),
    )
    missing: str = MISSING
    max_surrogates: int = parameter(
        'The maximum number of surrogate splits of a node, for ``missing="surrogate"``.', default=5, at_least=0
    )
    prune: str | None = parameter(
        '"reduced_error" fits on a part of the rows and prunes what does not reduce the error on the others. '
        '"pessimistic" prunes by an upper bound on the error, as C4.5 does. Both are in addition to ``ccp_alpha``.',
        default=None,
        one_of=("reduced_error", "pessimistic"),
    )
    validation_fraction: float = parameter(
        "The share of the rows that reduced-error pruning holds out.",
        default=0.25,
        of=[RealIn(above=0, below=1, besides_int=True)],
    )
    confidence: float = parameter(
        "The confidence of the bound of pessimistic pruning; smaller values prune more.",
        default=0.25,
        above=0,
        at_most=0.5,
    )

    leaf_rule: Any = parameter(
        "A function of the targets and weights of the rows of a node that returns what it predicts: a number, or a "
        "probability for each class, whose targets are numbers from 0 on. None is the mean or the shares.",
        default=None,
        of=[CallableValue(), NoneAllowed()],
    )

    max_features_: int = attribute()

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind; missing values unless they are an error."""
        return Accepts(nominal=True, missing=self.missing != "error", sparse=True, weights=True)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The values of ``ccp_alpha`` at which the tree of these rows loses nodes, and its impurity for each."""
        grown = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        path = pruning_path(grown.tree_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.impurities)

    def _design(self, X: Any, check_input: bool) -> Design:
        """X validated for fitting; without ``check_input`` it must be a float64 matrix."""
        if check_input:
            return design_of(self, X, reset=True, nominal=self.categorical_features, single=True)
        self.n_features_in_ = X.shape[1]
        return Design(X, np.zeros(X.shape[1], np.int64))

    def _grow(self, design: Design, target: Target) -> None:
        """Grow the tree on the rows of positive weight, and prune it."""
        design, target = of_positive_weight(design, target)
        n_features = design.X.shape[1]
        self.max_features_ = n_features_to_try(self.max_features, n_features)
        must_be_constrainable(self.monotonic_cst, target)
        must_fit_into_memory(target, self)
        settings = settings_of(self, design.n_rows, n_features, design.n_levels, target.weight)
        if self.prune is not None and target.n_outputs > 1:
            raise DataError(
                f"prune={self.prune!r} with {target.n_outputs} outputs.",
                "one output, or prune=None",
                "Prune by ccp_alpha, or fit a tree for each output.",
            )
        if callable(self.criterion) and self.prune == "reduced_error":
            raise DataError("a function as criterion with prune='reduced_error'.", "prune=None, or ccp_alpha")
        if self.prune == "reduced_error":
            self.tree_ = self._prune_on_others(design, target, settings)  # which stops at ``max_purity`` too
        elif callable(self.criterion):
            self.tree_ = grow_by(self.criterion, design, target, settings)
        elif is_of_forest(settings, design.n_levels, target.n_outputs):
            bins = binned(design, int(settings.max_bins or 0), self.n_jobs)
            self.tree_ = binned_tree(bins, design.n_levels, target, target.weight, settings)[0]
        else:
            self.tree_ = build_tree(design, target, settings, self.n_jobs)
        if self.prune != "reduced_error":
            self.tree_ = self._stopped(self.tree_)
        if self.leaf_rule is not None:
            self.tree_ = with_leaf_rule(self.tree_, design.X, target, self.leaf_rule)
        if self.prune == "pessimistic":
            self.tree_ = pessimistic_pruned(self.tree_, self.confidence)
        if self.ccp_alpha > 0.0:
            self.tree_ = pruned(self.tree_, self.ccp_alpha)

    def _stopped(self, tree: Tree) -> Tree:
        """The tree without what would not have been grown below pure nodes, before values are changed or pruned by."""
        purity = getattr(self, "max_purity", 1.0)
        return tree if purity == 1.0 else subtree(tree, tree.value.max(axis=2).min(axis=1) >= purity)

    def _prune_on_others(self, design: Design, target: Target, settings: Any) -> Tree:
        """Grow on a part of the rows, and prune what does not reduce the error on the others."""
        rows = np.arange(design.n_rows)
        counts = np.bincount(target.y.astype(np.int64)) if target.n_classes > 1 else np.zeros(1)
        stratify = target.y if target.n_classes > 1 and counts.min() > 1 else None
        try:
            grow, check = train_test_split(
                rows, test_size=self.validation_fraction, random_state=settings.seed, stratify=stratify
            )
        except ValueError as error:
            raise DataError(
                f"prune='reduced_error' holds back {self.validation_fraction} of {design.n_rows} rows: {error}",
                "enough rows for fitting and for pruning",
            ) from error
        grown = build_tree(Design(design.X[grow], design.n_levels), target.take(grow), settings, self.n_jobs)
        absolute = "absolute_error" if self.criterion == "absolute_error" else "squared_error"
        loss = "error" if target.n_classes > 1 else absolute
        return reduced_error_pruned(self._stopped(grown), design.X[check], target.y[check], target.weight[check], loss)


def of_positive_weight(design: Design, target: Target) -> tuple[Design, Target]:
    """The rows of positive weight."""
    positive = target.weight > 0.0
    if positive.all():
        return design, target
    return Design(design.X[positive], design.n_levels), target.take(positive)


class DecisionTreeClassifier(MultiLabelMixin, TreeClassifier, _DecisionTree):
    """A decision tree classifier (CART).

    scikit-learn's class and parameters, on columns of any kind and for one or several outputs.

    Examples
    --------
    >>> from probus import Table
    >>> people = Table.of({"sex": ["f", "m", "m", "f", "m"], "age": [38.0, 22.0, None, 26.0, 4.0]})
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(people, ["yes", "no", "no", "yes", "yes"])
    >>> tree.predict({"sex": ["m"], "age": [30.0]})
    array(['no'], dtype='<U3')
    """

    fitted: ClassVar[dict[str, Spec]] = {**TreeClassifier.fitted, "max_features_": Size("F")}
    criterion: Any = IMPURITY.but(
        one_of=(),
        of=[OneOf(*names_of(classes=True)), CallableValue()],
        doc=f"{IMPURITY.doc} Or a function of shares of classes, n × K, that returns n impurities; it is slower.",
    )
    class_weight: Any = CLASS_WEIGHT.but(
        of=[InstanceOf(dict), InstanceOf(list), OneOf("balanced"), NoneAllowed()],
        doc=f"{CLASS_WEIGHT.doc} A list has one dict for each output.",
    )

    max_purity: float = parameter(
        "A node is a leaf where the share of its most frequent class reaches this. Leaves that ``max_leaf_nodes`` "
        "counts are counted before.",
        default=1.0,
        above=0,
        at_most=1,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Each way of handling missing values, and pruned trees."""
        return [
            cls(),
            cls(missing="surrogate", criterion="entropy"),
            cls(max_leaf_nodes=4, prune="pessimistic", max_purity=0.95),
        ]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> DecisionTreeClassifier:
        """Fit the tree to rows X with classes y, of one output or several."""
        design = self._design(X, check_input)
        self.classes_, codes = encoded_outputs(y, design.n_rows)
        several = codes.ndim == 2
        self.n_classes_ = [len(own) for own in self.classes_] if several else len(self.classes_)
        weight = checked_weights(sample_weight, codes)
        by_class = class_weights(self.class_weight, self.classes_, codes)
        both = [w for w in (weight, by_class) if w is not None]
        w = np.multiply.reduce(both) if both else np.ones(design.n_rows)
        n_classes = int(np.max(self.n_classes_))
        # a single class is treated as two of which one never occurs
        self._grow(design, Target(codes, w, max(2, n_classes)))
        if n_classes == 1:
            self.tree_ = of_one_class(self.tree_)
        if several:
            self.tree_ = replace(self.tree_, classes_per_output=np.array(self.n_classes_))
        return self


def of_one_class(tree: Tree) -> Tree:
    """The tree of a target with one class, grown as if there were another."""
    return replace(tree, value=np.ones((tree.node_count, tree.n_outputs, 1)))


class DecisionTreeRegressor(TreeRegressor, _DecisionTree):
    """A decision tree regressor (CART).

    scikit-learn's class and parameters, for one or several outputs, and those of ``DecisionTreeClassifier``.

    Examples
    --------
    >>> DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [7.0], [10.0]], [1.0, 1.0, 9.0, 11.0]).predict([[8.0]])
    array([10.])
    """

    fitted: ClassVar[dict[str, Spec]] = {**TreeRegressor.fitted, "max_features_": Size("F")}
    criterion: Any = LOSS_OF_SPLITS.but(
        of=[*LOSS_OF_SPLITS.allowed, CallableValue()],
        doc=f"{LOSS_OF_SPLITS.doc} Or a function of the targets and weights of rows that returns one impurity; it is "
        "called for every cut.",
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Each way of handling missing values, and a tree of limited size."""
        return [cls(), cls(missing="surrogate"), cls(max_leaf_nodes=4, ccp_alpha=0.01)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> DecisionTreeRegressor:
        """Fit the tree to rows X with numbers y, of one output or several."""
        design = self._design(X, check_input)
        target = number_outputs(y, design.n_rows)
        if self.criterion == "poisson":
            must_be_counts(target)
        if self.prune == "pessimistic":
            raise DataError(
                "prune='pessimistic' for regression.", "prune='reduced_error' or ccp_alpha", "It bounds the error rate."
            )
        weights = checked_weights(sample_weight, target)
        w = np.ones(design.n_rows) if weights is None else weights
        self._grow(design, Target(target, w, 1))
        return self
