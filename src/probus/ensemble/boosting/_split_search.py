"""The best split of a node, from its histogram.

The gain of a split is L(G, H) of both sides minus that of the node, with L(G, H) = max(|G| − α, 0)² / (H + λ): twice
the decrease of the loss, to second order, for the leaf value −G / (H + λ) (Chen and Guestrin 2016).
"""

from __future__ import annotations

import numpy as np

from probus.ensemble.boosting._gradient_histogram import marginal
from probus.ensemble.boosting._node_arrays import (  # fmt: skip
    CELLS,
    CUT,
    EVERY_CODE,
    FEATURE,
    GAIN,
    GROUP,
    LOWER,
    MISSING_LEFT,
    MONOTONE,
    N_CODES,
    NO_SPLIT,
    NOMINAL,
    SEED,
    SIZE,
    STRIDE,
    TOTAL,
    UNSEEN,
    UPPER,
)
from probus.ensemble.boosting._packed_gradients import unpack
from probus.tree.kernel_parts import inner
from probus.tree.splitting import draw, sort_by

_TIE = 1e-7  # smaller relative differences may be rounding: the first column and the first cut win
SUMS, _CODES = 4, 5  # rows of ``ints`` in ``_scan_plain``
_EXPONENT, _AS_FLOAT = np.int64(0x4338000000000000), 6755399441055744.0  # 2⁵² + 2⁵¹, by its bits and as a number


@inner
def leaf_step(g, h, l1, l2, lower, upper):
    """The value of a leaf: −G / (H + λ), with G shrunk by α, within bounds."""
    shrunk = max(abs(g) - l1, 0.0)
    step = (-shrunk if g > 0.0 else shrunk) / (h + l2 + 1e-300)
    return min(max(step, lower), upper)


@inner
def score_of(g, h, step, l1, l2):
    """Twice the decrease of the loss by a step, to second order."""
    return -(2.0 * g * step + (h + l2) * step * step + 2.0 * l1 * abs(step))


@inner
def search(link, fact, cells, about, rules, scales, allowed, sets, ints, scores, found):
    """Find the best split of a node; FEATURE is ``NO_SPLIT`` where none gains.

    link, fact (INOUT)     the node
    cells (IN)             int64[256 G] its histogram
    allowed (IN)           uint8[d] the columns it may split
    sets (OUT)             uint64[8] for nominal splits: the codes that go left, and those with rows
    ints, scores (OUT)     int64[6, max(256, d)], float64[257] workspace
    found (OUT)            float64[d, 3] workspace
    """
    n_drawn = draw_columns(link, about, rules, allowed, ints[3])
    for q in range(n_drawn):
        try_column(ints[3, q], link, fact, cells, about, rules, scales, ints, scores, found)
    choose(link, fact, cells, about, rules, scales, n_drawn, sets, ints, scores, found)


@inner
def draw_columns(link, about, rules, allowed, pool):
    """The columns to try, a random subset of those allowed if there are too many; returns their number.

    pool (OUT) int64[*]
    """
    n_allowed = 0
    for f in range(len(about)):
        if allowed[f]:
            pool[n_allowed] = f
            n_allowed += 1
    n_drawn = np.int64(min(float(n_allowed), rules.max_features))
    if n_drawn < n_allowed:
        state = np.uint64(link[SEED])
        for q in range(n_drawn):
            state, j = draw(state, n_allowed - q)
            pool[q], pool[q + j] = pool[q + j], pool[q]
    return n_drawn


@inner
def unsplit_score(link, fact, rules, scales, l2):
    """The score of the node without a split."""
    g, h, _ = unpack(link[TOTAL], scales)
    return score_of(g, h, leaf_step(g, h, rules.l1, l2, fact[LOWER], fact[UPPER]), rules.l1, l2)


@inner
def try_column(f, link, fact, cells, about, rules, scales, ints, scores, found):
    """The best split on a column: its score, the last code on the left, and where missing values go.

    found (OUT) float64[d, 3], of which row f; minus infinity if there is none
    """
    total, lower, upper, l2 = link[TOTAL], fact[LOWER], fact[UPPER], rules.l2
    n_codes, size, nominal = about[f, N_CODES], about[f, SIZE], about[f, NOMINAL]
    column, begin = cells, EVERY_CODE * about[f, GROUP]
    if about[f, CELLS] != size:
        marginal(cells, begin, about[f, STRIDE], size, about[f, CELLS], ints[0])
        column, begin = ints[0], 0
    missing = column[begin + n_codes] if size > n_codes else np.int64(0)
    if nominal == 0 and rules.careful == 0.0:
        gain_here, at, side_of_missing = _scan_plain(
            column, begin, n_codes, missing, total, rules, scales, ints, scores
        )
    else:
        level_l2 = l2 + nominal * rules.level_l2
        if nominal == 1:
            n_codes, rare = levels_in_order(column, begin, n_codes, rules, scales, ints[1], ints[2], scores)
            missing += rare
        else:
            for c in range(n_codes):
                ints[1, c] = c
        gain_here, at, side_of_missing = _scan(
            column, begin, ints[1], n_codes, missing, total, rules, scales, about[f, MONOTONE], lower, upper,
            level_l2,
        )  # fmt: skip
        if nominal == 1:  # a nominal split is compared with the score of the node under the same larger penalty
            gain_here += unsplit_score(link, fact, rules, scales, l2)
            gain_here -= unsplit_score(link, fact, rules, scales, level_l2)
    found[f, 0], found[f, 1], found[f, 2] = gain_here, at, (side_of_missing if missing != 0 else UNSEEN)


@inner
def choose(link, fact, cells, about, rules, scales, n_drawn, sets, ints, scores, found):
    """The column with the best split; of those that are about equal, the first."""
    before, most = unsplit_score(link, fact, rules, scales, rules.l2), -np.inf
    for q in range(n_drawn):
        most = max(most, found[ints[3, q], 0])
    link[FEATURE], fact[GAIN] = NO_SPLIT, 0.0
    if not most > before + _TIE * abs(before) + rules.min_gain:
        return
    q = 0
    while found[ints[3, q], 0] < most - _TIE * abs(most):
        q += 1
    f = ints[3, q]
    fact[GAIN] = found[f, 0] - before
    link[FEATURE], link[CUT], link[MISSING_LEFT] = f, np.int64(found[f, 1]), np.int64(found[f, 2])
    if about[f, NOMINAL] == 1:
        column, begin = cells, EVERY_CODE * about[f, GROUP]
        if about[f, CELLS] != about[f, SIZE]:
            marginal(cells, begin, about[f, STRIDE], about[f, SIZE], about[f, CELLS], ints[0])
            column, begin = ints[0], 0
        n_known, _ = levels_in_order(column, begin, about[f, N_CODES], rules, scales, ints[1], ints[2], scores)
        keep_levels(ints[1], n_known, link[CUT] + 1, sets)


@inner
def _scan_plain(column, begin, n_codes, missing, total, rules, scales, ints, scores):
    """Best cut of an ordered column: its score, the last code on the left, and whether missing values go left."""
    n_there = _cumulate(column, begin, n_codes, ints[SUMS], ints[_CODES])
    best, at, side_of_missing = -np.inf, np.int64(-1), np.int64(0)
    for side in range(2 if missing != 0 else 1):
        if side == 1:
            for q in range(n_there):
                ints[SUMS, q] += missing
        # with missing values on the right, a cut after the last code separates them
        end = n_there if missing != 0 and side == 0 else n_there - 1
        first, last = _valid_cuts(ints[SUMS], end, total, rules, scales)
        if first >= last:
            continue
        cut_scores(ints, scores, last, total, rules.l2, scales)
        most, q = _best_cut(scores, first, last)
        if at < 0 or most > best * (1.0 + _TIE):
            best, at, side_of_missing = most, ints[_CODES, q], np.int64(side)
    return best, at, side_of_missing


@inner
def _cumulate(column, begin, n_codes, sums, codes):
    """The codes with rows, and the cumulated sums up to each; returns their number."""
    there, run = np.uint64(0), np.int64(0)
    for c in range(n_codes):
        v = column[np.uint64(begin + c)]
        run += v
        sums[there] = run
        codes[there] = c
        there += np.uint64(v != 0)  # the entry of a code without rows is overwritten by the next
    return np.int64(there)


@inner
def _valid_cuts(sums, end, total, rules, scales):
    """The first cut with enough rows on the left, and the end of those with enough on the right."""
    count_bits, mask, unit_h = scales.count_bits, (np.int64(1) << scales.hessian_bits) - 1, scales.hessian_unit
    counts, th = (np.int64(1) << count_bits) - 1, (total >> count_bits) & mask
    rows, tn = rules.min_leaf, total & counts
    hessian = rules.min_hessian / unit_h
    if count_bits == 0:  # the number of rows is derived from hessians
        rows, hessian = 0.0, max(hessian, rules.min_leaf / (scales.rows_per_hessian * unit_h))
    first, last = 0, end
    while first < last and ((sums[first] & counts) < rows or ((sums[first] >> count_bits) & mask) < hessian):
        first += 1
    while first < last:
        sum_left = sums[last - 1]
        if tn - (sum_left & counts) >= rows and th - ((sum_left >> count_bits) & mask) >= hessian:
            break
        last -= 1
    return first, last


@inner
def cut_scores(ints, scores, end, total, l2, scales):
    """The score of each cut.

    Half the time of small nodes, so the loops are written for vector instructions: integers become floats by
    adding them to the bits of 2⁵² (no processor before AVX-512 converts several at once).
    """
    tg, th, _ = unpack(total, scales)
    shift, count_bits = scales.count_bits + scales.hessian_bits, scales.count_bits
    mask, unit_g, unit_h = (np.int64(1) << scales.hessian_bits) - 1, scales.gradient_unit, scales.hessian_unit
    l2 += 1e-300
    for q in range(end):
        gradient, hessian = (ints[SUMS, q] >> shift) + _EXPONENT, ((ints[SUMS, q] >> count_bits) & mask) + _EXPONENT
        g = (np.int64(gradient).view(np.float64) - _AS_FLOAT) * unit_g
        h = (np.int64(hessian).view(np.float64) - _AS_FLOAT) * unit_h
        a, b, o = h + l2, (th - h) + l2, tg - g
        scores[q] = (g * g * b + o * o * a) / (a * b)


@inner
def _best_cut(scores, first, last):
    """The largest of some non-negative scores, and the first position of one that is about as large."""
    for q in range(first):
        scores[q] = -1.0
    bits = np.int64(0)  # non-negative floats are ordered as their bits
    for q in range(last):
        bits = max(bits, np.float64(scores[q]).view(np.int64))
    most, q = np.int64(bits).view(np.float64), first
    while scores[q] < most * (1.0 - _TIE):
        q += 1
    return most, q


@inner
def _scan(column, begin, order, n_codes, missing, total, rules, scales, monotone, lower, upper, l2):
    """As ``_scan_plain``, for codes in any order, with bounds, monotone constraints and an L1 penalty."""
    tg, th, tn = unpack(total, scales)
    best, at, side_of_missing, l1 = -np.inf, np.int64(-1), np.int64(0), rules.l1
    for side in range(2 if missing != 0 else 1):
        sum_left = missing if side == 1 else np.int64(0)
        for q in range(n_codes if missing != 0 and side == 0 else n_codes - 1):
            v = column[begin + order[q]]
            if v == 0:
                continue
            sum_left += v
            g, h, n = unpack(sum_left, scales)
            if n < rules.min_leaf or h < rules.min_hessian:
                continue
            if tn - n < rules.min_leaf or th - h < rules.min_hessian:
                break
            a, b = leaf_step(g, h, l1, l2, lower, upper), leaf_step(tg - g, th - h, l1, l2, lower, upper)
            if (a - b) * monotone > 0.0:
                continue
            gain_here = score_of(g, h, a, l1, l2) + score_of(tg - g, th - h, b, l1, l2)
            if at < 0 or gain_here > best + _TIE * abs(best):
                best, at, side_of_missing = gain_here, np.int64(q), np.int64(side)
    return (best if at >= 0 else -np.inf), at, side_of_missing


@inner
def levels_in_order(column, begin, n_codes, rules, scales, order, other, scores):
    """The levels with enough rows, ordered by their step; returns their number, and the sum of the rest."""
    n_known, rare = np.int64(0), np.int64(0)
    for c in range(n_codes):
        v = column[begin + c]
        if v == 0:
            continue
        g, h, n = unpack(v, scales)
        if n < rules.level_rows:
            rare += v
            continue
        # shrunk towards zero as if there were more rows
        scores[c] = g / (h * (1.0 + rules.level_rows / max(n, 1.0)) + 1e-300)
        order[n_known] = c
        n_known += 1
    sort_by(scores, order, n_known, other)
    return n_known, rare


@inner
def keep_levels(order, n_known, n_left, sets):
    """The set of the first levels of an order, which go left, and that of all."""
    for w in range(8):
        sets[w] = np.uint64(0)
    for q in range(n_known):
        word, bit = order[q] >> 6, np.uint64(1) << np.uint64(order[q] & 63)
        sets[4 + word] |= bit
        if q < n_left:
            sets[word] |= bit
