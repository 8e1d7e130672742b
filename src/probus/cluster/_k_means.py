"""K-means."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from probus.base import Accepts, Model
from probus.cluster._centre_model import MOVEMENT, centred_rows, precision_of, warn_of_duplicates
from probus.cluster._lloyd import FittedCentres, WeightedRows, lloyd
from probus.cluster._mean_model import MeanModel
from probus.cluster._seeding import plus_plus
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


# -- a start from few rows: k-means of a small weighted sample, whose optimum is near that of all rows -


_ROWS_PER_CENTRE = 256
_WORTH_IT = 4  # times as many rows as the sample has


def coreset(rows: WeightedRows, m: int, random: np.random.RandomState) -> WeightedRows:
    """A sample of at most m rows whose weighted sum of squares is near that of all rows, for any centres.

    Half of the probability is by weight, half by weight · squared distance to the mean, so that small groups far away
    are drawn too. A row's weight is divided by its probability (Bachem, Lucic & Krause 2018, "Scalable k-means
    clustering via lightweight coresets").
    """
    away = rows.w * rows.squares
    share = rows.w / (2.0 * rows.w.sum()) + away / (2.0 * (away.sum() or 1.0))
    ends = np.cumsum(share)
    drawn = np.searchsorted(ends, random.uniform(size=m) * ends[-1], side="right")
    chosen, times = np.unique(np.minimum(drawn, len(ends) - 1), return_counts=True)
    return WeightedRows(rows.X[chosen], rows.w[chosen] * times / share[chosen], rows.n_jobs)


def coreset_start(rows: WeightedRows, k: int, random: np.random.RandomState, max_iter: int, tol: float) -> np.ndarray:
    """Centres of a coreset by k-means++ and Lloyd's iteration; of all rows by k-means++ where these are not many.

    rows : centred at their mean.
    """
    m = _ROWS_PER_CENTRE * k
    if len(rows.X) < _WORTH_IT * m:
        return plus_plus(rows, k, random)
    few = coreset(rows, m, random)
    return lloyd(few, plus_plus(few, k, random), max_iter, tol).centres


# -- moves that Lloyd's iteration cannot make: merge two near clusters and split a wide one at once ----


_TRIED = 3  # merges, and splits, that are tried


def split_and_merge(rows: WeightedRows, fit: FittedCentres, max_iter: int, tol: float) -> FittedCentres:
    """The fit after every move that lowers the sum of squares; each is followed by Lloyd's iteration."""
    while len(fit.centres) > 2:
        better = _best_move(rows, fit, max_iter, tol)
        if better is None:
            return fit
        fit = better
    return fit


def _best_move(rows: WeightedRows, fit: FittedCentres, max_iter: int, tol: float) -> FittedCentres | None:
    for merge, wide in _moves(rows, fit):
        found = lloyd(rows, _after(rows, fit, merge, wide), max_iter, tol)
        if found.inertia < fit.inertia * (1.0 - 1e-9):
            return found
    return None


def _moves(rows: WeightedRows, fit: FittedCentres) -> list[tuple[tuple[int, int], int]]:
    """The merges that cost least with the splits of the clusters that have the largest sums of squares."""
    k = len(fit.centres)
    weight = np.bincount(fit.labels, rows.w, minlength=k)
    away = rows.w * np.einsum("ij,ij->i", rows.X - fit.centres[fit.labels], rows.X - fit.centres[fit.labels])
    spread = np.bincount(fit.labels, away, minlength=k)
    first, second = np.triu_indices(k, 1)
    between = ((fit.centres[first] - fit.centres[second]) ** 2).sum(axis=1)
    total = weight[first] + weight[second]
    cost = between * weight[first] * weight[second] / np.where(total > 0, total, 1.0)
    merges = [(int(first[pair]), int(second[pair])) for pair in np.argsort(cost, kind="stable")[:_TRIED]]
    wide = [int(cluster) for cluster in np.argsort(-spread, kind="stable")[: _TRIED + 2]]
    return [(merge, split) for merge, split in product(merges, wide) if split not in merge and spread[split] > 0]


def _after(rows: WeightedRows, fit: FittedCentres, merge: tuple[int, int], wide: int) -> np.ndarray:
    """The centres after a move: one in the middle of two, and two along the widest direction of the split cluster."""
    inside = fit.labels == wide
    away, w = rows.X[inside] - fit.centres[wide], rows.w[inside]
    values, vectors = np.linalg.eigh((w[:, None] * away).T @ away / w.sum())
    step = np.sqrt(max(values[-1], 0.0)) * vectors[:, -1]
    centres = fit.centres.copy()
    weight = [max(float(rows.w[fit.labels == cluster].sum()), 1e-300) for cluster in merge]
    centres[merge[0]] = np.average(fit.centres[list(merge)], axis=0, weights=weight)
    centres[merge[1]] = fit.centres[wide] + step
    centres[wide] = fit.centres[wide] - step
    return centres
