"""Clusters as regions where rows are dense."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from probus.base import ClusterMixin, Model, checked_weights
from probus.cluster._density_tree import DensityTree, labels_of_groups
from probus.compiling import njit
from probus.distances.magnitudes import check_squares
from probus.distances.measured_rows import MeasuredModel, MeasuredRows
from probus.neighbors import LEAF_SIZE
from probus.parameters import N_JOBS, parameter
from probus.state import Array, Spec

_ORDERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf}


class DBSCAN(ClusterMixin, MeasuredModel):
    """Clusters of any shape: rows that are connected through dense rows; rows far from all of those are noise.

    A row is dense (a core sample) if there are ``min_samples`` rows within ``eps`` of it, itself included. Dense rows
    within eps of each other are in one cluster; a row near several clusters joins the first of them.

    Attributes
    ----------
    core_sample_indices_ : array
        The numbers of the dense rows.
    components_ : array
        The dense rows; levels by code.
    labels_ : array of rows
        The cluster of each row, −1 for noise.

    Examples
    --------
    >>> DBSCAN(eps=1.5, min_samples=2).fit([[0.0], [1.0], [2.0], [8.0], [9.0], [50.0]]).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    eps: float = parameter(
        "Rows within this distance are near each other; ``suggest_eps`` finds a value.",
        default=0.5,
        above=0.0,
        kw_only=False,
    )
    min_samples: int = parameter(
        "The weight within ``eps`` from which on a row is dense; without weights, the number of rows.",
        default=5,
        at_least=1,
    )
    algorithm: str = parameter(
        '"brute" computes all distances; otherwise Minkowski distances are searched by a k-d tree.',
        default="auto",
        one_of=("auto", "ball_tree", "kd_tree", "brute"),
    )
    leaf_size: int = LEAF_SIZE
    p: float | None = parameter("The order of Minkowski's distance; None is 2.", default=None, at_least=0.0)
    n_jobs: int | None = N_JOBS

    fitted: ClassVar[dict[str, Spec]] = {
        "core_sample_indices_": Array("i8", "c", low=0, high="n"),
        "components_": Array("f8", "c *"),
        "labels_": Array("i8", "n", low=-1, high="n"),
    }

    _weights = True

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, one for typed columns."""
        return [cls(eps=1.0), cls(eps=0.2, metric="gower")]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DBSCAN:
        """Find the clusters; y is ignored."""
        rows = MeasuredRows(self, X)
        w = checked_weights(sample_weight, rows.samples)
        w = np.ones(rows.n) if w is None else w
        order = self._order(rows)
        if order is not None:
            if order not in (1.0, np.inf):
                check_squares(rows.samples)
            dense, self.labels_ = self._by_tree(rows.samples, w, order)
        else:
            dense, self.labels_ = self._by_blocks(rows, w)
        self.core_sample_indices_ = np.flatnonzero(dense)
        components: Any = rows.samples[self.core_sample_indices_]
        self.components_ = components.toarray() if sparse.issparse(components) else np.array(components)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the clusters, and return the cluster of each row, −1 for noise."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def _order(self, rows: MeasuredRows) -> float | None:
        """The order of the Minkowski distance, where the k-d tree has it."""
        if self.algorithm == "brute" or sparse.issparse(rows.samples):
            return None
        if rows.metric == "minkowski" and rows.params.get("w") is None and rows.params["p"] >= 1:
            return float(rows.params["p"])
        return None if rows.params or not isinstance(rows.metric, str) else _ORDERS.get(rows.metric)

    def _by_tree(self, X: np.ndarray, w: np.ndarray, p: float) -> tuple[np.ndarray, np.ndarray]:
        tree = DensityTree.of(X)
        dense = tree.dense(w[tree.order], self.eps, p, self.min_samples, self.n_jobs)
        labels = labels_of_groups(tree.groups(dense, self.eps, p), dense, tree.order)
        labels = tree.nearest_group(dense, labels, self.eps, p, self.n_jobs)
        back = np.argsort(tree.order)
        return dense[back], labels[back]

    def _by_blocks(self, rows: MeasuredRows, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By all distances, a block of rows at a time, so that memory stays bounded."""
        if sparse.issparse(rows.samples) and rows.distance.precomputed:
            rows.samples = _FarUnlessStored(sparse.csr_array(rows.samples))
        dense = np.zeros(rows.n, bool)
        for part, away in rows.blocks():
            dense[part] = (away <= self.eps) @ w >= self.min_samples
        parent = np.arange(rows.n)
        for part, away in rows.blocks(np.flatnonzero(dense)):
            join_near(part, away <= self.eps, dense, parent)
        groups = settled(parent)
        labels = labels_of_groups(groups, dense, np.arange(rows.n))
        found = labels.copy()
        for part, away in rows.blocks(np.flatnonzero(~dense)):
            near = np.where((away <= self.eps) & dense, labels, rows.n).min(axis=1)
            found[part] = np.where(near < rows.n, near, -1)
        return dense, found


class _FarUnlessStored:
    """Rows of a sparse matrix of distances; what is not stored is infinite, and the diagonal is 0."""

    def __init__(self, D: Any):
        self._D, self.shape = D, D.shape

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        some = self._D[rows]
        out = np.full(some.shape, np.inf)
        stored = some.tocoo()
        out[stored.row, stored.col] = stored.data
        out[np.arange(len(rows)), rows] = 0.0
        return out


@njit(nogil=True, cache=True)
def join_near(part, near, dense, parent):
    """Join the dense rows of a block with the dense rows near them.

    part (IN) int64[m];  near (IN) bool[m, n];  dense (IN) bool[n];  parent (IN, OUT) int64[n] union-find
    """
    for m in range(part.shape[0]):
        own = part[m]
        while parent[own] != own:
            own = parent[own]
        for r in range(near.shape[1]):
            if near[m, r] and dense[r]:
                other = r
                while parent[other] != other:
                    parent[other] = parent[parent[other]]
                    other = parent[other]
                if other != own:
                    parent[max(own, other)] = min(own, other)
                    own = min(own, other)


@njit(nogil=True, cache=True)
def settled(parent):
    """The root of each row."""
    out = parent.copy()
    for i in range(parent.shape[0]):
        out[i] = out[out[i]]  # parents come first
    return out


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: float = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the dense rows and the cluster of each row, as ``DBSCAN`` finds them.

    Parameters
    ----------
    X : the rows.
    eps, min_samples, metric, metric_params, algorithm, leaf_size, p, n_jobs : as of ``DBSCAN``.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The numbers of the dense rows, and the cluster of each row.

    >>> dbscan([[0.0], [1.0], [50.0]], eps=1.5, min_samples=2)
    (array([0, 1]), array([ 0,  0, -1]))
    """
    model = DBSCAN(
        eps, min_samples=min_samples, metric=metric, metric_params=metric_params, algorithm=algorithm,
        leaf_size=leaf_size, p=p, n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)  # fmt: skip
    return model.core_sample_indices_, model.labels_
