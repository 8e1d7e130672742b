"""Values become bins once for all trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.parallel import chunked, thread_count
from probus.tree.preparation._codes import in_order
from probus.tree.preparation._design import Design
from probus.tree.preparation._quantile_bins import quantile_bins

N_CODES, NOMINAL, START = range(3)  # the columns of ``about``
_AT_ONCE, _ROWS = 8, 2048  # columns and rows that are copied together: a line of the cache, and what fits into it
_MANY = 20_000  # rows from which compiling the sort is worthwhile


class CodedColumns(NamedTuple):
    """The columns as codes, and their values; missing values have the code after the last.

    ``about`` holds for each column how many codes it has, whether it is nominal, and where its values begin in ``low``
    and ``high``, the smallest and the largest value of each bin.
    """

    codes: np.ndarray  # uint8[d, n], or uint16 where that is too small
    about: np.ndarray  # int64[d, 3]
    low: np.ndarray
    high: np.ndarray


def binned(design: Design, max_bins: int, n_jobs: int | None = None) -> CodedColumns:
    """Columns of numbers in at most so many bins of about equally many rows; levels as they are.

    A column of no more distinct values than bins keeps each of them.
    """
    X, n_levels = design.X, design.n_levels
    n, d = X.shape
    wide = max(max_bins, int(n_levels.max(initial=0))) > 255
    codes = np.empty((d, n), np.uint16 if wide else np.uint8)
    nothing = np.empty(0)
    ranges = [(nothing, nothing)] * d

    def part(first: int, last: int) -> None:
        columns = _columns(X, first, last)
        for j, x in enumerate(columns, first):
            if n_levels[j]:
                codes[j] = np.where(np.isnan(x), n_levels[j], x)
                continue
            order = in_order(x) if n >= _MANY else np.argsort(x, kind="stable").astype(np.uint64)
            low, high = np.empty(max_bins), np.empty(max_bins)
            n_bins = quantile_bins(x[order], order, low, high, codes[j])
            ranges[j] = low[:n_bins], high[:n_bins]

    chunked(part, d, thread_count(n_jobs, 40.0 * n * d), chunk=_AT_ONCE)
    n_bins = np.array([len(low) for low, _ in ranges])
    about = np.column_stack([np.where(n_levels > 0, n_levels, n_bins), n_levels > 0, np.cumsum(n_bins) - n_bins])
    return CodedColumns(codes, about.astype(np.int64), *(np.concatenate(side) for side in zip(*ranges, strict=True)))


def by_row(bins: CodedColumns, block: int) -> CodedColumns:
    """The same with the codes of each row side by side, [n, D]; D is a multiple of ``block``, by columns of zeros."""
    d, n = bins.codes.shape
    codes = np.zeros((n, -(-d // block) * block), bins.codes.dtype)
    for start in range(0, n, _ROWS):
        codes[start : start + _ROWS, :d] = bins.codes[:, start : start + _ROWS].T
    return bins._replace(codes=codes)


def reorder_rows(bins: CodedColumns, order: np.ndarray, n_jobs: int | None = None) -> None:
    """Reorder the rows, in place."""

    def part(first: int, last: int) -> None:
        for column in bins.codes[first:last]:
            column[:] = column[order]

    chunked(part, len(bins.codes), thread_count(n_jobs, 5.0 * bins.codes.size), chunk=1)


def _columns(X: np.ndarray, first: int, last: int) -> np.ndarray:
    """Some columns, each contiguous; of a matrix in row order, no cache line is fetched twice."""
    columns = np.empty((last - first, len(X)))
    for start in range(0, len(X), _ROWS):
        columns[:, start : start + _ROWS] = X[start : start + _ROWS, first:last].T
    return columns
