"""Minkowski's distances, and which search suits their order, the number of rows and that of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from probus.compiling import njit, read_only
from probus.distances._distance import Distance, Search
from probus.distances._euclidean_form import EuclideanForm
from probus.distances._kd_tree_search import KDTreeSearch
from probus.distances._product_search import ProductSearch
from probus.distances._topk import empty_nearest, insert
from probus.errors import DataError
from probus.parallel import chunked, thread_count

_MANY_ROWS = 1000  # below, no tree is built
_FEW_COLUMNS = 6  # up to which a k-d tree is faster for any order
_MOST_COLUMNS = 16  # up to which it is tried for order 2: on many columns it visits most of its leaves
_SAMPLE = 32  # rows whose neighbours are searched to see how many leaves it visits
_FEW_LEAVES = 0.25  # the share of leaves up to which that is faster than matrix products, for any number of rows
_FEW_ROWS = 6000  # up to which it is faster even where all leaves are visited; in between, in proportion
# what these distances need beside the rows, and how it is computed
_SCALES: dict[Any, dict[str, str]] = {
    "seuclidean": {"V": "{'V': X.var(axis=0, ddof=1)}"},
    "mahalanobis": {"V": "{'VI': np.linalg.inv(np.cov(X.T))}", "VI": ""},
}


@dataclass(frozen=True)
class Minkowski(Distance):
    r"""The distance of order p; order 0 is the share of columns that differ.

    .. math:: d(x, z) = \Big(\sum_j w_j |x_j - z_j|^p\Big)^{1/p}

    order : p, or None where the parameters ``p`` and ``w`` give it and the weights of the columns.
    """

    order: float | None = None

    def search(self, rows: np.ndarray, params: Mapping[str, Any], algorithm: str) -> Search | None:
        """A k-d tree for few columns, matrix products for order 2, else column by column."""
        order, w = self.order, None
        if order is None:
            order, w = float(params["p"]), params["w"]
        elif params:
            return None
        if algorithm == "ball_tree" or 0 < order < 1:
            return None
        if w is not None:
            w = np.asarray(w, dtype=np.float64)
            if algorithm == "kd_tree" or w.shape != (rows.shape[1],) or (w < 0).any():
                return None
        if order == 2.0 and w is None and (unit := _unit(rows)) != 1.0:
            return EuclideanForm(rows, partial(np.multiply, 1.0 / unit), lambda distances, queries: distances * unit)
        if w is None and order >= 1 and algorithm in ("auto", "kd_tree"):
            tree = KDTreeSearch(rows, order) if algorithm == "kd_tree" else _fast_tree(rows, order)
            if tree is not None:
                return tree
        if algorithm == "kd_tree":
            return None
        if order == 2.0:
            return ProductSearch(rows) if w is None else EuclideanForm(rows, partial(np.multiply, np.sqrt(w)))
        return ColumnSearch(rows, order, w)


def _fast_tree(rows: np.ndarray, order: float) -> KDTreeSearch | None:
    """A k-d tree, unless another search is faster."""
    n, d = rows.shape
    if n < _MANY_ROWS or d > (_MOST_COLUMNS if order == 2.0 else _FEW_COLUMNS):
        return None
    tree = KDTreeSearch(rows, order)
    if d <= _FEW_COLUMNS or n <= _FEW_ROWS:
        return tree
    share = tree.share_measured(rows[:: n // _SAMPLE])
    return tree if share <= max(_FEW_LEAVES, _FEW_ROWS / n) else None


def _unit(rows: np.ndarray) -> float:
    """The power of two by which rows are divided so that squares neither overflow nor underflow; 1 for ordinary rows.

    >>> _unit(np.array([[3.0, -5.0]])), float(_unit(np.array([[2.0**700]]))) == 2.0**700
    (1.0, True)
    """
    largest = float(max(rows.max(), -rows.min()))
    return 1.0 if largest == 0.0 or 1e-100 < largest < 1e150 else 2.0 ** (np.frexp(largest)[1] - 1)


def effective_metric(metric: Any, p: float, params: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The metric by its plainest name and what is left of its parameters, as scikit-learn reports them.

    >>> effective_metric("minkowski", 1, None), effective_metric("minkowski", 3, None)
    (('manhattan', {}), ('minkowski', {'p': 3, 'w': None}))
    """
    left = dict(params or {})
    if metric in _SCALES and not left.keys() & _SCALES[metric].keys():
        raise DataError(f"metric={metric!r} without the scale of its columns.", f"metric_params={_SCALES[metric]['V']}")
    if metric != "minkowski":
        return metric, left
    order, w = left.pop("p", p), left.pop("w", None)
    plain = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
    if w is None and order in plain:
        return plain[order], left
    return metric, {**left, "p": order, "w": w}


# -- exact search by any Minkowski distance, or by counting differences: column by column over blocks of rows


_BLOCK = 512
_LANE = 64
_QUERIES_A_CHUNK = 128
_SUM, _LARGEST, _DIFFER, _WHOLE_POWER, _POWER = range(5)


class ColumnSearch:
    """The nearest rows of X in the Minkowski distance of order p (``inf`` allowed), or by the share of differences.

    .. math:: d(x, z) = \\Big(\\sum_j w_j |x_j - z_j|^p\\Big)^{1/p}

    ``p=0`` is the share of columns that differ.

    >>> ColumnSearch(np.array([[0.0, 0.0], [3.0, 4.0]]), p=1).nearest(np.array([[3.0, 1.0]]), k=2)
    (array([[3., 4.]]), array([[1, 0]]))
    """

    method = "brute"

    def __init__(self, X: np.ndarray, p: float, w: np.ndarray | None = None):
        self._columns = np.ascontiguousarray(X.T)
        self._p = float(p)
        self._w = np.ones(X.shape[1]) if w is None else np.asarray(w, dtype=np.float64)
        whole = 1 < self._p <= 16 and self._p == int(self._p)
        power = _WHOLE_POWER if whole else _POWER
        self._rule = {0.0: _DIFFER, 1.0: _SUM, np.inf: _LARGEST}.get(self._p, power)

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers; of equal distances the first rows."""
        distances, rows = empty_nearest(len(queries), k)
        d, n = self._columns.shape
        queries, columns, w = read_only(queries), read_only(self._columns), read_only(self._w)

        def fill(start: int, stop: int) -> None:
            part = slice(start, stop)
            column_nearest(queries[part], columns, w, self._rule, self._p, distances[part], rows[part])

        chunked(fill, len(queries), thread_count(n_jobs, float(len(queries)) * n * d), chunk=_QUERIES_A_CHUNK)
        if self._rule in (_WHOLE_POWER, _POWER):
            distances **= 1.0 / self._p
        elif self._rule == _DIFFER:
            distances /= d
        return distances, rows

    def distances(self, queries: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row."""
        rows = self._columns.T
        if self._rule == _DIFFER:
            return cdist(queries, rows, "hamming")
        if self._rule == _LARGEST:
            counted = self._w > 0
            return cdist(queries[:, counted], rows[:, counted], "chebyshev")
        return cdist(queries, rows, "minkowski", p=self._p, w=self._w)


@njit(nogil=True, cache=True)
def column_nearest(queries, columns, w, rule, p, nearest, rows):
    """The nearest rows of each query, updated block by block.

    queries (IN)      float64[q, d];  columns (IN) float64[d, n];  w (IN) float64[d]
    rule (IN)         int            how the columns' differences are combined
    nearest (IN, OUT) float64[q, k]  ascending, before the root;  rows (IN, OUT) int64[q, k]
    """
    d, n = columns.shape
    k = nearest.shape[1]
    total = np.empty(_BLOCK)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        for i in range(queries.shape[0]):
            total[:size] = 0.0
            for j in range(d):
                column = columns[j, start : start + size]
                q, weight = queries[i, j], w[j]
                if rule == _SUM:
                    for b in range(size):
                        total[b] += weight * abs(column[b] - q)
                elif rule == _LARGEST:
                    if weight > 0.0:
                        for b in range(size):
                            difference = abs(column[b] - q)
                            total[b] = difference if difference > total[b] else total[b]
                elif rule == _DIFFER:
                    for b in range(size):
                        total[b] += 1.0 if column[b] != q else 0.0
                elif rule == _WHOLE_POWER:
                    for b in range(size):
                        difference = abs(column[b] - q)
                        power = difference
                        for _ in range(1, int(p)):
                            power *= difference
                        total[b] += weight * power
                else:
                    for b in range(size):
                        total[b] += weight * abs(column[b] - q) ** p
            worst = nearest[i, k - 1]
            for lane in range(0, size, _LANE):
                stop = min(lane + _LANE, size)
                hits = 0
                for b in range(lane, stop):
                    hits += total[b] < worst
                if hits > 0:
                    for b in range(lane, stop):
                        if total[b] < worst:
                            insert(total[b], start + b, nearest[i], rows[i])
                            worst = nearest[i, k - 1]
