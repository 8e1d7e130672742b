"""One cut of each column drawn at random, as extremely randomised trees want it (Geurts, Ernst and Wehenkel 2006).

A threshold is uniform between the smallest and the largest value in the node; of a nominal column a random subset of
the levels that are there goes left; missing values go to a random side. A column of more values than bins is cut
between bins only, and its range in a node is that of the smallest values of its bins.
"""

from __future__ import annotations

import numpy as np

from probus.tree.binned.column_bins import N_CODES, NOMINAL, START
from probus.tree.binned.levels import LEFT, RIGHT, UNKNOWN
from probus.tree.binned.payload import add_bytes, clear, unpack
from probus.tree.criteria import SQUARES, score
from probus.tree.kernel import inlined, inner, reassociated
from probus.tree.random_split import draw_column, stir
from probus.tree.scan import allowed
from probus.tree.thresholds import between

__all__ = ["random_split"]

_FEW = 24  # rows of a node up to which each is compared with a threshold


@inlined
def random_split(state, codes, bins, rows, load, rules, limits, impurity, work, drawn, side_of):
    """The best of one random cut for each of ``max_features`` columns, and of more as long as none can split the node.

    drawn (OUT) buffers: the codes of these rows; uint64[2, *] the levels that are there, and those that go left;
                float64[2, *] numbers and weights
    """
    about, low, high, total, table = bins.about, bins.low, bins.high, work.tally, work.table
    own, bits, amounts = drawn[0][: len(rows)], drawn[1], drawn[2]
    if load.ndim == 2 and len(total) == 3:
        split_columns(load, rules.unit, amounts)
    d = len(about)
    before = score(rules, total, table)
    most = before + impurity * total[1] * (1.0 - 1e-12)  # no split scores more
    best, column, cut, threshold, missing_left = -np.inf, np.int64(-1), np.int64(0), np.nan, np.int64(0)
    tries = np.int64(0)
    while tries < d and (tries < limits.max_features or column < 0) and best < most:
        state, f = draw_column(state, work.pool, tries)
        tries += 1
        n_codes, start = about[f, N_CODES], about[f, START]
        first, last, any_missing = gather_column(codes[f], n_codes, rows, own)
        if first >= last:
            continue
        state, z = stir(state)
        at, t, way = np.int64(0), np.nan, np.int64(z & np.uint64(1))
        if side_of is not None and about[f, NOMINAL] == 1:
            state = draw_levels(state, n_codes, own, bits)
        else:
            share = np.float64(np.int64(z >> np.uint64(11))) / 9007199254740992.0
            t = between(low[start + first], low[start + last], share)
            at = last_below(low[start:], own, first, last, t)
        if any_missing and way == 1:
            missing_to_left(own, n_codes)
        found = scored(own, at, load, amounts, limits.at_once, work.sides, total, rules, table)
        if found > best:
            best, column, cut, missing_left = found, f, at, way
            if side_of is not None and about[f, NOMINAL] == 1:
                store_drawn_sides(n_codes, bits, side_of)
            else:
                threshold = max(t, high[start + at])  # a bin goes left as a whole
    if column >= 0 and about[column, NOMINAL] == 1:
        threshold = np.nan
    return state, column, cut, threshold, missing_left, best - before


@inlined
def gather_column(column, n_codes, rows, own):
    """Copy the codes of the rows; returns the smallest and the largest known one, and whether any is missing."""
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


@inlined
def last_below(low, own, first, last, t):
    """The last code whose smallest value is at most t, of those before ``last``; of a few rows, the last that is there.

    Nothing branches on what is compared: it would be guessed wrong every other time.
    """
    at = np.uint64(first)
    if len(own) <= _FEW:
        for i in range(len(own)):
            c = np.uint64(own[i])
            # the code of missing values may be after the end of ``low``
            fits = np.uint64(low[min(c, np.uint64(last))] <= t) & np.uint64(c < np.uint64(last))
            at = max(at, fits * c)
        return np.int64(at)
    width = np.uint64(last - first)
    while width > np.uint64(1):
        half = width >> np.uint64(1)
        at += half * np.uint64(low[at + half] <= t)
        width -= half
    return np.int64(at)


@inlined
def missing_to_left(own, n_codes):
    """Send missing values to the left of any cut."""
    for i in range(len(own)):
        own[i] = 0 if own[i] == n_codes else own[i]


@inner
def draw_levels(state, n_levels, own, bits):
    """Draw a subset of the levels that are there, neither none nor all; its rows get the code 0, the others 1."""
    n_words = (n_levels + 64) >> 6
    for word in range(n_words):
        bits[0, word] = np.uint64(0)
    for i in range(len(own)):
        c = np.int64(own[i])
        bits[0, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    bits[0, n_levels >> 6] &= ~(np.uint64(1) << np.uint64(n_levels & 63))  # the missing
    some, others = False, False
    while not (some and others):
        some, others = False, False
        for word in range(n_words):
            state, z = stir(state)
            bits[1, word] = z & bits[0, word]
            some |= bits[1, word] != 0
            others |= bits[1, word] != bits[0, word]
    for i in range(len(own)):
        c = np.int64(own[i])
        left = (bits[1, c >> 6] >> np.uint64(c & 63)) & np.uint64(1)
        own[i] = n_levels if c == n_levels else np.uint64(1) - left
    return state


@inner
def store_drawn_sides(n_levels, bits, side_of):
    """Store the side of each level, of a drawn subset."""
    for c in range(n_levels):
        there = (bits[0, c >> 6] >> np.uint64(c & 63)) & np.uint64(1)
        left = (bits[1, c >> 6] >> np.uint64(c & 63)) & np.uint64(1)
        side_of[c] = (LEFT if left else RIGHT) if there else UNKNOWN


@inlined
def scored(own, at, load, amounts, at_once, sides, total, rules, table):
    """The score of sending left the codes up to this one; −inf where either side would be too small."""
    left, right = sides[0], sides[1]
    if load.ndim == 2:
        if len(total) == 3:
            left[1] = count(own, at) if rules.unit else sum_amounts(own, at, amounts[1])
            left[2] = sum_amounts(own, at, amounts[0])
        else:
            sum_classes(own, at, load, left)
    elif len(total) == 4:
        unpack(sum_loads(own, at, load), left)
    else:
        clear(left)
        for first in range(0, len(load), at_once):
            add_bytes(sum_loads(own[first : first + at_once], at, load[first : first + at_once]), left)
    if rules.min_leaf > 1 or rules.min_weight > 0.0:
        left[0] = count(own, at)
        right[0], right[1] = total[0] - left[0], total[1] - left[1]
        if not allowed(left, right, rules, np.int64(0), left):
            return -np.inf
    if rules.criterion == SQUARES:
        return squares(left, total)
    for k in range(1, len(total)):
        right[k] = total[k] - left[k]
    return score(rules, left, table) + score(rules, right, table)


@inlined
def split_columns(load, unit, amounts):
    """Copy numbers and weights into an array each."""
    for i in range(len(load)):
        amounts[0, i] = load[i, 1]
    for i in range(0 if unit else len(load)):
        amounts[1, i] = load[i, 0]


@reassociated
def squares(left, total):
    """Σ s_k² / w of both sides."""
    a, b = 0.0, 0.0
    for k in range(2, len(total)):
        r = total[k] - left[k]
        a += left[k] * left[k]
        b += r * r
    return a / left[1] + b / (total[1] - left[1])


@inlined
def sum_loads(own, at, load):
    """The sum of the loads that go left."""
    left = np.uint64(0)
    for i in range(len(load)):
        left += load[i] if own[i] <= at else np.uint64(0)
    return left


@reassociated
def sum_amounts(own, at, amounts):
    """The sum of the numbers that go left."""
    total = 0.0
    for i in range(len(own)):
        total += amounts[i] if own[i] <= at else 0.0
    return total


@inlined
def sum_classes(own, at, load, left):
    """The weight of each class that goes left."""
    clear(left)
    for i in range(len(load)):
        left[np.uint64(2) + np.uint64(load[i, 1])] += np.float64(own[i] <= at) * load[i, 0]
    for k in range(2, len(left)):
        left[1] += left[k]


@inlined
def count(own, at):
    """How many rows go left."""
    n = 0
    for i in range(len(own)):
        n += own[i] <= at
    return n
