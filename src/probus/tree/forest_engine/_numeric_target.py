"""The best cut of a column where a number is to be predicted: Σ w and Σ w y of each bin."""

from __future__ import annotations

import numpy as np

from probus.numba_seam.instructions import trailing_zeros
from probus.tree.kernel_parts import inlined


@inlined
def cut_numbers(column, n_codes, rows, load, hist, counts, bits, total, rules):
    """As ``cut_two_classes``, by squared error.

    load (IN)      float64[m, 2] weight, and weight times number, beside rows
    hist (INOUT)   float64[*, 2] Σ w and Σ w y of each code; zero before and after
    counts (INOUT) int64[*] rows of each code, where leaves must have several; zero before and after
    """
    fill(column, n_codes, rows, load, hist, counts if rules.min_leaf > 1 else counts[:0], bits)
    n, w, s, counting = np.int64(total[0]), total[1], total[2], rules.min_leaf > 1
    mn, mw, ms = counts[n_codes], hist[n_codes, 0], hist[n_codes, 1]
    best, best_den, low, high, missing_left = -np.inf, 1.0, np.int64(-1), np.int64(-1), 0
    ln, lw, ls, last = np.int64(0), 0.0, 0.0, np.int64(-1)
    for word in range((n_codes + 64) >> 6):
        there = bits[word]
        bits[word] = np.uint64(0)
        while there != 0:
            c = 64 * word + np.int64(trailing_zeros(there))
            there &= there - np.uint64(1)
            for way in range(0 if last < 0 else (2 if mw > 0.0 and c != n_codes else 1)):
                a, t = lw + way * mw, ls + way * ms
                b, u = w - a, s - t
                few = counting and min(ln + way * mn, n - ln - way * mn) < rules.min_leaf
                if few or min(a, b) < rules.min_weight or min(a, b) <= 0.0:
                    continue
                num, den = t * t * b + u * u * a, a * b
                if num * best_den > best * den:
                    best, best_den, low, high, missing_left = num, den, last, c, way
            ln += counts[c]
            lw += hist[c, 0]
            ls += hist[c, 1]
            hist[c, 0] = hist[c, 1] = 0.0
            counts[c] = 0
            last = c
    return best / best_den, low, high, missing_left


@inlined
def fill(column, n_codes, rows, load, hist, counts, bits):
    """Add up each code, and mark the codes that are there."""
    if len(counts) > 0:
        for i in range(len(rows)):
            counts[column[rows[i]]] += 1
    if 2 * len(rows) < n_codes:
        for i in range(len(rows)):
            c = np.int64(column[rows[i]])
            hist[c, 0] += load[i, 0]
            hist[c, 1] += load[i, 1]
            bits[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
        return
    for i in range(len(rows)):
        c = np.int64(column[rows[i]])
        hist[c, 0] += load[i, 0]
        hist[c, 1] += load[i, 1]
    for word in range((n_codes + 64) >> 6):
        there = np.uint64(0)
        for bit in range(min(64, n_codes + 1 - 64 * word)):
            there |= np.uint64(hist[64 * word + bit, 0] != 0.0) << np.uint64(bit)
        bits[word] = there
