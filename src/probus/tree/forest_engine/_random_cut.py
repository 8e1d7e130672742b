"""One cut of each column drawn at random, as extremely randomised trees want it (Geurts, Ernst and Wehenkel 2006).

A threshold is uniform between the smallest and the largest value in the node. Of a nominal column a random subset of
the levels that are there goes left. Missing values go to a random side. A column of more values than bins is cut
between bins only, and its range in a node is that of the smallest values of its bins.

The rows of a node are read twice for all columns: for the ranges of their codes, and for the sums left of the cuts.
Columns of levels or with missing values, and weights of classes that are no small whole numbers, are read one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.numba_seam.code_lanes import BLOCK, add_row, count_two, ranges, sum_pairs, widen
from probus.numba_seam.instructions import trailing_zeros
from probus.tree._criteria import SQUARES, score
from probus.tree.forest_engine._column_bins import N_CODES, NOMINAL, START
from probus.tree.forest_engine._levels import LEFT, RIGHT, UNKNOWN
from probus.tree.forest_engine._many_classes import LANES
from probus.tree.forest_engine._payload import TWO_BYTES, add_bytes, clear, unpack
from probus.tree.kernel_parts import inlined, inner, reassociated
from probus.tree.splitting._random_split import draw_column, stir
from probus.tree.splitting._scan import allowed
from probus.tree.splitting._thresholds import between

_FEW = 3  # rows of a node up to which the first cut is often perfect; of numbers, two


class Drawn(NamedTuple):
    """Buffers for random cuts; D is the number of columns, in whole blocks."""

    own: np.ndarray  # codes[m]: of the rows of a node in one column
    bits: np.ndarray  # uint64[2, *]: the levels that are there, and those that go left
    known: np.ndarray  # uint8[D / BLOCK]: whether the ranges of a block are known, and whether its sums are wanted
    ranges: np.ndarray  # codes[3, D]: the smallest and the largest code, and the last that goes left
    alone: np.ndarray  # uint8[D]: whether a column is read alone
    random: np.ndarray  # uint64[D]: what was drawn for a column
    threshold: np.ndarray  # float64[D]
    counts: np.ndarray  # uint32[K, D]: weights that go left
    part: np.ndarray  # uint8[K, D]: of as many rows as no byte overflows
    sums: np.ndarray  # float64[2, D]: weights and numbers that go left
    widest: int  # a power of two, and at least half of the number of codes


def drawing_buffers(dtype: np.dtype, n_rows: int, n_columns: int, most: int, n_sums: int) -> Drawn:
    """Buffers for so many rows, columns in whole blocks, codes of a column, and classes."""
    return Drawn(
        own=np.empty(n_rows, dtype), bits=np.empty((2, (most + 63) // 64), np.uint64),
        known=np.empty(n_columns // BLOCK, np.uint8), ranges=np.zeros((3, n_columns), dtype),
        alone=np.empty(n_columns, np.uint8), random=np.empty(n_columns, np.uint64), threshold=np.empty(n_columns),
        counts=np.empty((n_sums, n_columns), np.uint32), part=np.empty((n_sums, n_columns), np.uint8),
        sums=np.empty((2, n_columns)), widest=1 << (most.bit_length() - 1),
    )  # fmt: skip


@inlined
def random_split(state, codes, bins, rows, load, rules, limits, impurity, work, drawn, side_of):
    """The best of one random cut for each of ``max_features`` columns, and of more as long as none can split the node.

    What is drawn does not depend on how the rows are read, nor on how many rows stand for the same weight.

    codes (IN) [*, D] the codes of each row
    """
    about, total, pool, known = bins.about, work.tally, work.pool, drawn.known
    before = score(rules, total, work.table)
    most = before + impurity * total[1] * (1.0 - 1e-12)  # no split scores more
    best, column, cut, threshold, missing_left = -np.inf, np.int64(-1), np.int64(0), np.nan, np.int64(0)
    tries, d = np.int64(0), len(about)
    for block in range(len(known)):
        known[block] = 0
    together = (rules.numbers or limits.at_once > 0) and (rules.unit or rules.min_leaf <= 1)
    while tries < d and (tries < limits.max_features or column < 0) and best < most:
        end = min(limits.max_features, d) if tries == 0 else tries + 1
        for q in range(tries, end):
            state, f = draw_column(state, pool, q)
            state, drawn.random[f] = stir(state)
        size = np.int64(1) if len(rows) <= (2 if rules.numbers else _FEW) else end - tries
        while tries < end and best < most:
            for q in range(tries, tries + size):
                place_cut(pool[q], codes, bins, rows, together, drawn)
            sum_blocks(codes, d, rows, load, limits.at_once, total, drawn)
            for q in range(tries, tries + size):
                f = pool[q]
                if drawn.ranges[0, f] >= drawn.ranges[1, f] or best >= most:
                    continue
                way = np.int64(drawn.random[f] & np.uint64(1))
                if drawn.alone[f] == 1:
                    state = sum_alone(state, f, codes[:, f], way, bins, rows, load, limits, work, drawn, side_of)
                else:
                    sums_of_column(f, len(rows) <= limits.at_once, drawn, rules, work.sides[0])
                found = score_of(work.sides[0], work.sides[1], total, rules, work.table)
                if found > best:
                    best, column, cut, missing_left = found, f, np.int64(drawn.ranges[2, f]), way
                    if side_of is not None and about[f, NOMINAL] == 1:
                        store_drawn_sides(about[f, N_CODES], drawn.bits, side_of)
            tries += size
        tries = end
    if column >= 0 and about[column, NOMINAL] == 0:
        threshold = max(drawn.threshold[column], bins.high[about[column, START] + cut])  # a bin goes left as a whole
    return state, column, cut, threshold, missing_left, best - before


@inlined
def place_cut(f, codes, bins, rows, together, drawn):
    """The threshold that was drawn for a column, between the values that are there; none for levels."""
    about, block = bins.about, f // BLOCK
    n_codes, nominal = about[f, N_CODES], about[f, NOMINAL] == 1
    if drawn.known[block] == 0:
        ranges(codes, rows, block * BLOCK, drawn.ranges[0], drawn.ranges[1])
        drawn.known[block] = 1
    first, last = drawn.ranges[0, f], drawn.ranges[1, f]
    missing = last == n_codes
    drawn.alone[f] = missing or nominal or not together
    if missing:
        last = first
        for i in range(len(rows)):
            c = codes[rows[i], f]
            last = max(last, c) if c < n_codes else last
        drawn.ranges[1, f] = last
    drawn.ranges[2, f] = 0
    if first < last and not nominal:
        share = np.float64(np.int64(drawn.random[f] >> np.uint64(11))) / 9007199254740992.0
        low = bins.low[about[f, START] :]
        t = between(low[np.uint64(first)], low[np.uint64(last)], share)
        drawn.threshold[f], drawn.ranges[2, f] = t, last_below(low, first, last, t, drawn.widest)
        if drawn.alone[f] == 0:
            drawn.known[block] = 2


@inlined
def last_below(low, first, last, t, widest):
    """The last code whose smallest value is at most t, which lies below that of ``last``.

    A quarter of the codes is left after each step, of as many steps as are known beforehand: nothing branches on what
    is compared, which would be guessed wrong every other time.
    """
    at, end, half = np.uint64(first), np.uint64(last), np.uint64(widest)
    while half > np.uint64(255):
        at += half * np.uint64(low[min(at + half, end)] <= t)
        half >>= np.uint64(1)
    for k in range(4):
        step = np.uint64(64) >> np.uint64(2 * k)
        n = np.uint64(low[min(at + step, end)] <= t) + np.uint64(low[min(at + step + step, end)] <= t)
        at += step * (n + np.uint64(low[min(at + step + step + step, end)] <= t))
    return at


@inlined
def sum_blocks(codes, n_columns, rows, load, at_once, total, drawn):
    """The sums left of the cuts, for the blocks of columns in which there are any."""
    for block in range(len(drawn.known)):
        if drawn.known[block] == 2:
            drawn.known[block] = 1
            column = block * BLOCK
            if load.ndim == 2 and len(total) == 3:
                sum_pairs(codes, rows, load, column, drawn.ranges[2], drawn.sums)
                if column + BLOCK // 2 < n_columns:
                    sum_pairs(codes, rows, load, column + BLOCK // 2, drawn.ranges[2], drawn.sums)
                continue
            if load.ndim == 1 and len(total) == 4:
                clear_block(drawn.counts, column)
                for first in range(0, len(rows), at_once):
                    part = slice(first, first + at_once)
                    count_two(codes, rows[part], load[part], column, drawn.ranges[2], TWO_BYTES, drawn.counts)
                continue
            if len(rows) > at_once:
                clear_block(drawn.counts, column)
            for first in range(0, len(rows), at_once):
                part = slice(first, first + at_once)
                count_classes(codes, rows[part], load[part], column, drawn)
                for k in range(len(drawn.part) if len(rows) > at_once else 0):
                    widen(drawn.part[k], drawn.counts[k], column)


@inlined
def clear_block(counts, column):
    """Set the counts of a block of columns to zero."""
    for k in range(len(counts)):
        for j in range(column, column + BLOCK):
            counts[k, j] = 0


@inlined
def count_classes(codes, rows, load, column, drawn):
    """The weights of each class that go left, in bytes, for the columns of a block."""
    clear_block(drawn.part, column)
    for i in range(len(rows)):
        if load.ndim == 1:
            k = trailing_zeros(load[i]) >> np.uint64(3)
            w = np.uint8(load[i] >> (k << np.uint64(3)))
        else:
            k, w = np.uint64(load[i, 1]), np.uint8(load[i, 0])
        add_row(codes, np.uint64(rows[i]), column, drawn.ranges[2], w, drawn.part, k)


@inlined
def sums_of_column(f, few, drawn, rules, left):
    """The sums left of the cut of a column; of few rows, bytes hold them."""
    if len(left) == 3:
        left[1], left[2] = drawn.sums[0, f], drawn.sums[1, f]
    elif len(left) == 4:
        w, s = np.float64(drawn.counts[0, f]), np.float64(drawn.counts[1, f])
        left[1], left[2], left[3] = w, w - s, s
    else:
        left[1] = 0.0
        for k in range(len(drawn.counts)):
            left[2 + k] = drawn.part[k, f] if few else drawn.counts[k, f]
            left[1] += left[2 + k]
    left[0] = left[1] if rules.unit else 1.0


@inlined
def score_of(left, right, total, rules, table):
    """The score of a cut by the sums of one side; −inf where either side would be too small."""
    if rules.min_leaf > 1 or rules.min_weight > 0.0:
        right[0], right[1] = total[0] - left[0], total[1] - left[1]
        if not allowed(left, right, rules, np.int64(0), left):
            return -np.inf
    if rules.criterion == SQUARES:
        return squares(left, total)
    for k in range(1, len(total)):
        right[k] = total[k] - left[k]
    return score(rules, left, table) + score(rules, right, table)


@inlined
def squares(left, total):
    """Σ s_k² / w of both sides."""
    r = total[2] - left[2]
    a, b = left[2] * left[2], r * r
    if len(total) == 4:
        r = total[3] - left[3]
        a, b = a + left[3] * left[3], b + r * r
    elif len(total) > 4:
        a, b = sums_of_squares(left[2:], total[2:])
    w = total[1] - left[1]
    return (a * w + b * left[1]) / (left[1] * w)


@reassociated
def sums_of_squares(left, total):
    """Σ s_k² of both sides, several classes at once."""
    a, b = 0.0, 0.0
    for block in range(0, len(left), LANES):
        for lane in range(LANES):
            k = np.uint64(block + lane)
            r = total[k] - left[k]
            a += left[k] * left[k]
            b += r * r
    return a, b


@inner
def sum_alone(state, f, column, way, bins, rows, load, limits, work, drawn, side_of):
    """The sums left of the cut of one column, with levels or missing values; of levels a subset is drawn."""
    own, n_codes = drawn.own[: len(rows)], bins.about[f, N_CODES]
    for i in range(len(rows)):
        own[i] = column[rows[i]]
    if side_of is not None and bins.about[f, NOMINAL] == 1:
        state = draw_levels(state, n_codes, own, drawn.bits)
    if way == 1:
        missing_to_left(own, n_codes)
    sum_left(own, drawn.ranges[2, f], load, limits.at_once, work.sides[0], work.tally)
    return state


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
def sum_left(own, at, load, at_once, left, total):
    """The sums of the rows whose code is at most this one."""
    clear(left)
    if load.ndim == 2:
        for i in range(len(load)):
            go = own[i] <= at
            if len(total) == 3:
                left[1] += load[i, 0] if go else 0.0
                left[2] += load[i, 1] if go else 0.0
            else:
                left[np.uint64(2) + np.uint64(load[i, 1])] += load[i, 0] if go else 0.0
        for k in range(2, len(left) if len(total) > 3 else 0):
            left[1] += left[k]
    elif len(total) == 4:
        unpack(sum_loads(own, at, load), left)
    else:
        for first in range(0, len(load), at_once):
            add_bytes(sum_loads(own[first : first + at_once], at, load[first : first + at_once]), left)
    n = 0
    for i in range(len(own)):
        n += own[i] <= at
    left[0] = n


@inlined
def sum_loads(own, at, load):
    """The sum of the loads that go left."""
    left = np.uint64(0)
    for i in range(len(load)):
        left += load[i] if own[i] <= at else np.uint64(0)
    return left
