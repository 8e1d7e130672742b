"""Means and centred products of the rows of each class."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from probus.compiling import njit, read_only
from probus.linear_model.datafits import moments_of
from probus.parallel import blas_on_one_thread, chunked, thread_count

_CHUNK_BYTES = 2_000_000  # a chunk of centred rows stays in the cache
_SHIFT_ROWS = 100  # rows of a class whose mean is near enough to that of all


@dataclass(frozen=True)
class ClassMoments:
    """Sums over weighted rows.

    total : float64[K], the sum of weights of each class. means : float64[K, d].
    scatter : sums of products of deviations from the mean of the class; float64[d, d] over all classes,
    float64[K, d, d] of each, or float64[K, d] of squares.
    """

    total: np.ndarray
    means: np.ndarray
    scatter: np.ndarray


def pooled_moments(X: np.ndarray, codes: np.ndarray, n_classes: int, weights: np.ndarray | None) -> ClassMoments:
    """The moments of classes that share a covariance, in one pass.

    Rows are shifted by the mean of a few rows of their class before they are multiplied, and the sums corrected for the
    difference to the mean of all. The sums of chunks are added in order, so threads do not change the result.

    >>> X, codes = np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1])
    >>> pooled_moments(X, codes, 2, None).scatter
    array([[4.]])
    """
    n, d = X.shape
    w = np.ones(n) if weights is None else weights
    total = np.bincount(codes, w, minlength=n_classes)
    shift = _first_means(X, codes, n_classes)
    chunk = int(np.clip(_CHUNK_BYTES / (8 * d), 64, 65_536))

    def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        rows, sums = np.empty((stop - start, d)), np.zeros((n_classes, d))
        mine = [read_only(array[start:stop]) for array in (X, codes, w)]
        centre_rows(*mine, shift, rows, sums)
        return sums, rows.T @ rows

    threads = thread_count(None, float(n) * d**2)
    with blas_on_one_thread(threads > 1):
        parts = chunked(part, n, threads, chunk=chunk)
    offset = sum((sums for sums, _ in parts[1:]), parts[0][0]) / np.where(total > 0.0, total, 1.0)[:, None]
    scatter = sum((products for _, products in parts[1:]), parts[0][1])
    scatter -= (total[:, None] * offset).T @ offset
    return ClassMoments(total, shift + offset, scatter)


def moments_by_class(X: np.ndarray, codes: np.ndarray, n_classes: int, weights: np.ndarray | None) -> ClassMoments:
    """The moments of classes that each have their own covariance."""
    parts = []
    for k in range(n_classes):
        rows = codes == k
        w = None if weights is None else weights[rows]
        parts.append(moments_of(X[rows], np.empty((int(rows.sum()), 0)), w, centred=True))
    return ClassMoments(
        np.array([part.total for part in parts]),
        np.array([part.x_mean for part in parts]),
        np.array([part.gram for part in parts]),
    )


def variances_by_class(X: np.ndarray, codes: np.ndarray, n_classes: int, weights: np.ndarray | None) -> ClassMoments:
    """The moments of classes whose columns are independent."""
    w = np.ones(len(codes)) if weights is None else weights
    means, squares = np.empty((n_classes, X.shape[1])), np.empty((n_classes, X.shape[1]))
    for k in range(n_classes):
        rows = codes == k
        means[k] = np.average(X[rows], axis=0, weights=w[rows])
        squares[k] = w[rows] @ (X[rows] - means[k]) ** 2
    return ClassMoments(np.bincount(codes, w, minlength=n_classes), means, squares)


def _first_means(X: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_classes + 1))
    first = [X[order[a : min(b, a + _SHIFT_ROWS)]] for a, b in pairwise(starts)]
    return np.array([rows.mean(axis=0) if len(rows) else np.zeros(X.shape[1]) for rows in first])


@njit(nogil=True, cache=True)
def centre_rows(X, label, w, shift, rows, sums):
    """Rows minus the shift of their class, times the root of their weight, and the weighted sums of the differences.

    X (IN)      float64[n, d]
    label (IN)  int64[n]       in [0, K)
    w (IN)      float64[n]     weights
    shift (IN)  float64[K, d]
    rows (OUT)  float64[n, d]
    sums (OUT)  float64[K, d]  added to
    """
    for i in range(X.shape[0]):
        k, root = label[i], np.sqrt(w[i])
        for j in range(X.shape[1]):
            v = X[i, j] - shift[k, j]
            rows[i, j] = root * v
            sums[k, j] += w[i] * v
