"""Clusters cleaned of odd rows and of small, distant clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, matrix_input
from probus.cluster import KMeans
from probus.detection import CONTAMINATION, Detector
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Number, Spec

_MOST_ROUNDS = 20


class ClusterFilter(Detector):
    """Two phases: rows that do not fit their cluster are removed until none is left, then small, distant clusters.

    A row does not fit if it is further from the centre than ``threshold`` times the root mean square distance of the
    cluster's rows. K-means is repeated on the rows that are left. A cluster is small with less than ``min_share`` of
    the rows, and far by the same threshold of the nearest large one. The score is the negative distance to the nearest
    cluster that is kept, in these units.

    Attributes
    ----------
    centers_, spreads_ : of the clusters that are kept. n_removed_ : rows, in the first phase.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [9.0]]
    >>> ClusterFilter(3, min_share=0.2, random_state=0).fit_predict(X)
    array([ 1,  1,  1,  1,  1,  1,  1,  1, -1])
    """

    n_clusters: int = parameter(
        "The number of clusters of k-means; at most the number of different rows.", default=8, at_least=1, kw_only=False
    )
    threshold: float = parameter(
        "Rows further from their centre than so many times the spread of the cluster are removed.", default=3.0, above=1
    )
    min_share: float = parameter(
        "A cluster with a smaller share of the rows is small.", default=0.05, at_least=0, at_most=1
    )
    contamination: Any = replace(
        CONTAMINATION, doc='"auto" for ``threshold``, or the share of outliers among the training rows.'
    )
    random_state: Any = RANDOM_STATE

    accepts = Accepts(scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "centers_": Array("f8", "k d"),
        "spreads_": Array("f8", "k"),
        "n_removed_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Few clusters, with outliers in any data."""
        return [cls(3, contamination=0.1, random_state=0)]

    def fit(self, X: Any, y: Any = None) -> ClusterFilter:
        """Cluster and clean in both phases; y is ignored."""
        X = matrix_input(self, X, reset=True, order="C")
        kept = X
        for _ in range(_MOST_ROUNDS):
            self._cluster(kept)
            odd = -self._scores(kept) > self.threshold
            if not odd.any() or odd.all():
                break
            kept = kept[~odd]
        self.n_removed_ = len(X) - len(kept)
        self._drop_small_clusters()
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), -self.threshold)
        return self

    def _cluster(self, X: np.ndarray) -> None:
        distinct = len(np.unique(X, axis=0))
        found = KMeans(min(self.n_clusters, distinct), random_state=self.random_state).fit(X)
        self.centers_ = np.ascontiguousarray(found.cluster_centers_, dtype=np.float64)
        squares = np.square(X - self.centers_[found.labels_]).sum(axis=1)
        k = len(self.centers_)
        self._sizes = np.bincount(found.labels_, minlength=k)
        spreads = np.sqrt(np.bincount(found.labels_, squares, k) / np.maximum(self._sizes, 1))
        # a cluster of one row has no spread of its own
        usual = np.sqrt(squares.mean()) or 1e-12 * max(1.0, float(np.abs(X).max()))
        self.spreads_ = np.where(self._sizes > 1, np.maximum(spreads, 1e-3 * usual), usual)

    def _drop_small_clusters(self) -> None:
        large = self._sizes >= self.min_share * self._sizes.sum()
        del self._sizes
        if large.all() or not large.any():
            return
        away = cdist(self.centers_, self.centers_[large]) / self.spreads_[large]
        keep = large | (away.min(axis=1) <= self.threshold)
        self.centers_, self.spreads_ = self.centers_[keep], self.spreads_[keep]

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return -(cdist(rows, self.centers_) / self.spreads_).min(axis=1)

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative distance of each row to the nearest cluster, in units of its spread."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))
