"""Which rows have enough others near them, and which of those are connected: DBSCAN by a k-d tree.

Rows are stored in the order of the tree's leaves. Counting stops as soon as a row is known to be dense; whole branches
within the radius count without distances. Dense rows are joined by union-find, and a branch whose rows are one group
already is not visited again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit, read_only
from probus.parallel import chunked, thread_count

__all__ = ["DensityTree", "labels_of_groups"]

_LEAF = 24
_CHUNK = 2048


@dataclass(frozen=True)
class DensityTree:
    """A k-d tree of rows: the children of node i are 2i + 1 and 2i + 2; those of the last level are leaves."""

    rows: np.ndarray  # in the order of the leaves
    order: np.ndarray  # the number of each of them before
    first: np.ndarray  # of each node: its first row, and the one after its last
    last: np.ndarray
    low: np.ndarray  # of each node: its least and its largest value of each column
    high: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> DensityTree:
        """Split at the median of the widest column until leaves are small."""
        levels = max(0, int(np.ceil(np.log2(max(1, len(X) / _LEAF)))))
        size = 2 ** (levels + 1) - 1
        order = np.arange(len(X))
        first, last = np.zeros(size, np.int64), np.zeros(size, np.int64)
        low, high = np.empty((size, X.shape[1])), np.empty((size, X.shape[1]))
        build(read_only(X), order, first, last, low, high)
        return cls(np.ascontiguousarray(X[order]), order, first, last, low, high)

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
        one = np.full(len(self.first), -1)  # of each node: a row of the group that all its dense rows belong to
        join(*self._parts(), dense, eps, p, parent, one)
        return parent

    def nearest_group(
        self, dense: np.ndarray, label: np.ndarray, eps: float, p: float, n_jobs: int | None
    ) -> np.ndarray:
        """For each row that is not dense, the least label of the dense rows within eps; −1 for none."""
        out = label.copy()

        def part(start: int, stop: int) -> None:
            adopt(start, stop, *self._parts(), dense, label, eps, p, out)

        chunked(part, len(out), self._threads(n_jobs), chunk=_CHUNK)
        return out

    def _parts(self) -> tuple[np.ndarray, ...]:
        return self.rows, self.first, self.last, self.low, self.high

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
def build(X, order, first, last, low, high):
    """Fill the nodes and permute the order of the rows; see ``DensityTree``."""
    nodes = first.shape[0]
    first[0], last[0] = 0, X.shape[0]
    d = X.shape[1]
    for node in range(nodes):
        start, stop = first[node], last[node]
        for j in range(d):
            low[node, j], high[node, j] = np.inf, -np.inf
        for r in range(start, stop):
            for j in range(d):
                value = X[order[r], j]
                low[node, j] = min(low[node, j], value)
                high[node, j] = max(high[node, j], value)
        child = 2 * node + 1
        if child >= nodes:
            continue
        widest = 0
        for j in range(1, d):
            if high[node, j] - low[node, j] > high[node, widest] - low[node, widest]:
                widest = j
        middle = (start + stop) // 2
        part = order[start:stop]
        part[:] = part[np.argsort(X[part, widest])]
        first[child], last[child] = start, middle
        first[child + 1], last[child + 1] = middle, stop


@njit(nogil=True, cache=True)
def _term(difference, p):
    if p == 2.0:
        return difference * difference
    if p == 1.0 or p == np.inf:
        return difference
    return difference**p


@njit(nogil=True, cache=True)
def _to_node(x, low, high, p):
    """The least and the largest distance of a row to a box, before the root."""
    near = far = 0.0
    for j in range(x.shape[0]):
        below, above = low[j] - x[j], x[j] - high[j]
        closest = _term(max(below, above, 0.0), p)
        furthest = _term(max(-below, -above), p)
        if p == np.inf:
            near, far = max(near, closest), max(far, furthest)
        else:
            near += closest
            far += furthest
    return near, far


@njit(nogil=True, cache=True)
def _close(x, z, limit, p):
    """Whether two rows are within the limit of each other, before the root."""
    total = 0.0
    if p == 2.0:
        for j in range(x.shape[0]):
            difference = x[j] - z[j]
            total += difference * difference
        return total <= limit
    for j in range(x.shape[0]):
        term = _term(abs(x[j] - z[j]), p)
        total = max(total, term) if p == np.inf else total + term
    return total <= limit


@njit(nogil=True, cache=True)
def _limit(eps, p):
    """eps before the root; rounding of a distance that is exactly eps must not exclude it."""
    return _term(eps, p)


@njit(nogil=True, cache=True)
def count(start, stop, rows, first, last, low, high, w, sums, eps, p, enough, out):
    """Whether the weights within eps of each row sum to enough.

    w, sums (IN) float64[n], float64[n + 1]  weights in the order of the tree, and their running sums
    out (OUT)    bool[n]
    """
    limit = _limit(eps, p)
    stack = np.empty(64, np.int64)
    nodes = first.shape[0]
    for i in range(start, stop):
        total = 0.0
        stack[0] = 0
        depth = 1
        while depth > 0 and total < enough:
            depth -= 1
            node = stack[depth]
            near, far = _to_node(rows[i], low[node], high[node], p)
            if near > limit:
                continue
            if far <= limit:
                total += sums[last[node]] - sums[first[node]]
            elif 2 * node + 1 < nodes:
                # the branch that contains the row is searched first
                inside = 2 * node + 1 if i < last[2 * node + 1] else 2 * node + 2
                stack[depth] = 4 * node + 3 - inside
                stack[depth + 1] = inside
                depth += 2
            else:
                for r in range(first[node], last[node]):
                    if _close(rows[i], rows[r], limit, p):
                        total += w[r]
                        if total >= enough:
                            break
        out[i] = total >= enough


@njit(nogil=True, cache=True)
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(nogil=True, cache=True)
def join(rows, first, last, low, high, dense, eps, p, parent, one):
    """Join dense rows within eps of each other.

    parent (IN, OUT) int64[n]  union-find; at the end each row has the first row of its group
    one (IN, OUT)    int64[nodes]  a dense row of a node whose dense rows are one group; −2 for none dense, −1 unknown
    """
    limit = _limit(eps, p)
    nodes = first.shape[0]
    stack = np.empty(64, np.int64)
    for node in range(nodes - 1, -1, -1):
        if 2 * node + 1 < nodes:
            if one[2 * node + 1] == -2 and one[2 * node + 2] == -2:
                one[node] = -2
        else:
            one[node] = -2
            for r in range(first[node], last[node]):
                if dense[r]:
                    one[node] = -1
                    break
    for i in range(rows.shape[0]):
        if not dense[i]:
            continue
        own = _root(parent, i)
        stack[0] = 0
        depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if one[node] == -2 or last[node] <= i:  # pairs are looked at once, from the earlier row
                continue
            if one[node] >= 0 and _root(parent, one[node]) == own:
                continue
            near, far = _to_node(rows[i], low[node], high[node], p)
            if near > limit:
                continue
            if 2 * node + 1 < nodes:
                if far <= limit and one[node] >= 0:
                    other = _root(parent, one[node])
                    parent[max(own, other)] = min(own, other)
                    own = min(own, other)
                    continue
                stack[depth] = 2 * node + 2
                stack[depth + 1] = 2 * node + 1
                depth += 2
                continue
            for r in range(max(first[node], i + 1), last[node]):
                if dense[r]:
                    other = _root(parent, r)
                    if other != own and (far <= limit or _close(rows[i], rows[r], limit, p)):
                        parent[max(own, other)] = min(own, other)
                        own = min(own, other)
            _note_one(node, first, last, dense, parent, one)
    for i in range(rows.shape[0]):
        parent[i] = _root(parent, i)


@njit(nogil=True, cache=True)
def _note_one(leaf, first, last, dense, parent, one):
    """Note where the dense rows of a leaf, and of the nodes above it, have become one group."""
    if one[leaf] == -1:
        group = -1
        for r in range(first[leaf], last[leaf]):
            if dense[r]:
                root = _root(parent, r)
                if group >= 0 and root != group:
                    return
                group = root
        one[leaf] = group
    node = leaf
    while node > 0:
        node = (node - 1) // 2
        if one[node] >= 0:
            return
        left, right = one[2 * node + 1], one[2 * node + 2]
        if left == -1 or right == -1:
            return
        if left >= 0 and right >= 0 and _root(parent, left) != _root(parent, right):
            return
        one[node] = max(left, right)


@njit(nogil=True, cache=True)
def adopt(start, stop, rows, first, last, low, high, dense, label, eps, p, out):
    """The least label of the dense rows within eps of each row that is not dense.

    label (IN) int64[n]  −1 where not dense;  out (OUT) int64[n]
    """
    limit = _limit(eps, p)
    stack = np.empty(64, np.int64)
    nodes = first.shape[0]
    for i in range(start, stop):
        if dense[i]:
            continue
        best = -1
        stack[0] = 0
        depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            near, _ = _to_node(rows[i], low[node], high[node], p)
            if near > limit:
                continue
            if 2 * node + 1 < nodes:
                stack[depth] = 2 * node + 2
                stack[depth + 1] = 2 * node + 1
                depth += 2
                continue
            for r in range(first[node], last[node]):
                if dense[r] and (best < 0 or label[r] < best) and _close(rows[i], rows[r], limit, p):
                    best = label[r]
        out[i] = best
