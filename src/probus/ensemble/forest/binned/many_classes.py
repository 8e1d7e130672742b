"""The best cut of a column among any number of classes, of any weights.

A small node puts its rows in order of their codes, by counting, and lets them cross one by one; a large one sums up the
classes of each code first.
"""

from __future__ import annotations

import numpy as np

from probus.tree.kernel import inner
from probus.tree.risk import ENTROPY, xlogx

__all__ = ["cut_many_classes"]


@inner
def cut_many_classes(column, n_codes, rows, load, start, end, hist, places, order, sides, total, rules, table):
    """As ``cut_two_classes``, for any number of classes.

    load (IN)           float64[m, 2] weight and class, beside rows
    hist (INOUT)        float64[*, K] the weight of each class at each code; zero before and after
    places (OUT)        int64[* + 1] room to count codes
    order (OUT)         int64[m] room for places of rows in order of their codes
    sides (OUT)         float64[2, 2 + K] room for the tallies of either side
    """
    n_classes = len(total) - 2
    by_code = end - start > n_codes * n_classes // 2
    for c in range(n_codes + 2):
        places[c] = 0
    if by_code:
        for i in range(start, end):
            c = np.int64(column[rows[i]])
            places[c + 1] += 1
            hist[c, np.int64(load[i, 1])] += load[i, 0]
        for c in range(n_codes + 1):
            places[c + 1] += places[c]
    else:
        in_order_of_codes(column, n_codes, rows, start, end, places, order)
    n_missing = places[n_codes + 1] - places[n_codes]
    best, low, high, missing_left = -np.inf, np.int64(-1), np.int64(-1), 0
    for way in range(2 if 0 < n_missing < end - start else 1):
        begin(load, order, hist, by_code, places[n_codes], n_codes, way, n_missing, total, sides)
        found, below, above = cross(load, order, hist, by_code, n_codes, places, sides, way == 0, rules, table)
        if found > best:
            best, low, high, missing_left = found, below, above, way
    if by_code:
        for c in range(n_codes + 1):
            for k in range(n_classes):
                hist[c, k] = 0.0
    return best, low, high, missing_left


@inner
def in_order_of_codes(column, n_codes, rows, start, end, places, order):
    """Sort by counting: ``order`` holds places of rows, those of code c from places[c] up to places[c + 1]."""
    for i in range(start, end):
        places[np.int64(column[rows[i]]) + 1] += 1
    for c in range(n_codes + 1):
        places[c + 1] += places[c]
    for i in range(start, end):
        c = np.int64(column[rows[i]])
        order[places[c]] = i
        places[c] += 1
    for c in range(n_codes + 1, 0, -1):  # each begins where the one before it ends
        places[c] = places[c - 1]
    places[0] = 0


@inner
def begin(load, order, hist, by_code, known, n_codes, way, n_missing, total, sides):
    """The tallies before the first row crosses: all on the right, but for the missing where they go left."""
    for k in range(len(total)):
        sides[0, k], sides[1, k] = 0.0, total[k]
    if way == 0:
        return
    sides[0, 0] += n_missing
    sides[1, 0] -= n_missing
    if by_code:
        for k in range(len(total) - 2):
            move(sides, k, hist[n_codes, k])
    else:
        for q in range(known, known + n_missing):
            move(sides, np.int64(load[order[q], 1]), load[order[q], 0])


@inner
def move(sides, k, w):
    """Let a weight of class k cross from right to left; what rounding leaves must not fall below nothing."""
    sides[0, 1] += w
    sides[1, 1] = max(sides[1, 1] - w, 0.0)
    sides[0, 2 + k] += w
    sides[1, 2 + k] = max(sides[1, 2 + k] - w, 0.0)


@inner
def cross(load, order, hist, by_code, n_codes, places, sides, all_known, rules, table):
    """Let code after code cross from right to left: the best score, and the codes on either side of that cut.

    all_known (IN) whether all known values may cross, so that only the missing stay
    """
    entropy, n_classes = rules.risk == ENTROPY, sides.shape[1] - 2
    fl, fr = 0.0, 0.0  # Σ φ(s_k), the part of a score that changes in one class at a time
    for k in range(2, 2 + n_classes):
        fl += xlogx(sides[0, k], table) if entropy else sides[0, k] * sides[0, k]
        fr += xlogx(sides[1, k], table) if entropy else sides[1, k] * sides[1, k]
    best, low, high, last = -np.inf, np.int64(-1), np.int64(-1), np.int64(-1)
    for c in range(n_codes + 1 if all_known else n_codes):
        here = places[c + 1] - places[c]
        if here == 0:
            continue
        large = min(sides[0, 0], sides[1, 0]) >= rules.min_leaf and min(sides[0, 1], sides[1, 1]) >= rules.min_weight
        if last >= 0 and large and min(sides[0, 1], sides[1, 1]) > 0.0:
            if entropy:
                found = fl - xlogx(sides[0, 1], table) + fr - xlogx(sides[1, 1], table)
            else:
                found = fl / sides[0, 1] + fr / sides[1, 1]
            if found > best:
                best, low, high = found, last, c
        last = c
        sides[0, 0] += here
        sides[1, 0] -= here
        for q in range(n_classes if by_code else here):
            k = q if by_code else np.int64(load[order[places[c] + q], 1])
            w = hist[c, k] if by_code else load[order[places[c] + q], 0]
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
    return best, low, high
