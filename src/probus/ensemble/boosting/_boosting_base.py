"""What boosted models have in common: their trees and start value, prediction and importances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, InstanceOf, NoneAllowed, RealIn
from probus.base import Accepts, Classifier, Model, Regressor
from probus.ensemble.shap import SumOfTrees, TreeExplained
from probus.errors import DataError, ModelFileError
from probus.losses import Loss
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Labels, Object, Size, Spec
from probus.tree import Trees, check_columns
from probus.tree.prediction import leaves_of, staged_sums_of, sums_of
from probus.tree.preparation import CATEGORICAL_FEATURES, THREADS, design_of

SHARE = RealIn(above=0.0, at_most=1.0)


class Boosted(TreeExplained, Model):
    """Parent of boosted models: a start value and a sum of trees."""

    subsample: float = parameter(
        "The share of rows drawn for each tree, without replacement. Shares below 1 make trees more different, and "
        "often the predictions better.",
        default=1.0,
        of=[SHARE],
    )
    categorical_features: Any = CATEGORICAL_FEATURES
    monotonic_cst: Any = parameter(
        "1, -1 or 0 for each column, or a dict of names: the prediction only increases, or only decreases, with it, "
        "or is free. None leaves all columns free.",
        default=None,
        of=[ArrayValue(), InstanceOf(dict), NoneAllowed()],
    )
    random_state: Any = RANDOM_STATE
    n_jobs: int | None = THREADS

    trees_: Trees = attribute()
    start_: np.ndarray = attribute()
    n_iter_: int = attribute()
    n_trees_per_iteration_: int = attribute()
    train_score_: np.ndarray = attribute()
    validation_score_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "trees_": Object(Trees),
        "start_": Array("f8", "k"),
        "n_trees_per_iteration_": Size("k"),
        "n_iter_": Size("i"),
        "train_score_": Array("f8", "*"),
        "validation_score_": Array("f8", "*"),
    }

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind, with missing and infinite values."""
        return Accepts(nominal=True, missing=True, weights=True, infinite=True)

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss, with its parameters and number of classes."""

    def _seen(self, X: Any) -> np.ndarray:
        """New data as a matrix for the trees."""
        check_is_fitted(self, "trees_")
        return design_of(self, X, reset=False).X

    def _raw(self, X: Any) -> np.ndarray:
        """The raw predictions: float64[n, k]."""
        X = self._seen(X)
        return sums_of(self.trees_, X, len(self.start_), getattr(self, "n_jobs", None), self._start_of(X))

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        """The raw predictions after each round."""
        X = self._seen(X)
        out = self._start_of(X)
        for raw in staged_sums_of(self.trees_, X, len(self.start_), getattr(self, "n_jobs", None), out):
            yield raw.copy()

    def _start_of(self, X: np.ndarray) -> np.ndarray:
        """The raw predictions without trees: float64[n, k]."""
        return np.tile(self.start_, (len(X), 1))

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, numbered within the tree."""
        X = self._seen(X)
        return leaves_of(self.trees_, X) - self.trees_.start[:-1]

    def importances(self, kind: str = "gain") -> np.ndarray:
        """The importance of columns: the gain of their splits, the rows they split ("cover") or their number ("count").

        Importances sum to one.

        >>> from probus.datasets import mtcars
        >>> from probus.ensemble import HistGradientBoostingRegressor
        >>> cars = mtcars()
        >>> X = cars.select("wt", "hp", "qsec")
        >>> model = HistGradientBoostingRegressor(min_samples_leaf=3, max_iter=20).fit(X, cars["mpg"])
        >>> model.importances("count").round(2)
        array([0.43, 0.32, 0.24])
        """
        check_is_fitted(self, "trees_")
        if kind not in ("gain", "cover", "count"):
            raise DataError(f"kind={kind!r}.", "'gain', 'cover' or 'count'")
        found = self.trees_.importances(kind)
        return found / found.sum() if found.sum() > 0 else found

    @property
    def feature_importances_(self) -> np.ndarray:
        """The gain of the splits on each column, as a share of the total."""
        return self.importances()

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless trees, columns and classes are consistent."""
        trees, k = self.trees_, len(self.start_)
        check_columns(trees, self.n_features_in_, getattr(self, "schema_", None))
        if trees.n_values != 1 or len(trees) != k * self.n_iter_:
            raise ModelFileError(f"{len(trees)} trees of {trees.n_features} columns.", f"{k} × {self.n_iter_}")
        n_classes = len(getattr(self, "classes_", []))
        if n_classes and k != (n_classes if n_classes > 2 else 1):
            raise ModelFileError(f"{k} trees in a round for {n_classes} classes.", "one each, or one for two")

    def _sum_of_trees(self) -> SumOfTrees:
        outputs = tuple(self.classes_.tolist()) if len(self.start_) > 1 else ()
        return SumOfTrees(len(self.start_), 1.0, self.start_, outputs)


class BoostedClassifier(Classifier, Boosted):
    """Parent of boosted classifiers."""

    classes_: np.ndarray = attribute()
    n_classes_: int = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**Boosted.fitted, "classes_": Labels("K"), "n_classes_": Size("K")}

    def decision_function(self, X: Any) -> np.ndarray:
        """The raw predictions: log-odds of the second class, or one number per class."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        return self._probabilities_of(self._raw(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """``decision_function`` after each round."""
        for raw in self._staged_raw(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """``predict_proba`` after each round."""
        for raw in self._staged_raw(X):
            yield self._probabilities_of(raw)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[probabilities.argmax(axis=1)]

    def _probabilities_of(self, raw: np.ndarray) -> np.ndarray:
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        return self._loss().mean(raw[:, 0] if raw.shape[1] == 1 else raw)


class BoostedRegressor(Regressor, Boosted):
    """Parent of boosted regressors."""

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number."""
        raw = self._raw(X)[:, 0]
        return self._loss().mean(raw)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        for raw in self._staged_raw(X):
            yield self._loss().mean(raw[:, 0])
