"""The walk down trees with surrogates, which packed nodes do not hold, and the decision of a single split."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.tree._trees import Trees


def splits_of(trees: Trees) -> tuple[np.ndarray, ...]:
    """The arrays of ``Trees`` that decide where rows go, as kernels take them: start to n_levels."""
    names = ("start", "children_left", "children_right", "feature", "threshold", "missing_go_to_left", "subset",
             "subsets", "n_levels")  # fmt: skip
    return tuple(np.require(getattr(trees, name), Trees.declared[name].dtype, ["C", "W"]) for name in names)


def surrogate_splits_of(trees: Trees) -> tuple[np.ndarray, ...]:
    """The same with those of the surrogates."""
    s = trees.surrogates
    assert s is not None
    arrays = (s.start, s.feature, s.threshold, s.flipped, s.subset)
    return *splits_of(trees), *(np.require(array, requirements=["C", "W"]) for array in arrays)


@njit(nogil=True, cache=True)
def goes_left(x, threshold, subset, subsets, n_levels):
    """1 if a value goes left, 0 if it goes right, -1 if it is missing or a level that the split does not know."""
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


@njit(nogil=True)
def next_node(x, node, left, right, feature, threshold, missing_left, subset, subsets, n_levels):
    """The child of a node to which a value of its feature goes."""
    go = goes_left(x, threshold[node], subset[node], subsets, n_levels[feature[node]])
    if go < 0:
        go = missing_left[node]
    return np.int64(left[node]) if go == 1 else np.int64(right[node])


@njit(nogil=True, cache=True)
def walk_surrogates(
    X, row, n, start, left, right, feature, threshold, missing_left, subset, subsets, n_levels,
    s_start, s_feature, s_threshold, s_flipped, s_subset, out,
):  # fmt: skip
    """The leaf of every row in every tree, for trees with surrogates.

    X (IN)                   float64, flat; value j of row i is at i · row + j; NaN for missing
    start to s_subset (IN)   ``surrogate_splits_of``
    out (OUT)                int32, flat, [n, T]
    """
    n_trees = len(start) - 1
    for i in range(n):
        for t in range(n_trees):
            node = start[t]
            while left[node] >= 0:
                f = feature[node]
                go = goes_left(X[i * row + f], threshold[node], subset[node], subsets, n_levels[f])
                s = s_start[node]
                while go < 0 and s < s_start[node + 1]:
                    g = s_feature[s]
                    go = goes_left(X[i * row + g], s_threshold[s], s_subset[s], subsets, n_levels[g])
                    if go >= 0 and s_flipped[s]:
                        go = 1 - go
                    s += 1
                if go < 0:
                    go = missing_left[node]
                node = np.int64(left[node] if go == 1 else right[node])
            out[i * n_trees + t] = node
