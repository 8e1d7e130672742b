"""K-means from small random batches of rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.cluster._centre_model import (
    ITERATIONS,
    MOVEMENT,
    N_INIT,
    CentreModel,
    check_enough_rows,
    precision_of,
    warn_of_duplicates,
)
from probus.cluster._lloyd import WeightedRows
from probus.cluster._mean_model import MeanModel
from probus.distances.magnitudes import check_squares
from probus.parameters import VERBOSE, parameter
from probus.sklearn_seam import original
from probus.state import Array, Maybe, Size, Spec

_REPEATED = 10  # rows for each row, at most, where weights count them


class MiniBatchKMeans(MeanModel):
    """K-means that moves its centres by small random batches of the rows, or by batches as they come.

    scikit-learn's iteration (Sculley 2010): a centre is the mean of all rows that were assigned to it when their batch
    was drawn. ``KMeans`` finds better centres, and starts from a sample of many rows too; this one is for rows that do
    not fit in memory (``partial_fit``).

    Attributes
    ----------
    cluster_centers_, labels_, inertia_
        As of ``KMeans``; after ``partial_fit`` of the last batch.
    counts_ : array of clusters
        The weight of the rows that each centre is the mean of.
    n_iter_, n_steps_ : int
        Passes over the rows, and batches.

    Examples
    --------
    >>> model = MiniBatchKMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.predict([[0.5], [9.5]]).tolist() in ([0, 1], [1, 0])
    True
    """

    max_iter: int = ITERATIONS.but(doc="The most passes over the rows.", default=100)
    batch_size: int = parameter("The rows of a batch.", default=1024, at_least=1)
    verbose: int = VERBOSE
    compute_labels: bool = parameter("Whether ``fit`` assigns the training rows to clusters.", default=True)
    tol: float = MOVEMENT.but(default=0.0)
    max_no_improvement: int | None = parameter(
        "The iteration ends after so many batches without a smaller sum; None never ends it so.", default=10, at_least=0
    )
    init_size: int | None = parameter(
        "The rows from which the centres start; None is three batches, or three rows for each cluster.",
        default=None,
        at_least=1,
    )
    n_init: Any = N_INIT.but(doc='The number of starts; "auto" is 1 for k-means++ and arrays, and 3 otherwise.')
    reassignment_ratio: float = parameter(
        "Centres with a smaller share of the rows of the largest cluster are drawn again.", default=0.01, at_least=0
    )

    accepts = Accepts(weights=True, scaled=True, sparse=True)

    fitted: ClassVar[dict[str, Spec]] = {
        **MeanModel.fitted,
        "labels_": Maybe(Array("i4", "n", low=0, high="k")),
        "inertia_": Maybe(CentreModel.fitted["inertia_"]),
        "counts_": Array("f8", "k"),
        "n_steps_": Size("s"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """With few clusters."""
        return [cls(n_clusters=3)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MiniBatchKMeans:
        """Find the centres; y is ignored."""
        precision = precision_of(X)
        X, weights = self._training_rows(X, sample_weight)
        rows = _to_draw_from(X, weights)
        # its fit without labels fails after a single batch
        params = {**self.get_params(deep=False), "compute_labels": True}
        model = original("sklearn.cluster", "MiniBatchKMeans")(**params)
        model.fit(X[rows], sample_weight=None if _are_counts(weights) else weights[rows])
        self.cluster_centers_: np.ndarray = np.asarray(model.cluster_centers_, dtype=precision)
        self.counts_ = np.asarray(model._counts, dtype=np.float64)
        self.n_iter_, self.n_steps_ = int(model.n_iter_), int(model.n_steps_)
        self._forget_labels()
        if self.compute_labels:
            self._keep_labels(X, weights)
            warn_of_duplicates(len(np.unique(self.labels_)), self.n_clusters)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MiniBatchKMeans:
        """Move the centres by a batch of rows; y is ignored. The first batch has at least as many rows as clusters."""
        first = not hasattr(self, "cluster_centers_")
        precision = precision_of(X) if first else self.cluster_centers_.dtype
        X = matrix_input(self, X, reset=first)
        weights = checked_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else weights
        check_squares(X)
        if first:
            check_enough_rows(X.shape[0], self.n_clusters)
            dense = X.toarray() if sparse.issparse(X) else X
            middle = np.average(dense, axis=0, weights=weights)
            self.cluster_centers_ = next(self._starts(dense, WeightedRows(dense - middle, weights), middle)) + middle
            self.counts_, self.n_iter_, self.n_steps_ = np.zeros(self.n_clusters), 0, 0
        members = sparse.csr_array(
            (weights, (self.predict(X), np.arange(X.shape[0]))), shape=(self.n_clusters, X.shape[0])
        )
        added = np.asarray(members.sum(axis=1)).ravel()
        met, self.counts_ = added > 0, self.counts_ + added
        sums = members @ X
        sums = sums.toarray() if sparse.issparse(sums) else sums
        centres = self.cluster_centers_.astype(np.float64)
        centres[met] += (sums[met] - added[met, None] * centres[met]) / self.counts_[met, None]
        self.cluster_centers_ = centres.astype(precision, copy=False)
        self.n_steps_ += 1
        self._forget_labels()
        if self.compute_labels:
            self._keep_labels(X, weights)
        return self

    def _keep_labels(self, X: Any, weights: np.ndarray) -> None:
        self.labels_ = self.predict(X)
        self.inertia_ = -self.score(X, sample_weight=weights)

    def _forget_labels(self) -> None:
        self.__dict__.pop("labels_", None)
        self.__dict__.pop("inertia_", None)


def _to_draw_from(X: Any, weights: np.ndarray) -> np.ndarray:
    """Numbers of rows, repeated where weights count them, in an order that depends only on their values."""
    key = np.asarray(X @ np.random.default_rng(0).random(X.shape[1])).ravel()
    order = np.lexsort((weights, key))
    return np.repeat(order, weights[order].astype(np.int64)) if _are_counts(weights) else order


def _are_counts(weights: np.ndarray) -> bool:
    """Whether weights are small whole numbers, so that rows can be repeated."""
    return bool((weights == np.floor(weights)).all() and weights.sum() <= _REPEATED * len(weights))
