"""Means and centred products of a design matrix and its targets, in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.parallel import blas_on_one_thread, chunked, thread_count

_CHUNK_BYTES = 2_000_000  # a chunk of rows and its centred copy stay in the cache
_LARGEST_CHUNK = 65_536


@dataclass(frozen=True)
class Moments:
    """Sums over weighted rows, relative to the means where ``centred``.

    total : the sum of weights. x_mean, y_mean : the means, zero unless centred.
    gram : XᵀX. xy : XᵀY. yy : the sum of squares of each target.
    """

    total: float
    x_mean: np.ndarray
    y_mean: np.ndarray
    gram: np.ndarray
    xy: np.ndarray
    yy: np.ndarray


def moments_of(
    X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, *, centred: bool, n_jobs: int | None = None
) -> Moments:
    """The moments of float64[n, p] and float64[n, k].

    Rows are shifted by the means of the first chunk before they are multiplied, and the sums corrected for the
    difference to the means of all rows. The sums of chunks are added in order, so threads do not change the result.

    >>> moments_of(np.array([[1.0], [3.0]]), np.array([[2.0], [4.0]]), None, centred=True).gram
    array([[2.]])
    """
    n, p = X.shape
    chunk = int(np.clip(_CHUNK_BYTES / (8 * (p + Y.shape[1])), 64, _LARGEST_CHUNK))
    shift = np.zeros(p + Y.shape[1])
    if centred:
        shift[:p], shift[p:] = X[:chunk].mean(axis=0), Y[:chunk].mean(axis=0)

    def part(start: int, stop: int) -> tuple[float, np.ndarray, np.ndarray]:
        rows = np.empty((stop - start, len(shift)))
        np.subtract(X[start:stop], shift[:p], out=rows[:, :p])
        np.subtract(Y[start:stop], shift[p:], out=rows[:, p:])
        if weights is None:
            return float(stop - start), rows.sum(axis=0), rows.T @ rows
        w = weights[start:stop]
        sums = w @ rows
        rows *= np.sqrt(w)[:, None]
        return float(w.sum()), sums, rows.T @ rows

    threads = thread_count(n_jobs, float(n) * len(shift) ** 2)
    with blas_on_one_thread(threads > 1):
        parts = chunked(part, n, threads, chunk=chunk)
    total = sum(part[0] for part in parts)
    products = sum((part[2] for part in parts[1:]), parts[0][2])
    if centred:
        mean = sum((part[1] for part in parts[1:]), parts[0][1]) / total
        products -= total * np.outer(mean, mean)
        shift += mean
    return Moments(total, shift[:p], shift[p:], products[:p, :p], products[:p, p:], products.diagonal()[p:].copy())


def centred_rows(
    X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, intercept: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows and targets minus their means, times the root of the weights, and the means; copies, in column order."""
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    rows, targets = np.array(X, dtype=np.float64, order="F"), np.array(Y, dtype=np.float64, order="F")
    if intercept:
        x_mean, y_mean = np.average(rows, axis=0, weights=weights), np.average(targets, axis=0, weights=weights)
        rows -= x_mean
        targets -= y_mean
        for centred, mean in ((rows, x_mean), (targets, y_mean)):  # the mean itself was rounded
            rest = np.average(centred, axis=0, weights=weights)
            centred -= rest
            mean += rest
    if weights is not None:
        root = np.sqrt(weights)[:, None]
        rows *= root
        targets *= root
    return rows, targets, x_mean, y_mean
