"""The shortest tree that connects all rows, by Prim's method: distances are made row by row and never stored."""

from __future__ import annotations

import numpy as np

from probus.cluster._merge_tree import merges_of_edges
from probus.compiling import njit
from probus.distances.magnitudes import check_squares
from probus.distances.measured_rows import MeasuredRows

_ORDERS = {"euclidean": 2.0, "manhattan": 1.0, "cityblock": 1.0, "chebyshev": np.inf}


def single_linkage(rows: MeasuredRows) -> tuple[np.ndarray, np.ndarray]:
    """The merges of single linkage and their heights: the edges of the shortest tree, in order of length."""
    order = _ORDERS.get(rows.metric) if isinstance(rows.metric, str) and not rows.params else None
    left, right, length = _measured(rows) if order is None else prim(np.ascontiguousarray(rows.samples.T), order)
    if order == 2.0:
        check_squares(rows.samples)
        length = np.sqrt(length)
    by_length = np.argsort(length, kind="stable")
    return merges_of_edges(left[by_length], right[by_length]), length[by_length]


def _measured(rows: MeasuredRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
