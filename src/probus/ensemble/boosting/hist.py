"""Gradient boosting with scikit-learn's histogram classes: names and parameters, for columns of any kind."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from probus.base import Model
from probus.ensemble.boosting.boosting_base import BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting.hist_base import COMMON, SKLEARN_LOSS, Hist
from probus.ensemble.boosting.rows import classification_rows, regression_rows, validation_rows
from probus.errors import DataError
from probus.losses import Loss, loss_named, loss_names
from probus.state import Spec

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]


class HistGradientBoostingClassifier(BoostedClassifier, Hist):
    """Histogram-based gradient boosting for classification (Friedman 2001; Chen and Guestrin 2016).

    scikit-learn's class and parameters, and in addition:

    Parameters
    ----------
    loss : "log_loss", or a loss of ``probus.losses`` for two classes.
    l1_regularization, min_gain, min_hessian : the L1 penalty on leaf values (α), the minimum gain of a split (γ), and
        the minimum sum of hessians in a leaf.
    subsample : the share of rows drawn for each tree.
    columns_per_tree, columns_per_level : the share of columns drawn for each tree, and of these for each depth;
        ``max_features`` is the share drawn for each node.
    n_jobs : the number of threads; by default it depends on the size of the data. The model does not depend on it.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [StrOptions({"log_loss"}), Loss, SKLEARN_LOSS],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        loss: str | Loss = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        class_weight: Any = None,
        l1_regularization: float = 0.0,
        min_gain: float = 0.0,
        min_hessian: float = 1e-3,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        columns_per_level: float = 1.0,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.l1_regularization = l1_regularization
        self.min_gain = min_gain
        self.min_hessian = min_hessian
        self.subsample = subsample
        self.columns_per_tree = columns_per_tree
        self.columns_per_level = columns_per_level
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds on few rows; one with drawn columns and an L1 penalty."""
        few: dict[str, Any] = {"max_iter": 20, "min_samples_leaf": 5}
        return [cls(**few), cls(**few, max_features=0.7, l1_regularization=0.1)]

    def _loss(self) -> Loss:
        return loss_named(self.loss, n_classes=self.n_classes_)

    @_fit_context(prefer_skip_nested_validation=True)
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

    scikit-learn's class and parameters, and in addition:

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or any loss of
        ``probus.losses``, also a custom one (``probus.losses.custom``).
    l1_regularization, min_gain, min_hessian : the L1 penalty on leaf values (α), the minimum gain of a split (γ), and
        the minimum sum of hessians in a leaf.
    subsample : the share of rows drawn for each tree.
    columns_per_tree, columns_per_level : the share of columns drawn for each tree, and of these for each depth;
        ``max_features`` is the share drawn for each node.
    n_jobs : the number of threads; by default it depends on the size of the data. The model does not depend on it.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> model = HistGradientBoostingRegressor(min_samples_leaf=3).fit(cars.drop("mpg", "name"), cars["mpg"])
    >>> model.score(cars.drop("mpg", "name"), cars["mpg"]) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**Hist.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [
            StrOptions(loss_names(for_classes=False)),
            Loss,
            SKLEARN_LOSS,
        ],
        "quantile": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self,
        loss: str | Loss = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        l1_regularization: float = 0.0,
        min_gain: float = 0.0,
        min_hessian: float = 1e-3,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        columns_per_level: float = 1.0,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.l1_regularization = l1_regularization
        self.min_gain = min_gain
        self.min_hessian = min_hessian
        self.subsample = subsample
        self.columns_per_tree = columns_per_tree
        self.columns_per_level = columns_per_level
        self.n_jobs = n_jobs

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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; ``X_val`` and ``y_val`` are used for early stopping."""
        rows = regression_rows(self, X, y, sample_weight)
        self._boost(rows, validation_rows(self, X_val, y_val, sample_weight_val))
        return self
