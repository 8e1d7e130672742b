"""What all forests have in common."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import CallableValue, InstanceOf, IntegerIn, NoneAllowed, OneOf, RealIn, TrueOrFalse
from probus.base import Accepts, Classifier, MultiLabelMixin, MultiOutputMixin, Regressor, checked_weights
from probus.ensemble.forest._bags import Bags, bags_of
from probus.ensemble.forest._estimators import Estimators
from probus.ensemble.forest._fit_trees import grown
from probus.ensemble.forest._insights import Insights, InsightsIntoClasses, InsightsIntoNumbers
from probus.ensemble.forest._leaf_targets import LeafTargets, leaf_targets_of
from probus.ensemble.forest._out_of_bag import OutOfBag, out_of_bag
from probus.ensemble.shap import SumOfTrees, TreeExplained
from probus.errors import DataError, ModelFileError
from probus.parameters import CLASS_WEIGHT, VERBOSE, WARM_START, attribute, inherited, parameter, parameters_of
from probus.state import Array, Either, Maybe, Number, Object, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor, Trees
from probus.tree.prediction import leaves_of, sums_of
from probus.tree.preparation import (
    CLASSES,
    IMPURITY,
    Design,
    GrowsTrees,
    Target,
    balanced_weights,
    by_output,
    check_outputs,
    design_of,
    encoded_outputs,
    log_of,
    must_be_counts,
    n_features_to_try,
    number_outputs,
    predicted_classes,
    r2_in_units,
)

_NOT_OF_TREES = ("random_state", "n_jobs", "categorical_features")  # of what the forest and its trees both have


class Forest(MultiOutputMixin, Insights, TreeExplained, GrowsTrees):
    """Parent of forests: trees fitted to bags of rows, whose predictions are averaged."""

    n_estimators: int = parameter(
        "The number of trees. More make predictions steadier, and take longer.",
        default=100,
        at_least=1,
        kw_only=False,
    )
    max_bins: int | None = inherited(default=255)
    bootstrap: bool = parameter(
        "Whether the rows of each tree are drawn with replacement. False gives every tree all rows.", default=True
    )
    oob_score: Any = parameter(
        "Whether each row is predicted by the trees that were not grown on it, which gives ``oob_score_``: the "
        "accuracy or R², or the value of a function of the targets and the predictions. It needs ``bootstrap``.",
        default=False,
        of=[TrueOrFalse(), CallableValue()],
    )
    max_samples: float | None = parameter(
        "How many rows are drawn for each tree with ``bootstrap``: a number, or a share of the rows. None draws as "
        "many as there are. Fewer make the trees more different, and the fit faster.",
        default=None,
        of=[RealIn(above=0, besides_int=True), IntegerIn(at_least=1), NoneAllowed()],
    )
    missing: str = parameter(
        '"learn" tries missing values on either side of each split; "error" refuses them.',
        default="learn",
        one_of=("learn", "error"),
    )
    warm_start: bool = WARM_START.but(
        doc="Whether ``fit`` keeps the trees of the previous fit and adds those that ``n_estimators`` lacks."
    )
    verbose: int = VERBOSE

    trees_: Trees = attribute()
    bags_: Bags = attribute()
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
        """X validated for fitting; the state of an earlier fit is removed without ``warm_start``."""
        if not (self.warm_start and hasattr(self, "trees_")):
            for name in self.fitted_state().keys() & vars(self).keys():
                delattr(self, name)
        return design_of(self, X, reset=True, nominal=self.categorical_features, single=True)

    def _grow(self, design: Design, target: Target, bags: Bags, *, balance: bool = False) -> bool:
        """Fit the trees that do not exist yet; returns whether there were any."""
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
            _warn_of_no_new_trees()
            return False
        which = range(there, self.n_estimators)
        new = grown(
            self._template(), design, target, self.bags_, which, balance=balance, n_jobs=self.n_jobs,
            verbose=self.verbose,
        )  # fmt: skip
        if np.max(getattr(self, "n_classes_", 2)) == 1:
            new = replace(new, value=np.ones((*new.value.shape[:2], 1)))
        self.trees_ = Trees.joined([self.trees_, new]) if there else new
        return True

    def _draw_from(self, design: Design, y: np.ndarray, weight: np.ndarray | None, tilt: np.ndarray | None) -> Bags:
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
        return SumOfTrees(1, 1 / len(self.trees_), np.zeros(self.trees_.n_values), self._names_of_values())

    def _names_of_values(self) -> tuple[Any, ...]:
        """Names of what a node predicts: classes, numbers of the outputs, or pairs of both; none of a single number."""
        q = self.n_outputs_
        if not isinstance(self, Classifier):
            return tuple(range(q)) if q > 1 else ()
        if q == 1:
            return tuple(self.classes_.tolist())
        if len(set(self.n_classes_)) > 1:
            raise DataError(
                f"SHAP values of {q} outputs with {', '.join(map(str, self.n_classes_))} classes.",
                "as many classes in each output",
                "Fit a forest for each output.",
            )
        return tuple((o, label) for o, own in enumerate(self.classes_) for label in own.tolist())

    # -- the trees one by one --------------------------------------------------------------------------

    def _template(self) -> Any:
        """A decision tree with the parameters of every tree of the forest."""
        tree = DecisionTreeClassifier if isinstance(self, Classifier) else DecisionTreeRegressor
        own = {name: getattr(self, name) for name in parameters_of(GrowsTrees) if name not in _NOT_OF_TREES}
        return tree(splitter=self.splitter, missing=self.missing, **own)

    @property
    def estimator_(self) -> Any:
        """An unfitted decision tree with the parameters of every tree."""
        check_is_fitted(self)
        return self._template()

    @property
    def estimators_(self) -> Estimators:
        """The trees as fitted decision trees, created on access."""
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
        tree.max_features_ = n_features_to_try(self.max_features, self.n_features_in_)
        for name in ("n_features_in_", "feature_names_in_", "schema_", "classes_", "n_classes_"):
            if hasattr(self, name):
                setattr(tree, name, getattr(self, name))
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each tree, with repetition."""
        check_is_fitted(self)
        return [self.bags_.drawn(t) for t in range(len(self.bags_))]

    @property
    def n_outputs_(self) -> int:
        """The number of outputs."""
        check_is_fitted(self)
        return self.trees_.n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """The decrease of impurity by the splits on each feature: the mean over trees, normalised to sum to 1."""
        check_is_fitted(self)
        trees, d = self.trees_, self.n_features_in_
        inner = ~trees.is_leaf
        place = trees.tree_of[inner] * d + trees.feature[inner]
        each = np.bincount(place, trees.improvement[inner], len(trees) * d).reshape(len(trees), d)
        total = each.sum(axis=1, keepdims=True)
        shares = (each / np.where(total > 0.0, total, 1.0)).sum(axis=0)
        return shares / shares.sum() if shares.sum() > 0.0 else shares

    # -- prediction ------------------------------------------------------------------------------------

    def _seen(self, X: Any) -> np.ndarray:
        """X validated for prediction."""
        check_is_fitted(self)
        return design_of(self, X, reset=False).X

    def _mean(self, X: Any) -> np.ndarray:
        """The mean prediction of the trees for each row: [n, K], or [n, q, K] for several outputs."""
        X = self._seen(X)
        mean = sums_of(self.trees_, X, n_jobs=self.n_jobs) / len(self.trees_)
        return mean if self.n_outputs_ == 1 else mean.reshape(len(mean), self.n_outputs_, -1)

    def apply(self, X: Any) -> np.ndarray:
        """The index of the leaf that each row reaches in each tree."""
        X = self._seen(X)
        return leaves_of(self.trees_, X, self.n_jobs) - self.trees_.start[:-1]

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """A sparse matrix that marks the nodes each row passes, tree beside tree, and where each tree's nodes begin."""
        from scipy.sparse import hstack

        X = self._seen(X)
        return hstack([tree.decision_path(X) for tree in self.trees_]).tocsr(), self.trees_.start.copy()

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless trees, bags, columns and classes belong together."""
        check_outputs(self, self.trees_)
        if len(self.bags_) != len(self.trees_):
            raise ModelFileError(f"{len(self.trees_)} trees with {len(self.bags_)} bags.", "one bag for each tree")


def _warn_of_no_new_trees() -> None:
    warnings.warn(
        "Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=4
    )


class ForestClassifier(MultiLabelMixin, InsightsIntoClasses, Classifier, Forest):
    """Parent of forest classifiers."""

    criterion: str = IMPURITY
    max_features: Any = inherited(default="sqrt")
    class_weight: Any = CLASS_WEIGHT.but(
        of=[InstanceOf(dict), InstanceOf(list), OneOf("balanced", "balanced_subsample"), NoneAllowed()],
        doc=f'{CLASS_WEIGHT.doc} A list has one dict for each output. "balanced_subsample" balances the rows of each '
        "tree.",
    )

    classes_: Any = attribute()
    n_classes_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **Forest.fitted,
        **CLASSES,
        "oob_decision_function_": Maybe(Either(Array("f8", "n K"), Array("f8", "n * *"))),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the forest to rows X with classes y, of one output or several."""
        design, before = self._design(X), getattr(self, "classes_", None)
        classes, codes = encoded_outputs(y, design.n_rows)
        if before is not None and not _are_same(before, classes):
            if self.n_estimators > len(self.trees_):
                raise DataError(f"warm_start on classes {classes[:5]}.", f"those of the existing trees: {before[:5]}")
            _warn_of_no_new_trees()
            return self
        self.classes_, several = classes, codes.ndim == 2
        self.n_classes_ = [len(own) for own in self.classes_] if several else len(self.classes_)
        if self.oob_score and several:
            _must_have_votes(y)
        weight = checked_weights(sample_weight, codes)
        balance = self.bootstrap and self.class_weight == "balanced_subsample"
        tilt = None if balance else balanced_weights(self.class_weight, self.classes_, codes, weight)
        if isinstance(self.class_weight, str) and self.warm_start:
            warnings.warn(
                f"class_weight={self.class_weight!r} is not recommended for warm_start if the data are not the same "
                "each time: the weights would differ. Pass them as a dict.",
                stacklevel=3,
            )
        bags = self._draw_from(design, codes, weight, tilt)
        both = [w for w in (weight, tilt) if w is not None]
        w = np.multiply.reduce(both) if both else np.ones(design.n_rows)
        # a single class is treated as two of which one never occurs
        grew = self._grow(design, Target(codes, w, max(2, int(np.max(self.n_classes_)))), bags, balance=balance)
        if self.oob_score and (grew or not hasattr(self, "oob_score_")):
            votes = self._out_of_bag(design, codes).prediction
            self.oob_decision_function_ = votes.transpose(0, 2, 1) if several else votes[:, 0]
            voted = votes.argmax(axis=2)
            score = self.oob_score if callable(self.oob_score) else accuracy_score
            self.oob_score_ = float(score(codes, voted if several else voted[:, 0]))
        return self

    def predict_proba(self, X: Any) -> Any:
        """The mean over the trees of the fractions of the classes in the leaf of each row.

        An array of rows × classes, or a list with one for each output.
        """
        mean = self._mean(X)
        return by_output(mean, self.n_classes_)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of ``predict_proba``."""
        return log_of(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest mean probability."""
        mean = self._mean(X)
        return predicted_classes(self.classes_, mean)


def _are_same(before: Any, now: Any) -> bool:
    """Whether two forests have the same classes, in each output."""
    old, new = (classes if isinstance(classes, list) else [classes] for classes in (before, now))
    return len(old) == len(new) and all(np.array_equal(a, b) for a, b in zip(old, new, strict=True))


def _must_have_votes(y: Any) -> None:
    """Raise where several outputs have more than two classes: the votes for them have no common shape."""
    kind = type_of_target(y)
    if kind != "multilabel-indicator":
        raise DataError(
            f"The type of target cannot be used to compute OOB estimates. Got {kind} while only the following are "
            "supported: continuous, continuous-multioutput, binary, multiclass, multilabel-indicator.",
            "oob_score=False",
        )


class ForestRegressor(InsightsIntoNumbers, Regressor, Forest):
    """Parent of forest regressors."""

    max_features: Any = inherited(default=1.0)

    leaf_targets_: Any = attribute()  # LeafTargets; None with several outputs
    fitted: ClassVar[dict[str, Spec]] = {
        **Forest.fitted,
        "leaf_targets_": Maybe(Object(LeafTargets)),
        "oob_prediction_": Maybe(Either(Array("f8", "n"), Array("f8", "n *"))),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the forest to rows X with numbers y, of one output or several."""
        design = self._design(X)
        target = number_outputs(y, design.n_rows)
        if self.criterion == "poisson":
            must_be_counts(target, "strictly positive")
        weight = checked_weights(sample_weight, target)
        bags = self._draw_from(design, target, weight, None)
        w = np.ones(design.n_rows) if weight is None else weight
        grew = self._grow(design, Target(target, w, 1), bags)
        one = target.ndim == 1
        if grew:
            kept = leaf_targets_of(self.trees_, design.X, target, w, self.bags_, self.n_jobs) if one else None
            self.leaf_targets_ = kept
        if self.oob_score and (grew or not hasattr(self, "oob_score_")):
            predicted = self._out_of_bag(design, target).prediction[:, :, 0]
            self.oob_prediction_ = predicted[:, 0] if one else predicted
            score = self.oob_score if callable(self.oob_score) else r2_in_units
            self.oob_score_ = float(score(target, self.oob_prediction_))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the predictions of the trees."""
        return self._mean(X)[..., 0]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the targets kept are those of leaves that exist."""
        super().check_fitted_state()
        if self.leaf_targets_ is None:
            if self.n_outputs_ == 1:
                raise ModelFileError("a forest without the targets of its leaves.", "them, for one output")
        elif self.leaf_targets_.leaf.max(initial=-1) >= len(self.trees_.feature):
            raise ModelFileError("targets of leaves that are not there.", f"{len(self.trees_.feature)} nodes")
