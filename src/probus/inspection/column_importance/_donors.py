"""Which row each row takes a value from: shuffled among all rows, or among rows that are alike in other columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from probus.data import Column, Kind, Table
from probus.ensemble import RandomForestClassifier, RandomForestRegressor

_STRATUM = 20  # rows of which each may take the value of each other
_TREES = 60
_MOST_LEVELS = 30  # of a nominal column that is predicted; beyond, by the most frequent ones


def shuffle(n: int, n_repeats: int) -> np.ndarray:
    """int64[R, n]: in rows of random order, the next row, the one after it, and so on, without repetition.

    No row keeps its own value, and no pair of rows occurs twice.

    >>> shuffle(4, 2)
    array([[1, 2, 3, 0],
           [2, 3, 0, 1]])
    """
    return (np.arange(n) + np.arange(1, n_repeats + 1)[:, None]) % n


def shuffle_alike(
    table: Table, columns: Sequence[str], given: Sequence[str], n_repeats: int, rng: np.random.Generator
) -> np.ndarray:
    """int64[R, n]: rows for which other columns predict nearly the same values of these columns.

    A random forest predicts each column from those given, for each row by the trees that were not grown on it. Rows
    are sorted by the prediction, and values are shuffled within strata of 20 of them: as far as columns depend on the
    given ones through the prediction, a value is as likely as the row's own (Candès et al. 2018; Debeer and Strobl
    2020).
    """
    n = len(table)
    if not given:
        return shuffle(n, n_repeats)
    predicted = np.column_stack([_predicted(table[name], table.select(*given)) for name in columns])
    centred = predicted - predicted.mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0] if centred.shape[1] > 1 else np.ones(1)
    order = np.lexsort((rng.random(n), centred @ direction))
    size = max(_STRATUM, n_repeats + 1)
    bounds = np.linspace(0, n, max(n // size, 1) + 1).astype(np.intp)
    out = np.empty((n_repeats, n), np.int64)
    for first, last in pairwise(bounds.tolist()):
        rows = rng.permutation(order[first:last])
        for r in range(n_repeats):
            out[r, rows] = np.roll(rows, -(r % max(len(rows) - 1, 1) + 1))
    return out


def _predicted(column: Column, others: Table) -> np.ndarray:
    """What other columns predict, out of bag: numbers, or the probabilities of levels."""
    if column.kind in (Kind.NUMERIC, Kind.ORDINAL):
        x = column.numbers_array()
        known = np.isfinite(x)
        filled = np.where(known, x, np.median(x[known]) if known.any() else 0.0)
        forest = RandomForestRegressor(_TREES, min_samples_leaf=5, oob_score=True, random_state=0)
        return np.asarray(forest.fit(others, filled).oob_prediction_, np.float64).reshape(-1, 1)
    codes = np.unique(column.values, return_inverse=True)[1]
    frequent = np.argsort(-np.bincount(codes), kind="stable")[:_MOST_LEVELS]
    codes = np.where(np.isin(codes, frequent), codes, -1)
    if len(np.unique(codes)) < 2:
        return np.zeros((len(codes), 1))
    forest = RandomForestClassifier(_TREES, min_samples_leaf=5, oob_score=True, random_state=0)
    return np.asarray(forest.fit(others, codes).oob_decision_function_, np.float64)
