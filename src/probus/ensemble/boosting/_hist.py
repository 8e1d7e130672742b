"""Gradient boosting with scikit-learn's histogram classes: names and parameters, for columns of any kind."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from probus.allowed_values import HasMethod, InstanceOf, OneOf
from probus.base import Model
from probus.ensemble.boosting._boosting_base import BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting._hist_base import Hist
from probus.ensemble.boosting._rows import classification_rows, regression_rows, validation_rows
from probus.errors import DataError
from probus.losses import Loss, loss_named, loss_names
from probus.parameters import CLASS_WEIGHT, parameter
from probus.state import Spec


class HistGradientBoostingClassifier(BoostedClassifier, Hist):
    """Histogram-based gradient boosting for classification (Friedman 2001; Chen and Guestrin 2016).

    scikit-learn's class and parameters, on columns of any kind.

    Levels of nominal columns are ordered by their gradients and split; missing values go to the side with the larger
    gain. Integer weights with a mean of at most ten count as repeated rows; others are divided by their mean.

    Attributes
    ----------
    trees_ : all trees in one container, those of a round next to each other.
    start_ : the initial raw prediction.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()
    >>> X, y = people.select("Pclass", "Sex", "Age", "Fare", "Embarked"), people["Survived"]
    >>> HistGradientBoostingClassifier(max_iter=20).fit(X, y).score(X, y) > 0.8
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**BoostedClassifier.fitted, **Hist.fitted}

    loss: str | Loss = parameter(
        '"log_loss", or a loss of ``probus.losses`` for two classes.',
        default="log_loss",
        of=[OneOf("log_loss"), InstanceOf(Loss), HasMethod("gradient_hessian")],
        kw_only=False,
    )
    class_weight: Any = CLASS_WEIGHT

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds on few rows; one with drawn columns and an L1 penalty."""
        few: dict[str, Any] = {"max_iter": 20, "min_samples_leaf": 5}
        return [cls(**few), cls(**few, max_features=0.7, l1_regularization=0.1)]

    def _loss(self) -> Loss:
        return loss_named(self.loss, n_classes=self.n_classes_)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; ``X_val`` and ``y_val`` are used for early stopping."""
        rows = classification_rows(self, X, y, sample_weight)
        self._boost(rows, validation_rows(self, X_val, y_val, sample_weight_val))
        return self


class HistGradientBoostingRegressor(BoostedRegressor, Hist):
    """Histogram-based gradient boosting for regression (Friedman 2001; Chen and Guestrin 2016).

    scikit-learn's class and parameters, on columns of any kind.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> model = HistGradientBoostingRegressor(min_samples_leaf=3).fit(cars.drop("mpg", "name"), cars["mpg"])
    >>> model.score(cars.drop("mpg", "name"), cars["mpg"]) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**Hist.fitted}

    loss: str | Loss = parameter(
        "The loss to minimise: a name, or any loss of ``probus.losses``, also a custom one (``probus.losses.custom``). "
        '"huber" and "absolute_error" are robust to outliers; "quantile" predicts the given ``quantile``.',
        default="squared_error",
        of=[OneOf(*loss_names(for_classes=False)), InstanceOf(Loss), HasMethod("gradient_hessian")],
        kw_only=False,
    )
    quantile: float | None = parameter(
        'The quantile that ``loss="quantile"`` predicts; it must be given for that loss.',
        default=None,
        at_least=0,
        at_most=1,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds on few rows; one for each way to compute leaf values."""
        few: dict[str, Any] = {"max_iter": 20, "min_samples_leaf": 5}
        return [cls(**few), cls("absolute_error", **few), cls(**few, max_depth=3, max_leaf_nodes=None)]

    def _loss(self) -> Loss:
        if self.loss == "quantile" and self.quantile is None:
            raise DataError(
                "loss='quantile' needs a quantile: quantile=None.", "a number from 0 to 1, such as quantile=0.9"
            )
        return loss_named("quantile", alpha=self.quantile) if self.loss == "quantile" else loss_named(self.loss)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; ``X_val`` and ``y_val`` are used for early stopping."""
        rows = regression_rows(self, X, y, sample_weight)
        self._boost(rows, validation_rows(self, X_val, y_val, sample_weight_val))
        return self
