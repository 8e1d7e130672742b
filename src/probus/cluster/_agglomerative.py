"""Clusters from the bottom up: the two nearest clusters become one, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster import hierarchy

from probus.allowed_values import (
    ArrayValue,
    CallableValue,
    HasMethod,
    InstanceOf,
    NoneAllowed,
    OneOf,
    SparseMatrix,
    TrueOrFalse,
)
from probus.base import Model
from probus.cluster._merge_tree import HierarchicalModel, check_one_cut, condensed, merges_of_edges
from probus.compiling import njit
from probus.distances.magnitudes import check_squares
from probus.distances.measured_rows import MeasuredRows
from probus.errors import DataError
from probus.parameters import parameter
from probus.sklearn_seam import original

_OF_COORDINATES = ("ward", "centroid")


class AgglomerativeClustering(HierarchicalModel):
    """A tree of clusters: from single rows on, the two nearest clusters become one until all rows are one cluster.

    Attributes
    ----------
    labels_ : array of rows
        The cluster of each row, numbered by their first rows.
    children_ : array of merges × 2
        The clusters merged: below the number of rows a row, else the cluster of that merge.
    distances_ : array of merges
        The distance of the two.
    n_clusters_, n_leaves_, n_connected_components_ : int

    Examples
    --------
    >>> model = AgglomerativeClustering(2, linkage="single").fit([[0.0], [1.0], [5.0], [7.0]])
    >>> model.labels_, model.distances_, model.cut(height=1.5)
    (array([0, 0, 1, 1]), array([1., 2., 4.]), array([0, 0, 1, 2]))
    """

    memory: Any = parameter(
        "A folder or a ``joblib.Memory`` that keeps the tree; used with ``connectivity``.",
        default=None,
        of=[InstanceOf(str), HasMethod("cache"), NoneAllowed()],
    )
    connectivity: Any = parameter(
        "Which rows may be merged: a matrix, or a function of the rows that makes it. The tree is scikit-learn's then.",
        default=None,
        of=[ArrayValue(), SparseMatrix(), CallableValue(), NoneAllowed()],
    )
    compute_full_tree: Any = parameter(
        "Whether the tree is computed beyond ``n_clusters``; used with ``connectivity``.",
        default="auto",
        of=[OneOf("auto"), TrueOrFalse()],
    )
    linkage: str = parameter(
        'The distance of two clusters: how much the sum of squares rises ("ward"), the largest ("complete"), '
        'mean ("average") or least ("single") distance of their rows, or that of their means ("centroid"). '
        '"single" needs memory for the rows only, the others for all distances.',
        default="ward",
        one_of=("ward", "complete", "average", "single", "centroid"),
    )
    compute_distances: bool = parameter(
        "Whether ``distances_`` are computed; used with ``connectivity``, without it they always are.", default=False
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """By coordinates, without stored distances, and for typed columns."""
        return [cls(), cls(linkage="single"), cls(linkage="average", metric="gower")]

    def fit(self, X: Any, y: Any = None) -> AgglomerativeClustering:
        """Find the tree and cut it; y is ignored."""
        self._check_settings()
        rows = MeasuredRows(self, X)
        check_two_rows(rows.n)
        if self.connectivity is not None:
            return self._fit_borrowed(rows.samples)
        self._keep(*_merges(rows, self.linkage))
        return self

    def _check_settings(self) -> None:
        check_one_cut(self.n_clusters, self.distance_threshold, "distance_threshold")
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise DataError("compute_full_tree must be True if distance_threshold is set.")
        if self.linkage in _OF_COORDINATES and self.metric not in ("euclidean", "l2"):
            name = self.linkage.capitalize()
            raise DataError(
                f"{self.metric} was provided as metric. {name} can only work with euclidean distances "
                "(i.e. 'euclidean' and 'l2').",
                "another linkage, or Euclidean distances",
            )

    def _fit_borrowed(self, X: np.ndarray) -> AgglomerativeClustering:
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "metric_params"}
        model = original("sklearn.cluster", "AgglomerativeClustering")(**settings | {"compute_distances": True}).fit(X)
        self.labels_, self.children_ = model.labels_.astype(np.int64), model.children_.astype(np.int64)
        self.distances_ = np.asarray(model.distances_, dtype=np.float64)
        self.n_clusters_, self.n_leaves_ = int(model.n_clusters_), int(model.n_leaves_)
        self.n_connected_components_ = int(model.n_connected_components_)
        return self


def check_two_rows(n: int) -> None:
    """Raise a DataError where there is nothing to merge."""
    if n < 2:
        raise DataError(f"n_samples={n}: nothing can be merged.", "at least two rows")


def _merges(rows: MeasuredRows, linkage: str) -> tuple[np.ndarray, np.ndarray]:
    """The merges and their heights."""
    if linkage == "single":
        return single_linkage(rows)
    if linkage in _OF_COORDINATES:
        check_squares(rows.samples)
        found = hierarchy.linkage(rows.samples, method=linkage, metric="euclidean")
    else:
        found = hierarchy.linkage(condensed(rows.matrix()), method=linkage)
    return found[:, :2].astype(np.int64), np.ascontiguousarray(found[:, 2])


# -- the shortest tree that connects all rows, by Prim's method: distances are made row by row and never stored


_ORDERS = {"euclidean": 2.0, "manhattan": 1.0, "cityblock": 1.0, "chebyshev": np.inf}


def single_linkage(rows: MeasuredRows) -> tuple[np.ndarray, np.ndarray]:
    """The merges of single linkage and their heights: the edges of the shortest tree, in order of length."""
    order = _ORDERS.get(rows.metric) if isinstance(rows.metric, str) and not rows.params else None
    left, right, length = _measure(rows) if order is None else prim(np.ascontiguousarray(rows.samples.T), order)
    if order == 2.0:
        check_squares(rows.samples)
        length = np.sqrt(length)
    by_length = np.argsort(length, kind="stable")
    return merges_of_edges(left[by_length], right[by_length]), length[by_length]


def _measure(rows: MeasuredRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prim's method by any distance, with one row of distances at a time."""
    nearest, source = np.full(rows.n, np.inf), np.zeros(rows.n, np.int64)
    outside = np.ones(rows.n, bool)
    edges = []
    last, furthest = 0, 0.0
    for _ in range(rows.n - 1):
        outside[last] = False
        away = rows.to(np.array([last]))[0]
        furthest = max(furthest, away[np.isfinite(away)].max(initial=0.0))
        closer = outside & (away < nearest)
        nearest[closer], source[closer] = away[closer], last
        left = np.flatnonzero(outside)
        last = int(left[np.argmin(nearest[left])])
        edges.append((source[last], last, nearest[last]))
    left, right, length = (np.array(part) for part in zip(*edges, strict=True))
    length[np.isinf(length)] = furthest or 1.0  # nothing in common with the rows before: as far as any
    return left, right, length


@njit(nogil=True, cache=True)
def prim(columns, p):
    """Prim's method by a Minkowski distance of order 1, 2 (squared) or infinity.

    columns (IN) float64[d, n];  returns int64[n − 1], int64[n − 1], float64[n − 1]  the edges and their lengths
    """
    d, n = columns.shape
    rest = columns.copy()  # columns of the rows outside the tree come first
    name = np.arange(n)
    nearest, away = np.full(n, np.inf), np.empty(n)
    source = np.zeros(n, np.int64)
    left, right, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    place = 0
    for step in range(n - 1):
        m = n - 1 - step  # rows outside, after the last one joined has been replaced by the last of them
        joined = name[place]
        x = rest[:, place].copy()
        for j in range(d):
            rest[j, place] = rest[j, m]
        name[place], nearest[place], source[place] = name[m], nearest[m], source[m]
        away[:m] = 0.0
        for j in range(d):
            column, value = rest[j, :m], x[j]
            if p == 2.0:
                for r in range(m):
                    difference = column[r] - value
                    away[r] += difference * difference
            elif p == 1.0:
                for r in range(m):
                    away[r] += abs(column[r] - value)
            else:
                for r in range(m):
                    difference = abs(column[r] - value)
                    away[r] = difference if difference > away[r] else away[r]
        place = 0
        for r in range(m):
            if away[r] < nearest[r]:
                nearest[r], source[r] = away[r], joined
            if nearest[r] < nearest[place]:
                place = r
        left[step], right[step], length[step] = source[place], name[place], nearest[place]
    return left, right, length
