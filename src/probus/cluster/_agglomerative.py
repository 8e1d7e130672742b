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
from probus.cluster._merge_tree import HierarchicalModel, check_one_cut, condensed
from probus.cluster._spanning_tree import single_linkage
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
