"""Which way to search: by metric, number of rows and number of columns."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.neighbors import NearestNeighbors as BorrowedNeighbors

from probus.neighbors.columns import ColumnSearch
from probus.neighbors.product import ProductSearch
from probus.neighbors.tree import TreeSearch

__all__ = ["ORDERS", "BorrowedSearch", "Search", "choose_search", "effective_metric"]

# Minkowski's order of each metric that is one; 0 stands for the share of columns that differ
ORDERS = {
    "euclidean": 2.0,
    "l2": 2.0,
    "manhattan": 1.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "chebyshev": np.inf,
    "infinity": np.inf,
    "hamming": 0.0,
}
_FEW_COLUMNS = 6  # above, a k-d tree visits most of its leaves and loses to products (measured, 50,000 rows)
_MANY_ROWS = 1000


class Search(Protocol):
    """Anything that finds the nearest rows."""

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and which they are."""


class BorrowedSearch:
    """scikit-learn's search, for what is not ours: sparse and precomputed data, callables, rarer metrics."""

    def __init__(self, model: BorrowedNeighbors):
        self.model = model

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and which they are."""
        return self.model.kneighbors(queries, k)


def effective_metric(metric: Any, p: float, params: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The metric by its plainest name and what is left of its parameters, as scikit-learn reports them.

    >>> effective_metric("minkowski", 1, None), effective_metric("minkowski", 3, None)
    (('manhattan', {}), ('minkowski', {'p': 3, 'w': None}))
    """
    left = dict(params or {})
    if metric != "minkowski":
        return metric, left
    order, w = left.pop("p", p), left.pop("w", None)
    plain = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
    if w is None and order in plain:
        return plain[order], left
    return metric, {**left, "p": order, "w": w}


def choose_search(X: np.ndarray, metric: str, params: dict[str, Any], algorithm: str, leaf_size: int) -> Search | None:
    """Our own search for dense numbers, or None where it must be borrowed."""
    order, w = ORDERS.get(metric), None
    if metric == "minkowski":
        order, w = float(params["p"]), params["w"]
    elif params:
        return None
    if metric == "cosine":
        return _cosine(X)
    if order is None or algorithm == "ball_tree" or 0 < order < 1:
        return None
    if w is not None:
        w = np.asarray(w, dtype=np.float64)
        if algorithm == "kd_tree" or w.shape != (X.shape[1],) or (w < 0).any():
            return None
    tree_fits = w is None and order >= 1
    few_columns = X.shape[1] <= _FEW_COLUMNS and len(X) >= _MANY_ROWS
    if tree_fits and (algorithm == "kd_tree" or (algorithm == "auto" and few_columns)):
        return TreeSearch(X, order, leaf_size)
    if algorithm == "kd_tree":
        return None
    if order == 2.0:
        return ProductSearch(X) if w is None else _WeightedSearch(X, w)
    return ColumnSearch(X, order, w)


class _WeightedSearch:
    """Weighted Euclidean distance: each column stretched by the root of its weight."""

    def __init__(self, X: np.ndarray, w: np.ndarray):
        self._stretch = np.sqrt(w)
        self._search = ProductSearch(X * self._stretch)

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and which they are."""
        return self._search.nearest(queries * self._stretch, k, n_jobs)


class _CosineSearch:
    """1 − cos, by the Euclidean distance of rows scaled to length 1: half its square."""

    def __init__(self, X: np.ndarray):
        self._search = ProductSearch(X / np.linalg.norm(X, axis=1, keepdims=True))

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and which they are."""
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        distances, rows = self._search.nearest(queries / np.where(lengths > 0, lengths, 1.0), k, n_jobs)
        distances = 0.5 * distances**2
        distances[lengths[:, 0] == 0] = 1.0  # a row of zeros has no direction: as far from one row as from another
        return distances, rows


def _cosine(X: np.ndarray) -> Search | None:
    return _CosineSearch(X) if np.abs(X).max(axis=1).all() else None
