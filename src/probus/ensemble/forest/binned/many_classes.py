"""The best cut of a column among any number of classes, of any weights.

A small node puts its rows in order of their codes, by counting, and lets them cross one by one; a large one sums up the
classes of each code first.
"""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from probus.ensemble.forest.binned.two_classes import DENSE
from probus.tree.kernel import inner
from probus.tree.risk import ENTROPY, xlogx

__all__ = ["cut_many_classes"]


@inner
def cut_many_classes(
    column, n_codes, rows, load, start, end, hist, counts, bits, cells, order, sides, total, rules, table
):  # fmt: skip
    """As ``cut_two_classes``, for any number of classes.

    load (IN)      float64[m, 2] weight and class, beside rows
    hist (INOUT)   float64[*, K] the weight of each class at each code; zero before and after
    counts (INOUT) int64[*] rows of each code; zero before and after
    cells (OUT)    int64[2, *] the codes that are there, and where in order the rows of each end
    order (OUT)    int64[m] room for places of rows in order of their codes
    sides (OUT)    float64[2, 2 + K] room for the tallies of either side
    """
    n_classes = len(total) - 2
    by_code = end - start > n_codes * n_classes // 2
    filled = list_codes(column, n_codes, rows, start, end, counts, bits, cells)
    if by_code:
        for i in range(start, end):
            hist[column[rows[i]], np.int64(load[i, 1])] += load[i, 0]
    else:
        for i in range(start, end):
            c = np.int64(column[rows[i]])
            order[counts[c]] = i
            counts[c] += 1
    missing = cells[0, filled - 1] == n_codes
    best, low, high, missing_left = -np.inf, np.int64(-1), np.int64(-1), 0
    for way in range(2 if missing and filled > 1 else 1):
        for k in range(len(total)):
            sides[0, k], sides[1, k] = 0.0, total[k]
        if way == 1:
            cross_over(filled - 1, cells, load, order, hist, by_code, sides)
        found, at = cross(filled - way, cells, load, order, hist, by_code, sides, rules, table)
        if found > best:
            best, low, high, missing_left = found, cells[0, at - 1], cells[0, at], way
    for q in range(filled):
        counts[cells[0, q]] = 0
        for k in range(n_classes if by_code else 0):
            hist[cells[0, q], k] = 0.0
    return best, low, high, missing_left


@inner
def list_codes(column, n_codes, rows, start, end, counts, bits, cells):
    """List the codes that are there; returns how many. ``counts`` then says where in order the rows of each begin."""
    few, filled, at = end - start < DENSE, 0, np.int64(0)
    for i in range(start, end):
        c = np.int64(column[rows[i]])
        counts[c] += 1
        if few:
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        if not few:
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
def cross_over(cell, cells, load, order, hist, by_code, sides):
    """Let all rows of a cell cross from right to left."""
    first, here = rows_of(cell, cells)
    sides[0, 0] += here
    sides[1, 0] -= here
    for q in range(hist.shape[1] if by_code else here):
        if by_code:
            move(sides, q, hist[cells[0, cell], q])
        else:
            move(sides, np.int64(load[order[first + q], 1]), load[order[first + q], 0])


@inner
def move(sides, k, w):
    """Let a weight of class k cross from right to left; what rounding leaves must not fall below nothing."""
    sides[0, 1] += w
    sides[1, 1] = max(sides[1, 1] - w, 0.0)
    sides[0, 2 + k] += w
    sides[1, 2 + k] = max(sides[1, 2 + k] - w, 0.0)


@inner
def cross(filled, cells, load, order, hist, by_code, sides, rules, table):
    """Let cell after cell cross from right to left: the best score, and the cell right of that cut."""
    entropy, n_classes = rules.risk == ENTROPY, sides.shape[1] - 2
    fl, fr = 0.0, 0.0  # Σ φ(s_k), the part of a score that changes in one class at a time
    for j in range(2, 2 + n_classes):
        fl += xlogx(sides[0, j], table) if entropy else sides[0, j] * sides[0, j]
        fr += xlogx(sides[1, j], table) if entropy else sides[1, j] * sides[1, j]
    best, at = -np.inf, np.int64(-1)
    for cell in range(filled):
        large = min(sides[0, 0], sides[1, 0]) >= rules.min_leaf and min(sides[0, 1], sides[1, 1]) >= rules.min_weight
        if cell > 0 and large and min(sides[0, 1], sides[1, 1]) > 0.0:
            if entropy:
                found = fl - xlogx(sides[0, 1], table) + fr - xlogx(sides[1, 1], table)
            else:
                found = fl / sides[0, 1] + fr / sides[1, 1]
            if found > best:
                best, at = found, np.int64(cell)
        first, here = rows_of(cell, cells)
        sides[0, 0] += here
        sides[1, 0] -= here
        for q in range(n_classes if by_code else here):
            k = np.int64(q) if by_code else np.int64(load[order[first + q], 1])
            w = hist[cells[0, cell], k] if by_code else load[order[first + q], 0]
            if w == 0.0:
                continue
            a, b = sides[0, 2 + k], sides[1, 2 + k]
            if entropy:
                fl += xlogx(a + w, table) - xlogx(a, table)
                fr += xlogx(max(b - w, 0.0), table) - xlogx(b, table)
            else:
                fl += w * (2.0 * a + w)
                fr -= w * (2.0 * b - w)
            move(sides, k, w)
    return best, at
