"""Rows walk down a flat tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from probus.parallel import chunked, thread_count
from probus.tree.flat import LEAF, Tree

__all__ = ["goes_left", "leaves_of", "paths_of"]


def leaves_of(tree: Tree, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The leaf of each row of a float64 matrix."""
    X = np.asarray(X, dtype=np.float64)
    leaves = np.empty(len(X), np.int64)
    threads = thread_count(n_jobs, 4.0 * len(X) * (tree.max_depth + 1))
    if (tree.subset >= 0).any() or tree.surrogates is not None:
        questions = _questions(tree)

        def part(start: int, stop: int) -> None:
            walk_any(X[start:stop], tree.children_left, tree.children_right, *questions, leaves[start:stop])
    else:

        def part(start: int, stop: int) -> None:
            walk_numbers(
                X[start:stop], tree.children_left, tree.children_right, tree.feature, tree.threshold,
                tree.missing_go_to_left, leaves[start:stop],
            )  # fmt: skip

    chunked(part, len(X), threads)
    return leaves


def _questions(tree: Tree) -> tuple[np.ndarray, ...]:
    from probus.tree.flat import Surrogates

    s = tree.surrogates or Surrogates.none(tree.node_count)
    return (
        tree.feature, tree.threshold, tree.missing_go_to_left, tree.subset, tree.subsets, tree.n_levels,
        s.start, s.feature, s.threshold, s.flipped, s.subset,
    )  # fmt: skip


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


@njit(nogil=True, cache=True)
def walk_numbers(X, left, right, feature, threshold, missing_left, out):
    """The leaf of every row, for a tree that asks for numbers only.

    X (IN)    float64[n, d], NaN for missing
    out (OUT) int64[n]
    """
    for i in range(X.shape[0]):
        node = 0
        while left[node] != LEAF:
            x = X[i, feature[node]]
            go = x <= threshold[node]
            if x != x:
                go = missing_left[node] == 1
            node = left[node] if go else right[node]
        out[i] = node


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
