"""A tree of merges: which two clusters become one at which height, and the clusters that a cut through it leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import squareform

from probus.base import ClusterMixin
from probus.cluster._centre_model import warn_of_splits
from probus.compiling import njit
from probus.distances.measured_rows import MeasuredModel
from probus.errors import DataError, ModelFileError
from probus.parameters import parameter
from probus.state import Array, Size, Spec


class HierarchicalModel(ClusterMixin, MeasuredModel):
    """Parent of the models that find a tree of merges; ``cut`` gives the clusters of any level of it."""

    n_clusters: int | None = parameter(
        "The number of clusters to cut the tree into; None with ``distance_threshold``.",
        default=2,
        at_least=1,
        kw_only=False,
    )
    distance_threshold: float | None = parameter("The height at which to cut the tree.", default=None, at_least=0)

    fitted: ClassVar[dict[str, Spec]] = {
        "labels_": Array("i8", "n", low=0, high="n"),
        "children_": Array("i8", "m 2", low=0),
        "distances_": Array("f8", "m"),
        "n_clusters_": Size("k"),
        "n_leaves_": Size("n"),
        "n_connected_components_": Size("c"),
    }

    _sparse = False

    def cut(self, n_clusters: int | None = None, height: float | None = None) -> np.ndarray:
        """The cluster of each row, numbered by their first rows, at a number of clusters or at a height.

        At a height, merges at that height or above are undone.
        """
        check_one_cut(n_clusters, height, "height")
        k = n_clusters if n_clusters is not None else self._number_at(height)
        return cut(self.children_, self.n_leaves_, k)

    def check_fitted_state(self) -> None:
        """A merge joins rows and clusters of earlier merges."""
        n, merges = self.n_leaves_, len(self.children_)
        if merges >= n or (self.children_ >= n + np.arange(merges)[:, None]).any():
            raise ModelFileError("A merge joins clusters that do not exist yet.", "a tree of merges")

    def _number_at(self, height: Any) -> int:
        return int(np.count_nonzero(self.distances_ >= height)) + 1

    def _keep(self, children: np.ndarray, heights: np.ndarray) -> None:
        self.children_, self.distances_ = children, heights
        self.n_leaves_, self.n_connected_components_ = len(children) + 1, 1
        at = self.distance_threshold
        self.n_clusters_ = self._number_at(at) if at is not None else int(self.n_clusters)  # type: ignore[arg-type]
        self.labels_ = cut(children, self.n_leaves_, self.n_clusters_)
        if at is None:
            warn_of_splits(int(np.count_nonzero(heights > 0)) + 1, self.n_clusters_, stacklevel=5)


def check_one_cut(n_clusters: Any, height: Any, name: str) -> None:
    """Raise a DataError unless either a number or a height is given."""
    if (n_clusters is None) == (height is None):
        raise DataError(
            f"Exactly one of n_clusters and {name} has to be set, and the other needs to be None.",
            f"n_clusters or {name}",
        )


def cut(children: np.ndarray, n: int, k: int) -> np.ndarray:
    """The clusters after the first n − k merges, numbered by their first rows.

    >>> cut(np.array([[1, 2], [0, 3]]), 3, 2)
    array([0, 1, 1])
    """
    if not 1 <= k <= n:
        raise DataError(
            f"Cannot extract more clusters than samples: n_clusters was given as {k} for a tree with {n} leaves.",
            f"between 1 and {n} clusters",
        )
    if n - k > len(children):
        raise DataError(
            f"{k} clusters, where the tree was grown down to {n - len(children)}.",
            f"at least {n - len(children)} clusters",
            "Fit with compute_full_tree=True.",
        )
    return _labels_after(np.asarray(children, dtype=np.int64), n, n - k)


def with_sizes(children: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The merges in SciPy's form: two clusters, the height, and the number of rows of the new cluster."""
    n = len(children) + 1
    sizes = np.ones(2 * n - 1)
    for i, (a, b) in enumerate(children):
        sizes[n + i] = sizes[a] + sizes[b]
    return np.column_stack([children, heights, sizes[n:]]).astype(np.float64)


def condensed(D: np.ndarray) -> np.ndarray:
    """The upper triangle of a matrix of distances, as SciPy's linkages take it."""
    return squareform(D, checks=False)


@njit(nogil=True, cache=True)
def _labels_after(children, n, merges):
    parent = np.arange(n + merges)
    for i in range(merges):
        parent[children[i, 0]] = n + i
        parent[children[i, 1]] = n + i
    for node in range(n + merges - 1, -1, -1):  # parents come after their children
        parent[node] = parent[parent[node]]
    name = np.full(n + merges, -1)
    labels = np.empty(n, np.int64)
    found = 0
    for row in range(n):
        root = parent[row]
        if name[root] < 0:
            name[root] = found
            found += 1
        labels[row] = name[root]
    return labels


@njit(nogil=True, cache=True)
def merges_of_edges(left, right):
    """The merges of joining rows along edges, which come in the order of their lengths.

    left, right (IN) int64[n − 1];  returns int64[n − 1, 2]
    """
    n = left.shape[0] + 1
    parent = np.arange(2 * n - 1)
    children = np.empty((n - 1, 2), np.int64)
    for i in range(n - 1):
        a, b = left[i], right[i]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        children[i, 0], children[i, 1] = min(a, b), max(a, b)
        parent[a] = parent[b] = n + i
    return children
