"""Histograms: the sum of the rows of a node for each code of each column."""

from __future__ import annotations

import numpy as np

from probus.ensemble.boosting._node_arrays import EVERY_CODE
from probus.numba_seam.instructions import prefetch
from probus.tree.kernel_parts import inner

_AHEAD = 16  # rows whose codes are prefetched


@inner
def clear(cells, begin, end):
    """Set to zero."""
    for c in range(begin, end):
        cells[c] = 0


@inner
def add_shares(cells, shares, begin, end):
    """The sum of the histograms of several threads.

    shares (IN) int64[team, 256 G]
    """
    for c in range(begin, end):
        cells[c] = shares[0, c]
    for t in range(1, len(shares)):
        for c in range(begin, end):
            cells[c] += shares[t, c]


@inner
def subtract(cells, others, begin, end):
    """Subtract the histogram of one child from that of the parent, which leaves the other child."""
    for c in range(begin, end):
        cells[c] -= others[c]


@inner
def count_rows(codes, rows, first, last, row_values, cells, g_first, g_last):
    """Add a range of rows to the histograms of some bytes.

    codes (IN)    uint8[n, G], row by row
    rows (IN)     int32[*]; the stretch is first to last
    pay (IN)      int64[n] what each row adds
    cells (INOUT) int64[256 G]
    """
    for i in range(first, last):
        r = np.uint64(rows[i])
        prefetch(codes, np.int64(rows[min(i + _AHEAD, last - 1)]))
        v, base = row_values[r], np.uint64(EVERY_CODE * g_first)
        for g in range(g_first, g_last):
            cells[base + np.uint64(codes[r, np.uint64(g)])] += v
            base += np.uint64(EVERY_CODE)


@inner
def marginal(cells, base, stride, size, n_cells, out):
    """The histogram of one of several columns that share a byte.

    base (IN)    where the cells of the pack begin; the pack has n_cells, the column's code is (cell // stride) % size
    out (OUT)    int64[size]
    """
    for c in range(size):
        out[c] = 0
    cell = 0
    while cell < n_cells:
        for c in range(size):
            for _ in range(stride):
                out[c] += cells[base + cell]
                cell += 1
