"""Rows walk down many trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from probus.ensemble.trees import Trees
from probus.parallel import chunked, thread_count
from probus.tree.flat import LEAF
from probus.tree.predict import goes_left

__all__ = ["Trail", "leaves_of", "sums_of"]


class Trail(NamedTuple):
    """The questions of the trees as a walk reads them, prepared once."""

    questions: tuple[np.ndarray, ...]


def trail_of(trees: Trees) -> Trail:
    """How rows walk down these trees."""
    arrays = (
        trees.start, trees.left, trees.right, trees.feature, trees.threshold, trees.missing_left, trees.subset,
        trees.subsets, trees.n_levels,
    )  # fmt: skip
    return Trail(tuple(np.require(array, requirements=["C", "W"]) for array in arrays))


def leaves_of(trees: Trees, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The leaf (numbered within ``trees``) that each row of a matrix comes to in each tree: int32[n, T]."""
    out = np.empty((len(X), len(trees)), np.int32)

    def part(first: int, last: int) -> None:
        walk(np.ascontiguousarray(X[first:last], np.float64), *trees.trail.questions, out[first:last])

    chunked(part, len(X), thread_count(n_jobs, 20.0 * out.size))
    return out


def sums_of(trees: Trees, X: np.ndarray, n_groups: int = 1, n_jobs: int | None = None) -> np.ndarray:
    """For each row the sum of the values of its leaves: float64[n, n_groups · K].

    With several groups tree t adds to group t mod n_groups, as boosting of many classes grows one tree for each.
    """
    leaves = leaves_of(trees, X, n_jobs)
    out = np.zeros((len(X), n_groups, trees.n_outputs))
    for t in range(len(trees)):
        out[:, t % n_groups] += trees.value[leaves[:, t]]
    return out.reshape(len(X), -1)


@njit(nogil=True, cache=True)
def walk(X, start, left, right, feature, threshold, missing_left, subset, subsets, n_levels, out):
    """The leaf of every row in every tree; arguments are the arrays of ``Trees``.

    X (IN)    float64[n, d], codes of levels where nominal, NaN for missing
    out (OUT) int32[n, T]
    """
    for i in range(X.shape[0]):
        for t in range(len(start) - 1):
            node = start[t]
            while left[node] != LEAF:
                f = feature[node]
                go = goes_left(X[i, f], threshold[node], subset[node], subsets, n_levels[f])
                if go < 0:
                    go = missing_left[node]
                node = np.int64(left[node]) if go == 1 else np.int64(right[node])
            out[i, t] = node
