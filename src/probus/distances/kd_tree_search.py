"""Exact search by SciPy's k-d tree, for very few dimensions."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from probus.parallel import thread_count

__all__ = ["KDTreeSearch"]


class KDTreeSearch:
    """The nearest rows of X in the Minkowski distance of order p ≥ 1.

    >>> KDTreeSearch(np.array([[0.0], [3.0], [4.0]])).nearest(np.array([[2.9]]), k=1)[1]
    array([[1]])
    """

    method = "kd_tree"

    def __init__(self, X: np.ndarray, p: float = 2.0, leaf_size: int = 30):
        self._tree = KDTree(X, leafsize=leaf_size)
        self._p = float(p)

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers; of equal distances the first rows."""
        workers = thread_count(n_jobs, 1000.0 * len(queries))
        found = min(k + 1, self._tree.n)
        distances, rows = self._tree.query(queries, np.arange(1, found + 1), p=self._p, workers=workers)
        if found > k:
            for i in np.flatnonzero(distances[:, k] == distances[:, k - 1]):
                rows[i, :k] = self._first_of_ties(queries[i], distances[i, :k])
            distances, rows = distances[:, :k], rows[:, :k]
        order = np.lexsort((rows, distances))
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1)

    def distances(self, queries: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row."""
        return cdist(queries, self._tree.data, "minkowski", p=self._p)

    def _first_of_ties(self, query: np.ndarray, distances: np.ndarray) -> np.ndarray:
        """The k nearest rows where more than k are as near as the k-th: the tree returns any of these."""
        around = np.array(self._tree.query_ball_point(query, distances[-1] * (1 + 1e-12), p=self._p))
        away = np.linalg.norm(self._tree.data[around] - query, ord=self._p, axis=1)
        away[np.isclose(away, distances[-1], rtol=1e-12, atol=0)] = distances[-1]
        return around[np.lexsort((around, away))[: len(distances)]]
