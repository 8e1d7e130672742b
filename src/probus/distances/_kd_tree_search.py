"""Exact search by a k-d tree, for few dimensions."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from probus.compiling import njit, read_only
from probus.distances.box_tree import BoxTree, measure_boxes, measure_corners, measure_leaf, root_of, stack_size
from probus.numba_seam.distance_lanes import FAN, LEAF
from probus.parallel import chunked, thread_count

_QUERIES_A_CHUNK = 512
_OPERATIONS = 1000.0  # of a query and a column, about


class KDTreeSearch:
    """The nearest rows of X in the Minkowski distance of order p ≥ 1.

    >>> KDTreeSearch(np.array([[0.0], [3.0], [4.0]])).nearest(np.array([[2.9]]), k=1)[1]
    array([[1]])
    """

    method = "kd_tree"

    def __init__(self, X: np.ndarray, p: float = 2.0):
        self.X = X
        self._tree = BoxTree.of(X)
        self._p = float(p)

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers; of equal distances the first rows."""
        return self._search(queries, k, n_jobs)[:2]

    def share_measured(self, queries: np.ndarray, k: int = 10) -> float:
        """The share of the leaves whose rows are measured for a query, on average."""
        return self._search(queries, k, 1)[2] / (len(queries) * len(self._tree.leaves))

    def _search(self, queries: np.ndarray, k: int, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray, int]:
        """Distances, row numbers, and how many leaves were measured."""
        distances, rows = np.full((len(queries), k), np.inf), np.full((len(queries), k), len(self.X))
        queries, tree = read_only(np.ascontiguousarray(queries)), self._tree.arrays

        def fill(start: int, stop: int) -> int:
            part = slice(start, stop)
            return nearest_in_tree(queries[part], *tree, self._p, distances[part], rows[part])

        threads = thread_count(n_jobs, _OPERATIONS * queries.size)
        measured = sum(chunked(fill, len(queries), threads, chunk=_QUERIES_A_CHUNK))
        return root_of(distances, self._p), rows, measured

    def count(self, queries: np.ndarray, radius: float, without: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The number of rows within the radius of each query, without one for each; −1 for none."""
        out = np.empty(len(queries), np.int64)
        queries, tree = read_only(np.ascontiguousarray(queries)), self._tree
        first, last = tree.spans
        parts = tuple(map(read_only, (tree.leaves, tree.low, tree.high, tree.child, last - first)))
        limit = _before_root(radius, self._p)

        def fill(start: int, stop: int) -> None:
            count_in_tree(queries[start:stop], *parts, self._p, limit, out[start:stop])

        chunked(fill, len(queries), thread_count(n_jobs, _OPERATIONS * queries.size), chunk=_QUERIES_A_CHUNK)
        left_out = np.linalg.norm(queries - self.X[without], ord=self._p, axis=1) <= radius
        return out - (left_out & (without >= 0))

    def distances(self, queries: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row."""
        return cdist(queries, self.X, "minkowski", p=self._p)


def _before_root(radius: float, p: float) -> float:
    """The largest finite number whose root is at most the radius.

    >>> _before_root(0.1, 2.0) >= 0.1**2, bool(np.sqrt(_before_root(0.1, 2.0)) <= 0.1)
    (True, True)
    """
    with np.errstate(over="ignore"):
        power = np.float64(radius) if p in (1.0, np.inf) else np.float64(radius) ** p
    largest = np.finfo(np.float64).max
    limit = min(power, largest) * (1 - 1e-15)
    while limit < largest and root_of(np.array([np.nextafter(limit, np.inf)]), p)[0] <= radius:
        limit = np.nextafter(limit, np.inf)
    return float(limit)


@njit(nogil=True, cache=True)
def count_in_tree(queries, leaves, low, high, child, sizes, p, limit, out):
    """The number of rows within a distance of each query; boxes within it count whole.

    queries (IN) float64[q, d];  leaves, low, high, child (IN) of a ``BoxTree``;  sizes (IN) int64[nodes + leaves]
    limit (IN)   float64  finite, before the root;  out (OUT) int64[q]
    returns      int      how many leaves were measured
    """
    nodes = child.shape[0]
    stack = np.empty(stack_size(nodes), np.int64)
    away, to_rows = np.empty(FAN), np.empty(LEAF)
    measured = 0
    for i in range(queries.shape[0]):
        total = 0
        stack[0] = 0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if node >= nodes:
                measured += 1
                bits = measure_leaf(queries, i, leaves, node - nodes, p, limit, to_rows)
                while bits:
                    total += bits & 1
                    bits >>= 1
                continue
            near = measure_boxes(queries, i, low, high, node, p, limit, away)
            within = measure_corners(queries, i, low, high, node, p, limit, away)
            for c in range(FAN):
                if within >> c & 1:
                    total += sizes[child[node] + c]
                elif near >> c & 1:
                    stack[size] = child[node] + c
                    size += 1
        out[i] = total
    return measured


@njit(nogil=True, cache=True)
def nearest_in_tree(queries, leaves, numbers, low, high, child, least, p, nearest, rows):
    """The nearest rows of each query; branches are pruned by distance, at equal distances by row number.

    queries (IN)      float64[q, d];  leaves … least (IN) of a ``BoxTree``
    nearest (IN, OUT) float64[q, k]  ascending, before the root;  rows (IN, OUT) int64[q, k]
    returns           int            how many leaves were measured
    """
    nodes, k = child.shape[0], nearest.shape[1]
    stack, bounds = np.empty(stack_size(nodes), np.int64), np.empty(stack_size(nodes))
    to_boxes, to_rows = np.empty(FAN), np.empty(LEAF)
    measured = 0
    for i in range(queries.shape[0]):
        near, found = nearest[i], rows[i]
        stack[0], bounds[0] = 0, 0.0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if not before(bounds[size], least[node], near[k - 1], found[k - 1]):
                continue
            if node < nodes:
                bits = measure_boxes(queries, i, low, high, node, p, near[k - 1], to_boxes)
                size = push_children(child[node], bits, to_boxes, stack, bounds, size)
                continue
            measured += 1
            bits = measure_leaf(queries, i, leaves, node - nodes, p, near[k - 1], to_rows)
            b = 0
            while bits:
                if bits & 1:
                    place_row(to_rows[b], numbers[node - nodes, b], near, found)
                bits >>= 1
                b += 1
    return measured


@njit(nogil=True, cache=True)
def push_children(child, bits, to_boxes, stack, bounds, size):
    """Push the children that have a bit, the nearest last, so that it is visited first; the size of the stack."""
    nearest, at = np.inf, size
    for c in range(FAN - 1, -1, -1):
        stack[size], bounds[size] = child + c, to_boxes[c]
        pushed = bits >> c & 1
        closer = pushed and to_boxes[c] <= nearest
        nearest = to_boxes[c] if closer else nearest
        at = size if closer else at
        size += pushed
    if bits:
        stack[at], stack[size - 1] = stack[size - 1], stack[at]
        bounds[at], bounds[size - 1] = bounds[size - 1], bounds[at]
    return size


@njit(nogil=True, cache=True)
def before(distance, row, other_distance, other_row):
    """Whether a row is nearer than another, or as near and of a lower number."""
    return distance < other_distance or (distance == other_distance and row < other_row)


@njit(nogil=True, cache=True)
def place_row(distance, row, nearest, rows):
    """Put one row among the nearest, which stay sorted by distance, at equal distances by number.

    nearest (IN, OUT) float64[k];  rows (IN, OUT) int64[k]
    """
    place = nearest.shape[0] - 1
    if not before(distance, row, nearest[place], rows[place]):
        return
    while place > 0 and before(distance, row, nearest[place - 1], rows[place - 1]):
        nearest[place] = nearest[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    nearest[place] = distance
    rows[place] = row
