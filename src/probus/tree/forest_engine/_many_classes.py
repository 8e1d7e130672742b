"""The best cut of a column among any number of classes, of any weights.

A small node puts its rows in order of their codes, by counting, and lets them cross one by one. A large one sums up the
classes of each code first.
"""

from __future__ import annotations

import numpy as np

from probus.numba_seam.instructions import trailing_zeros
from probus.tree._criteria import ENTROPY, xlogx
from probus.tree.kernel_parts import inlined, reassociated

LANES = 8  # classes are summed so many at once; sums are padded to a multiple of it
_CELLS = 6  # sums of a class at a code that cross in the time that one row does


@inlined
def cut_many_classes(column, n_codes, rows, load, hist, counts, bits, cells, order, own, left, total, rules, table):
    """As ``cut_two_classes``, for any number of classes.

    load (IN)      float64[m, 2] weight and class, beside rows
    hist (INOUT)   float64[*, K] the weight of each class at each code; zero before and after
    counts (INOUT) int64[*] rows of each code; zero before and after
    cells (OUT)    int64[2, *] the codes that are there, and where in order the rows of each end
    order (OUT)    uint32[m] buffer for places of rows in order of their codes
    own (OUT)      buffer for the codes of these rows
    left (OUT)     float64[2 + K] buffer for a tally
    """
    n_classes = len(total) - 2
    by_code = _CELLS * len(rows) > n_codes * n_classes
    for i in range(len(rows)):
        c = column[rows[i]]
        counts[c] += 1
        own[i] = c
    if by_code:
        for i in range(len(rows)):
            hist[own[i], np.uint64(load[i, 1])] += load[i, 0]
    filled = list_codes(n_codes, own, len(rows), counts, bits, cells)
    if not by_code:
        for i in range(len(rows)):
            at = counts[own[i]]
            counts[own[i]] = at + 1
            order[np.uint64(at)] = i
    missing = cells[0, filled - 1] == n_codes
    best, low, high, missing_left = -np.inf, np.int64(-1), np.int64(-1), 0
    for way in range(2 if missing and filled > 1 else 1):
        found, at = cross(filled, way, cells, load, order, hist, by_code, left, total, rules, table)
        if found > best:
            best, low, high, missing_left = found, cells[0, at - 1], cells[0, at], way
    for q in range(filled):
        c = np.uint64(cells[0, q])
        counts[c] = 0
        for k in range(n_classes if by_code else 0):
            hist[c, k] = 0.0
    return best, low, high, missing_left


@inlined
def list_codes(n_codes, own, n, counts, bits, cells):
    """List the codes that are there; returns how many. ``counts`` then holds where in order the rows of each begin."""
    filled, at, few = 0, np.int64(0), 8 * n < n_codes
    for i in range(n if few else 0):
        bits[own[i] >> 6] |= np.uint64(1) << np.uint64(own[i] & 63)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        if not few:
            for bit in range(min(64, n_codes + 1 - 64 * word)):
                there |= np.uint64(counts[64 * word + bit] != 0) << np.uint64(bit)
        while there != 0:
            c = np.uint64(64 * word) + np.uint64(trailing_zeros(there))
            there &= there - np.uint64(1)
            here = counts[c]
            counts[c] = at
            at += here
            cells[0, filled], cells[1, filled] = c, at
            filled += 1
    return filled


@inlined
def cross(filled, way, cells, load, order, hist, by_code, left, total, rules, table):
    """Let cell after cell cross from right to left: the best score, and the cell right of that cut.

    way (IN) 1 where the last cell, the missing, crosses before the first
    """
    entropy, n_classes = rules.criterion == ENTROPY, len(total) - 2
    wl, fl, fr = 0.0, 0.0, 0.0  # the weight on the left; Σ φ(s_k), the part of a score that changes class by class
    for j in range(2, 2 + n_classes):
        left[j] = 0.0
        fr += xlogx(total[j], table) if entropy else total[j] * total[j]
    best, best_den, at = -np.inf, 1.0, np.int64(-1)
    w, n_all, n = total[1], np.int64(total[0]), np.int64(0)
    for step in range(filled):
        cell = np.uint64(step - way if step >= way else filled - 1)
        wr = w - wl
        large = min(n, n_all - n) >= rules.min_leaf and min(wl, wr) >= rules.min_weight
        if step > way and large and min(wl, wr) > 0.0:
            num, den = fl * wr + fr * wl, wl * wr
            if entropy:
                num, den = fl - xlogx(wl, table) + fr - xlogx(wr, table), 1.0
            if num * best_den > best * den:
                best, best_den, at = num, den, np.int64(cell)
        first = np.int64(0) if cell == 0 else cells[1, cell - np.uint64(1)]
        here = cells[1, cell] - first
        n += here
        if by_code and not entropy:
            dw, dl, dr = crossing_squares(hist[cells[0, cell]], 1.0, left, total)
            wl, fl, fr = wl + dw, fl + dl, fr + dr
            continue
        for q in range(n_classes if by_code else here):
            i = np.uint64(0) if by_code else np.uint64(order[np.uint64(first + q)])
            k = np.uint64(q) if by_code else np.uint64(load[i, 1])
            h = hist[cells[0, cell], k] if by_code else load[i, 0]
            k += np.uint64(2)
            a = left[k]
            b = max(total[k] - a, 0.0)  # what rounding leaves must not fall below nothing
            if entropy:
                fl += xlogx(a + h, table) - xlogx(a, table)
                fr += xlogx(max(b - h, 0.0), table) - xlogx(b, table)
            else:
                fl += h * (2.0 * a + h)
                fr -= h * (2.0 * b - h)
            left[k] = a + h
            wl += h
    return best / best_den, at


@reassociated
def crossing_squares(h, sign, left, total):
    """Let a cell cross, all classes at once, or back: what this adds to Σ s_k, and to Σ s_k² on the left and right."""
    dw, dl, dr = 0.0, 0.0, 0.0
    padded = len(h) - len(h) % LANES  # all of them in a forest
    for block in range(0, padded, LANES):
        for lane in range(LANES):
            k = block + lane
            a, x = left[2 + k], sign * h[k]
            dw += x
            dl += x * (2.0 * a + x)
            dr -= x * (2.0 * (total[2 + k] - a) - x)
            left[2 + k] = a + x
    for k in range(padded, len(h)):
        a, x = left[2 + k], sign * h[k]
        dw += x
        dl += x * (2.0 * a + x)
        dr -= x * (2.0 * (total[2 + k] - a) - x)
        left[2 + k] = a + x
    return dw, dl, dr
