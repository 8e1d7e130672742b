"""The histogram of a counted column in a node: one cell for each code that is there, in order of code."""

from __future__ import annotations

import numpy as np

from probus.tree.kernel_parts import inner
from probus.tree.preparation._row_target import add_row

_FEW = 32  # values up to which insertion is the fastest sort


@inner
def fill_cells(codes, n_codes, rows, label, amount, weight, code_of, cells, buffer):
    """Tally the node's rows by code; returns how many cells there are. The missing, if any, have the last.

    A node with many rows for each code is counted straight into its cells; one with few is sorted.

    codes (IN)    int32[n] the column; missing is n_codes
    rows (IN)     int64[m] the node's rows
    code_of (OUT) int64[*] the code of each cell
    cells (OUT)   float64[*, 2 + q K] the tally of each cell
    buffer (OUT)  int64[n]
    """
    m, filled = len(rows), 0
    if n_codes <= 4 * m:
        for c in range(n_codes + 1):
            for k in range(cells.shape[1]):
                cells[c, k] = 0.0
        for r in rows:
            add_row(cells, np.int64(codes[r]), r, label, amount, weight)
        for c in range(n_codes + 1):
            if cells[c, 0] > 0.0:
                code_of[filled] = c
                for k in range(cells.shape[1]):
                    cells[filled, k] = cells[c, k]
                filled += 1
        return filled
    for i in range(m):
        buffer[i] = (np.int64(codes[rows[i]]) << 32) | i
    _shell_sort(buffer, m)
    last = np.int64(-1)
    for i in range(m):
        code, r = buffer[i] >> 32, rows[buffer[i] & 0xFFFFFFFF]
        if code != last:
            code_of[filled] = last = code
            for k in range(cells.shape[1]):
                cells[filled, k] = 0.0
            filled += 1
        add_row(cells, filled - 1, r, label, amount, weight)
    return filled


@inner
def _shell_sort(a, m):
    """Sort the first m numbers in place, by gaps that shrink 2.25 times."""
    gap = 1
    while gap < m:
        gap = int(gap * 2.25) + 1
    while gap > 1:
        gap = max(1, int((gap - 1) / 2.25))
        for i in range(gap, m):
            x, j = a[i], i
            while j >= gap and a[j - gap] > x:
                a[j] = a[j - gap]
                j -= gap
            a[j] = x


@inner
def sort_by(scores, order, m, other):
    """Put ``order[:m]`` in order of the scores it points to; equal scores stay as they are.

    A merge sort; few values are sorted by insertion.

    scores (IN)   float64[*]
    order (INOUT) int64[*]
    other (OUT)   int64[*]
    """
    if m <= _FEW:
        for p in range(1, m):
            c, q = order[p], p
            while q > 0 and scores[order[q - 1]] > scores[c]:
                order[q] = order[q - 1]
                q -= 1
            order[q] = c
        return
    width = 1
    while width < m:
        for low in range(0, m, 2 * width):
            mid, high = min(low + width, m), min(low + 2 * width, m)
            i, j = low, mid
            for k in range(low, high):
                if i < mid and (j >= high or scores[order[i]] <= scores[order[j]]):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        for k in range(m):
            order[k] = other[k]
        width *= 2
