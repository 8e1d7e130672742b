"""Exact Euclidean search by matrix products.

Squared distances are ‖x‖² − 2 x·q + ‖q‖², so a block of them is one matrix product. Made in single precision that costs
half, and is wrong in the last digits. So the terms are shrunk by the worst error the product can make, which turns it
into a *lower bound*. A row whose bound is below the k-th best distance so far, and only such a row, has its distance
computed from the differences in double precision. The answers are those of a loop over all pairs.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from probus.compiling import njit, read_only
from probus.distances._topk import empty_nearest, insert
from probus.parallel import chunked, thread_count

_ROWS_A_BLOCK = 2048  # a block of bounds, 256 × 2048 singles, stays in the second-level cache
_QUERIES_A_CHUNK = 256
_LANE = 64  # rows compared with the limit at once
_FEW = 4_000_000  # multiplications below which a plain loop is over before a product is set up
_TOO_MANY = 0.02  # share of rows recomputed needlessly above which single precision is too coarse for the data


class ProductSearch:
    """The nearest rows of X in Euclidean distance.

    >>> ProductSearch(np.array([[0.0, 0.0], [3.0, 4.0]])).nearest(np.array([[0.0, 1.0]]), k=1)
    (array([[1.]]), array([[0]]))
    """

    method = "brute"

    def __init__(self, X: np.ndarray):
        self.X = np.ascontiguousarray(X)
        self._centre = X.mean(axis=0)
        centred = X - self._centre
        # a power of two: scaling by it is exact, and single precision neither overflows nor underflows
        size = float(np.abs(centred).max(initial=0.0))
        self._scale = 2.0 ** -np.round(np.log2(size)) if 0 < size < np.inf else 1.0
        self._terms: dict[type, list[np.ndarray]] = {}

    def _row_terms(self, precision: type) -> list[np.ndarray]:
        """Per block of rows, the matrix (−2 xᵀ ; ‖x‖² shrunk) that a block of queries (q, 1) is multiplied by."""
        if precision not in self._terms:
            centred = (self.X - self._centre) * self._scale
            squares = np.einsum("ij,ij->i", centred, centred) * (1.0 - self._slack(precision))
            terms: np.ndarray = np.vstack([-2.0 * centred.T, squares]).astype(precision)
            self._terms[precision] = [
                np.ascontiguousarray(terms[:, start : start + _ROWS_A_BLOCK])
                for start in range(0, terms.shape[1], _ROWS_A_BLOCK)
            ]
        return self._terms[precision]

    def _slack(self, precision: type) -> float:
        """Relative error of the product, bounded: each of d + 1 terms is rounded, and so is each partial sum."""
        return 2.0 * (self.X.shape[1] + 16) * float(np.finfo(precision).eps)

    def nearest(self, queries: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers; of equal distances the first rows."""
        distances, rows = empty_nearest(len(queries), k)
        operations = float(len(queries)) * self.X.size
        if operations < _FEW:
            scan(read_only(self.X), read_only(queries), distances, rows)
            return np.sqrt(distances, out=distances), rows
        threads = thread_count(n_jobs, operations)
        precision = self._precision(queries, k)

        def fill(start: int, stop: int) -> None:
            self._search(queries[start:stop], precision, distances[start:stop], rows[start:stop])

        with threadpool_limits(1 if threads > 1 else None, user_api="blas"):
            chunked(fill, len(queries), threads, chunk=_QUERIES_A_CHUNK)
        return np.sqrt(distances, out=distances), rows

    def distances(self, queries: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row."""
        return cdist(queries, self.X)

    def _precision(self, queries: np.ndarray, k: int) -> type:
        """Single precision, unless a few queries show that its bounds let too many rows through."""
        sample = queries[:: max(1, len(queries) // 16)][:16]
        recomputed = self._search(sample, np.float32, *empty_nearest(len(sample), k)) / len(sample)
        n = len(self.X)
        needed = k * (1.0 + np.log(n / k))  # rows in random order: how often the nearest k so far change
        return np.float32 if recomputed < 2.0 * needed + _TOO_MANY * n else np.float64

    def _search(self, queries: np.ndarray, precision: type, distances: np.ndarray, rows: np.ndarray) -> int:
        centred = (queries - self._centre) * self._scale
        slack = self._slack(precision)
        squares = np.einsum("ij,ij->i", centred, centred)
        left = np.empty((len(queries), queries.shape[1] + 1), dtype=precision)
        left[:, :-1] = centred
        left[:, -1] = 1.0
        X, queries = read_only(self.X), read_only(np.ascontiguousarray(queries))
        recomputed = 0
        for block, terms in enumerate(self._row_terms(precision)):
            bounds = left @ terms
            recomputed += sift(
                bounds, squares, slack, self._scale**2, block * _ROWS_A_BLOCK, X, queries, distances, rows
            )
        return recomputed


@njit(nogil=True, cache=True)
def squared_distance(x, q):
    """Sum of squared differences of two rows."""
    total = 0.0
    for j in range(x.shape[0]):
        difference = x[j] - q[j]
        total += difference * difference
    return total


@njit(nogil=True, cache=True)
def scan(X, queries, nearest, rows):
    """The nearest rows by a plain loop over all pairs; arguments as in ``sift``."""
    k = nearest.shape[1]
    for i in range(queries.shape[0]):
        for row in range(X.shape[0]):
            distance = squared_distance(X[row], queries[i])
            if distance < nearest[i, k - 1]:
                insert(distance, row, nearest[i], rows[i])


@njit(nogil=True, cache=True)
def _limit(worst, square, slack, scale):
    """The largest bound, less the query's own square, of a row whose distance is to be computed."""
    if worst == 0.0:
        return -np.inf  # no row is nearer, and of equally near rows the first are kept
    scaled = worst * scale
    return scaled * (1.0 + slack) - square * (1.0 - slack) + 1e-35


@njit(nogil=True, cache=True)
def sift(bounds, squares, slack, scale, first, X, queries, nearest, rows):
    """Compute the distances of a block's rows whose bounds are low enough, and keep the nearest rows.

    bounds (IN)       float[q, m]    lower bounds of squared distances, less ‖q‖², in scaled units
    squares (IN)      float64[q]     ‖q‖²
    first (IN)        int            number of the block's first row
    X (IN)            float64[n, d];  queries (IN) float64[q, d]
    nearest (IN, OUT) float64[q, k]  squared distances, ascending;  rows (IN, OUT) int64[q, k]
    returns           int            how many rows were recomputed
    """
    k = nearest.shape[1]
    m = bounds.shape[1]
    recomputed = 0
    for i in range(bounds.shape[0]):
        bound = bounds[i]
        limit = _limit(nearest[i, k - 1], squares[i], slack, scale)
        for start in range(0, m, _LANE):
            stop = min(start + _LANE, m)
            hits = 0
            for b in range(start, stop):
                hits += bound[b] <= limit
            if hits == 0:
                continue
            for b in range(start, stop):
                if bound[b] <= limit:
                    recomputed += 1
                    distance = squared_distance(X[first + b], queries[i])
                    if distance < nearest[i, k - 1]:
                        insert(distance, first + b, nearest[i], rows[i])
                        limit = _limit(nearest[i, k - 1], squares[i], slack, scale)
    return recomputed
