"""Exact search by any Minkowski distance, or by counting differences: column by column over blocks of rows."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from probus.compiling import njit, read_only
from probus.distances._topk import empty_nearest, insert
from probus.parallel import chunked, thread_count

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
