"""Gradient boosting with scikit-learn's classical classes: any loss, any initial model."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from probus.allowed_values import HasMethod, InstanceOf, NoneAllowed, OneOf
from probus.base import Model, checked_weights, encoded_classes
from probus.ensemble.boosting._boosting_base import BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting._callbacks import Monitor
from probus.ensemble.boosting._gradient_base import Classic
from probus.ensemble.boosting._rows import DesignRows, regression_target, validation_rows
from probus.errors import DataError
from probus.losses import Loss, loss_named, loss_names
from probus.parameters import parameter
from probus.state import Spec
from probus.tree.preparation import Design

_INIT = parameter(
    'The model that the trees correct: None is the best constant, "zero" predicts 0, and a model is fitted first.',
    default=None,
    of=[OneOf("zero"), NoneAllowed(), HasMethod("fit", "predict_proba")],
)


class GradientBoostingClassifier(BoostedClassifier, Classic):
    """Gradient boosting: small trees, each grown on the pseudo-residuals of the trees before it (Friedman 2001).

    scikit-learn's class and parameters, on columns of any kind.

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

    loss: str | Loss = parameter(
        '"log_loss" predicts probabilities, "exponential" is AdaBoost\'s loss; or a loss of ``probus.losses`` for two '
        "classes.",
        default="log_loss",
        of=[OneOf(*loss_names(for_classes=True)), InstanceOf(Loss)],
    )
    init: Any = _INIT

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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None, *, X_val: Any = None,
        y_val: Any = None, sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model.

        ``monitor(round, model, state)`` is called after each round and stops boosting if it returns true; ``state`` has
        the raw predictions. ``X_val`` and ``y_val`` are used for early stopping if ``n_iter_no_change`` is set.
        """
        design = self._validate(X)
        rows = self._rows(design, y, sample_weight)
        validation = validation_rows(self, X_val, y_val, sample_weight_val)
        self._boost(rows, validation, self.n_classes_, monitor)
        return self

    def _rows(self, design: Design, y: Any, sample_weight: Any) -> DesignRows:
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
        return DesignRows(design, codes.astype(np.float64), weight)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, numbered within the tree: [n, rounds, outputs]."""
        leaves = super().apply(X)
        return leaves.reshape(len(leaves), self.n_iter_, len(self.start_))


class GradientBoostingRegressor(BoostedRegressor, Classic):
    """Gradient boosting: small trees, each grown on the pseudo-residuals of the trees before it (Friedman 2001).

    scikit-learn's class and parameters, on columns of any kind.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars[["wt", "hp", "qsec"]], cars["mpg"]
    >>> GradientBoostingRegressor(loss="huber", n_estimators=50).fit(X, y).score(X, y) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**Classic.fitted}

    loss: str | Loss = parameter(
        "The loss to minimise: a name, or any loss of ``probus.losses``, also a custom one (``probus.losses.custom``). "
        '"huber" and "absolute_error" are robust to outliers; "quantile" predicts the quantile ``alpha``.',
        default="squared_error",
        of=[OneOf(*loss_names(for_classes=False)), InstanceOf(Loss)],
    )
    init: Any = _INIT.but(of=[OneOf("zero"), NoneAllowed(), HasMethod("fit", "predict")])
    alpha: float = parameter(
        'The quantile that ``loss="quantile"`` predicts, or the share of residuals that "huber" squares.',
        default=0.9,
        above=0.0,
        below=1.0,
    )

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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None, *, X_val: Any = None,
        y_val: Any = None, sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; for ``monitor``, ``X_val`` and ``y_val`` see the classifier."""
        design = self._validate(X)
        target = regression_target(y, design.n_rows)
        validation = validation_rows(self, X_val, y_val, sample_weight_val)
        self._boost(DesignRows(design, target, checked_weights(sample_weight, target)), validation, None, monitor)
        return self
