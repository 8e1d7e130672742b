"""Sums over trees of rows of which some columns have the values of other rows, for many columns at once.

A tree that does not use a column has the same leaf for the row. One that does is walked again only from the first split
at which the other value goes to the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree._trees import Trees
from probus.tree.kernel_parts import inner
from probus.tree.prediction._walk import in_set

_ROWS = 2048  # whose sums stay in the cache while tree after tree comes by
_QUEUE = 256  # walkers that go on together: while one waits for memory the others walk


class OtherSums(NamedTuple):
    """Sums over the trees.

    Attributes
    ----------
    own : float64[n, n_groups · V], of the rows as they are.
    other : float64[n, S, R, n_groups · V], of the rows with the columns of a set taken from other rows.
    votes : int64[n], how many trees were added up.
    """

    own: np.ndarray
    other: np.ndarray
    votes: np.ndarray


def sums_with_other_values(
    trees: Trees,
    X: np.ndarray,
    donors: np.ndarray,
    set_of: np.ndarray,
    n_groups: int = 1,
    *,
    values: np.ndarray | None = None,
    left_out: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> OtherSums:
    """The sums of ``sums_of``, of rows and of the same rows with some columns taken from others.

    Parameters
    ----------
    trees : trees without surrogates.
    X : coded rows.
    donors : int64[S or 1, R, n], the row whose values each row takes in the columns of a set, R times; the same rows
        for all sets where there is one.
    set_of : int64[d], the set that each column belongs to; -1 for none. Columns of a set are taken together.
    n_groups : tree t adds to group t mod n_groups.
    values : float64[nodes, V], in place of those of the trees.
    left_out : uint8[T, ceil(n / 8)], a bit for each row that a tree does not count for; None counts all.
    n_jobs : the number of threads; the sums do not depend on it.

    Returns
    -------
    The sums, and how many trees count for each row.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> X = cars.select("wt", "hp").numbers()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(X, cars["mpg"])
    >>> found = sums_with_other_values(tree.tree_, X[:2], np.array([[[1, 0]]]), np.array([0, -1]))
    >>> found.own[:, 0].tolist() == tree.predict(X[:2]).tolist()
    True
    """
    if trees.surrogates is not None:
        raise DataError("trees with surrogate splits.", "trees without")
    n_sets, repeats = int(set_of.max(initial=-1)) + 1, donors.shape[1]
    values = trees.value.reshape(-1, trees.n_values) if values is None else values
    width = n_groups * values.shape[1]
    own, votes = np.zeros((len(X), width)), np.zeros(len(X), np.int64)
    other = np.zeros((len(X), n_sets, repeats, width))
    X, donors = np.ascontiguousarray(X, np.float64), np.ascontiguousarray(donors, np.int64)
    start, nodes, words, sets, n_levels, node = trees.packed.nodes
    flat = np.ascontiguousarray(values, np.float64).ravel()
    if left_out is None:
        left_out = np.zeros((0, 0), np.uint8)
    deepest = len(trees.levels) + 1

    def part(first: int, last: int) -> None:
        add_other_values(
            X.ravel(), X.shape[1], first, last, donors, np.asarray(set_of, np.int64), n_sets, left_out, deepest, start,
            nodes, words, sets, n_levels, node, flat, n_groups, own, other, votes,
        )  # fmt: skip

    operations = 30.0 * len(X) * len(trees) * (1 + n_sets * repeats / 8)
    chunked(part, len(X), thread_count(n_jobs, operations), chunk=_ROWS)
    return OtherSums(own, other, votes)


@inner
def _goes_right(x, threshold, word, feature, sets, n_levels):
    """Whether a value goes right at a packed split."""
    goes_right = (x > threshold) | ((x != x) & (word & np.uint64(1) == 0))
    if sets is not None:  # noqa: SIM102 (None alone leaves the rest uncompiled)
        if word & np.uint64(2) != 0:
            goes_right = not in_set(x, sets, np.int64(threshold), n_levels[feature])
    return goes_right


@njit(nogil=True, cache=True)
def add_other_values(
    X, d, first, last, donors, set_of, n_sets, left_out, deepest, start, nodes, words, sets, n_levels, node, value,
    n_groups, own, other, votes,
):  # fmt: skip
    """Add up the trees for some of the rows, as they are and with the columns of each set from other rows.

    X (IN)                   float64, flat; value j of row i is at i · d + j
    first, last (IN)         the rows
    donors (IN)              int64[S or 1, R, n]
    set_of (IN)              int64[d]
    left_out (IN)            uint8[T, *] a bit for each row, or none
    start to node (IN)       ``Packed.nodes``
    value (IN)               float64, flat, [nodes, V]
    own, votes (OUT)         float64[n, n_groups · V], int64[n]
    other (OUT)              float64[n, S, R, n_groups · V]
    """
    repeats, n_values = donors.shape[1], len(value) // len(node)
    one, two, half, feature_bits = np.uint64(1), np.uint64(2), np.uint64(32), np.uint64(0x3FFFFFFF)
    path = np.empty(deepest + 1, np.uint64)
    stamp = np.full(n_sets * repeats, -1, np.int64)
    at, going, base = np.empty(_QUEUE, np.uint64), np.empty(_QUEUE, np.int64), np.empty(_QUEUE, np.int64)
    row_of, from_row, set_at, place = (
        np.empty(_QUEUE, np.int64), np.empty(_QUEUE, np.int64), np.empty(_QUEUE, np.int64), np.empty(_QUEUE, np.int64)
    )  # fmt: skip
    shared = donors.shape[0] == 1
    queued, turn = 0, 0
    for t in range(len(start) - 1):
        group = (t % n_groups) * n_values
        for i in range(first, last):
            if len(left_out) and (left_out[t, i >> 3] >> np.uint8(i & 7)) & np.uint8(1):
                continue
            votes[i] += 1
            turn += 1
            here, depth = two * np.uint64(start[t]), 0
            while True:
                threshold, word = nodes[np.int64(here)], words[np.int64(here + one)]
                f = np.int64((word >> two) & feature_bits)
                right = _goes_right(X[i * d + f], threshold, word, f, sets, n_levels)
                after = (word >> half) + (np.uint64(right) << one)
                if after == here:
                    break
                path[depth] = here
                depth += 1
                here = after
            leaf = np.int64(node[np.int64(here >> one)]) * n_values
            path[depth] = here
            for v in range(n_values):
                own[i, group + v] += value[leaf + v]
            for p in range(depth):
                split = path[p]
                threshold, word = nodes[np.int64(split)], words[np.int64(split + one)]
                f = np.int64((word >> two) & feature_bits)
                s = set_of[f]
                if s < 0:
                    continue
                child = word >> half
                went_right = path[p + 1] != child
                for r in range(repeats):
                    if stamp[s * repeats + r] == turn:
                        continue
                    m = donors[0, r, i] if shared else donors[s, r, i]
                    right = _goes_right(X[m * d + f], threshold, word, f, sets, n_levels)
                    if right == went_right:
                        continue
                    stamp[s * repeats + r] = turn
                    at[queued], base[queued] = child + (np.uint64(right) << one), leaf
                    row_of[queued], from_row[queued], set_at[queued], place[queued] = i, m, s, r
                    queued += 1
                    if queued == _QUEUE:
                        _finish(X, d, queued, at, going, base, row_of, from_row, set_at, place, set_of, nodes, words,
                                sets, n_levels, node, value, n_values, group, other)  # fmt: skip
                        queued = 0
        _finish(X, d, queued, at, going, base, row_of, from_row, set_at, place, set_of, nodes, words, sets, n_levels,
                node, value, n_values, group, other)  # fmt: skip
        queued = 0
    for i in range(first, last):
        for s in range(n_sets):
            for r in range(repeats):
                for v in range(other.shape[3]):
                    other[i, s, r, v] += own[i, v]


@inner
def _finish(
    X, d, queued, at, going, base, row_of, from_row, set_at, place, set_of, nodes, words, sets, n_levels, node, value,
    n_values, group, other,
):  # fmt: skip
    """Walk those in the queue to their leaves, and add by how much these differ from the leaves of the rows."""
    one, two, half, feature_bits = np.uint64(1), np.uint64(2), np.uint64(32), np.uint64(0x3FFFFFFF)
    n_walkers = queued
    for q in range(queued):
        going[q] = q
    while queued > 0:
        moving = 0
        for place_in in range(queued):
            q = going[place_in]
            here = at[q]
            threshold, word = nodes[np.int64(here)], words[np.int64(here + one)]
            f = np.int64((word >> two) & feature_bits)
            row = from_row[q] if set_of[f] == set_at[q] else row_of[q]
            right = _goes_right(X[row * d + f], threshold, word, f, sets, n_levels)
            after = (word >> half) + (np.uint64(right) << one)
            at[q] = after
            going[moving] = q
            moving += after != here  # those at a leaf are not carried on
        queued = moving
    for q in range(n_walkers):
        leaf = np.int64(node[np.int64(at[q] >> one)]) * n_values
        for v in range(n_values):
            other[row_of[q], set_at[q], place[q], group + v] += value[leaf + v] - value[base[q] + v]
