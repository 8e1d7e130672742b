"""Keeping the k nearest rows while distances are computed."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit


def empty_nearest(n_queries: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances (all infinite) and row numbers (all -1) before any row is found."""
    return np.full((n_queries, k), np.inf), np.full((n_queries, k), -1, dtype=np.int64)


@njit(nogil=True, cache=True)
def insert(distance, row, nearest, rows):
    """Put one row among the nearest, which stay sorted; of equal distances the row inserted first stays ahead.

    nearest (IN, OUT) float64[k]  ascending
    rows (IN, OUT)    int64[k]    the rows at those distances
    """
    place = nearest.shape[0] - 1
    while place > 0 and nearest[place - 1] > distance:
        nearest[place] = nearest[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    nearest[place] = distance
    rows[place] = row
