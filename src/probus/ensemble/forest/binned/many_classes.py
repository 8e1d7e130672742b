"""The best cut of a column among any number of classes, of any weights.

A small node puts its rows in order of their codes, by counting, and lets them cross one by one; a large one sums up the
classes of each code first.
"""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from probus.tree.kernel import inner
from probus.tree.risk import ENTROPY, xlogx

__all__ = ["cut_many_classes"]


@inner
def cut_many_classes(
    column, n_codes, rows, load, start, end, hist, counts, bits, cells, order, left, total, rules, table
):  # fmt: skip
    """As ``cut_two_classes``, for any number of classes.

    load (IN)      float64[m, 2] weight and class, beside rows
    hist (INOUT)   float64[*, K] the weight of each class at each code; zero before and after
    counts (INOUT) int64[*] rows of each code; zero before and after
    cells (OUT)    int64[2, *] the codes that are there, and where in order the rows of each end
    order (OUT)    int64[m] room for places of rows in order of their codes
    left (OUT)     float64[2 + K] room for a tally
    """
    n_classes = len(total) - 2
    by_code = end - start > n_codes * n_classes // 2
    for i in range(start, end):
        c = np.int64(column[rows[i]])
        counts[c] += 1
        if by_code:
            hist[c, np.int64(load[i, 1])] += load[i, 0]
        else:
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    filled = list_codes(n_codes, by_code, counts, bits, cells)
    if not by_code:
        for i in range(start, end):
            c = np.int64(column[rows[i]])
            order[counts[c]] = i
            counts[c] += 1
    missing = cells[0, filled - 1] == n_codes
    best, low, high, missing_left = -np.inf, np.int64(-1), np.int64(-1), 0
    for way in range(2 if missing and filled > 1 else 1):
        for k in range(len(total)):
            left[k] = 0.0
        if way == 1:
            cross_over(filled - 1, cells, load, order, hist, by_code, left)
        found, at = cross(filled - way, cells, load, order, hist, by_code, left, total, rules, table)
        if found > best:
            best, low, high, missing_left = found, cells[0, at - 1], cells[0, at], way
    for q in range(filled):
        counts[cells[0, q]] = 0
        for k in range(n_classes if by_code else 0):
            hist[cells[0, q], k] = 0.0
    return best, low, high, missing_left


@inner
def list_codes(n_codes, unmarked, counts, bits, cells):
    """List the codes that are there; returns how many. ``counts`` then says where in order the rows of each begin."""
    filled, at = 0, np.int64(0)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        if unmarked:
            for bit in range(min(64, n_codes + 1 - 64 * word)):
                there |= np.uint64(counts[64 * word + bit] != 0) << np.uint64(bit)
        while there != 0:
            c = 64 * word + np.int64(trailing_zeros(there))
            there &= there - np.uint64(1)
            here = counts[c]
            counts[c] = at
            at += here
            cells[0, filled], cells[1, filled] = c, at
            filled += 1
    return filled


@inner
def rows_of(cell, cells):
    """Where in order the rows of a cell begin, and how many they are."""
    first = cells[1, cell - 1] if cell > 0 else np.int64(0)
    return first, cells[1, cell] - first


@inner
def cross_over(cell, cells, load, order, hist, by_code, left):
    """Add all rows of a cell to the tally of what is left of the cut."""
    first, here = rows_of(cell, cells)
    left[0] += here
    for q in range(hist.shape[1] if by_code else here):
        k, w = np.int64(q), 0.0
        if by_code:
            w = hist[cells[0, cell], q]
        else:
            k, w = np.int64(load[order[first + q], 1]), load[order[first + q], 0]
        left[1] += w
        left[2 + k] += w


@inner
def cross(filled, cells, load, order, hist, by_code, left, total, rules, table):
    """Let cell after cell cross from right to left: the best score, and the cell right of that cut."""
    entropy, n_classes = rules.risk == ENTROPY, len(total) - 2
    fl, fr = 0.0, 0.0  # Σ φ(s_k), the part of a score that changes in one class at a time
    for j in range(2, 2 + n_classes):
        a, b = left[j], max(total[j] - left[j], 0.0)
        fl += xlogx(a, table) if entropy else a * a
        fr += xlogx(b, table) if entropy else b * b
    best, best_den, at = -np.inf, 1.0, np.int64(-1)
    n, wl = left[0], left[1]
    for cell in range(filled):
        wr = total[1] - wl
        large = min(n, total[0] - n) >= rules.min_leaf and min(wl, wr) >= rules.min_weight
        if cell > 0 and large and min(wl, wr) > 0.0:
            num, den = fl * wr + fr * wl, wl * wr
            if entropy:
                num, den = fl - xlogx(wl, table) + fr - xlogx(wr, table), 1.0
            if num * best_den > best * den:
                best, best_den, at = num, den, np.int64(cell)
        first, here = rows_of(cell, cells)
        n += here
        for q in range(n_classes if by_code else here):
            k = np.int64(q) if by_code else np.int64(load[order[first + q], 1])
            w = hist[cells[0, cell], k] if by_code else load[order[first + q], 0]
            if by_code and w == 0.0:
                continue
            a = left[2 + k]
            b = max(total[2 + k] - a, 0.0)  # what rounding leaves must not fall below nothing
            if entropy:
                fl += xlogx(a + w, table) - xlogx(a, table)
                fr += xlogx(max(b - w, 0.0), table) - xlogx(b, table)
            else:
                fl += w * (2.0 * a + w)
                fr -= w * (2.0 * b - w)
            left[2 + k] = a + w
            wl += w
    return best / best_den, at
