"""Rows walk down a flat tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import issparse

from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree.flat import LEAF, Surrogates, Tree

__all__ = ["Trail", "goes_left", "leaves_of", "paths_of", "trail_of"]

_ABREAST = 16  # rows that walk at once: while one waits for memory the others go on
_ROWS_COPIED = 2048  # of a matrix that is not laid out row by row, so that the copy stays in the cache


class Trail(NamedTuple):
    """The questions of a tree as a walk reads them, prepared once."""

    walk: Callable[..., None]
    questions: tuple[np.ndarray, ...]
    max_depth: int


def trail_of(tree: Tree) -> Trail:
    """How rows walk down this tree."""
    if (tree.subset >= 0).any() or tree.surrogates is not None:
        return Trail(walk_any, _any_questions(tree), tree.max_depth)
    return Trail(walk_numbers, _number_questions(tree), tree.max_depth)


def leaves_of(tree: Tree, X: Any, n_jobs: int | None = None) -> np.ndarray:
    """The leaf of each row of a matrix of numbers."""
    X = X.toarray() if issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.shape[1] != tree.n_features:
        raise DataError(f"a matrix of shape {X.shape} for a tree.", f"{tree.n_features} columns")
    trail = tree.trail
    leaves = np.empty(len(X), np.int64)
    at_once = len(X) if X.dtype == np.float64 and X.flags.c_contiguous else _ROWS_COPIED

    def part(start: int, stop: int) -> None:
        for first in range(start, stop, at_once):
            last = min(first + at_once, stop)
            rows = np.ascontiguousarray(X[first:last], dtype=np.float64).view()
            rows.flags.writeable = False  # arrays that may not be written to have a type of their own: one is enough
            trail.walk(rows, *trail.questions, leaves[first:last])

    chunked(part, len(X), thread_count(n_jobs, 4.0 * len(X) * (trail.max_depth + 1)))
    return leaves


def paths_of(tree: Tree, X: np.ndarray) -> Any:
    """The nodes each row passes, as a sparse matrix of rows × nodes."""
    from scipy.sparse import csr_matrix

    leaves = leaves_of(tree, X)
    lengths = tree.depths[leaves] + 1
    ends = np.cumsum(lengths)
    nodes = np.empty(ends[-1] if len(ends) else 0, np.int64)
    node, place = leaves.copy(), ends - 1
    while len(node):  # from the leaves up, all rows at once
        nodes[place] = node
        node, place = tree.parents[node], place - 1
        going = node >= 0
        node, place = node[going], place[going]
    start = np.concatenate([[0], ends])
    return csr_matrix((np.ones(len(nodes), np.int64), nodes, start), shape=(len(leaves), tree.node_count))


# -- trees that ask for numbers only -----------------------------------------------------------------------


def _number_questions(tree: Tree) -> tuple[np.ndarray, ...]:
    """The nodes renumbered so that siblings lie side by side, and a leaf leads to itself.

    Each is a threshold and a word: left child << 32 | feature << 1 | whether the missing go left.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    left = 1 + 2 * np.arange(len(inner))
    place = np.zeros(tree.node_count, np.int64)
    place[tree.children_left[inner]], place[tree.children_right[inner]] = left, left + 1
    node = np.empty(tree.node_count, np.int64)
    node[place] = np.arange(tree.node_count)
    threshold, word = np.full(tree.node_count, np.inf), np.arange(tree.node_count) << 32 | 1
    threshold[place[inner]] = tree.threshold[inner]
    word[place[inner]] = left << 32 | tree.feature[inner] << 1 | tree.missing_go_to_left[inner]
    return threshold, word.astype(np.uint64), node


@njit(nogil=True, cache=True)
def walk_numbers(X, threshold, word, node, out):
    """The leaf of every row, for a tree that asks for numbers only; several rows abreast, without a branch to guess.

    X (IN)               float64[n, d], NaN for missing
    threshold, word (IN) float64[m], uint64[m] from ``_number_questions``
    node (IN)            int64[m] the number of each node in the tree
    out (OUT)            int64[n]
    """
    n, one, feature_bits = len(X), np.uint64(1), np.uint64(0x7FFFFFFF)
    at = np.empty(_ABREAST, np.uint64)
    for first in range(0, n, _ABREAST):
        m = min(_ABREAST, n - first)
        at[:m] = np.uint64(0)
        moved = one
        while moved != 0:
            moved = np.uint64(0)
            for q in range(m):
                here = at[q]
                x = X[np.uint64(first + q), (word[here] >> one) & feature_bits]
                goes_right = (x > threshold[here]) | ((x != x) & (word[here] & one == 0))
                at[q] = (word[here] >> np.uint64(32)) + np.uint64(goes_right)
                moved |= at[q] ^ here
        for q in range(m):
            out[first + q] = node[at[q]]


# -- trees that ask for levels too, or have second-best questions ------------------------------------------


def _any_questions(tree: Tree) -> tuple[np.ndarray, ...]:
    s = tree.surrogates or Surrogates.none(tree.node_count)
    arrays = (
        tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.missing_go_to_left, tree.subset,
        tree.subsets, tree.n_levels, s.start, s.feature, s.threshold, s.flipped, s.subset,
    )  # fmt: skip
    return tuple(np.require(array, requirements=["C", "W"]) for array in arrays)


@njit(nogil=True, cache=True)
def goes_left(x, threshold, subset, subsets, n_levels):
    """1 if a value goes left, 0 if it goes right, -1 if the question cannot tell."""
    if x != x:
        return -1
    if subset < 0:
        return 1 if x <= threshold else 0
    words = (n_levels + 31) // 32
    level = np.int64(x)
    word, bit = level >> 5, np.uint32(1) << np.uint32(level & 31)
    if level < 0 or level >= n_levels or subsets[subset + words + word] & bit == 0:
        return -1
    return 1 if subsets[subset + word] & bit != 0 else 0


@njit(nogil=True, cache=True)
def walk_any(
    X, left, right, feature, threshold, missing_left, subset, subsets, n_levels,
    start, s_feature, s_threshold, s_flipped, s_subset, out,
):  # fmt: skip
    """The leaf of every row, for trees with nominal splits or surrogates; arguments are the arrays of a Tree.

    X (IN)    float64[n, d], codes of levels where nominal, NaN for missing
    out (OUT) int64[n]
    """
    for i in range(X.shape[0]):
        node = 0
        while left[node] != LEAF:
            f = feature[node]
            go = goes_left(X[i, f], threshold[node], subset[node], subsets, n_levels[f])
            s = start[node]
            while go < 0 and s < start[node + 1]:
                f = s_feature[s]
                go = goes_left(X[i, f], s_threshold[s], s_subset[s], subsets, n_levels[f])
                if go >= 0 and s_flipped[s]:
                    go = 1 - go
                s += 1
            if go < 0:
                go = missing_left[node]
            node = left[node] if go == 1 else right[node]
        out[i] = node
