"""Quantile bins of a column: of about equally many rows each, for trees, forests and boosting."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.tree.kernel_parts import inner

_LARGEST = np.finfo(np.float64).max


@inner
def bin_starts(values, starts):
    """Where bins begin in sorted values, at most ``len(starts)``; returns their number and that of the values.

    A column of no more distinct values than bins keeps each of them. Otherwise each value that would fill a bin gets
    its own, and the others share the remaining bins evenly.

    values (IN)  float64[n] in order, NaN last
    starts (OUT) int64[max_bins]
    """
    n, max_bins = len(values), len(starts)
    while n > 0 and values[n - 1] != values[n - 1]:
        n -= 1
    distinct, frequent, rest, start = 0, 0, n, 0
    for i in range(1, n + 1):
        if i == n or values[i] != values[i - 1]:
            distinct += 1
            if (i - start) * max_bins >= n:
                frequent += 1
                rest -= i - start
            start = i
    bins, since, start, plain = 0, 0, 0, 0
    if n > 0:
        starts[0], bins = 0, 1
    for i in range(1, n):
        if values[i] == values[i - 1]:
            continue
        if (i - start) * max_bins >= n:
            frequent -= 1
        else:
            plain += i - start
        start = i
        if distinct > max_bins and (i - since) * max(1, max_bins - bins + 1 - frequent) < rest:
            continue
        if bins == max_bins:
            break
        starts[bins] = i
        bins, since, rest, plain = bins + 1, i, rest - plain, 0
    return bins, n


@njit(nogil=True, cache=True)
def cut_points(values, max_bins, edges):
    """The cut points between the bins of sorted values; returns their number.

    values (IN) float64[n] in order, NaN last
    edges (OUT) float64[*] the cuts, halfway between neighbours; infinite values are separated from finite ones
    """
    starts = np.empty(max_bins, np.int64)
    bins, _ = bin_starts(values, starts)
    for b in range(1, bins):
        i = starts[b]
        low, high = max(values[i - 1], -_LARGEST), min(values[i], _LARGEST)
        middle = low + (high - low) / 2.0
        edges[b - 1] = middle if middle < values[i] else values[i - 1]
    return max(bins - 1, 0)


@njit(nogil=True, cache=True)
def quantile_bins(values, order, low, high, codes):
    """Put values into at most ``len(low)`` bins; returns how many bins there are.

    values (IN)     float64[n] in order, NaN last
    order (IN)      uint64[n] their rows
    low, high (OUT) float64[max_bins] the smallest and the largest value of each bin
    codes (OUT)     uint8[n] or uint16[n] the bin of each row; the missing have the code after the last
    """
    starts = np.empty(len(low), np.int64)
    bins, n = bin_starts(values, starts)
    for b in range(bins):
        end = starts[b + 1] if b + 1 < bins else n
        low[b], high[b] = values[starts[b]], values[end - 1]
        for i in range(starts[b], end):
            codes[order[i]] = b
    for i in range(n, len(order)):
        codes[order[i]] = bins
    return bins
