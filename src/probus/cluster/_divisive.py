"""Clusters from the top down: DIANA."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.base import Model
from probus.cluster._agglomerative import check_two_rows
from probus.cluster._merge_tree import HierarchicalModel, check_one_cut, merges_of_edges
from probus.compiling import njit
from probus.distances.measured_rows import MeasuredRows


class DivisiveClustering(HierarchicalModel):
    """A tree of clusters: from all rows on, the cluster of the largest diameter is split in two (DIANA).

    The row furthest from the others on average leaves first; rows that are then nearer to those that left, on average,
    than to the rest follow. The height of a split is the diameter, the largest distance within the cluster. All
    distances are stored: n² numbers.

    Attributes
    ----------
    labels_, children_, distances_, n_clusters_, n_leaves_, n_connected_components_
        As of ``AgglomerativeClustering``.

    Examples
    --------
    >>> DivisiveClustering(2).fit([[0.0], [1.0], [5.0], [7.0]]).distances_
    array([1., 2., 7.])
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, one for typed columns."""
        return [cls(), cls(metric="gower")]

    def fit(self, X: Any, y: Any = None) -> DivisiveClustering:
        """Find the tree and cut it; y is ignored."""
        check_one_cut(self.n_clusters, self.distance_threshold, "distance_threshold")
        rows = MeasuredRows(self, X)
        check_two_rows(rows.n)
        left, right, heights = splits(rows.matrix())
        # from the last split to the first, lowest first: a part is never higher than the whole
        order = np.argsort(heights[::-1], kind="stable")
        self._keep(merges_of_edges(left[::-1][order], right[::-1][order]), heights[::-1][order])
        return self


@njit(nogil=True, cache=True)
def _split(D, members, sums, leaves):
    """Mark the members of a cluster that leave it; returns their number.

    members (IN) int64[m];  sums (OUT) float64[m];  leaves (OUT) bool[m]
    """
    m = members.shape[0]
    away = np.zeros(m)  # of each member: the sum of its distances to those that left
    for a in range(m):
        sums[a] = 0.0
        leaves[a] = False
        for b in range(m):
            sums[a] += D[members[a], members[b]]
    first = 0
    for a in range(1, m):
        if sums[a] > sums[first]:
            first = a
    gone, chosen = 0, first
    while True:
        leaves[chosen] = True
        gone += 1
        for a in range(m):
            if not leaves[a]:
                d = D[members[a], members[chosen]]
                sums[a] -= d
                away[a] += d
        if gone == m - 1:
            return gone
        chosen, largest = -1, 0.0
        for a in range(m):
            if not leaves[a]:
                gain = sums[a] / (m - gone - 1) - away[a] / gone
                if gain > largest * (1.0 + 1e-12) + 1e-300 and gain > 1e-12 * sums[a]:
                    chosen, largest = a, gain
        if chosen < 0:
            return gone


@njit(nogil=True, cache=True)
def splits(D):
    """All splits, each before those of its parts.

    D (IN) float64[n, n];  returns int64[n − 1], int64[n − 1] a row of each side, and float64[n − 1] the diameters
    """
    n = D.shape[0]
    order = np.arange(n)  # clusters are ranges of it
    stack = np.empty((n, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    left, right, heights = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    sums, leaves, held = np.empty(n), np.empty(n, np.bool_), np.empty(n, np.int64)
    depth, found = 1, 0
    while depth > 0:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        if stop - start < 2:
            continue
        members = order[start:stop]
        diameter = 0.0
        for a in range(stop - start):
            for b in range(a):
                diameter = max(diameter, D[members[a], members[b]])
        gone = _split(D, members, sums, leaves)
        middle, kept, moved = stop - gone, 0, 0
        for a in range(stop - start):
            if leaves[a]:
                held[middle - start + moved] = members[a]
                moved += 1
            else:
                held[kept] = members[a]
                kept += 1
        for a in range(stop - start):
            order[start + a] = held[a]
        left[found], right[found], heights[found] = order[start], order[middle], diameter
        found += 1
        stack[depth, 0], stack[depth, 1] = start, middle
        stack[depth + 1, 0], stack[depth + 1, 1] = middle, stop
        depth += 2
    return left, right, heights
