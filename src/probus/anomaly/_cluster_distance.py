"""Distances to clusters, weighed by their size."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import OneOf, TrueOrFalse
from probus.base import Accepts, Model, matrix_input
from probus.cluster import KMeans
from probus.detection import CONTAMINATION, Detector
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Number, Spec


class CBLOF(Detector):
    """Cluster-based local outlier factors (He, Xu and Deng 2003).

    Rows are clustered by k-means. The largest clusters that together hold a share ``alpha`` of the rows are large, or
    fewer where a cluster is ``beta`` times smaller than the one before it. A row of a large cluster is scored by the
    negative distance to its centre, a row of a small one by that to the nearest large cluster.

    Attributes
    ----------
    centers_, sizes_ : of the clusters, the largest first. n_large_ : how many are large.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0]]
    >>> CBLOF(3, alpha=0.8, contamination=0.1, random_state=0).fit_predict(X)
    array([ 1,  1,  1,  1,  1,  1, -1])
    """

    n_clusters: int = parameter(
        "The number of clusters of k-means; at most the number of rows.", default=8, at_least=1, kw_only=False
    )
    alpha: float = parameter(
        "Large clusters are the largest ones that together hold this share of the rows.",
        default=0.9,
        at_least=0.5,
        at_most=1,
    )
    beta: float = parameter(
        "A cluster that is so many times smaller than the one before it is not large.", default=5.0, above=1
    )
    weighted: bool | str = parameter(
        'Whether the distance is multiplied by the number of rows in the cluster, as in the paper; "large" multiplies '
        "it in large clusters only.",
        default=False,
        of=[TrueOrFalse(), OneOf("large")],
    )
    contamination: Any = CONTAMINATION
    random_state: Any = RANDOM_STATE

    accepts = Accepts(scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "centers_": Array("f8", "k d"),
        "sizes_": Array("i8", "k"),
        "n_large_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Few clusters."""
        return [cls(3, random_state=0)]

    def fit(self, X: Any, y: Any = None) -> CBLOF:
        """Cluster the rows and find the large clusters; y is ignored."""
        X = matrix_input(self, X, reset=True, order="C")
        distinct = len(np.unique(X, axis=0))
        clusters = KMeans(min(self.n_clusters, distinct), random_state=self.random_state).fit(X)
        counts = np.bincount(clusters.labels_, minlength=len(clusters.cluster_centers_))
        order = np.argsort(-counts, kind="stable")
        self.centers_ = np.ascontiguousarray(clusters.cluster_centers_[order], dtype=np.float64)
        self.sizes_ = counts[order].astype(np.int64)
        self.n_large_ = _number_of_large(self.sizes_, self.alpha, self.beta)
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), None)
        return self

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        away = cdist(rows, self.centers_)
        own = away.argmin(axis=1)
        distance = np.where(own < self.n_large_, away.min(axis=1), away[:, : self.n_large_].min(axis=1))
        factor = self.sizes_[own] if self.weighted else np.ones(len(rows))
        if self.weighted == "large":
            factor = np.where(own < self.n_large_, factor, 1.0)
        return -distance * factor

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative distance of each row to its large cluster, or to the nearest."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))


def _number_of_large(sizes: np.ndarray, alpha: float, beta: float) -> int:
    """The number of large clusters, by their sizes in descending order.

    >>> _number_of_large(np.array([50, 40, 10]), 0.9, 5.0), _number_of_large(np.array([80, 10, 10]), 1.0, 5.0)
    (2, 1)
    """
    enough = int(np.searchsorted(np.cumsum(sizes), alpha * sizes.sum() - 1e-9)) + 1
    falls = np.flatnonzero(sizes[:-1] >= beta * np.maximum(sizes[1:], 1))
    return min(enough, len(sizes), int(falls[0]) + 1 if len(falls) else len(sizes))
