"""The best partition of the levels of a nominal column among more than two classes.

Levels whose rows are all of one class go together: some best partition keeps levels of equal class shares on one side.
Of what is left, a few groups are tried in every way, and many are cut in order of the first principal component of
their class shares (Coppersmith, Hong and Hosking 1999). Single trees and those of forests share this search.
"""

from __future__ import annotations

import numpy as np

from probus.tree._criteria import ENTROPY, xlogx
from probus.tree.forest_engine._many_classes import crossing_squares
from probus.tree.kernel_parts import inlined, inner, reassociated
from probus.tree.splitting._gray_code import crossing, left_first
from probus.tree.splitting._histogram import sort_by

EVERY_WAY = 10  # groups; 511 partitions
_TURNS, _STILL = 20, 1e-5  # power iteration: the order is needed, and loses a thousandth of the gain so


def group_buffers(most: int, n_sums: int) -> tuple[np.ndarray, ...]:
    """Buffers for so many levels: tallies and members of groups, orders, scores, vectors of classes, and classes."""
    return (
        np.empty((most, 2 + n_sums)), np.empty(most, np.int64), np.empty((3, most), np.int64), np.empty(most),
        np.empty((4 + n_sums, n_sums)), np.empty(n_sums + 1, np.int64),
    )  # fmt: skip


@inner
def partition_classes(filled, missing, cells, left, order, groups, total, rules, table, least):
    """The best partition: its score, how many cells of ``order`` go left, and whether the missing do.

    Where the score is at most ``least``, the cells are not put in order.

    cells (IN)   float64[*, 2 + K] the tally of each level that is there, the missing after the last
    left (OUT)   float64[2 + K] buffer for a tally
    order (OUT)  int64[*] the cells, those that go left first
    groups (OUT) from ``group_buffers``
    """
    sums, group_of, orders, scores, buffers, present = groups
    tried, kept, spare = orders[0], orders[1], orders[2]
    n = _gather(filled, cells, sums, group_of, buffers[0], rules.min_leaf <= 1 and rules.min_weight <= 0.0)
    every_way = n <= EVERY_WAY
    if n > 1 and not every_way:
        first_component(n, sums, scores, buffers, present)
        for g in range(n):
            tried[g] = g
        sort_by(scores, tried, n, spare)
    best, n_left, missing_left = -np.inf, np.int64(0), 0
    for way in range(0 if n == 0 else (2 if missing else 1)):
        for k in range(len(left)):
            left[k] = cells[filled, k] if way == 1 else 0.0
        more = missing and way == 0  # the missing wait on the right, so that all may cross
        if every_way:
            found, at = _every_way(n, more, sums, left, total, rules, table, tried)
        else:
            found, at = _cut_in_order(n, more, sums, left, total, rules, table, tried)
        if found > best:
            best, n_left, missing_left = found, at, way
            for g in range(n):
                kept[tried[g]] = g
    # from groups to cells
    first, last = 0, filled - 1
    for q in range(filled if best > least else 0):
        if kept[group_of[q]] < n_left:
            order[first] = q
            first += 1
        else:
            order[last] = q
            last -= 1
    return best, np.int64(first), missing_left


@inlined
def _gather(filled, cells, sums, group_of, pure, together):
    """Sum up the levels of each pure class; each other level is a group. Returns the number of groups."""
    for k in range(len(pure)):
        pure[k] = -1.0
    n = 0
    for q in range(filled):
        g, only = np.int64(-1), -1
        for k in range(len(pure) if together else 0):
            only = k if cells[q, 2 + k] == cells[q, 1] else only
        if only >= 0:
            g = np.int64(pure[only])
            if g < 0:
                pure[only] = n
        if g < 0:
            for k in range(cells.shape[1]):
                sums[n, k] = cells[q, k]
            g = np.int64(n)
            n += 1
        else:
            for column in (0, 1, 2 + only):  # it has no other class
                sums[g, column] += cells[q, column]
        group_of[q] = g
    return n


@inlined
def _every_way(n, more, sums, left, total, rules, table, order):
    """Every partition, one group crossing at a time (Gray code); without missing on the right the last stays."""
    fl, fr = _phis(left, total, rules, table)
    best, best_den, best_code = -np.inf, 1.0, np.int64(0)
    for step in range(1, 1 << (n if more else n - 1)):
        g, sign, code = crossing(step)
        fl, fr = _cross(sums[g], sign, left, total, fl, fr, rules, table)
        num, den = _fraction(left, total, fl, fr, rules, table)
        if num * best_den > best * den:
            best, best_den, best_code = num, den, code
    return best / best_den, left_first(best_code, n, order)


@inlined
def _cut_in_order(n, more, sums, left, total, rules, table, order):
    """The best cut of the groups in this order."""
    fl, fr = _phis(left, total, rules, table)
    best, best_den, at = -np.inf, 1.0, np.int64(0)
    for p in range(n if more else n - 1):
        fl, fr = _cross(sums[order[p]], 1.0, left, total, fl, fr, rules, table)
        num, den = _fraction(left, total, fl, fr, rules, table)
        if num * best_den > best * den:
            best, best_den, at = num, den, np.int64(p + 1)
    return best / best_den, at


@inlined
def _cross(cell, sign, left, total, fl, fr, rules, table):
    """Move a group to the left, or back; returns Σ φ(s_k) of both sides."""
    left[0] += sign * cell[0]
    if rules.criterion == ENTROPY:
        for k in range(1, len(left)):
            left[k] = max(left[k] + sign * cell[k], 0.0)
        return _phis(left, total, rules, table)
    dw, dl, dr = crossing_squares(cell[2:], sign, left, total)
    left[1] += dw
    return fl + dl, fr + dr


@inlined
def _phis(left, total, rules, table):
    """Σ φ(s_k) of both sides, the part of a score that changes class by class."""
    fl, fr = 0.0, 0.0
    for k in range(2, len(left)):
        a, b = left[k], max(total[k] - left[k], 0.0)
        if rules.criterion == ENTROPY:
            fl += xlogx(a, table)
            fr += xlogx(b, table)
        else:
            fl += a * a
            fr += b * b
    return fl, fr


@inlined
def _fraction(left, total, fl, fr, rules, table):
    """The score as a numerator and a denominator; −inf where a side is too small."""
    wl, wr = left[1], total[1] - left[1]
    few = min(left[0], total[0] - left[0]) < rules.min_leaf
    if few or min(wl, wr) < rules.min_weight or min(wl, wr) <= 0.0:
        return -np.inf, 1.0
    if rules.criterion == ENTROPY:
        return fl - xlogx(wl, table) + fr - xlogx(wr, table), 1.0
    return fl * wr + fr * wl, wl * wr


@reassociated
def first_component(n, sums, scores, buffers, present):
    """Scores of the groups: their class shares along the direction in which these, weighted, vary most."""
    n_sums = sums.shape[1] - 2
    mean, direction, turned, spread = buffers[1], buffers[2], buffers[3], buffers[4:]
    for j in range(n_sums):
        mean[j] = 0.0
        for k in range(n_sums):
            spread[j, k] = 0.0
    total = 0.0
    for g in range(n):
        total += sums[g, 1]
        scale, n_present = 1.0 / sums[g, 1], 0
        for k in range(n_sums):
            mean[k] += sums[g, 2 + k]
            present[n_present] = k
            n_present += sums[g, 2 + k] > 0.0
        for a in range(n_present):
            j = present[a]
            share = sums[g, 2 + j] * scale
            for b in range(a + 1):  # the other half is the same
                k = present[b]
                spread[j, k] += share * sums[g, 2 + k]
    widest = 0
    for j in range(n_sums):
        for k in range(j + 1):
            spread[j, k] -= mean[j] * mean[k] / total
            spread[k, j] = spread[j, k]
        widest = j if spread[j, j] > spread[widest, widest] else widest
    for k in range(n_sums):
        direction[k] = spread[widest, k]
    for _ in range(_TURNS):
        size, moved = 0.0, 0.0
        for j in range(n_sums):
            at = 0.0
            for k in range(n_sums):
                at += spread[j, k] * direction[k]
            turned[j] = at
            size += at * at
        if size == 0.0:
            break
        scale = 1.0 / np.sqrt(size)
        for k in range(n_sums):
            moved = max(moved, abs(turned[k] * scale - direction[k]))
            direction[k] = turned[k] * scale
        if moved < _STILL:
            break
    for g in range(n):
        at = 0.0
        for k in range(n_sums):
            at += direction[k] * sums[g, 2 + k]
        scores[g] = at / sums[g, 1]
