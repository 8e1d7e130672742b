"""Kernels for pairs of columns: histograms, how much a pair explains that curves cannot, and small trees on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.glass_box._curve_kernel import LEAST_HESSIAN, TIE
from probus.tree.kernel_parts import allocating, inner


class PairPlan(NamedTuple):
    """Pairs of columns in coarse bins: which, where their cells begin in a flat array, and the bins of each column."""

    pairs: np.ndarray  # int64[p, 2]
    starts: np.ndarray  # int64[p + 1]
    sizes: np.ndarray  # int64[d]


@njit(nogil=True, cache=True)
def pair_sums(codes, m, values, plan, out):
    """Add up values of the first m rows by the cell of each pair.

    codes (IN)  uint8[d, n], coarse
    values (IN) float64[n, k]
    out (OUT)   float64[T, k], zeroed here
    """
    out[:] = 0.0
    k = values.shape[1]
    for p in range(len(plan.pairs)):
        first, second = plan.pairs[p, 0], plan.pairs[p, 1]
        begin, width = plan.starts[p], plan.sizes[second]
        for i in range(m):
            c = begin + codes[first, i] * width + codes[second, i]
            for q in range(k):
                out[c, q] += values[i, q]


@njit(nogil=True, cache=True)
def sum_pairs(codes, plan, tables, out):
    """Add the tables of all pairs to ``out`` (INOUT), float64[n, k]."""
    k = out.shape[1]
    for p in range(len(plan.pairs)):
        first, second = plan.pairs[p, 0], plan.pairs[p, 1]
        begin, width = plan.starts[p], plan.sizes[second]
        for i in range(codes.shape[1]):
            c = begin + codes[first, i] * width + codes[second, i]
            for q in range(k):
                out[i, q] += tables[c, q]


@njit(nogil=True, cache=True)
def add_pair_round(codes, m, gradient, hessian, rows_of, hessian_of, plan, rule, order, draws, tables, moved):
    """One round: a tree of up to four leaves for each pair, in the order given; arguments as of ``add_round``."""
    n, k = codes.shape[1], gradient.shape[1]
    most = np.diff(plan.starts).max()
    sums, delta = np.empty((most, k)), np.zeros((most, k))
    for place in range(len(order)):
        p = order[place]
        first, second = plan.pairs[p, 0], plan.pairs[p, 1]
        begin, end, width = plan.starts[p], plan.starts[p + 1], plan.sizes[second]
        sums[:] = 0.0
        for i in range(m):
            c = codes[first, i] * width + codes[second, i]
            for q in range(k):
                sums[c, q] += gradient[i, q] + hessian[i, q] * moved[i, q]
        for q in range(k):
            _grow_pair(sums[:, q], hessian_of[begin:end, q], rows_of[begin:end], plan.sizes[first], width, rule,
                       draws[p], delta[:, q])  # fmt: skip
            for c in range(end - begin):
                tables[begin + c, q] += delta[c, q]
        for i in range(n):
            c = codes[first, i] * width + codes[second, i]
            for q in range(k):
                moved[i, q] += delta[c, q]


@inner
def _cumulate(flat, height, width, flip, out):
    """Sums of all cells above and left of each corner; with ``flip`` the second column goes down."""
    a, b = (width, height) if flip else (height, width)
    for u in range(a):
        row = 0.0
        for v in range(b):
            row += flat[v * width + u] if flip else flat[u * width + v]
            out[u + 1, v + 1] = out[u, v + 1] + row
    return a, b


@allocating
def _grow_pair(sums, weights, rows, height, width, rule, draw, delta):
    """A cut of one column, and on either side a cut of the other: the better of the two orders."""
    most = max(height, width) + 1
    g, h, r = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most))
    best, best_flip = 0.0, False
    best_cut, best_low, best_high = 0, 0, 0
    for flip in (False, True):
        a, b = _cumulate(sums, height, width, flip, g)
        _cumulate(weights, height, width, flip, h)
        _cumulate(rows, height, width, flip, r)
        whole = _score(g[a, b], h[a, b], rule)
        shift = 3 if flip else 0
        at = min(1 + int(draw[shift] * (a - 1)), a - 1)
        low_cut, high_cut = (at, at + 1) if rule.smooth else (1, a)
        for u in range(low_cut, high_cut):
            low, low_at = _side(g, h, r, np.int64(0), u, b, rule, draw[shift + 1])
            high, high_at = _side(g, h, r, u, a, b, rule, draw[shift + 2])
            gain = low + high - whole
            if low >= 0.0 and high >= 0.0 and gain > best + TIE * (low + high):
                best, best_flip, best_cut, best_low, best_high = gain, flip, u, low_at, high_at
    for c in range(len(delta)):
        delta[c] = 0.0
    if best <= 0.0:
        return
    a, b = _cumulate(sums, height, width, best_flip, g)
    _cumulate(weights, height, width, best_flip, h)
    _cumulate(rows, height, width, best_flip, r)
    for side in range(2):
        first, end = (np.int64(0), best_cut) if side == 0 else (best_cut, a)
        at = best_low if side == 0 else best_high
        for part in range(2):
            left, right = (np.int64(0), at) if part == 0 else (at, b)
            if right > left:
                total = g[end, right] - g[first, right] - g[end, left] + g[first, left]
                size = h[end, right] - h[first, right] - h[end, left] + h[first, left] + rule.l2
                weight = r[end, right] - r[first, right] - r[end, left] + r[first, left]
                value = -rule.rate * total / max(size, LEAST_HESSIAN * weight, 1e-300)
                for u in range(first, end):
                    for v in range(left, right):
                        delta[v * width + u if best_flip else u * width + v] = value


@inner
def _score(g, h, rule):
    return g * g / (h + rule.l2 + 1e-300)


@inner
def _side(g, h, r, first, end, b, rule, draw):
    """The best cut of the other column within some rows of the table; a score of -1 where they hold too few rows."""
    rows = r[end, b] - r[first, b]
    if rows < rule.min_rows:
        return -1.0, b
    whole, weight = g[end, b] - g[first, b], h[end, b] - h[first, b]
    best, at = _score(whole, weight, rule), b
    first_cut, last_cut = 1, b
    if rule.smooth:
        first_cut = min(1 + int(draw * (b - 1)), b - 1)
        last_cut = first_cut + 1
    for v in range(first_cut, last_cut):
        low = r[end, v] - r[first, v]
        if low < rule.min_rows or rows - low < rule.min_rows:
            continue
        left, size = g[end, v] - g[first, v], h[end, v] - h[first, v]
        score = _score(left, size, rule) + _score(whole - left, weight - size, rule)
        if score > best + TIE * best:
            best, at = score, v
    return best, at


@njit(nogil=True, cache=True)
def interaction_strengths(codes, gradient, hessian, weight, plan, least, strengths):
    """For each pair the largest squared contrast of four quadrants, in units of its variance under no interaction.

    With quadrant means m = -G / H the contrast m11 - m12 - m21 + m22 is free of what two curves can explain, and its
    variance is the sum of 1 / H where g is noise of variance h. Of several classes the contrasts are added up.

    gradient, hessian (IN) float64[n, k], times the weight
    weight (IN)            float64[n]
    least (IN)             the smallest weight of a quadrant
    strengths (OUT)        float64[p]
    """
    n, k = gradient.shape
    most = plan.sizes.max() + 1
    sums, weights, rows = np.empty(most * most), np.empty(most * most), np.empty(most * most)
    g, h, r = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most))
    total = np.empty((most, most))
    for p in range(len(plan.pairs)):
        first, second = plan.pairs[p, 0], plan.pairs[p, 1]
        height, width = plan.sizes[first], plan.sizes[second]
        total[:] = 0.0
        for q in range(k):
            sums[: height * width] = 0.0
            weights[: height * width] = 0.0
            rows[: height * width] = 0.0
            for i in range(n):
                c = codes[first, i] * width + codes[second, i]
                sums[c] += gradient[i, q]
                weights[c] += hessian[i, q]
                rows[c] += weight[i]
            a, b = _cumulate(sums, height, width, False, g)
            _cumulate(weights, height, width, False, h)
            _cumulate(rows, height, width, False, r)
            for u in range(1, a):
                for v in range(1, b):
                    fewest = min(
                        min(r[u, v], r[u, b] - r[u, v]), min(r[a, v] - r[u, v], r[a, b] - r[u, b] - r[a, v] + r[u, v])
                    )
                    if fewest < least:
                        continue
                    h1, h2 = h[u, v], h[u, b] - h[u, v]
                    h3, h4 = h[a, v] - h[u, v], h[a, b] - h[u, b] - h[a, v] + h[u, v]
                    if min(min(h1, h2), min(h3, h4)) <= 0.0:
                        continue
                    g1, g2 = g[u, v], g[u, b] - g[u, v]
                    g3, g4 = g[a, v] - g[u, v], g[a, b] - g[u, b] - g[a, v] + g[u, v]
                    contrast = g1 / h1 - g2 / h2 - g3 / h3 + g4 / h4
                    total[u, v] += contrast * contrast / (1.0 / h1 + 1.0 / h2 + 1.0 / h3 + 1.0 / h4)
        best = 0.0
        for u in range(1, height):
            for v in range(1, width):
                best = max(best, total[u, v])
        strengths[p] = best
