"""The best cut of a column between two classes: sums of 64-bit loads, one addition a row."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from probus.ensemble.forest.binned.payload import counted, second, weighed
from probus.tree.kernel import inner
from probus.tree.risk import ENTROPY, xlogx

__all__ = ["DENSE", "cut_two_classes"]

DENSE = 128  # rows from which on a node looks at every bin; smaller ones keep a map of those that they touch


@inner
def cut_two_classes(column, n_codes, rows, load, start, end, hist, bits, total, rules, table):
    """The best cut of rows[start:end]: its score, the codes on either side of it, and whether the missing go left.

    column (IN)        codes of all rows; the missing have n_codes
    load (IN)          uint64[m], beside rows
    hist, bits (INOUT) uint64[*] the sum of each code and a bit for each that is there; zero before and after
    total (IN)         float64[4] the tally of the node
    """
    fill(column, n_codes, rows, load, start, end, hist, bits)
    n, w, ones, missing = np.int64(total[0]), total[1], total[3], hist[n_codes]
    entropy, free = rules.risk == ENTROPY, rules.min_leaf <= 1 and rules.min_weight <= 0.0
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
                    num = xlogx(one, table) + xlogx(a - one, table) - xlogx(a, table)
                    num += xlogx(ones - one, table) + xlogx(b - (ones - one), table) - xlogx(b, table)
                    den = 1.0
                else:
                    num, den = one * one * b + (ones - one) * (ones - one) * a, a * b
                if num * best_den > best * den:
                    best, best_den, low, high, missing_left = num, den, last, c, way
            left += hist[c]
            hist[c] = np.uint64(0)
            last = c
    # Σ s_k² / w of both classes, by the sums of the second alone
    return best if entropy or low < 0 else 2.0 * (best / best_den - ones) + w, low, high, missing_left


@inner
def fill(column, n_codes, rows, load, start, end, hist, bits):
    """Add up the loads of each code, and mark the codes that are there."""
    if end - start < DENSE:
        for i in range(start, end):
            c = np.int64(column[rows[i]])
            hist[c] += load[i]
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
        return
    for i in range(start, end):
        hist[column[rows[i]]] += load[i]
    for word in range((n_codes + 64) >> 6):
        there = np.uint64(0)
        for bit in range(min(64, n_codes + 1 - 64 * word)):
            there |= np.uint64(hist[64 * word + bit] != 0) << np.uint64(bit)
        bits[word] = there


@inner
def _large_enough(count, n, a, b, rules):
    return min(count, n - count) >= rules.min_leaf and min(a, b) >= rules.min_weight
