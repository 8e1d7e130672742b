"""Zero-R: the same prediction for every row."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import (
    Accepts,
    Classifier,
    PoorScoreMixin,
    Regressor,
    checked_numbers,
    checked_weights,
    encoded_classes,
    table_input,
)
from probus.parameters import parameter
from probus.state import Array, Labels, Number, Spec


class ZeroRClassifier(PoorScoreMixin, Classifier):
    """Predict the most frequent class for every row; the probabilities are the class frequencies.

    >>> ZeroRClassifier().fit([[0], [0], [0]], ["no", "yes", "no"]).predict_proba([[7]])
    array([[0.66666667, 0.33333333]])
    """

    accepts = Accepts(nominal=True, text=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {"classes_": Labels("K"), "class_prior_": Array("f8", "K")}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ZeroRClassifier:
        """Count the classes."""
        table = table_input(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, table.n_rows)
        weights = checked_weights(sample_weight, codes)
        counts = np.bincount(codes, weights, minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most frequent class for every row."""
        choices = self.predict_proba(X).argmax(axis=1)
        return self.classes_[choices]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The class frequencies for every row."""
        check_is_fitted(self)
        n_rows = table_input(self, X, reset=False).n_rows
        return np.tile(self.class_prior_, (n_rows, 1))


class ZeroRRegressor(PoorScoreMixin, Regressor):
    """Predict the mean or the median of the target for every row.

    Examples
    --------
    >>> ZeroRRegressor(strategy="median").fit([[0], [0], [0]], [1.0, 2.0, 9.0]).predict([[5]])
    array([2.])
    """

    strategy: str = parameter(
        "The mean minimises the squared error of a constant prediction, the median the absolute error.",
        default="mean",
        one_of=("mean", "median"),
    )

    accepts = Accepts(nominal=True, text=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {"value_": Number()}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ZeroRRegressor:
        """Compute the mean or the median of y."""
        table = table_input(self, X, reset=True)
        target = checked_numbers(y, table.n_rows)
        weights = checked_weights(sample_weight, target)
        w = np.ones(len(target)) if weights is None else weights
        self.value_ = float(np.average(target, weights=w) if self.strategy == "mean" else _median(target, w))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The same number for every row."""
        check_is_fitted(self)
        return np.full(table_input(self, X, reset=False).n_rows, self.value_)


def _median(values: np.ndarray, w: np.ndarray) -> float:
    """The weighted median: a value with weight 2 counts twice.

    >>> _median(np.array([3.0, 1.0, 9.0]), np.array([1.0, 2.0, 1.0]))
    2.0
    """
    order = np.argsort(values[w > 0])
    ascending, below = values[w > 0][order], np.cumsum(w[w > 0][order])
    half = 0.5 * below[-1]
    middle = [np.searchsorted(below, half, side="left"), np.searchsorted(below, half, side="right")]
    return float(ascending[middle].mean())
