"""Leaves below splits on so many features that a table of all patterns would be too long: only those that occur.

Where a row passes the splits on a features that a row of the background fails, and fails those on b features that it
passes, a coalition reaches the leaf if it has all of the a and none of the b. So the Shapley value of each of the a is
(a - 1)! b! / (a + b)!, that of each of the b is -a! (b - 1)! / (a + b)!, and where both rows fail a feature, all is 0.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from probus.compiling import njit
from probus.ensemble.shap._patterns import Blocks
from probus.ensemble.shap._shapley_kernel import Paths
from probus.tree.kernel_parts import inner
from probus.tree.prediction import RowLayout, in_set, over_rows

_ROWS = 1024  # the fewest that are explained together


def add_wide_leaves(
    paths: Paths, blocks: Blocks, X: np.ndarray, background: np.ndarray | None, n_groups: int, pairs: bool,
    n_jobs: int | None, out: np.ndarray,
) -> None:  # fmt: skip
    """Add what leaves contribute to the Shapley values of each row, or to interactions of pairs.

    out : float64[n, columns], of pairs the first feature comes first
    """
    if not len(blocks.node):
        return
    n_values = len(paths.value) // len(paths.node)
    group = (np.searchsorted(paths.start, blocks.node, "right") - 1) % n_groups
    others = np.ascontiguousarray(np.empty((0, X.shape[1])) if background is None else background, np.float64)
    flat = others.reshape(-1).view()
    flat.flags.writeable = False
    against = RowLayout(flat, X.shape[1], 1, len(others))
    weights = _weights(int(blocks.n_players.max()), pairs)
    at_once = max(_ROWS, len(others))

    def add(rows: RowLayout, part: slice) -> None:
        for first in range(0, rows.n, at_once):
            some = rows._replace(X=rows.X[first * rows.row :], n=min(at_once, rows.n - first))
            to = out[part][first : first + some.n]
            sum_wide_leaves(some, against, paths, blocks, group, n_values, n_groups * n_values, pairs, *weights, to)

    over_rows(X, n_jobs, 100.0 * len(X) * len(blocks.node), add)


def _weights(D: int, pairs: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By a and b, of one of the a and one of the b; or, half, of two of the a, two of the b, and one of each."""

    def table(less_a: int, less_b: int, sign: float) -> np.ndarray:
        out = np.zeros((D + 1, D + 1))
        less = less_a + less_b - 1  # of the players but one, or but two
        for a in range(less_a, D + 1):
            for b in range(less_b, D + 1 - a):
                out[a, b] = sign * factorial(a - less_a) * factorial(b - less_b) / factorial(max(a + b - less, 0))
        return out

    if pairs:
        return table(2, 0, 0.5), table(0, 2, 0.5), table(1, 1, -0.5)
    return table(1, 0, 1.0), table(0, 1, -1.0), np.zeros((D + 1, D + 1))


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def sum_wide_leaves(
    rows, others, paths, blocks, group, n_values, width, pairs, of_a, of_b, of_both, out
):  # fmt: skip
    """Add what leaves contribute, pattern by pattern.

    rows, others (IN)           ``RowLayout`` of the rows and the background; without it by the training rows' shares
    paths, blocks (IN)          ``Paths`` and ``Blocks``
    of_a, of_b, of_both (IN)    see ``_weights``
    out (IN, OUT)               float64[n, columns]
    """
    n, m, d = rows[3], others[3], len(paths[6])
    most = blocks[4].max()
    n_found = most * (most - 1) // 2 if pairs else most
    words = (most + 63) // 64
    mine, theirs = np.zeros((n, words), np.uint64), np.zeros((m, words), np.uint64)
    which, other_of = np.zeros(n, np.int64), np.zeros(m, np.int64)
    first, first_other = np.zeros(n, np.int64), np.zeros(m, np.int64)
    slots = 64
    while slots < 2 * max(n, m):
        slots *= 2
    slot = np.empty(slots, np.int64)
    share, z, credit = np.zeros(m), np.ones(most), np.zeros(most)
    found, column = np.zeros((n, n_found)), np.zeros(n_found, np.int64)
    for b in range(len(blocks[0])):
        leaf, D, place = blocks[0][b], blocks[4][b], blocks[3][b]
        players = blocks[5][place : place + D]
        _pass_splits(rows, paths, leaf, players, mine)
        k = _number_distinct(mine, slot, which, first)
        found[:k] = 0.0
        if m > 0:
            _pass_splits(others, paths, leaf, players, theirs)
            k_others = _number_distinct(theirs, slot, other_of, first_other)
            share[:] = 0.0
            for q in range(m):
                share[other_of[q]] += 1.0 / m
            for p in range(k):
                for q in range(k_others):
                    _compare(D, mine[first[p]], theirs[first_other[q]], share[q], of_a, of_b, of_both, pairs, found[p])
        else:
            _shares_along(paths, leaf, players, z)
            points = (D + 1) // 2
            for p in range(k):
                _integrate(D, mine[first[p]], z, paths[12], paths[13], points, pairs, credit, found[p])
        c = 0
        for i in range(D):
            for j in range(i + 1 if pairs else i, D if pairs else i + 1):
                low, high = min(players[i], players[j]), max(players[i], players[j])
                column[c] = (low * d + high if pairs else low) * width + group[b] * n_values
                c += 1
        at = paths[9][leaf] * n_values
        for r in range(n):
            for i in range(c):
                x = found[which[r], i]
                if x != 0.0:
                    for v in range(n_values):
                        out[r, column[i] + v] += x * paths[10][at + v]


@inner
def _pass_splits(rows, paths, leaf, players, passed):
    """The bits of the players all of whose splits before the leaf a row passes; those without a player are set."""
    X, row, column, n = rows
    feature, threshold, missing_left, set_of, sets, n_levels, level = (
        paths[1], paths[2], paths[3], paths[4], paths[5], paths[6], paths[7],
    )  # fmt: skip
    passed[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
    below, i = leaf, leaf
    while level[below] > 0:
        i -= 1
        if level[i] != level[below] - 1:
            continue
        j, goes_left, w = feature[i], below == i + 1, 0
        while players[w] != j:
            w += 1
        fails = ~(np.uint64(1) << np.uint64(w & 63))
        for r in range(n):
            x = X[r * row + j * column]
            if set_of[i] >= 0:
                left = in_set(x, sets, set_of[i], n_levels[j])
            else:
                left = (x <= threshold[i]) | ((x != x) & (missing_left[i] == 1))
            if left != goes_left:
                passed[r, w >> 6] &= fails
        below = i


@inner
def _number_distinct(words, slot, number, first):
    """Number the distinct rows of words by a hash table; the number of each row, the first row of each, how many."""
    slot[:] = -1
    k, mask = 0, np.uint64(len(slot) - 1)
    for r in range(len(words)):
        hashed = np.uint64(0)
        for w in range(words.shape[1]):
            hashed = (hashed ^ words[r, w]) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
        place = hashed & mask
        while True:
            there = slot[place]
            if there < 0:
                slot[place], first[k], number[r] = k, r, k
                k += 1
                break
            same = True
            for w in range(words.shape[1]):
                same &= words[first[there], w] == words[r, w]
            if same:
                number[r] = there
                break
            place = (place + np.uint64(1)) & mask
    return k


@inner
def _compare(D, mine, other, share, of_a, of_b, of_both, pairs, found):
    """Add what a row of the background contributes to a row's values."""
    for w in range(len(mine)):
        if mine[w] | other[w] != np.uint64(0xFFFFFFFFFFFFFFFF):
            return
    a, b = 0, 0
    for j in range(D):
        side = _bit(mine, j) - _bit(other, j)
        a += side > 0
        b += side < 0
    in_a, in_b, both = share * of_a[a, b], share * of_b[a, b], share * of_both[a, b]
    c = 0
    for j in range(D):
        side = _bit(mine, j) - _bit(other, j)
        if not pairs:
            found[j] += in_a if side > 0 else in_b if side < 0 else 0.0
            continue
        if side == 0:
            c += D - 1 - j
            continue
        for k in range(j + 1, D):
            beside = _bit(mine, k) - _bit(other, k)
            if beside != 0:
                found[c] += both if beside != side else in_a if side > 0 else in_b
            c += 1


@inner
def _bit(words, j):
    return np.int64((words[j >> 6] >> np.uint64(j & 63)) & np.uint64(1))


@inner
def _shares_along(paths, leaf, players, z):
    """The share of the training rows that passes the splits on each player."""
    feature, level, share = paths[1], paths[7], paths[8]
    z[:] = 1.0
    below, i = leaf, leaf
    while level[below] > 0:
        i -= 1
        if level[i] == level[below] - 1:
            w = 0
            while players[w] != feature[i]:
                w += 1
            z[w] *= share[below]
            below = i


@inner
def _integrate(D, mine, z, at, weight, points, pairs, credit, found):
    """By quadrature for the shares of the training rows; see ``shapley_kernel``."""
    rule = points * (points - 1) // 2
    for q in range(points):
        t, product = at[rule + q], weight[rule + q]
        for j in range(D):
            o = float(_bit(mine, j))
            factor = t * o + (1 - t) * z[j]
            product *= factor
            credit[j] = (o - z[j]) / factor if factor > 0 else 0.0
        if product == 0.0:
            continue
        c = 0
        for j in range(D):
            if not pairs:
                found[j] += product * credit[j]
                continue
            for k in range(j + 1, D):
                found[c] += 0.5 * product * credit[j] * credit[k]
                c += 1
