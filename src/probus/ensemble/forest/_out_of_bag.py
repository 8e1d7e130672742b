"""Predictions of the trees of a forest for rows they were not trained on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from probus.compiling import njit
from probus.ensemble.forest._bags import Bags
from probus.parallel import chunked, thread_count
from probus.tree import LEAF, Trees
from probus.tree.prediction import next_node, splits_of
from probus.tree.preparation import target_unit

_ROWS = 1024  # rows that walk together: they stay in the cache while tree after tree comes by


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Predictions for rows by the trees whose bags do not hold them.

    prediction : float64[n, q, K] means over those trees; 0 for a row that is in every bag
    curve : float64[T] the error after each tree, over the rows that have a prediction by then: the share of wrong
        classes, or the mean squared error; NaN as long as there are none
    """

    prediction: np.ndarray
    curve: np.ndarray


def out_of_bag(trees: Trees, X: np.ndarray, y: np.ndarray, bags: Bags, n_jobs: int | None = None) -> OutOfBag:
    """Predict each row by the trees whose bags do not contain it.

    y : codes of classes where the trees hold shares of several, else numbers
    """
    n, n_trees = len(X), len(trees)
    threads = thread_count(n_jobs, 40.0 * n * n_trees)
    in_bag = np.empty((n_trees, (n + 7) // 8), np.uint8)

    def draw(first: int, last: int) -> None:
        in_bag[first] = np.packbits(bags.counts(first) > 0, bitorder="little")

    chunked(draw, n_trees, threads, chunk=1)
    sums, votes = np.zeros((n, trees.n_values)), np.zeros(n, np.int64)
    errors, answered = np.zeros((n_trees, -(-n // _ROWS))), np.zeros((n_trees, -(-n // _ROWS)))
    unit = target_unit(y) if trees.max_n_classes == 1 else 1.0  # errors are squared
    value = np.require(trees.value.reshape(-1, trees.n_values) / unit, requirements=["C", "W"])
    nodes = (*splits_of(trees), value)
    target = np.ascontiguousarray(y.reshape(n, -1) / unit, np.float64)

    def part(first: int, last: int) -> None:
        rows, at = slice(first, last), first // _ROWS
        block = np.ascontiguousarray(X[rows], np.float64)
        vote(block, target[rows], in_bag, first, *nodes, sums[rows], votes[rows], errors[:, at], answered[:, at])

    chunked(part, n, threads, chunk=_ROWS)
    if (votes == 0).any():
        warnings.warn(
            f"{(votes == 0).sum()} of {n} rows are in the bag of every tree: Some inputs do not have OOB scores. "
            "This probably means too few trees were used to compute any reliable OOB estimates.",
            UserWarning,
            stacklevel=5,
        )
    with np.errstate(invalid="ignore", over="ignore"):
        curve = errors.sum(axis=1) / answered.sum(axis=1) * unit * unit
    mean = sums / np.maximum(votes, 1)[:, None] * unit
    return OutOfBag(mean.reshape(n, trees.n_outputs, -1), curve)


@njit(nogil=True, cache=True)
def vote(
    X, y, in_bag, first, start, left, right, feature, threshold, missing_left, subset, subsets, n_levels, value,
    sums, votes, errors, answered,
):  # fmt: skip
    """Let the trees vote, one after the other, for those of some rows that their bags do not hold.

    X, y (IN)              float64[m, d], float64[m, q]
    in_bag (IN)            uint8[T, *] a bit for each row of all
    first (IN)             the number of the first of these rows among all
    start to value (IN)    the arrays of ``Trees``
    sums, votes (INOUT)    float64[m, q K], int64[m] predictions summed up, and how many
    errors, answered (OUT) float64[T] errors of the votes so far, and of how many rows they are
    """
    m, n_outputs = y.shape
    n_classes = sums.shape[1] // n_outputs
    error = np.zeros(m)
    wrong, known = 0.0, 0.0
    for t in range(len(start) - 1):
        for i in range(m):
            r = first + i
            if (in_bag[t, r >> 3] >> np.uint8(r & 7)) & 1:
                continue
            node = start[t]
            while left[node] != LEAF:
                node = next_node(
                    X[i, feature[node]], node, left, right, feature, threshold, missing_left, subset, subsets, n_levels
                )
            known += votes[i] == 0
            votes[i] += 1
            now = 0.0
            for o in range(n_outputs):
                first_sum = o * n_classes
                best = first_sum
                for k in range(first_sum, first_sum + n_classes):
                    sums[i, k] += value[node, k]
                    if sums[i, k] > sums[i, best]:
                        best = k
                missed = sums[i, best] / votes[i] - y[i, o]
                now += missed * missed if n_classes == 1 else np.float64(best - first_sum != y[i, o])
            now /= n_outputs
            wrong += now - error[i]
            error[i] = now
        errors[t], answered[t] = wrong, known
