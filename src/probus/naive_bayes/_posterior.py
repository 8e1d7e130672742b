"""Predictions and posterior probabilities from the joint log-likelihood of each class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier
from probus.parallel import chunked, thread_count
from probus.parameters import attribute

# Rows per chunk: they fit in a cache, and results do not depend on the number of threads.
CHUNK = 16_384
_CHUNK_OPERATIONS = 4_000_000  # per chunk, for models with a high cost per row


class BayesClassifier(Classifier):
    """Base class of the naive Bayes models; subclasses compute log P(y) + log P(x | y).

    P(y | x) = P(y) ∏_j P(x_j | y) / P(x), computed in logarithms to avoid underflow.
    """

    classes_: np.ndarray = attribute()

    @abstractmethod
    def _checked(self, X: Any) -> Any:
        """X, validated against the fit; slices of it are rows."""

    @abstractmethod
    def _joint_log_likelihood(self, X: Any) -> np.ndarray:
        """log P(y) + log P(x | y) for rows that are validated: float64[n, K]."""

    def _operations_per_row(self) -> float:
        """The approximate cost of scoring a row."""
        return float(self.n_features_in_ * len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest posterior for each row; the first in case of ties."""
        choices = self._scored(X, lambda scores: scores.argmax(axis=1))
        return self.classes_[choices]

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(y | x) for each row and class, in the order of ``classes_``."""
        return self._scored(X, lambda scores: np.exp(_log_normalised(scores)))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(y | x) for each row and class."""
        return self._scored(X, _log_normalised)

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """log P(x, y) = log P(y) + log P(x | y) for each row and class."""
        return self._scored(X, lambda scores: scores)

    def _scored(self, X: Any, finish: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """``finish`` of the joint log-likelihood, chunk by chunk of rows."""
        check_is_fitted(self)
        rows = self._checked(X)
        n, cost = rows.shape[0], self._operations_per_row()
        chunk = max(16, min(CHUNK, int(_CHUNK_OPERATIONS / cost)))
        if n <= chunk:
            return finish(self._joint_log_likelihood(rows))

        def part(start: int, stop: int) -> np.ndarray:
            return finish(self._joint_log_likelihood(rows[start:stop]))

        return np.concatenate(chunked(part, n, thread_count(None, n * cost), chunk=chunk))


def _log_normalised(scores: np.ndarray) -> np.ndarray:
    """The scores of each row minus the logarithm of the sum of their exponentials."""
    below = scores - scores.max(axis=1, keepdims=True)
    below -= np.log(np.exp(below).sum(axis=1, keepdims=True))
    return below
