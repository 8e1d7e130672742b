"""A k-d tree of rows whose nodes have eight children, so that eight boxes are measured at once.

Rows are halved at the median of the widest column, over and over, until they fill leaves of a fixed size; every third
halving is a level of the tree. Of each node the least box that contains its rows is kept, and the first row in it.
Boxes and rows are stored column by column, eight or a leaf side by side: distances to them are vector operations.

Distances are summed in the order of the columns, to boxes as to rows. Rounding is monotone, so the distance to a box is
never above that to a row in it, to the last digit. Nothing is pruned wrongly, and no tolerance is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit, read_only
from probus.numba_seam.distance_lanes import FAN, LEAF, squares_to_boxes, squares_to_corners, squares_to_rows

__all__ = ["BoxTree", "add_gap", "measure_boxes", "measure_corners", "measure_leaf", "root_of", "stack_size"]


@dataclass(frozen=True)
class BoxTree:
    """Nodes and leaves have one numbering: the root is 0, the others follow level by level, and leaves come last.

    order : the rows in the order of the leaves.
    starts : of each leaf, the place of its first row in that order; at the end the number of rows.
    leaves : leaves × columns × LEAF; infinite beyond the rows of a leaf.
    numbers : leaves × LEAF, the numbers of the rows; beyond the rows of a leaf, that of all rows.
    low, high : nodes × columns × FAN, the boxes of the children; infinitely far away where there are fewer.
    child : the first child of each node; the others follow it.
    least : the least number of a row in each node and leaf.
    sizes : the number of nodes of each level, and that of leaves.
    """

    order: np.ndarray
    starts: np.ndarray
    leaves: np.ndarray
    numbers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    child: np.ndarray
    least: np.ndarray
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, X: np.ndarray) -> BoxTree:
        """Halve the rows until leaves are small enough."""
        n, d = X.shape
        halvings = max(0, int(np.ceil(np.log2(max(1, n / LEAF)))))
        order, size = np.arange(n), 2 ** (halvings + 1) - 1
        first, last, low, high = np.zeros(size, np.int64), np.zeros(size, np.int64), *np.empty((2, size, d))
        halve(read_only(X), order, first, last, low, high)
        leaves, numbers = np.full((2**halvings, d, LEAF), np.inf), np.full((2**halvings, LEAF), n)
        bottom = 2**halvings - 1
        fill_leaves(read_only(X), order, first[bottom:], last[bottom:], leaves, numbers)
        depths = [0, *range(halvings % 3 or min(3, halvings), halvings + 1, 3)]  # of the root, of each level, of leaves
        sizes = [2**depth for depth in depths]
        return cls(
            order,
            np.append(first[bottom:], n),
            leaves,
            numbers,
            _side_by_side(low, depths[1:]),
            _side_by_side(high, depths[1:]),
            np.concatenate([FAN * np.arange(m) + sum(sizes[: i + 1]) for i, m in enumerate(sizes[:-1])]),
            np.concatenate([numbers.min(axis=1).reshape(m, -1).min(axis=1) for m in sizes]),
            tuple(sizes),
        )

    @property
    def spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each node and leaf, the place of its first row in ``order``, and the place after its last."""
        bounds = [self.starts[:: self.sizes[-1] // size] for size in self.sizes]
        first, last = (np.concatenate(parts) for parts in zip(*((b[:-1], b[1:]) for b in bounds), strict=True))
        return first, last

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """What searches need: leaves, numbers, low, high, child, least."""
        return tuple(map(read_only, (self.leaves, self.numbers, self.low, self.high, self.child, self.least)))


def _side_by_side(box: np.ndarray, depths: list[int]) -> np.ndarray:
    """One side of the boxes after so many halvings, eight side by side, and infinite where there are fewer."""
    d, parts = box.shape[1], []
    for depth in depths:
        of_level = box[2**depth - 1 : 2 ** (depth + 1) - 1]
        missing = np.full((-len(of_level) % FAN, d), np.inf)
        parts.append(np.concatenate([of_level, missing]).reshape(-1, FAN, d).transpose(0, 2, 1))
    return np.ascontiguousarray(np.concatenate(parts))


@njit(nogil=True, cache=True)
def halve(X, order, first, last, low, high):
    """Order the rows, and find the rows and the box of each node; the children of node i are 2i + 1 and 2i + 2.

    X (IN) float64[n, d];  order (IN, OUT) int64[n];  first, last (OUT) int64[nodes];  low, high (OUT) float64[nodes, d]
    """
    nodes, d = low.shape
    values = np.empty(X.shape[0])
    first[0], last[0] = 0, X.shape[0]
    for node in range(nodes):
        start, stop = first[node], last[node]
        low[node], high[node] = np.inf, -np.inf
        for place in range(start, stop):
            row = order[place]
            for j in range(d):
                value = X[row, j]
                low[node, j] = value if value < low[node, j] else low[node, j]
                high[node, j] = value if value > high[node, j] else high[node, j]
        child = 2 * node + 1
        if child >= nodes:
            continue
        widest = 0
        for j in range(1, d):
            if high[node, j] - low[node, j] > high[node, widest] - low[node, widest]:
                widest = j
        for place in range(start, stop):
            values[place] = X[order[place], widest]
        middle = (start + stop) // 2
        select(values, order, start, stop, middle)
        first[child], last[child] = start, middle
        first[child + 1], last[child + 1] = middle, stop


@njit(nogil=True, cache=True)
def select(values, order, start, stop, middle):
    """Bring the rows before the middle to places before it; of equal values, rows of lower numbers come first.

    Hoare's selection, by the medians of three. values, order (IN, OUT) float64[n], int64[n]  permuted alike
    """
    left, right = start, stop - 1
    while left < right:
        centre = (left + right) // 2
        for a, b in ((left, centre), (centre, right), (left, centre)):
            if values[b] < values[a] or (values[b] == values[a] and order[b] < order[a]):
                values[a], values[b] = values[b], values[a]
                order[a], order[b] = order[b], order[a]
        value, row = values[centre], order[centre]
        i, j = left, right
        while i <= j:
            while values[i] < value or (values[i] == value and order[i] < row):
                i += 1
            while values[j] > value or (values[j] == value and order[j] > row):
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@njit(nogil=True, cache=True)
def fill_leaves(X, order, first, last, leaves, numbers):
    """Order the rows of each leaf by number, and copy them column by column.

    X (IN) float64[n, d];  order (IN, OUT) int64[n];  first, last (IN) int64[leaves]
    leaves (OUT) float64[leaves, d, LEAF];  numbers (OUT) int64[leaves, LEAF]
    """
    for leaf in range(first.shape[0]):
        start = first[leaf]
        for place in range(start + 1, last[leaf]):  # insertion, which compiles faster than a call of sort
            row = order[place]
            while place > start and order[place - 1] > row:
                order[place] = order[place - 1]
                place -= 1
            order[place] = row
        for place in range(last[leaf] - start):
            row = order[start + place]
            numbers[leaf, place] = row
            for j in range(X.shape[1]):
                leaves[leaf, j, place] = X[row, j]


@njit(nogil=True, cache=True)
def stack_size(nodes):
    """Room for the children of a node on each level."""
    levels = 1
    while nodes > 0:
        nodes //= FAN
        levels += 1
    return FAN * (levels + 1)


@njit(nogil=True, cache=True)
def measure_leaf(queries, i, leaves, leaf, p, limit, away):
    """Distances of order p, before the root, of a query to the rows of a leaf; bits: whether each is at most the limit.

    queries (IN) float64[q, d];  leaves (IN) float64[leaves, d, LEAF];  limit (IN) float64;  away (OUT) float64[LEAF]
    """
    if p == 2.0:
        return squares_to_rows(queries, i, leaves, leaf, limit, away)
    away[:] = 0.0
    for j in range(queries.shape[1]):
        for b in range(LEAF):
            away[b] = add_gap(away[b], abs(leaves[leaf, j, b] - queries[i, j]), p)
    return bits_within(away, limit)


@njit(nogil=True, cache=True)
def measure_boxes(queries, i, low, high, node, p, limit, away):
    """Least distances of order p, before the root, of a query to the children of a node; bits as of ``measure_leaf``.

    queries (IN) float64[q, d];  low, high (IN) float64[nodes, d, FAN];  limit (IN) float64;  away (OUT) float64[FAN]
    """
    if p == 2.0:
        return squares_to_boxes(queries, i, low, high, node, limit, away)
    away[:] = 0.0
    for j in range(queries.shape[1]):
        value = queries[i, j]
        for c in range(FAN):
            away[c] = add_gap(away[c], max(low[node, j, c] - value, value - high[node, j, c], 0.0), p)
    return bits_within(away, limit)


@njit(nogil=True, cache=True)
def measure_corners(queries, i, low, high, node, p, limit, away):
    """Largest distances of order p, before the root, of a query to the children of a node; as ``measure_boxes``."""
    if p == 2.0:
        return squares_to_corners(queries, i, low, high, node, limit, away)
    away[:] = 0.0
    for j in range(queries.shape[1]):
        value = queries[i, j]
        for c in range(FAN):
            away[c] = add_gap(away[c], max(value - low[node, j, c], high[node, j, c] - value), p)
    return bits_within(away, limit)


@njit(nogil=True, cache=True)
def bits_within(away, limit):
    """Bit b: whether distance b is at most the limit."""
    bits = np.int64(0)
    for b in range(away.shape[0]):
        bits |= np.int64(away[b] <= limit) << b
    return bits


@njit(nogil=True, cache=True)
def add_gap(total, gap, p):
    """A distance of order p, before the root, with that in one more column."""
    if p == 2.0:
        return total + gap * gap
    if p == 1.0:
        return total + gap
    if p == np.inf:
        return max(total, gap)
    return total + gap**p


def root_of(distances: np.ndarray, p: float) -> np.ndarray:
    """Distances of order p from those before the root; in place."""
    if p == 2.0:
        return np.sqrt(distances, out=distances)
    if p not in (1.0, np.inf):
        distances **= 1.0 / p
    return distances
