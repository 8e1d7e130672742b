"""Cyclic boosting of curves: in each round every column in turn adds one small tree on its own histogram.

Within a round gradients follow linearly from what the round has added so far, g + h · moved: exact for squared error,
and close for others, since steps are small. A step therefore reads each row once and the bins of one column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree.kernel_parts import allocating, inner

MOST_LEAVES = 16
TIE = 1e-10  # by which a split must be better: the first of equal ones is taken, whatever the order of sums
LEAST_HESSIAN = 1e-6  # of a row: without a penalty, leaves of certain rows have finite values


class StepRule(NamedTuple):
    """How a tree of one column is grown."""

    rate: float
    l2: float
    level_l2: float
    min_rows: float
    max_leaves: int
    smooth: bool  # whether splits are drawn at random, as in the first rounds


class CurvePlan(NamedTuple):
    """The columns: where their bins begin in a flat array (the last of each is for missing values), and their kind."""

    starts: np.ndarray  # int64[d + 1]
    nominal: np.ndarray  # bool[d]
    monotone: np.ndarray  # int64[d], 1, -1 or 0


@njit(nogil=True, cache=True)
def sum_by_code(codes, m, values, starts, out):
    """Add up values of the first m rows by the code of each column.

    codes (IN)  uint8[d, n]
    values (IN) float64[n, k]
    out (OUT)   float64[T, k], zeroed here
    """
    out[:] = 0.0
    k = values.shape[1]
    for j in range(len(codes)):
        begin = starts[j]
        for i in range(m):
            c = begin + codes[j, i]
            for q in range(k):
                out[c, q] += values[i, q]


@njit(nogil=True, cache=True)
def sum_terms(codes, starts, curves, out):
    """Add the curves of all columns to ``out`` (INOUT), float64[n, k]."""
    k = out.shape[1]
    for j in range(len(codes)):
        begin = starts[j]
        for i in range(codes.shape[1]):
            for q in range(k):
                out[i, q] += curves[begin + codes[j, i], q]


@njit(nogil=True, cache=True)
def add_round(codes, m, gradient, hessian, rows_of, hessian_of, plan, rule, order, draws, curves, moved):
    """One round: a tree for each column, in the order given.

    codes (IN)             uint8[d, n], training rows first
    m (IN)                 how many rows are training rows
    gradient, hessian (IN) float64[m, k] at the start of the round
    rows_of (IN)           float64[T], the rows of each bin
    hessian_of (IN)        float64[T, k], the hessian of each bin
    order, draws (IN)      int64[d], the columns in turn; float64[d, MOST_LEAVES], where random splits are
    curves (INOUT)         float64[T, k]
    moved (INOUT)          float64[n, k], zero; what the round adds to each row
    """
    n, k = codes.shape[1], gradient.shape[1]
    sums, delta = np.empty((257, k)), np.zeros((257, k))
    before = order[0]
    g, h, t = gradient.reshape(-1), hessian.reshape(-1), moved.reshape(-1)
    for place in range(len(order) + 1):
        last = place == len(order)
        j = order[0] if last else order[place]
        here, past = codes[j], codes[before]
        sums[:] = 0.0
        if last or k > 1:
            for i in range(n):
                for q in range(k):
                    moved[i, q] += delta[past[i], q]
            if last:
                break
            for i in range(m):
                for q in range(k):
                    sums[here[i], q] += gradient[i, q] + hessian[i, q] * moved[i, q]
        else:
            for i in range(m):
                step = t[i] + delta[past[i], 0]
                t[i] = step
                sums[here[i], 0] += g[i] + h[i] * step
            for i in range(m, n):
                t[i] += delta[past[i], 0]
        begin, end = plan.starts[j], plan.starts[j + 1]
        for q in range(k):
            _grow(sums[:, q], hessian_of[begin:end, q], rows_of[begin:end], plan.nominal[j], plan.monotone[j],
                  rule, draws[j], delta[:, q])  # fmt: skip
            for b in range(end - begin):
                curves[begin + b, q] += delta[b, q]
        before = j


@allocating
def _grow(sums, weights, rows, nominal, monotone, rule, draw, delta):
    """The values of a tree for each bin of a column; the last bin, of missing values, has a leaf of its own."""
    bins = len(weights) - 1
    l2 = rule.level_l2 if nominal else rule.l2
    place = np.arange(bins)
    if nominal:
        rank = np.empty(bins)
        for b in range(bins):
            rank[b] = sums[b] / (weights[b] + rule.level_l2)
        place = np.argsort(rank)
    g, h, r = np.zeros(bins + 1), np.zeros(bins + 1), np.zeros(bins + 1)
    for b in range(bins):
        c = place[b]
        g[b + 1], h[b + 1], r[b + 1] = g[b] + sums[c], h[b] + weights[c], r[b] + rows[c]
    ends = np.empty(MOST_LEAVES + 1, np.int64)
    leaves = _split_range(g, h, r, rule, l2, draw, ends)
    value, size = np.empty(leaves), np.empty(leaves)
    for leaf in range(leaves):
        first, end = ends[leaf], ends[leaf + 1]
        size[leaf] = max(h[end] - h[first] + l2, LEAST_HESSIAN * (r[end] - r[first]), 1e-300)
        value[leaf] = -rule.rate * (g[end] - g[first]) / size[leaf]
    if monotone != 0:
        _make_monotone(value, size, monotone)
    for leaf in range(leaves):
        for b in range(ends[leaf], ends[leaf + 1]):
            delta[place[b]] = value[leaf]
    missing = max(weights[bins] + rule.level_l2, LEAST_HESSIAN * rows[bins])
    delta[bins] = -rule.rate * sums[bins] / missing if rows[bins] > 0.0 and missing > 0.0 else 0.0


@allocating
def _split_range(g, h, r, rule, l2, draw, ends):
    """Split the bins into at most ``max_leaves`` ranges, the largest gain first; returns how many, and their ends."""
    bins = len(g) - 1
    ends[0], ends[1] = 0, bins
    leaves = 1
    cut, gain = np.empty(MOST_LEAVES, np.int64), np.empty(MOST_LEAVES)
    cut[0], gain[0] = _best_cut(g, h, r, 0, bins, rule, l2, draw[0])
    while leaves < rule.max_leaves:
        best = 0
        for leaf in range(1, leaves):
            best = leaf if gain[leaf] > gain[best] else best
        if gain[best] <= 0.0:
            break
        for leaf in range(leaves, best, -1):
            ends[leaf + 1] = ends[leaf]
            cut[leaf], gain[leaf] = cut[leaf - 1], gain[leaf - 1]
        ends[best + 1] = cut[best]
        leaves += 1
        if leaves < rule.max_leaves:
            for leaf in (best, best + 1):
                cut[leaf], gain[leaf] = _best_cut(
                    g, h, r, ends[leaf], ends[leaf + 1], rule, l2, draw[leaves + leaf - best - 1]
                )
    return leaves


@inner
def _best_cut(g, h, r, first, end, rule, l2, draw):
    """Where to split a range of bins, and the gain; 0 where no split leaves enough rows on both sides."""
    low, high = first + 1, end
    while low < end and r[low] - r[first] < rule.min_rows:
        low += 1
    while high > low and r[end] - r[high - 1] < rule.min_rows:
        high -= 1
    if high <= low:
        return first, 0.0
    if rule.smooth:
        at = low + int(draw * (high - low))
        low, high = at, at + 1
    best, cut = 0.0, first
    whole = (g[end] - g[first]) ** 2 / (h[end] - h[first] + l2 + 1e-300)
    for b in range(low, high):
        left, right = g[b] - g[first], g[end] - g[b]
        score = left * left / (h[b] - h[first] + l2 + 1e-300) + right * right / (h[end] - h[b] + l2 + 1e-300)
        gain = score - whole
        if gain > best + TIE * score:
            best, cut = gain, b
    return cut, best


@allocating
def _make_monotone(value, size, sign):
    """Pool adjacent leaves until values only rise, or only fall."""
    n = len(value)
    mean, weight, width = np.empty(n), np.empty(n), np.empty(n, np.int64)
    blocks = 0
    for i in range(n):
        mean[blocks], weight[blocks], width[blocks] = sign * value[i], size[i], 1
        blocks += 1
        while blocks > 1 and mean[blocks - 2] > mean[blocks - 1]:
            a, b = blocks - 2, blocks - 1
            total = weight[a] + weight[b]
            mean[a] = (mean[a] * weight[a] + mean[b] * weight[b]) / total
            weight[a], width[a] = total, width[a] + width[b]
            blocks -= 1
    i = 0
    for block in range(blocks):
        for _ in range(width[block]):
            value[i] = sign * mean[block]
            i += 1
