"""Baselines: what can be said without learning, and what one column alone can say.

A model that cannot beat Zero-R has learnt nothing; one that cannot beat One-R has learnt little.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, checked_weights, encoded_classes, table_input
from probus.state import Array, Labels, Spec

__all__ = ["ZeroRClassifier"]


class ZeroRClassifier(Classifier):
    """Predicts the most frequent class, whatever the row; its probabilities are the class frequencies.

    >>> ZeroRClassifier().fit([[0], [0], [0]], ["no", "yes", "no"]).predict_proba([[7]])
    array([[0.66666667, 0.33333333]])
    """

    accepts = Accepts(nominal=True, text=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {"classes_": Labels("K"), "class_prior_": Array("f8", "K")}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

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
