"""The best cut of a column where a number is to be predicted: Σ w and Σ w y of each bin."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from probus.ensemble.forest.binned.two_classes import DENSE
from probus.tree.kernel import inner

__all__ = ["cut_numbers"]


@inner
def cut_numbers(column, n_codes, rows, load, start, end, hist, bits, total, rules):
    """As ``cut_two_classes``, by squared error.

    load (IN)    float64[m, 2] weight and number, beside rows
    hist (INOUT) float64[*, 3] rows, weight and Σ w y of each code; zero before and after
    """
    fill(column, n_codes, rows, load, start, end, hist, bits)
    n, w, s = total[0], total[1], total[2]
    mn, mw, ms = hist[n_codes, 0], hist[n_codes, 1], hist[n_codes, 2]
    best, best_den, low, high, missing_left = -np.inf, 1.0, np.int64(-1), np.int64(-1), 0
    ln, lw, ls, last = 0.0, 0.0, 0.0, np.int64(-1)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        while there != 0:
            c = 64 * word + np.int64(trailing_zeros(there))
            there &= there - np.uint64(1)
            for way in range(0 if last < 0 else (2 if mn > 0.0 and c != n_codes else 1)):
                count, a, t = ln + way * mn, lw + way * mw, ls + way * ms
                b, u = w - a, s - t
                if min(count, n - count) < rules.min_leaf or min(a, b) < rules.min_weight:
                    continue
                num, den = t * t * b + u * u * a, a * b
                if den > 0.0 and num * best_den > best * den:
                    best, best_den, low, high, missing_left = num, den, last, c, way
            ln += hist[c, 0]
            lw += hist[c, 1]
            ls += hist[c, 2]
            hist[c, 0] = hist[c, 1] = hist[c, 2] = 0.0
            last = c
    return best / best_den, low, high, missing_left


@inner
def fill(column, n_codes, rows, load, start, end, hist, bits):
    """Add up each code, and mark the codes that are there."""
    few = end - start < DENSE
    for i in range(start, end):
        c = np.int64(column[rows[i]])
        w = load[i, 0]
        hist[c, 0] += 1.0
        hist[c, 1] += w
        hist[c, 2] += w * load[i, 1]
        if few:
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    if few:
        return
    for word in range((n_codes + 64) >> 6):
        there = np.uint64(0)
        for c in range(min(64, n_codes + 1 - 64 * word)):
            there |= np.uint64(hist[64 * word + c, 0] != 0.0) << np.uint64(c)
        bits[word] = there
