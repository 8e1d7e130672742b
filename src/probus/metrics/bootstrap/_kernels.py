"""The loops of a resample: draw how often each row comes, then sum, tally and walk the ranks with those counts.

What Python calls is compiled for the types stated here, in this order, and cached; the rest is compiled into it. Numba
numbers the entries of a function's cache as they come, and of two processes that compile different types at the same
time, one may later be handed the other's code.
"""

from __future__ import annotations

import numpy as np
from numba import types

from probus.compiling import njit
from probus.metrics.bootstrap._drawing import draw_counts

_LANES = 4  # neighbouring rows often share a cell: each lane waits only for its own last addition


def _reads(dtype, ndim=1):
    return types.Array(dtype, ndim, "C", readonly=True)


_NUMBERS, _COUNTS, _FLAGS = _reads(types.float64), _reads(types.uint8), _reads(types.boolean)


@njit(nogil=True, fastmath={"reassoc"})
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


@njit(nogil=True)
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


@njit(
    [
        types.void(amount, zero, _reads(types.uint32), _FLAGS, _FLAGS, types.float64[::1])
        for amount, zero in ((_COUNTS, types.int64), (_NUMBERS, types.float64))
    ],
    nogil=True,
    cache=True,
    error_model="numpy",
)
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


@njit(nogil=True)
def _measure(amount, zero, codes, ranks, lanes, cells, areas):
    """The statistics that read rows rather than units, of one resample."""
    for c in range(len(codes)):
        tally(amount, codes[c], lanes, cells[c])
    for r in range(len(ranks[0])):
        rank_areas(amount, zero, ranks[0][r], ranks[1][r], ranks[2][r], areas[r])


@njit(
    types.void(
        _reads(types.uint64),
        types.Tuple([_reads(types.uint32), _reads(types.int64), _reads(types.int32)]),
        _NUMBERS,
        _reads(types.float64, 2),
        _reads(types.int32, 2),
        types.Tuple([_reads(types.uint32, 2), _reads(types.boolean, 2), _reads(types.boolean, 2)]),
        types.float64[:, ::1],
        types.float64[:, :, ::1],
        types.float64[:, :, ::1],
    ),
    nogil=True,
    cache=True,
)
def resample(seeds, draws, w, columns, codes, ranks, sums, cells, areas):
    """Every statistic of one resample after another.

    seeds (IN)    uint64[B]
    draws (IN)    (order, starts, unit): the first two as in draw_counts; int32[n] the unit of each row, empty where
                  every row is its own
    w (IN)        float64[n]  row weights; empty where every row counts once
    columns (IN)  float64[T, U]
    codes (IN)    int32[C, n]
    ranks (IN)    (order, positive, last), each [R, n]
    sums (OUT)    float64[B, T or more]  the first T of each row
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
            _measure(by_row * w, 0.0, codes, ranks, lanes, cells[b], areas[b])
        else:
            _measure(by_row, np.int64(0), codes, ranks, lanes, cells[b], areas[b])
