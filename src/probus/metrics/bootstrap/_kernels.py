"""The loops of a resample: draw how often each row comes, then sum, tally and walk the ranks with those counts.

Counts are bytes. Fewer than 256 units cannot come more than 255 times; of 256 or more, the chance that one does is
below 10⁻⁵⁰⁰.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["draw_counts", "rank_areas", "resample", "tally", "weighted_sums"]

_LANES = 4  # neighbouring rows often share a cell: each lane waits only for its own last addition

_STEP, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(nogil=True, cache=True)
def _mixed(state):
    """The output of SplitMix64 (Steele, Lea and Flood 2014) at that state."""
    z = (state ^ (state >> _SHIFT_1)) * _MIX_1
    z = (z ^ (z >> _SHIFT_2)) * _MIX_2
    return z ^ (z >> _SHIFT_3)


@njit(nogil=True, cache=True)
def draw_counts(seed, order, starts, counts):
    """Draw from each stratum, with replacement, as many units as it has.

    Half a random word times the size has the drawn place in its upper half; those lower halves that would favour some
    places are drawn again (Lemire 2019), so that the draw is exactly uniform.

    seed (IN)     uint64        start of this resample's stream
    order (IN)    uint32[U]     the units, stratum by stratum; empty where they are one stratum in their own order
    starts (IN)   int64[S + 1]  where each stratum starts in ``order``, and its end
    counts (OUT)  uint8[U]      how often each unit was drawn
    """
    counts[:] = 0
    state = seed
    for s in range(len(starts) - 1):
        first, left = np.uint64(starts[s]), starts[s + 1] - starts[s]
        size = np.uint64(left)
        biased = (np.uint64(1) << _HALF) % size
        while left > 0:
            state += _STEP
            word = _mixed(state)
            for half in (word & _LOW, word >> _HALF):
                product = half * size
                if left > 0 and (product & _LOW) >= biased:
                    place = first + (product >> _HALF)
                    counts[order[place] if len(order) else place] += 1
                    left -= 1


@njit(nogil=True, cache=True, fastmath={"reassoc"})
def weighted_sums(counts, columns, out):
    """The sum of each column over the drawn units.

    counts (IN)   uint8[U]
    columns (IN)  float64[T, U]
    out (OUT)     float64[T]
    """
    for t in range(len(columns)):
        total = 0.0
        for u in range(len(counts)):
            total += counts[u] * columns[t, u]
        out[t] = total


@njit(nogil=True, cache=True)
def tally(amount, codes, lanes, out):
    """How much of the drawn rows is in each cell.

    amount (IN)  uint8[n] counts, or float64[n] counts times weights
    codes (IN)   int32[n]            the cell of each row
    lanes (OUT)  float64[_LANES, C]  scratch
    out (OUT)    float64[C]
    """
    lanes[:] = 0.0
    for i in range(len(codes)):
        lanes[i % _LANES, codes[i]] += amount[i]
    for c in range(len(out)):
        out[c] = 0.0
        for lane in range(_LANES):
            out[c] += lanes[lane, c]


@njit(nogil=True, cache=True, error_model="numpy")
def rank_areas(amount, zero, order, positive, last, out):
    """The area under the ROC curve and the average precision of the drawn rows, in one walk down the scores.

    amount (IN)    uint8[n] counts, or float64[n] counts times weights
    zero (IN)      int64 or float64  the kind of number to sum in: whole numbers add up twice as fast, and exactly
    order (IN)     uint32[n]         rows by falling score
    positive (IN)  bool[n]           in that order
    last (IN)      bool[n]           in that order: whether the next row scores lower
    out (OUT)      float64[2]        NaN where a side is empty
    """
    tp, fp, tp_above, fp_above, area, average = zero, zero, zero, zero, zero, 0.0
    for i in range(len(order)):
        drawn = amount[order[i]] + zero
        hit = drawn * positive[i]
        tp += hit
        fp += drawn - hit
        if last[i]:
            area += (fp - fp_above) * (tp + tp_above)
            if tp + fp > 0:
                average += (tp - tp_above) * (tp / (tp + fp))
            tp_above, fp_above = tp, fp
    out[0] = area / (2.0 * tp * fp) if tp > 0 and fp > 0 else np.nan
    out[1] = average / tp if tp > 0 else np.nan


@njit(nogil=True, cache=True)
def _measured(amount, zero, codes, ranks, lanes, cells, areas):
    """The statistics that read rows rather than units, of one resample."""
    for c in range(len(codes)):
        tally(amount, codes[c], lanes, cells[c])
    for r in range(len(ranks[0])):
        rank_areas(amount, zero, ranks[0][r], ranks[1][r], ranks[2][r], areas[r])


@njit(nogil=True, cache=True)
def resample(seeds, draws, w, columns, codes, ranks, sums, cells, areas):
    """Every statistic of one resample after another.

    seeds (IN)    uint64[B]
    draws (IN)    (order, starts, unit): the first two as in draw_counts; int32[n] the unit of each row, empty where
                  every row is its own
    w (IN)        float64[n]  row weights; empty where every row counts once
    columns (IN)  float64[T, U]
    codes (IN)    int32[C, n]
    ranks (IN)    (order, positive, last), each [R, n]
    sums (OUT)    float64[B, T]
    cells (OUT)   float64[B, C, cells]
    areas (OUT)   float64[B, R, 2]
    """
    order, starts, unit = draws
    counts = np.empty(starts[-1], np.uint8)
    by_row = np.empty(len(unit), np.uint8) if len(unit) else counts
    lanes = np.empty((_LANES, cells.shape[2]))
    for b in range(len(seeds)):
        draw_counts(seeds[b], order, starts, counts)
        for i in range(len(unit)):
            by_row[i] = counts[unit[i]]
        weighted_sums(counts, columns, sums[b])
        if len(w):
            _measured(by_row * w, 0.0, codes, ranks, lanes, cells[b], areas[b])
        else:
            _measured(by_row, np.int64(0), codes, ranks, lanes, cells[b], areas[b])
