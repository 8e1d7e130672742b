"""Quantile bins of a column, for trees and forests that bin their columns.

Boosting has its own rule (``probus.ensemble.boosting.binning``): it finds cuts on a sample of the rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["quantile_bins"]


@njit(nogil=True, cache=True)
def quantile_bins(values, order, low, high, codes):
    """Put values into at most ``len(low)`` bins of about equally many rows; returns how many bins there are.

    A column of no more distinct values than bins keeps each of them.

    values (IN)     float64[n] in order, NaN last
    order (IN)      uint64[n] their rows
    low, high (OUT) float64[max_bins] the smallest and the largest value of each bin
    codes (OUT)     uint8[n] or uint16[n] the bin of each row; the missing have the code after the last
    """
    n, max_bins, distinct, last = 0, len(low), 0, np.nan
    while n < len(order) and values[n] == values[n]:
        distinct += values[n] != last
        last = values[n]
        n += 1
    bins, first, room = -1, 0, 1.0
    for i in range(n):
        v = values[i]
        full = i - first >= room and v != last and bins < max_bins - 1
        if i == 0 or full:
            bins, first = bins + 1, i
            low[bins] = v
            # the remaining rows are divided anew for each bin: one frequent value does not leave too few for others
            room = 1.0 if distinct <= max_bins else (n - i) / (max_bins - bins)
        codes[order[i]] = bins
        high[bins] = last = v
    for i in range(n, len(order)):
        codes[order[i]] = bins + 1
    return bins + 1
