"""What the classical boosted classifier and regressor have in common: their parameters, and how they are fitted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from probus.allowed_values import OldNames, OneOf, RealIn
from probus.base import Accepts
from probus.callbacks import Callback, EarlyStopping, Verbose, no_lower_loss
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.ensemble.boosting._boosting_base import Boosted
from probus.ensemble.boosting._callbacks import HeldOut, LossHistory, Monitor, MonitorCallback, Round
from probus.ensemble.boosting._constraints import monotone_signs
from probus.ensemble.boosting._fitting import boosted
from probus.ensemble.boosting._initial_model import fitted_initial_model, initial_raw, table_of
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._pruning import gain_below
from probus.ensemble.boosting._rows import DesignRows, train_validation_rows, training_design, with_weight
from probus.ensemble.boosting._single_trees import SingleTrees
from probus.errors import DataError
from probus.losses import Loss
from probus.parameters import VERBOSE, WARM_START, attribute, inherited, parameter
from probus.state import Array, Maybe, Number, Object, Size, Spec
from probus.tree import DecisionTreeRegressor, Trees
from probus.tree.preparation import Design, GrowsTrees, n_features_to_try
from probus.wrapping import accepted_by_all

# the parameters of a single tree of ``estimators_``
_OF_EACH_TREE = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features", "max_leaf_nodes",
    "min_impurity_decrease", "ccp_alpha",
)  # fmt: skip


class Classic(Boosted, GrowsTrees):
    """Parent of the classical boosted models: a constant or an initial model, and trees grown on pseudo-residuals."""

    criterion: str = parameter(
        "Has no effect, and is deprecated as in scikit-learn: leave it out.",
        default="deprecated",
        of=[OneOf("deprecated"), OldNames("squared_error", "friedman_mse")],
    )
    learning_rate: float = parameter(
        "The factor of the values of each tree. Smaller values need more rounds and often predict better.",
        default=0.1,
        at_least=0.0,
    )
    n_estimators: int = parameter(
        "The number of rounds, each of one tree or of a tree for each class. Too many overfit.",
        default=100,
        at_least=1,
    )
    max_depth: int | None = inherited(default=3)
    max_bins: int = inherited(
        doc="The maximum number of bins of a numeric column, of about equally many rows. Splits are exact for columns "
        "with no more values.",
        default=255,
        at_most=255,
    )
    verbose: int = VERBOSE
    warm_start: bool = WARM_START.but(
        doc="Whether ``fit`` keeps the rounds of the previous fit and adds those that ``n_estimators`` lacks."
    )
    validation_fraction: float = parameter(
        "The share of rows held out for early stopping, if ``n_iter_no_change`` is set.",
        default=0.1,
        of=[RealIn(above=0, below=1, besides_int=True)],
    )
    n_iter_no_change: int | None = parameter(
        "Boosting stops after this many rounds without a lower loss of the validation rows. None never stops early.",
        default=None,
        at_least=1,
    )
    tol: float = parameter("The decrease of the loss that counts for early stopping.", default=1e-4, at_least=0.0)
    line_search: bool = parameter(
        "Whether leaf values minimise the loss itself instead of being Newton steps, which may overshoot if a class "
        "is rare.",
        default=False,
    )

    max_features_: int = attribute()
    initial_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **Boosted.fitted,
        "initial_": Maybe(Object(BaseEstimator)),
        "max_features_": Size("F"),
        "oob_scores_": Maybe(Array("f8", "i")),
        "oob_improvement_": Maybe(Array("f8", "i")),
        "oob_score_": Maybe(Number()),
    }

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind, with missing values, unless the initial model accepts less."""
        trees = Accepts(nominal=True, missing=True, sparse=True, weights=True)
        if self.init is None or isinstance(self.init, str):
            return trees
        return trees.intersect(accepted_by_all([self.init]))

    # -- fitting ---------------------------------------------------------------------------------------

    def _validate(self, X: Any) -> Design:
        """X as a Design; attributes of an earlier fit are deleted unless it is continued."""
        if self.criterion != "deprecated":
            warnings.warn(
                "The parameter `criterion` is deprecated, as in scikit-learn: it has no effect. Leave it out.",
                FutureWarning,
                stacklevel=4,
            )
        if not self.warm_start:
            for name in self.fitted_state().keys() & vars(self).keys():
                delattr(self, name)
        return training_design(self, X)

    def _boost(
        self, all_rows: DesignRows, validation: DesignRows | None, n_classes: int | None, monitor: Monitor | None
    ) -> None:
        """Fit the trees on rows with weight, some held out for early stopping if that is on."""
        loss, continued = self._loss(), hasattr(self, "trees_")
        loss.check(all_rows.y)
        self._check_n_estimators(continued)
        rows, validation = self._split_validation(with_weight(all_rows), validation, n_classes)
        self._check_subsample(len(rows), n_classes or 1)
        self.max_features_ = n_features_to_try(self.max_features, self.n_features_in_)
        if not continued:
            self._initialise(rows, all_rows.weight, loss, n_classes)
        before, done = (self.trees_, self.n_iter_) if continued else (None, 0)
        self._note_settings(done)
        rows = self._with_offset(rows)
        history = self._history(None if validation is None else self._with_offset(validation), before)
        trees = boosted(
            self._plan(loss, rows), rows, self.start_, self.n_estimators - done, max_bins=self.max_bins,
            n_jobs=self.n_jobs, callbacks=self._callbacks(history, done, monitor), before=before,
        )  # fmt: skip
        self._keep(trees, history)

    def _note_settings(self, first: int) -> None:
        """Store the parameters of trees from this round on; a continued fit may change them."""
        before = getattr(self, "_settings", {}) if first else {}  # which a loaded model does not have
        self._settings = {**before, first: {name: getattr(self, name) for name in _OF_EACH_TREE}}

    def _check_n_estimators(self, continued: bool) -> None:
        if continued and self.n_iter_ > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} must be larger or equal to estimators_.shape[0]={self.n_iter_} "
                "when warm_start==True.",
                "at least the number of rounds so far",
            )

    def _check_subsample(self, n: int, n_classes: int) -> None:
        size = int(self.subsample * n)
        if self.subsample < 1.0 and size < n_classes:
            what = "no row" if size == 0 else f"{size} rows, fewer than the {n_classes} classes"
            raise DataError(
                f"subsample={self.subsample} of n_samples={n} rows leaves {what} for a tree.",
                "a share that can hold a row of each class",
                "Raise subsample; 1.0 uses all rows.",
            )

    def _split_validation(
        self, rows: DesignRows, validation: DesignRows | None, n_classes: int | None
    ) -> tuple[DesignRows, DesignRows | None]:
        """The training rows, and the validation rows: the user's, or a held-out part."""
        if validation is not None and self.n_iter_no_change is None:
            raise DataError("X_val and y_val are passed while n_iter_no_change is None.", "n_iter_no_change=10, say")
        if validation is not None or self.n_iter_no_change is None:
            return rows, validation
        strata = None if n_classes is None else rows.y
        off = "n_iter_no_change=None"
        train, held = train_validation_rows(
            np.arange(len(rows)), self.validation_fraction, self._seeds()[1], strata, off
        )
        if strata is not None and len(np.unique(rows.y[train])) < len(np.unique(strata)):
            raise DataError(
                "The training data after the early stopping split is missing some classes. Try using another random "
                "seed.",
                "a training row of every class",
            )
        return rows.some(train), rows.some(held)

    def _seeds(self) -> tuple[int, int]:
        """The seeds of trees and of the validation split, the same when a fit is continued."""
        if not (hasattr(self, "trees_") and hasattr(self, "_drawn")):
            first, second = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=2)
            # the same seed gives the same validation rows as in scikit-learn
            known = isinstance(self.random_state, Integral)
            self._drawn = int(first), int(self.random_state if known else second)
        return self._drawn

    # -- the initial model -----------------------------------------------------------------------------

    def _init_input(self, X: np.ndarray) -> Any:
        """The rows of a design as they are passed to the initial model."""
        schema = getattr(self, "schema_", None)
        if schema is not None and self.accepts.nominal:
            return table_of(X, schema)
        if schema is not None and any(field.kind.has_levels for field in schema):
            raise DataError(
                f"init={self.init!r} accepts only numbers, and there are nominal columns.",
                "an init that accepts levels, or no nominal columns",
                "Use probus.tabular(init), or no categorical_features.",
            )
        return X

    def _initialise(self, rows: DesignRows, given: np.ndarray | None, loss: Loss, n_classes: int | None) -> None:
        """Set the start value, or fit the initial model with the weights that were given for all rows."""
        self.n_trees_per_iteration_, self.initial_ = loss.n_outputs, None
        self._seeds()
        if self.init is None:
            self.start_ = loss.constant(rows.y, rows.weight)
            return
        self.start_ = np.zeros(loss.n_outputs)
        if not isinstance(self.init, str):
            weight = (
                None if given is None or rows.weight is None else given[slice(None) if rows.at is None else rows.at]
            )
            self.initial_ = fitted_initial_model(self.init, self._init_input(rows.X), rows.y, weight, n_classes)

    def _with_offset(self, rows: DesignRows) -> DesignRows:
        return rows if self.initial_ is None else replace(rows, offset=self._offset(rows.X))

    def _offset(self, X: np.ndarray) -> np.ndarray:
        """The raw predictions of the initial model."""
        return initial_raw(self.initial_, self._init_input(X), self._loss(), getattr(self, "n_classes_", None))

    def _start_of(self, X: np.ndarray) -> np.ndarray:
        start = np.tile(self.start_, (len(X), 1))
        return start if self.initial_ is None else start + self._offset(X)

    @property
    def init_(self) -> Any:
        """The initial model: "zero", the fitted ``init``, or a model that predicts the best constant."""
        if not hasattr(self, "start_"):
            raise AttributeError(f"{type(self).__name__} is not fitted: call fit.")
        if self.initial_ is not None or self.init == "zero":
            return self.initial_ or "zero"
        constant = self._loss().mean(self.start_ if len(self.start_) == 1 else self.start_[None])
        classes = getattr(self, "classes_", None)
        blank = np.zeros((1 if classes is None else len(classes), self.n_features_in_))
        X = table_of(blank, self.schema_) if hasattr(self, "schema_") else blank
        return ZeroRRegressor().fit(X, constant) if classes is None else ZeroRClassifier().fit(X, classes, constant[0])

    # -- rounds ---------------------------------------------------------------------------------------

    def _plan(self, loss: Loss, rows: DesignRows) -> BoostingPlan:
        n, d = len(rows), rows.design.X.shape[1]
        drawn = max(1, int(self.subsample * n)) / n * (n if rows.weight is None else float(rows.weight.sum()))
        leaf, split = self.min_samples_leaf, self.min_samples_split
        k = loss.n_outputs
        return BoostingPlan(
            loss=loss,
            n_columns=d,
            rate=self.learning_rate,
            max_leaves=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=int(leaf) if isinstance(leaf, Integral) else math.ceil(leaf * n),
            min_samples_split=int(split) if isinstance(split, Integral) else max(2, math.ceil(split * n)),
            min_hessian=self.min_weight_fraction_leaf * drawn * (1.0 - 1e-6),  # sums of weights are rounded
            min_gain=self.min_impurity_decrease * drawn,
            ccp_alpha=self.ccp_alpha,
            subsample=self.subsample,
            columns_per_node=self.max_features_ / d,
            second_order=False,
            # Friedman's factor for K classes
            leaf_factor=(k - 1) / k if k > 1 and not self.line_search else 1.0,
            line_search=self.line_search,
            monotone=monotone_signs(self, rows.design.n_levels, loss.n_outputs),
            seed=self._seeds()[0],
        )

    def _history(self, held: DesignRows | None, before: Trees | None) -> LossHistory:
        history = LossHistory(None if held is None else HeldOut(held, self.start_, before))
        if before is not None:
            unknown = np.zeros(self.n_iter_)
            history.train += list(self.train_score_)
            history.validation += list(self.validation_score_)
            if self.subsample < 1.0:
                history.out_of_bag += list(getattr(self, "oob_scores_", unknown))
                history.improvement += list(getattr(self, "oob_improvement_", unknown))
        return history

    def _callbacks(self, history: LossHistory, done: int, monitor: Monitor | None) -> list[Callback]:
        callbacks: list[Callback] = [history]
        if self.n_iter_no_change is not None:
            callbacks.append(EarlyStopping(history.validation, no_lower_loss, self.n_iter_no_change, self.tol))
        if self.verbose:
            columns: dict[str, Callable[[Round], float]] = {"Train Loss": lambda _: history.train[-1]}
            if self.subsample < 1.0:
                columns["OOB Improve"] = lambda _: history.improvement[-1]
            callbacks.append(Verbose(columns, self.n_estimators, done, all_rounds=self.verbose > 1))
        if monitor is not None:
            callbacks.append(MonitorCallback(self, monitor, lambda trees: self._keep(trees, history)))
        return callbacks

    def _keep(self, trees: Trees, history: LossHistory) -> None:
        self.trees_, self.n_iter_ = trees, len(trees) // len(self.start_)
        self.train_score_, self.validation_score_ = np.array(history.train), np.array(history.validation)
        if history.out_of_bag:
            self.oob_scores_, self.oob_improvement_ = np.array(history.out_of_bag), np.array(history.improvement)
            self.oob_score_ = history.out_of_bag[-1]

    # -- the trees one by one --------------------------------------------------------------------------

    @property
    def n_estimators_(self) -> int:
        """The number of rounds."""
        return self.n_iter_

    @property
    def estimators_(self) -> SingleTrees:
        """The trees as regression trees, a row for each round; they are created on access.

        Their values are not multiplied by ``learning_rate``.
        """
        if not hasattr(self, "trees_"):
            raise AttributeError(f"{type(self).__name__} has no trees: call fit.")
        return SingleTrees(self.n_iter_, len(self.start_), self._single)

    def _settings_of(self, number: int) -> dict[str, Any]:
        known = getattr(self, "_settings", {})
        first = max((first for first in known if first <= number), default=None)
        return {name: getattr(self, name) for name in _OF_EACH_TREE} if first is None else known[first]

    def _single(self, t: int) -> DecisionTreeRegressor:
        model = DecisionTreeRegressor(**self._settings_of(t // len(self.start_)))
        tree = self.trees_[t]
        # only the decrease of the impurity by splits is known, which is all that importances need
        impurity = gain_below(tree.children_left, tree.improvement) / tree.weighted_n_node_samples
        model.tree_ = replace(tree, value=tree.value / (self.learning_rate or 1.0), impurity=impurity)
        for name in ("n_features_in_", "feature_names_in_", "schema_", "max_features_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        return model
