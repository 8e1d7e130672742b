"""Decisions of linear classifiers: the sign of a score, or the class of the largest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier, matrix_input
from probus.linear_model._linear_base import raw_predictions
from probus.parameters import attribute


class LinearDecision(Classifier):
    """Parent of the classifiers whose scores are Xβ + β₀: one for two classes, else one for each."""

    classes_: np.ndarray = attribute()
    coef_: np.ndarray = attribute()
    intercept_: np.ndarray = attribute()

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row: positive for the second of two classes, else one for each class."""
        check_is_fitted(self)
        scores = raw_predictions(matrix_input(self, X, reset=False), self.coef_, self.intercept_)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest score."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
