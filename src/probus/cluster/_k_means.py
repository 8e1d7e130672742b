"""K-means."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from probus.base import Accepts, Model
from probus.cluster._centre_model import MOVEMENT, centred_rows, precision_of, warn_of_duplicates
from probus.cluster._coreset import coreset_start
from probus.cluster._lloyd import FittedCentres, lloyd
from probus.cluster._mean_model import MeanModel
from probus.cluster._split_merge import split_and_merge
from probus.parameters import VERBOSE, parameter
from probus.sklearn_seam import original

_DENSE = 20_000_000  # cells of a sparse matrix up to which it is made dense; larger ones are scikit-learn's


class KMeans(MeanModel):
    r"""Centres such that the sum of squared distances of the rows to the nearest of them is small.

    .. math:: Q = \sum_i w_i \min_k \lVert x_i - \mu_k \rVert^2

    Found by Lloyd's iteration: assign each row to its nearest centre, move each centre to the mean of its rows, repeat.
    Bounds show for most rows that their centre is still the nearest; the result is that of computing all distances.

    Attributes
    ----------
    cluster_centers_ : array of clusters × columns
    labels_ : array of rows
        The cluster of each training row.
    inertia_ : float
        The sum Q.
    n_iter_ : int

    Examples
    --------
    >>> model = KMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.inertia_
    ([0.5, 9.5], 1.0)
    """

    tol: float = MOVEMENT
    verbose: int = VERBOSE
    copy_x: bool = parameter("It has no effect: the rows are never modified.", default=True)
    algorithm: str = parameter(
        "It has no effect on the result; both use bounds.", default="lloyd", one_of=("lloyd", "elkan")
    )
    split_merge: bool = parameter(
        "Whether to try, after each start, to merge two near clusters and split a wide one, while this lowers the sum.",
        default=False,
    )

    accepts = Accepts(weights=True, scaled=True, sparse=True)

    @classmethod
    def examples(cls) -> list[Model]:
        """With few clusters, with and without split-and-merge moves."""
        return [cls(n_clusters=3), cls(n_clusters=3, split_merge=True)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Find the centres; y is ignored."""
        precision = precision_of(X)
        X, weights = self._training_rows(X, sample_weight)
        if sparse.issparse(X):
            if X.shape[0] * X.shape[1] > _DENSE:
                return self._fit_borrowed(X, weights)
            X = X.toarray()
        total = float(weights.sum())
        middle = weights @ X / total
        order, rows = centred_rows(X, weights, middle)
        tol = self.tol * float(rows.w @ rows.squares) / (total * X.shape[1])
        best: FittedCentres | None = None
        plus_plus = partial(coreset_start, max_iter=self.max_iter, tol=tol)
        for start in self._starts(X, rows, middle, plus_plus):
            fit = lloyd(rows, start, self.max_iter, tol, self.verbose)
            if self.split_merge:
                fit = split_and_merge(rows, fit, self.max_iter, tol)
            if best is None or fit.inertia < best.inertia:
                best = fit
        assert best is not None
        self.labels_ = np.empty(len(X), np.int32)
        self.labels_[order] = best.labels
        self.cluster_centers_ = (best.centres + middle).astype(precision, copy=False)
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        if precision is np.float32:  # rounding may have changed which centre is the nearest
            self.labels_ = self.predict(X)
        warn_of_duplicates(len(np.unique(self.labels_)), self.n_clusters)
        return self

    def _fit_borrowed(self, X: Any, weights: np.ndarray) -> KMeans:
        """By scikit-learn's model, for large sparse matrices."""
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "split_merge"}
        model = original("sklearn.cluster", "KMeans")(**settings).fit(X, sample_weight=weights)
        self.labels_, self.cluster_centers_ = model.labels_, model.cluster_centers_
        self.inertia_, self.n_iter_ = float(model.inertia_), model.n_iter_
        return self
