"""The best subset of the levels of a nominal column, in a node of any target."""

from __future__ import annotations

import numpy as np

from probus.numba_seam.instructions import trailing_zeros
from probus.tree._criteria import ENTROPY
from probus.tree.forest_engine._numeric_target import fill as fill_numbers
from probus.tree.forest_engine._payload import unpack
from probus.tree.forest_engine._two_classes import fill as fill_loads
from probus.tree.forest_engine._two_classes import two_entropies
from probus.tree.kernel_parts import inlined, inner
from probus.tree.splitting._histogram import sort_by

RIGHT, LEFT, UNKNOWN = range(3)  # the side of a level in a node


@inner
def tally_levels(column, n_levels, rows, load, hist, counts, bits, many, cells, code_of):
    """Tally the rows by level; returns how many levels there are, and whether the last cell holds the missing.

    hist, counts, bits (INOUT) buffers for sums of codes as cuts need it; zero before and after
    cells (OUT)                float64[*, 2 + K] the tally of each level that is there
    code_of (OUT)              int64[*] the code of each cell
    """
    filled = 0
    if load.ndim == 1:
        fill_loads(column, n_levels, rows, load, hist, bits)
    elif many is None:
        fill_numbers(column, n_levels, rows, load, hist, counts, bits)
    else:
        for i in range(len(rows)):
            level = np.uint64(column[rows[i]])
            counts[level] += 1
            hist[level, np.uint64(load[i, 1])] += load[i, 0]
            bits[level >> np.uint64(6)] |= np.uint64(1) << (level & np.uint64(63))
    for word in range((n_levels + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        while there != 0:
            c = 64 * word + np.int64(trailing_zeros(there))
            there &= there - np.uint64(1)
            _empty_into(c, load, hist, counts, many, cells[filled])
            code_of[filled] = c
            filled += 1
    missing = filled > 0 and code_of[filled - 1] == n_levels
    return filled - missing, missing


@inlined
def _empty_into(c, load, hist, counts, many, tally):
    """Turn the sums of a code into a tally, and clear them."""
    if load.ndim == 1:
        unpack(hist[c], tally)
        hist[c] = np.uint64(0)
    else:
        tally[0], tally[1] = counts[c], hist[c, 0]
        counts[c] = 0
        if many is not None:
            w = 0.0
            for k in range(hist.shape[1]):
                h = hist[c, k]
                hist[c, k] = 0.0
                tally[2 + k] = h
                w += h
            tally[1] = w
        else:
            tally[2] = hist[c, 1]
            hist[c, 0] = hist[c, 1] = 0.0


@inner
def partition_levels(filled, missing, cells, sides, order, spare, scores, total, rules, table):
    """The best partition for two classes or numbers: its score, how many cells of ``order[0]`` go left, the missing.

    cells (IN)  from ``tally_levels``, the missing after the last
    order (OUT) int64[2, *] the cells, those that go left first, and buffers
    """
    best, n_left, missing_left = -np.inf, np.int64(0), 0
    for way in range(0 if filled == 0 else (2 if missing else 1)):
        for k in range(len(total)):
            sides[0, k] = cells[filled, k] if way == 1 else 0.0
        more = missing and way == 0
        found, at = cut_by_means(filled, more, cells, sides[0], total, rules, table, order[1], spare, scores)
        if at >= 0 and found > best:
            best, n_left, missing_left = found, np.int64(at), way
            for q in range(filled):
                order[0, q] = order[1, q]
    return best, n_left, missing_left


@inner
def cut_by_means(filled, more, cells, left, total, rules, table, order, spare, scores):
    """The best cut in order of the means of the levels, by no division: its score, and how many go left."""
    last, entropy = len(total) - 1, rules.criterion == ENTROPY
    for c in range(filled):
        order[c], scores[c] = c, cells[c, last] / cells[c, 1]
    sort_by(scores, order, filled, spare)
    n, a, s = left[0], left[1], left[last]
    best, best_den, at = -np.inf, 1.0, -1
    for q in range(filled if more else filled - 1):
        c = order[q]
        n, a, s = n + cells[c, 0], a + cells[c, 1], s + cells[c, last]
        b, t = total[1] - a, total[last] - s
        if min(n, total[0] - n) < rules.min_leaf or min(a, b) < rules.min_weight or min(a, b) <= 0.0:
            continue
        num, den = s * s * b + t * t * a, a * b
        if entropy:
            num, den = two_entropies(a, s, b, t, table), 1.0
        if num * best_den > best * den:
            best, best_den, at = num, den, q + 1
    # of two classes Σ s_k² / w, by the sums of the second alone
    plain = last == 2 or at < 0 or entropy
    return best / best_den if plain else 2.0 * (best / best_den - total[last]) + total[1], at


@inner
def store_sides(n_levels, filled, n_left, order, code_of, side_of):
    """Store the side of each level."""
    for c in range(n_levels + 1):
        side_of[c] = UNKNOWN
    for q in range(filled):
        side_of[code_of[order[q]]] = LEFT if q < n_left else RIGHT


@inner
def write_words(side_of, n_levels, words, at):
    """The levels that go left and those the node knows, one bit each; returns where the words end."""
    size = (n_levels + 31) // 32
    for q in range(2 * size):
        words[at + q] = np.uint32(0)
    for c in range(n_levels):
        bit = np.uint32(1) << np.uint32(c & 31)
        if side_of[c] == LEFT:
            words[at + (c >> 5)] |= bit
        if side_of[c] != UNKNOWN:
            words[at + size + (c >> 5)] |= bit
    return at + 2 * size
