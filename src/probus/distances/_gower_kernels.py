"""Kernels of Gower's distance: a block of rows at a time, column by column, so that the compiler can vectorise."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.distances._topk import insert

BLOCK = 512  # rows at a time: a column of the block and both sums stay in the first-level cache


@njit(nogil=True, cache=True)
def _sums(
    query_number, query_code, numbers, codes, number_weight, code_weight, number_missing, code_missing, asymmetric,
    start, stop, above, below,
):  # fmt: skip
    """Numerators and denominators of the distances of one query to the rows start … stop.

    query_number (IN) float64[p]     weighted, scaled, NaN missing;  query_code (IN) int32[m]
    numbers (IN)      float64[p, n]  weighted, scaled;               codes (IN)      int32[m, n]
    number_missing (IN)  bool[p]        does the column hold missing values;  code_missing (IN) bool[m]
    above (OUT)       float64[stop - start]  sum of weighted differences
    below (OUT)       float64[stop - start]  sum of the weights that count
    """
    size = stop - start
    above[:size] = 0.0
    below[:size] = 0.0
    certain = 0.0
    for j in range(numbers.shape[0]):
        q = query_number[j]
        w = number_weight[j]
        if np.isnan(q):
            continue
        column = numbers[j, start:stop]
        if number_missing[j]:
            for b in range(size):
                x = column[b]
                known = x == x
                above[b] += abs(x - q) if known else 0.0
                below[b] += w if known else 0.0
        else:
            certain += w
            for b in range(size):
                above[b] += abs(column[b] - q)
    for j in range(codes.shape[0]):
        c = query_code[j]
        w = code_weight[j]
        if c < 0:
            continue
        levels = codes[j, start:stop]
        if asymmetric[j] and c == 0:
            for b in range(size):
                counts = w if levels[b] > 0 else 0.0
                above[b] += counts
                below[b] += counts
        elif code_missing[j]:
            for b in range(size):
                known = levels[b] >= 0
                above[b] += w if known and levels[b] != c else 0.0
                below[b] += w if known else 0.0
        else:
            certain += w
            for b in range(size):
                above[b] += w if levels[b] != c else 0.0
    for b in range(size):
        below[b] += certain


@njit(nogil=True, cache=True)
def gower_block(
    query_numbers, query_codes, numbers, codes, number_weight, code_weight, number_missing, code_missing, asymmetric,
    out,
):  # fmt: skip
    """Every distance of the queries to the rows.

    out (OUT) float64[q, n]  NaN where nothing can be compared
    """
    n = out.shape[1]
    above, below = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        for i in range(query_numbers.shape[0]):
            _sums(
                query_numbers[i], query_codes[i], numbers, codes, number_weight, code_weight,
                number_missing, code_missing, asymmetric, start, stop, above, below,
            )  # fmt: skip
            for b in range(stop - start):
                out[i, start + b] = above[b] / below[b] if below[b] > 0.0 else np.nan


@njit(nogil=True, cache=True)
def gower_nearest(
    query_numbers, query_codes, numbers, codes, number_weight, code_weight, number_missing, code_missing, asymmetric,
    nearest, rows,
):  # fmt: skip
    """The nearest rows of each query, updated block by block.

    nearest (IN, OUT) float64[q, k]  ascending, infinite at first
    rows (IN, OUT)    int64[q, k]
    """
    n = max(numbers.shape[1], codes.shape[1])
    k = nearest.shape[1]
    above, below = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        for i in range(query_numbers.shape[0]):
            _sums(
                query_numbers[i], query_codes[i], numbers, codes, number_weight, code_weight,
                number_missing, code_missing, asymmetric, start, stop, above, below,
            )  # fmt: skip
            worst = nearest[i, k - 1]
            for b in range(stop - start):
                # compared as a product, to divide only for rows that may be kept
                if below[b] > 0.0 and (above[b] < worst * below[b] or worst == np.inf):
                    distance = above[b] / below[b]
                    if distance < worst:
                        insert(distance, start + b, nearest[i], rows[i])
                        worst = nearest[i, k - 1]
