"""Means and products of columns in one pass over the rows."""

from __future__ import annotations

import numpy as np

from probus.parallel import blas_on_one_thread, chunked, thread_count

_ROWS_A_BLOCK = 1024  # a block of some dozen columns stays in the second-level cache
_ROWS_A_CHUNK = 65_536  # summed in this order for any number of threads


def centred_products(X: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each column, and Σ (x − mean)(x − mean)ᵀ.

    Rows are shifted by an approximate mean, block by block, so that a mean far from 0 costs no digits and no copy of
    the matrix is made. The rest of the mean is subtracted from the sums.

    >>> centred_products(np.array([[1.0, 2.0], [3.0, 6.0]]))
    (array([2., 4.]), array([[2., 4.],
           [4., 8.]]))
    """
    n, d = X.shape
    shift = X[:: max(1, n // 256)][:256].mean(axis=0)

    def sums(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        total, products = np.zeros(d), np.zeros((d, d))
        for first in range(start, stop, _ROWS_A_BLOCK):
            block = X[first : min(first + _ROWS_A_BLOCK, stop)] - shift
            total += block.sum(axis=0)
            products += block.T @ block
        return total, products

    threads = thread_count(n_jobs, float(n) * d * d)
    with blas_on_one_thread(threads > 1):
        parts = chunked(sums, n, threads, chunk=_ROWS_A_CHUNK)
    rest = sum((part[0] for part in parts), np.zeros(d)) / n
    products = sum((part[1] for part in parts), np.zeros((d, d)))
    return shift + rest, products - n * np.outer(rest, rest)
