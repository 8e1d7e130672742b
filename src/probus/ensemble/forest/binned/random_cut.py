"""One cut drawn at random from the range of a column in a node, as extremely randomised trees want it.

A threshold is uniform between the smallest and the largest value (Geurts, Ernst and Wehenkel 2006); of a nominal column
a random subset of the levels goes left; missing values go to a random side.
"""

from __future__ import annotations

import numpy as np

from probus.ensemble.forest.binned.payload import add_row, unpack
from probus.tree.criteria import score
from probus.tree.kernel import inlined, inner
from probus.tree.random_split import draw
from probus.tree.scan import allowed

__all__ = ["draw_cut", "draw_levels"]


@inlined
def draw_cut(state, column, n_codes, first_value, low, high, rows, load, own, sides, total, rules, table):
    """A random cut: the state of the stream, its score, the last code that goes left, the threshold, the missing.

    low, high (IN)  the smallest and the largest value of each bin; those of this column begin at ``first_value``
    own (OUT)       room for the codes of these rows
    sides (OUT)     float64[2, 2 + K] room for the tallies of either side
    """
    first, last, any_missing = take(column, n_codes, rows, own)
    if first >= last:
        return state, -np.inf, first, 0.0, 0
    state, missing_left = draw(state, np.int64(2))
    state, u = draw(state, np.int64(1 << 31))
    t = low[first_value + first] + (u / 2147483648.0) * (low[first_value + last] - low[first_value + first])
    cut, above = first, last
    while above - cut > 1:  # the smallest code whose values lie above the threshold
        middle = (cut + above) // 2
        if low[first_value + middle] <= t:
            cut = middle
        else:
            above = middle
    for k in range(len(total)):
        sides[0, k] = 0.0
    if load.ndim == 1:
        left = np.uint64(0)
        for i in range(len(rows)):
            left += load[i] if own[i] <= cut else np.uint64(0)
        if any_missing and missing_left == 1:
            for i in range(len(rows)):
                left += load[i] if own[i] == n_codes else np.uint64(0)
        unpack(left, sides[0])
    else:
        for i in range(len(rows)):
            if own[i] <= cut or (missing_left == 1 and own[i] == n_codes):
                add_row(sides[0], load, i)
    found = _scored(sides, total, rules, table)
    return state, found, cut, max(t, high[first_value + cut]), missing_left  # a bin goes left as a whole


@inlined
def take(column, n_codes, rows, own):
    """Take the codes of the rows; the smallest and the largest that is known, and whether any is missing."""
    for i in range(len(rows)):
        own[i] = column[rows[i]]
    first, last = own[0], own[0]
    for i in range(len(rows)):
        first, last = min(first, own[i]), max(last, own[i])
    any_missing = last == n_codes
    if any_missing:
        last = first
        for i in range(len(rows)):
            last = max(last, own[i]) if own[i] < n_codes else last
    return np.int64(first), np.int64(last), any_missing


@inner
def draw_levels(state, filled, cells, missing, order, sides, total, rules, table):
    """A random subset of the levels: the state of the stream, its score, how many of ``order`` go left, the missing."""
    if filled < 2:
        return state, -np.inf, np.int64(0), 0
    state, missing_left = draw(state, np.int64(2))
    for q in range(filled):
        order[q] = q
    for q in range(filled - 1):
        state, j = draw(state, filled - q)
        order[q], order[q + j] = order[q + j], order[q]
    state, j = draw(state, filled - 1)
    for k in range(len(total)):
        sides[0, k] = cells[filled, k] if missing and missing_left == 1 else 0.0
        for q in range(j + 1):
            sides[0, k] += cells[order[q], k]
    return state, _scored(sides, total, rules, table), np.int64(j + 1), missing_left


@inner
def _scored(sides, total, rules, table):
    for k in range(len(total)):
        sides[1, k] = total[k] - sides[0, k]
    if not allowed(sides[0], sides[1], rules, 0, sides[0]):
        return -np.inf
    return score(rules, sides[0], table) + score(rules, sides[1], table)
