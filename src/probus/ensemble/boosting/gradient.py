"""Gradient boosting with scikit-learn's classical classes: any loss, any initial model."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from probus.base import Model, checked_weights, encoded_classes
from probus.ensemble.boosting.boosting_base import BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting.callbacks import Monitor
from probus.ensemble.boosting.gradient_base import COMMON, Classic
from probus.ensemble.boosting.rows import Rows, regression_target, validation_rows
from probus.errors import DataError
from probus.losses import Loss, loss_named, loss_names
from probus.state import Spec
from probus.tree.design import Design

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]


class GradientBoostingClassifier(BoostedClassifier, Classic):
    """Gradient boosting: small trees, each grown on the pseudo-residuals of the trees before it (Friedman 2001).

    scikit-learn's class and parameters, and in addition:

    Parameters
    ----------
    loss : "log_loss", "exponential" (AdaBoost's), or a loss of ``probus.losses`` for two classes.
    line_search : whether leaf values minimise the loss itself instead of being Newton steps, which may overshoot if a
        class is rare.
    max_bins : the maximum number of bins of numeric columns; splits are exact for columns with no more values.
    categorical_features : for arrays, the nominal columns: indices, a mask or names. Tables and frames declare their
        kinds ("from_dtype").
    monotonic_cst : 1, -1 or 0 for each column, or a dict of names: predictions only increase, or decrease, with it.
    n_jobs : the number of threads; by default it depends on the size of the data. The model does not depend on it.

    Attributes
    ----------
    train_score_, oob_scores_, oob_improvement_, validation_score_ : after each round the mean loss of the rows it drew,
        of the other rows, the decrease of that, and the mean loss of validation rows.
    estimators_ : the trees as regression trees, created on access.
    init_ : the initial model.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()
    >>> X, y = people[["Sex", "Age", "Pclass", "Embarked"]], people["Survived"]
    >>> model = GradientBoostingClassifier(n_estimators=20).fit(X, y)
    >>> model.score(X, y) > 0.75, model.estimators_[0, 0].get_depth()
    (True, 3)
    """

    fitted: ClassVar[dict[str, Spec]] = {**BoostedClassifier.fitted, **Classic.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [StrOptions(loss_names(for_classes=True)), Loss],
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"])],
    }

    def __init__(
        self,
        *,
        loss: str | Loss = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        line_search: bool = False,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.line_search = line_search
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds; one with drawn columns, pruning and line search; one with an initial model."""
        from probus.tree import DecisionTreeClassifier

        return [
            cls(n_estimators=10),
            cls(n_estimators=10, max_features=0.7, ccp_alpha=0.001, line_search=True),
            cls(n_estimators=10, init=DecisionTreeClassifier(max_depth=1)),
        ]

    def _loss(self) -> Loss:
        return loss_named(self.loss, n_classes=self.n_classes_)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None, *, X_val: Any = None,
        y_val: Any = None, sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model.

        ``monitor(round, model, state)`` is called after each round and stops boosting if it returns true; ``state`` has
        the raw predictions. ``X_val`` and ``y_val`` are used for early stopping if ``n_iter_no_change`` is set.
        """
        design = self._validated(X)
        rows = self._rows(design, y, sample_weight)
        validation = validation_rows(self, X_val, y_val, sample_weight_val)
        self._boost(rows, validation, self.n_classes_, monitor)
        return self

    def _rows(self, design: Design, y: Any, sample_weight: Any) -> Rows:
        """The rows, their classes and weights."""
        before = getattr(self, "classes_", None)
        self.classes_, codes = encoded_classes(y, design.n_rows)
        self.n_classes_ = len(self.classes_)
        if before is not None and not np.array_equal(before, self.classes_):
            raise DataError(f"warm_start on classes {self.classes_[:5]}.", f"those of the previous fit: {before[:5]}")
        weight = checked_weights(sample_weight, codes)
        there = codes if weight is None else codes[weight > 0.0]
        if len(np.unique(there)) < 2:
            raise DataError(
                "y contains 1 class after sample_weight trimmed classes with zero weights, while a minimum of 2 "
                "classes are required.",
                "rows of two classes with weights above zero",
            )
        return Rows(design, codes.astype(np.float64), weight)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, numbered within the tree: [n, rounds, outputs]."""
        leaves = super().apply(X)
        return leaves.reshape(len(leaves), self.n_iter_, len(self.start_))


class GradientBoostingRegressor(BoostedRegressor, Classic):
    """Gradient boosting: small trees, each grown on the pseudo-residuals of the trees before it (Friedman 2001).

    scikit-learn's class and parameters, and in addition those of ``GradientBoostingClassifier``.

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or any loss of
        ``probus.losses``, also a custom one (``probus.losses.custom``).
    alpha : the quantile to predict, or the share of residuals that are squared in the Huber loss.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars[["wt", "hp", "qsec"]], cars["mpg"]
    >>> GradientBoostingRegressor(loss="huber", n_estimators=50).fit(X, y).score(X, y) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**Classic.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [
            StrOptions(loss_names(for_classes=False)),
            Loss,
        ],
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict"])],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss: str | Loss = "squared_error",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        alpha: float = 0.9,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        line_search: bool = False,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.line_search = line_search
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds; one for each way to compute leaf values, and one with an initial model."""
        from probus.tree import DecisionTreeRegressor

        return [
            cls(n_estimators=10),
            cls(loss="huber", n_estimators=10, learning_rate=0.5, max_leaf_nodes=4),
            cls(n_estimators=10, init=DecisionTreeRegressor(max_depth=1), ccp_alpha=0.001),
        ]

    def _loss(self) -> Loss:
        return loss_named(self.loss, alpha=self.alpha)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None, *, X_val: Any = None,
        y_val: Any = None, sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; for ``monitor``, ``X_val`` and ``y_val`` see the classifier."""
        design = self._validated(X)
        target = regression_target(y, design.n_rows)
        validation = validation_rows(self, X_val, y_val, sample_weight_val)
        self._boost(Rows(design, target, checked_weights(sample_weight, target)), validation, None, monitor)
        return self
