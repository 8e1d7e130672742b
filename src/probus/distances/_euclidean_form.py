"""Distances that are functions of the Euclidean distance between transformed rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from probus.distances._product_search import ProductSearch


class EuclideanForm:
    """The nearest rows by a distance f(‖t(x) − t(z)‖), f increasing.

    transform : t, of a matrix of rows.
    distance : f, of Euclidean distances and the queries that they belong to; the Euclidean distance where None.

    >>> doubled = EuclideanForm(np.array([[0.0], [3.0]]), lambda X: 2 * X)
    >>> doubled.nearest(np.array([[1.0]]), k=1)
    (array([[2.]]), array([[0]]))
    """

    method = "brute"

    def __init__(
        self,
        X: np.ndarray,
        transform: Callable[[np.ndarray], np.ndarray],
        distance: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    ):
        self._transform, self._distance = transform, distance
        self._search = ProductSearch(transform(X))

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers."""
        distances, rows = self._search.nearest(self._transform(queries), k, n_jobs)
        return self._measure(distances, queries), rows

    def distances(self, queries: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row."""
        return self._measure(cdist(self._transform(queries), self._search.X), queries)

    def _measure(self, distances: np.ndarray, queries: np.ndarray) -> np.ndarray:
        return distances if self._distance is None else self._distance(distances, queries)
