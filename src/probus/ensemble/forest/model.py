"""What every forest has in common: it holds its trees and lets them vote."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, Model, Regressor, checked_numbers, checked_weights, encoded_classes
from probus.ensemble.forest.bags import Bags, bags_of
from probus.ensemble.forest.estimators import Estimators
from probus.ensemble.forest.growing import grown
from probus.ensemble.forest.insights import Insights, InsightsIntoClasses, InsightsIntoNumbers
from probus.ensemble.forest.leaf_targets import LeafTargets, leaf_targets_of
from probus.ensemble.forest.out_of_bag import OutOfBag, out_of_bag
from probus.ensemble.forest.parameters import OF_EACH_TREE
from probus.ensemble.forest.target import class_weights, one_target
from probus.ensemble.shap import SumOfTrees, TreeExplained
from probus.errors import DataError, ModelFileError
from probus.state import Array, Labels, Maybe, Number, Object, Size, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.classes import must_be_counts
from probus.tree.design import Design, design_of
from probus.tree.growth import Target
from probus.tree.parameters import features_to_ask
from probus.tree.prediction.walk import leaves_of, sums_of
from probus.tree.trees import Trees

__all__ = ["Forest", "ForestClassifier", "ForestRegressor"]


class Forest(Insights, TreeExplained, Model):
    """Parent of forests: trees grown each on its own bag of rows, whose predictions are averaged."""

    trees_: Trees
    bags_: Bags
    splitter: ClassVar[str]
    fitted: ClassVar[dict[str, Spec]] = {
        "trees_": Object(Trees),
        "bags_": Object(Bags),
        "oob_score_": Maybe(Number()),
        "oob_curve_": Maybe(Array("f8", "*")),
    }

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind; missing values unless they are an error."""
        return Accepts(nominal=True, missing=self.missing != "error", sparse=True, weights=True)

    # -- growing ---------------------------------------------------------------------------------------

    def _design(self, X: Any) -> Design:
        """X as trees see it; what an earlier fit left is gone unless it is to be continued."""
        if not (self.warm_start and hasattr(self, "trees_")):
            for name in self.fitted_state().keys() & vars(self).keys():
                delattr(self, name)
        return design_of(self, X, reset=True, nominal=self.categorical_features)

    def _grow(self, design: Design, target: Target, bags: Bags, *, balance: bool = False) -> bool:
        """Grow the trees that are not there yet; whether there were any."""
        random = check_random_state(self.random_state)
        there = len(self.trees_) if hasattr(self, "trees_") else 0
        if there > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={there} "
                "when warm_start==True.",
                "as many trees as there are, or more",
            )
        # all seeds are drawn, so that trees that come later are those that would have come at once
        seeds = random.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.int64)
        self.bags_ = bags.extended(np.concatenate([self.bags_.seeds if there else seeds[:0], seeds[there:]]))
        if there == self.n_estimators:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=4
            )
            return False
        which = range(there, self.n_estimators)
        new = grown(
            self._template(), design, target, self.bags_, which, balance=balance, n_jobs=self.n_jobs,
            verbose=self.verbose,
        )  # fmt: skip
        if getattr(self, "n_classes_", 2) == 1:
            new = replace(new, value=np.ones((len(new.value), 1, 1)))
        self.trees_ = Trees.joined([self.trees_, new]) if there else new
        return True

    def _drawn_from(self, design: Design, y: np.ndarray, weight: np.ndarray | None, tilt: np.ndarray | None) -> Bags:
        if self.oob_score and not self.bootstrap:
            raise DataError(
                "oob_score with bootstrap=False: Out of bag estimation only available if bootstrap=True.",
                "bootstrap=True or oob_score=False",
            )
        return bags_of(
            design.X, y, bootstrap=self.bootstrap, max_samples=self.max_samples, sample_weight=weight, class_weight=tilt
        )

    def _out_of_bag(self, design: Design, y: np.ndarray) -> OutOfBag:
        found = out_of_bag(self.trees_, design.X, y, self.bags_, self.n_jobs)
        self.oob_curve_ = found.curve
        return found

    def _sum_of_trees(self) -> SumOfTrees:
        outputs = tuple(self.classes_.tolist()) if isinstance(self, Classifier) else ()
        return SumOfTrees(1, 1 / len(self.trees_), np.zeros(self.trees_.n_values), outputs)

    # -- the trees one by one --------------------------------------------------------------------------

    def _template(self) -> Any:
        """A decision tree with the parameters of every tree of the forest."""
        tree = DecisionTreeClassifier if isinstance(self, Classifier) else DecisionTreeRegressor
        own = {name: getattr(self, name) for name in OF_EACH_TREE}
        if own["criterion"] == "friedman_mse":  # another name for the same
            own["criterion"] = "squared_error"
        return tree(splitter=self.splitter, **own)

    @property
    def estimator_(self) -> Any:
        """The decision tree, not fitted, that every tree of the forest is an instance of."""
        check_is_fitted(self)
        return self._template()

    @property
    def estimators_(self) -> Estimators:
        """The trees, each a decision tree of its own, made when it is asked for."""
        if not hasattr(self, "trees_"):
            raise AttributeError(f"{type(self).__name__} has no trees yet: call fit.")
        return Estimators(len(self.trees_), self._estimator)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, which: int) -> Any:
        return self.estimators_[which]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _estimator(self, t: int) -> Any:
        tree = self._template().set_params(random_state=int(self.bags_.seeds[t]))
        tree.tree_ = self.trees_[t]
        tree.max_features_ = features_to_ask(self.max_features, self.n_features_in_)
        for name in ("n_features_in_", "feature_names_in_", "schema_", "classes_", "n_classes_"):
            if hasattr(self, name):
                setattr(tree, name, getattr(self, name))
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """For each tree the rows it was grown on, those drawn twice there twice."""
        check_is_fitted(self)
        return [self.bags_.drawn(t) for t in range(len(self.bags_))]

    @property
    def n_outputs_(self) -> int:
        """One: a forest predicts one target."""
        check_is_fitted(self)
        return 1

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the splits on each column lower the impurity, as shares: the mean over the trees that split."""
        check_is_fitted(self)
        trees, d = self.trees_, self.n_features_in_
        inner = ~trees.is_leaf
        place = trees.tree_of[inner] * d + trees.feature[inner]
        each = np.bincount(place, trees.improvement[inner], len(trees) * d).reshape(len(trees), d)
        total = each.sum(axis=1, keepdims=True)
        shares = (each / np.where(total > 0.0, total, 1.0)).sum(axis=0)
        return shares / shares.sum() if shares.sum() > 0.0 else shares

    # -- asking ----------------------------------------------------------------------------------------

    def _seen(self, X: Any) -> np.ndarray:
        """New data as the trees saw the old."""
        check_is_fitted(self)
        return design_of(self, X, reset=False).X

    def _mean(self, X: Any) -> np.ndarray:
        """The mean of what the trees say of each row."""
        X = self._seen(X)
        return sums_of(self.trees_, X, n_jobs=self.n_jobs) / len(self.trees_)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row comes to in each tree, numbered within the tree."""
        X = self._seen(X)
        return leaves_of(self.trees_, X, self.n_jobs) - self.trees_.start[:-1]

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """A sparse matrix that marks the nodes each row passes, tree beside tree, and where each tree's nodes begin."""
        from scipy.sparse import hstack

        X = self._seen(X)
        return hstack([tree.decision_path(X) for tree in self.trees_]).tocsr(), self.trees_.start.copy()

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless trees, bags, columns and classes belong together."""
        n_classes = len(getattr(self, "classes_", [0]))
        schema = getattr(self, "schema_", None)
        trees = self.trees_
        if trees.n_features != self.n_features_in_ or (schema and len(schema) != self.n_features_in_):
            raise ModelFileError(f"trees of {trees.n_features} columns.", f"{self.n_features_in_}")
        if trees.n_values != n_classes or len(self.bags_) != len(trees):
            raise ModelFileError(f"trees with values of shape {trees.value.shape}.", f"{n_classes} in each node")


class ForestClassifier(InsightsIntoClasses, Classifier, Forest):
    """Parent of forests whose trees hold shares of classes."""

    classes_: np.ndarray
    n_classes_: int
    fitted: ClassVar[dict[str, Spec]] = {
        **Forest.fitted,
        "classes_": Labels("K"),
        "n_classes_": Size("K"),
        "oob_decision_function_": Maybe(Array("f8", "n K")),
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on rows X with classes y."""
        design, before = self._design(X), getattr(self, "classes_", None)
        self.classes_, codes = encoded_classes(one_target(y), design.n_rows)
        self.n_classes_ = len(self.classes_)
        if before is not None and not np.array_equal(before, self.classes_):
            raise DataError(
                f"warm_start on classes {self.classes_[:5]}.", f"those of the trees there are: {before[:5]}"
            )
        weight = checked_weights(sample_weight, codes)
        balance = self.bootstrap and self.class_weight == "balanced_subsample"
        tilt = None if balance else class_weights(self.class_weight, self.classes_, codes, weight)
        if isinstance(self.class_weight, str) and self.warm_start:
            warnings.warn(
                f"class_weight={self.class_weight!r} is not recommended for warm_start if the data are not the same "
                "each time: the weights would differ. Pass them as a dict.",
                stacklevel=3,
            )
        bags = self._drawn_from(design, codes, weight, tilt)
        both = [w for w in (weight, tilt) if w is not None]
        w = np.multiply.reduce(both) if both else np.ones(design.n_rows)
        # one class alone is two of which one is never there, so that there is something to tell apart
        grew = self._grow(design, Target(codes, w, max(2, self.n_classes_)), bags, balance=balance)
        if self.oob_score and (grew or not hasattr(self, "oob_score_")):
            self.oob_decision_function_ = self._out_of_bag(design, codes).prediction
            voted = self.oob_decision_function_.argmax(axis=1)
            score = self.oob_score if callable(self.oob_score) else accuracy_score
            self.oob_score_ = float(score(codes, voted))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean over the trees of the shares of the classes in the leaf of each row."""
        return self._mean(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest mean share."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]


class ForestRegressor(InsightsIntoNumbers, Regressor, Forest):
    """Parent of forests whose trees hold numbers."""

    leaf_targets_: LeafTargets
    fitted: ClassVar[dict[str, Spec]] = {
        **Forest.fitted,
        "leaf_targets_": Object(LeafTargets),
        "oob_prediction_": Maybe(Array("f8", "n")),
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on rows X with numbers y."""
        design = self._design(X)
        target = checked_numbers(one_target(y), design.n_rows)
        if self.criterion == "poisson":
            must_be_counts(target)
        weight = checked_weights(sample_weight, target)
        bags = self._drawn_from(design, target, weight, None)
        w = np.ones(design.n_rows) if weight is None else weight
        grew = self._grow(design, Target(target, w, 1), bags)
        if grew:
            self.leaf_targets_ = leaf_targets_of(self.trees_, design.X, target, w, self.bags_, self.n_jobs)
        if self.oob_score and (grew or not hasattr(self, "oob_score_")):
            self.oob_prediction_ = self._out_of_bag(design, target).prediction[:, 0]
            score = self.oob_score if callable(self.oob_score) else r2_score
            self.oob_score_ = float(score(target, self.oob_prediction_))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees' predictions."""
        return self._mean(X)[:, 0]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the targets kept are those of leaves that there are."""
        super().check_fitted_state()
        if self.leaf_targets_.leaf.max(initial=-1) >= len(self.trees_.feature):
            raise ModelFileError("targets of leaves that are not there.", f"{len(self.trees_.feature)} nodes")
