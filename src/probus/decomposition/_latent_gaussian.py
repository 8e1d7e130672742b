"""What models of columns by fewer normal variables have in common: a covariance, and the likelihood of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from probus.base import Transformer, matrix_input
from probus.parameters import attribute


class LatentGaussian(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Parent: rows are normal with ``mean_`` and the covariance that a subclass defines."""

    mean_: np.ndarray = attribute()
    components_: np.ndarray = attribute()

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def get_covariance(self) -> np.ndarray:
        """The covariance of the columns by the model."""
        raise NotImplementedError

    def get_precision(self) -> np.ndarray:
        """The inverse of the covariance."""
        check_is_fitted(self)
        return self._inverse()[0]

    def _inverse(self) -> tuple[np.ndarray, float]:
        """The inverse of the covariance, and ln of its determinant; variances are at least 1e-14 of the largest."""
        variances, directions = linalg.eigh(self.get_covariance())
        floored = np.maximum(variances, 1e-14 * (max(float(variances[-1]), 0.0) or 1.0))
        return (directions / floored) @ directions.T, -float(np.log(floored).sum())

    def score_samples(self, X: Any) -> np.ndarray:
        """The log-likelihood of each row."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        away = (X.toarray() if hasattr(X, "toarray") else X) - self.mean_
        precision, log_determinant = self._inverse()
        squares = np.einsum("ij,ij->i", away @ precision, away)
        return -0.5 * (squares + X.shape[1] * np.log(2 * np.pi) - log_determinant)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows; y is ignored."""
        return float(self.score_samples(X).mean())


def signed(components: np.ndarray) -> np.ndarray:
    """Components whose largest entry, by size, is positive, so that their signs do not depend on the solver."""
    largest = components[np.arange(len(components)), np.abs(components).argmax(axis=1)] if components.size else 1.0
    return components * np.where(largest < 0, -1.0, 1.0)[:, None] if components.size else components
