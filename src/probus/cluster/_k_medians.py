"""K-medians."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, matrix_input
from probus.cluster._centre_model import CentreModel, centred_rows, warn_of_duplicates


class KMedians(CentreModel):
    r"""Centres such that the sum of absolute differences of the rows to the nearest of them is small.

    .. math:: Q = \sum_i w_i \min_k \lVert x_i - \mu_k \rVert_1

    Centres are medians, column by column, so that outliers move them little.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, n_iter_
        As of ``KMeans``; ``inertia_`` is the sum Q.

    Examples
    --------
    >>> model = KMedians(n_clusters=2, random_state=0).fit([[0.0], [1.0], [2.0], [90.0], [91.0], [99.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [1.0, 91.0]
    """

    _measure = "cityblock"

    @classmethod
    def examples(cls) -> list[Model]:
        """With few clusters."""
        return [cls(n_clusters=3)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMedians:
        """Find the centres; y is ignored."""
        X, weights = self._training_rows(X, sample_weight)
        middle = np.average(X, axis=0, weights=weights)
        order, rows = centred_rows(X, weights, middle)
        found = [self._iterate(X[order], rows.w, start + middle) for start in self._starts(X, rows, middle)]
        centres, labels, self.inertia_, self.n_iter_ = min(found, key=lambda fit: fit[2])
        self.cluster_centers_ = centres
        self.labels_ = np.empty(len(X), np.int32)
        self.labels_[order] = labels
        warn_of_duplicates(len(np.unique(labels)), self.n_clusters)
        return self

    def _iterate(self, X: np.ndarray, w: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, int]:
        labels, n_iter = np.full(len(X), -1), 0
        while n_iter < self.max_iter:
            n_iter += 1
            away = cdist(X, centres, "cityblock")
            before, labels = labels, away.argmin(axis=1)
            if (before == labels).all():
                break
            _fill_empty(labels, away, w, len(centres))
            centres = np.stack(
                [
                    weighted_median(X[labels == c], w[labels == c]) if (w[labels == c] > 0).any() else centres[c]
                    for c in range(len(centres))
                ]
            )
        away = cdist(X, centres, "cityblock")
        return centres, away.argmin(axis=1), float(w @ away.min(axis=1)), n_iter

    def predict(self, X: Any) -> np.ndarray:
        """The number of the centre nearest to each row by absolute differences."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        return cdist(X, self.cluster_centers_, "cityblock").argmin(axis=1).astype(np.int32)


def weighted_median(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The median of each column, as if each row were repeated by its weight.

    >>> weighted_median(np.array([[1.0], [2.0], [9.0]]), np.array([1.0, 1.0, 2.0]))
    array([5.5])
    """
    kept = w > 0
    X, w = X[kept], w[kept]
    order = np.argsort(X, axis=0)
    ranked, ends = np.take_along_axis(X, order, axis=0), np.cumsum(w[order], axis=0)
    half = 0.5 * ends[-1]
    close = np.isclose(ends, half, rtol=1e-12)
    low = np.argmax((ends > half) | close, axis=0)
    tie = np.take_along_axis(close, low[None], axis=0)[0]
    high = np.minimum(low + tie, len(X) - 1)
    columns = np.arange(X.shape[1])
    return 0.5 * (ranked[low, columns] + ranked[high, columns])


def _fill_empty(labels: np.ndarray, away: np.ndarray, w: np.ndarray, k: int) -> None:
    """Give each empty cluster the row furthest from its centre."""
    empty = np.setdiff1d(np.arange(k), labels[w > 0])
    if len(empty):
        own = np.where(w > 0, away[np.arange(len(labels)), labels], -1.0)
        for cluster, row in zip(empty, np.argsort(-own, kind="stable"), strict=False):
            if own[row] > 0:
                labels[row] = cluster
