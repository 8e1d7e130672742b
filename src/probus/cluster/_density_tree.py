"""Which rows have enough others near them, and which of those are connected: DBSCAN by a k-d tree.

Rows are stored in the order of the tree's leaves. Counting stops as soon as a row is known to be dense; whole branches
within the radius count without distances. Dense rows are joined by union-find, and a branch whose rows are one group
already is not visited again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit, read_only
from probus.distances.box_tree import BoxTree, add_gap, measure_boxes, measure_corners, measure_leaf, stack_size
from probus.numba_seam.distance_lanes import FAN, LEAF
from probus.parallel import chunked, thread_count

_CHUNK = 2048
_NONE, _UNKNOWN = -2, -1  # groups of a node without dense rows, and of one with several groups as far as is known


@dataclass(frozen=True)
class DensityTree:
    """Rows in the order of a tree's leaves.

    tree : the tree.
    rows : the rows in the order of the leaves.
    starts, ends : of each node and leaf, its first row in that order, and the one after its last.
    """

    tree: BoxTree
    rows: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> DensityTree:
        """Build the tree."""
        tree = BoxTree.of(X)
        return cls(tree, np.ascontiguousarray(X[tree.order]), *tree.spans)

    @property
    def order(self) -> np.ndarray:
        """The number that each row had before."""
        return self.tree.order

    def dense(self, w: np.ndarray, eps: float, p: float, enough: float, n_jobs: int | None) -> np.ndarray:
        """Whether the weights within eps of each row, itself included, sum to enough; rows in the order of the tree."""
        sums = np.concatenate([[0.0], np.cumsum(w)])
        out = np.zeros(len(self.rows), bool)

        def part(start: int, stop: int) -> None:
            count(start, stop, *self._parts(), w, sums, eps, p, enough, out)

        chunked(part, len(out), self._threads(n_jobs), chunk=_CHUNK)
        return out

    def groups(self, dense: np.ndarray, eps: float, p: float) -> np.ndarray:
        """For each dense row the first row of its group; each other row is its own."""
        parent = np.arange(len(self.rows))
        some = np.concatenate([[0], np.cumsum(dense)])
        one = np.where(some[self.ends] > some[self.starts], _UNKNOWN, _NONE)
        above = np.zeros(len(one), np.int64)
        for node, child in enumerate(self.tree.child):
            above[child : child + FAN] = node
        join(*self._parts(), above, dense, eps, p, parent, one)
        return parent

    def nearest_group(
        self, dense: np.ndarray, label: np.ndarray, eps: float, p: float, n_jobs: int | None
    ) -> np.ndarray:
        """For each row that is not dense, the least label of the dense rows within eps; −1 for none."""
        out = label.copy()
        known = np.where(dense, label, len(label))
        least = np.concatenate([np.minimum.reduceat(known, self.starts[at]) for at in self._levels()])

        def part(start: int, stop: int) -> None:
            adopt(start, stop, *self._parts(), dense, known, least, eps, p, out)

        chunked(part, len(out), self._threads(n_jobs), chunk=_CHUNK)
        return out

    def _levels(self) -> list[slice]:
        """Where the nodes of each level are, and the leaves."""
        stops = np.cumsum(self.tree.sizes)
        return [slice(stop - size, stop) for size, stop in zip(self.tree.sizes, stops, strict=True)]

    def _parts(self) -> tuple[np.ndarray, ...]:
        tree = self.tree
        return tuple(map(read_only, (self.rows, tree.leaves, tree.low, tree.high, tree.child, self.starts, self.ends)))

    def _threads(self, n_jobs: int | None) -> int:
        return thread_count(n_jobs, 2000.0 * len(self.rows))


def labels_of_groups(group: np.ndarray, dense: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Numbers of groups by the first row of each in the original order; −1 for rows that are not dense.

    group : a row of its group for each row, in the order of the tree. order : the original number of each row.
    """
    first = np.full(len(group), len(group))
    np.minimum.at(first, group[dense], order[dense])
    names = np.sort(first[first < len(group)])
    label = np.full(len(group), -1)
    label[dense] = np.searchsorted(names, first[group[dense]])
    return label


@njit(nogil=True, cache=True)
def _limit(eps, p):
    """eps before the root; finite, so that the infinite rows that fill up leaves are never within it."""
    return min(add_gap(0.0, eps, p), np.finfo(np.float64).max)


@njit(nogil=True, cache=True)
def count(start, stop, rows, leaves, low, high, child, starts, ends, w, sums, eps, p, enough, out):
    """Whether the weights within eps of each row sum to enough.

    rows … ends (IN) of a ``DensityTree``
    w, sums (IN)     float64[n], float64[n + 1]  weights in the order of the tree, and their running sums
    out (OUT)        bool[n]
    """
    limit = _limit(eps, p)
    nodes = child.shape[0]
    stack = np.empty(stack_size(nodes), np.int64)
    to_boxes, to_corners, to_rows = np.empty(FAN), np.empty(FAN), np.empty(LEAF)
    own = nodes
    for i in range(start, stop):
        while ends[own] <= i:
            own += 1
        # most dense rows are so by the rows of their own leaf
        if weight_of(measure_leaf(rows, i, leaves, own - nodes, p, limit, to_rows), w, starts[own]) >= enough:
            out[i] = True
            continue
        total = 0.0
        stack[0] = 0
        size = 1
        while size > 0 and total < enough:
            size -= 1
            node = stack[size]
            if node >= nodes:
                bits = measure_leaf(rows, i, leaves, node - nodes, p, limit, to_rows)
                total += weight_of(bits, w, starts[node])
                continue
            near = measure_boxes(rows, i, low, high, node, p, limit, to_boxes)
            within = measure_corners(rows, i, low, high, node, p, limit, to_corners)
            for c in range(FAN):
                if within >> c & 1:
                    total += sums[ends[child[node] + c]] - sums[starts[child[node] + c]]
                elif near >> c & 1:
                    stack[size] = child[node] + c
                    size += 1
        out[i] = total >= enough


@njit(nogil=True, cache=True)
def weight_of(bits, w, start):
    """The sum of the weights that have a bit."""
    total = 0.0
    place = start
    while bits:
        if bits & 1:
            total += w[place]
        bits >>= 1
        place += 1
    return total


@njit(nogil=True, cache=True)
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(nogil=True, cache=True)
def _join(parent, own, other):
    """Join two groups, given by their roots; the root of both."""
    first = min(own, other)
    parent[max(own, other)] = first
    return first


@njit(nogil=True, cache=True)
def join(rows, leaves, low, high, child, starts, ends, above, dense, eps, p, parent, one):
    """Join dense rows within eps of each other.

    rows … ends (IN) of a ``DensityTree``;  above (IN) int64[nodes + leaves]  the node that each is a child of
    parent (IN, OUT) int64[n]  union-find; at the end each row has the first row of its group
    one (IN, OUT)    int64[nodes + leaves]  a dense row of a node whose dense rows are one group, else as noted above
    returns          int       how many leaves were measured
    """
    measured = 0
    limit = _limit(eps, p)
    nodes = child.shape[0]
    stack = np.empty(stack_size(nodes), np.int64)
    to_boxes, to_rows = np.empty(FAN), np.empty(LEAF)
    for i in range(rows.shape[0]):
        if not dense[i]:
            continue
        own = _root(parent, i)
        stack[0] = 0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if one[node] == _NONE or ends[node] <= i:  # pairs are compared once, from the earlier row
                continue
            if one[node] >= 0 and _root(parent, one[node]) == own:
                continue
            if node < nodes:
                bits = measure_boxes(rows, i, low, high, node, p, limit, to_boxes)
                for c in range(FAN - 1, -1, -1):
                    stack[size] = child[node] + c
                    size += bits >> c & 1
                continue
            measured += 1
            bits = measure_leaf(rows, i, leaves, node - nodes, p, limit, to_rows)
            r = starts[node]
            while bits:
                if bits & 1 and r > i and dense[r]:
                    other = _root(parent, r)
                    if other != own:
                        own = _join(parent, own, other)
                bits >>= 1
                r += 1
            _mark_joined(node, child, starts, ends, above, dense, parent, one)
    for i in range(rows.shape[0]):
        parent[i] = _root(parent, i)
    return measured


@njit(nogil=True, cache=True)
def _mark_joined(leaf, child, starts, ends, above, dense, parent, one):
    """Mark where the dense rows of a leaf, and of the nodes above it, have become one group."""
    if one[leaf] == _UNKNOWN:
        group = -1
        for r in range(starts[leaf], ends[leaf]):
            if dense[r]:
                root = _root(parent, r)
                if group >= 0 and root != group:
                    return
                group = root
        one[leaf] = group
    node = leaf
    while node > 0:
        node = above[node]
        if one[node] >= 0:
            return
        group = -1
        for c in range(child[node], min(child[node] + FAN, ends.shape[0])):
            if above[c] != node or one[c] == _NONE:
                continue
            if one[c] == _UNKNOWN:
                return
            root = _root(parent, one[c])
            if group >= 0 and root != group:
                return
            group = root
        one[node] = group


@njit(nogil=True, cache=True)
def adopt(start, stop, rows, leaves, low, high, child, starts, ends, dense, label, least, eps, p, out):
    """The least label of the dense rows within eps of each row that is not dense, −1 for none.

    rows … ends (IN) of a ``DensityTree``
    label (IN)       int64[n]  n where not dense;  least (IN) int64[nodes + leaves]  the least of each
    out (OUT)        int64[n]
    """
    limit = _limit(eps, p)
    nodes, n = child.shape[0], rows.shape[0]
    stack = np.empty(stack_size(nodes), np.int64)
    to_boxes, to_rows = np.empty(FAN), np.empty(LEAF)
    for i in range(start, stop):
        if dense[i]:
            continue
        best = n
        stack[0] = 0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if least[node] >= best:
                continue
            if node < nodes:
                bits = measure_boxes(rows, i, low, high, node, p, limit, to_boxes)
                for c in range(FAN - 1, -1, -1):
                    stack[size] = child[node] + c
                    size += bits >> c & 1
                continue
            bits = measure_leaf(rows, i, leaves, node - nodes, p, limit, to_rows)
            r = starts[node]
            while bits:
                if bits & 1:
                    best = min(best, label[r])
                bits >>= 1
                r += 1
        out[i] = best if best < n else -1
