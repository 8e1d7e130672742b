"""K-medoids: clusters around rows, by any distance."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import ClusterMixin, Model, matrix_input, table_input
from probus.cluster._centre_model import check_enough_rows, warn_of_splits
from probus.cluster._medoid_swaps import first_medoids, swapped
from probus.distances import distance_of
from probus.distances.measured_rows import MeasuredModel, MeasuredRows
from probus.distances.typed_rows import check_codes, decode
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Number, Size, Spec


class KMedoids(ClusterMixin, MeasuredModel):
    """Rows such that the sum of distances of all rows to the nearest of them is small; for any distance.

    The first rows are found greedily (BUILD) or drawn; then a row is swapped for another as long as a swap lowers the
    sum (FasterPAM). With ``metric="gower"``, rows of mixed columns with missing values are clustered unchanged. Two
    rows without a column in which both have a value are as far apart as any. All distances are stored: n² numbers.

    Attributes
    ----------
    medoid_indices_ : array of clusters
        The numbers of the rows found.
    cluster_centers_ : array of clusters × columns
        These rows; levels by code.
    labels_ : array of rows
    inertia_ : float
        The sum of distances.
    n_iter_ : int
        The number of swaps.

    Examples
    --------
    >>> people = {"sex": ["m", "m", "w", "w", None], "age": [20, 22, 60, None, 64]}
    >>> KMedoids(n_clusters=2, metric="gower").fit(people).labels_
    array([1, 1, 0, 0, 0], dtype=int32)
    """

    n_clusters: int = parameter("The number of clusters.", default=8, at_least=1, kw_only=False)
    init: str = parameter(
        'The first medoids are found greedily ("build") or drawn ("random").',
        default="build",
        one_of=("build", "random"),
    )
    n_init: int = parameter(
        "The number of starts where they are drawn; the one with the least sum is kept.", default=1, at_least=1
    )
    max_iter: int = parameter("The most swaps of each start.", default=10_000, at_least=0)
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "medoid_indices_": Array("i8", "k", low=0, high="n"),
        "cluster_centers_": Array("f8", "k *"),
        "extremes_": Array("f8", "* *"),
        "labels_": Array("i4", "n", low=0, high="k"),
        "inertia_": Number(),
        "n_iter_": Size("i"),
    }

    _sparse = False

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, one for typed columns."""
        return [cls(n_clusters=2), cls(n_clusters=2, metric="gower")]

    def fit(self, X: Any, y: Any = None) -> KMedoids:
        """Find the medoids; y is ignored."""
        rows = MeasuredRows(self, X)
        check_enough_rows(rows.n, self.n_clusters)
        D = rows.matrix()
        random = check_random_state(self.random_state)
        best = np.inf
        for _ in range(1 if self.init == "build" else self.n_init):
            if self.init == "build":
                medoids = first_medoids(D, self.n_clusters)
            else:
                medoids = random.permutation(rows.n)[: self.n_clusters].astype(np.int64)
            swaps, done = swapped(D, medoids, self.max_iter)
            total = float(D[:, medoids].min(axis=1).sum())
            if total < best:
                best, self.inertia_, self.n_iter_ = total, total, int(swaps)
                self.medoid_indices_, converged = medoids, done
        if not converged and self.max_iter > 0:
            warnings.warn("There are swaps left that lower the sum; raise max_iter.", ConvergenceWarning, stacklevel=2)
        self.cluster_centers_ = rows.samples[self.medoid_indices_]
        self.extremes_ = _extremes(rows.samples) if rows.distance.typed else np.empty((0, rows.samples.shape[1]))
        self.labels_ = self._nearest(D[:, self.medoid_indices_])
        self.labels_[self.medoid_indices_] = np.arange(self.n_clusters)
        copies = np.tril(D[np.ix_(self.medoid_indices_, self.medoid_indices_)] == 0, -1).any(axis=1)
        warn_of_splits(self.n_clusters - int(copies.sum()), self.n_clusters)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of the nearest medoid of each row; of equally near ones the first."""
        check_is_fitted(self)
        metric, params = self._effective_metric()
        distance = distance_of(metric)
        if distance.precomputed:
            return self._nearest(matrix_input(self, X, reset=False)[:, self.medoid_indices_])
        if distance.typed:
            # ranges are those of the training rows, whose extremes are measured too and left out
            table = decode(np.vstack([self.cluster_centers_, self.extremes_]), self.schema_)
            away = distance.search(table, params, "brute").distances(table_input(self, X, reset=False))
            return self._nearest(np.nan_to_num(away[:, : len(self.medoid_indices_)], nan=np.inf))
        queries: Any = matrix_input(self, X, reset=False)
        search = distance.search(self.cluster_centers_, params, "brute")
        if search is not None:
            return self._nearest(search.distances(queries))
        from sklearn.metrics import pairwise_distances

        return self._nearest(pairwise_distances(queries, self.cluster_centers_, metric, **params))

    @staticmethod
    def _nearest(away: np.ndarray) -> np.ndarray:
        return away.argmin(axis=1).astype(np.int32)

    def check_fitted_state(self) -> None:
        """Codes of a typed table must point into its levels."""
        if self._distance.typed:
            check_codes(self.cluster_centers_, self.schema_)
            check_codes(self.extremes_, self.schema_)


def _extremes(samples: np.ndarray) -> np.ndarray:
    """The least and the largest value of each column, NaN where all are missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.stack([np.nanmin(samples, axis=0), np.nanmax(samples, axis=0)])
