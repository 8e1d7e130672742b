"""The best cut of a column between two classes: sums of 64-bit loads, one addition a row."""

from __future__ import annotations

import numpy as np

from probus.numba_seam.instructions import trailing_zeros
from probus.tree._criteria import ENTROPY, xlogx
from probus.tree.forest_engine._payload import counted, second, weighed
from probus.tree.kernel_parts import inlined


@inlined
def cut_two_classes(column, n_codes, rows, load, hist, bits, total, rules, table):
    """The best cut of rows: its score, the codes on either side of it, and whether the missing go left.

    column (IN)        codes of all rows; the missing have n_codes
    load (IN)          uint64[m], beside rows
    hist, bits (INOUT) uint64[*] the sum of each code and a bit for each that is there; zero before and after
    total (IN)         float64[4] the tally of the node
    """
    fill(column, n_codes, rows, load, hist, bits)
    n, w, ones, missing = np.int64(total[0]), total[1], total[3], hist[n_codes]
    entropy, free = rules.criterion == ENTROPY, rules.min_leaf <= 1 and rules.min_weight <= 0.0
    best, best_den, low, high, missing_left = -np.inf, 1.0, np.int64(-1), np.int64(-1), 0
    left, last = np.uint64(0), np.int64(-1)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        while there != 0:
            c = 64 * word + np.int64(trailing_zeros(there))
            there &= there - np.uint64(1)
            for way in range(0 if last < 0 else (2 if missing != 0 and c != n_codes else 1)):
                side = left + missing if way == 1 else left
                a, one = weighed(side), second(side)
                b = w - a
                if not free and not _large_enough(counted(side), n, a, b, rules):
                    continue
                if entropy:
                    num, den = two_entropies(a, one, b, ones - one, table), 1.0
                else:
                    num, den = one * one * b + (ones - one) * (ones - one) * a, a * b
                if num * best_den > best * den:
                    best, best_den, low, high, missing_left = num, den, last, c, way
            left += hist[c]
            hist[c] = np.uint64(0)
            last = c
    # Σ s_k² / w of both classes, by the sums of the second alone
    return best if entropy or low < 0 else 2.0 * (best / best_den - ones) + w, low, high, missing_left


@inlined
def two_entropies(a, s, b, t, table):
    """Σ s_k log s_k − w log w of both sides: of weights a and b, s and t of it of the second class."""
    left = xlogx(s, table) + xlogx(a - s, table) - xlogx(a, table)
    return left + xlogx(t, table) + xlogx(b - t, table) - xlogx(b, table)


@inlined
def fill(column, n_codes, rows, load, hist, bits):
    """Add up the loads of each code, and mark the codes that are there."""
    if 2 * len(rows) < n_codes:
        for i in range(len(rows)):
            c = np.int64(column[rows[i]])
            hist[c] += load[i]
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
        return
    for i in range(len(rows)):
        hist[column[rows[i]]] += load[i]
    for word in range((n_codes + 64) >> 6):
        there = np.uint64(0)
        for bit in range(min(64, n_codes + 1 - 64 * word)):
            there |= np.uint64(hist[64 * word + bit] != 0) << np.uint64(bit)
        bits[word] = there


@inlined
def _large_enough(count, n, a, b, rules):
    return min(count, n - count) >= rules.min_leaf and min(a, b) >= rules.min_weight
