"""The best cut of one listed column in one node: rows cross from right to left, and every gap between values is tried.

A walk starts from what is on the left already (the missing, where they go left). Its result is the best
score(left) + score(right), and the place in the list of the first row right of the cut; −1 where none is allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree._criteria import POISSON, additive, score, score_of_sum, step
from probus.tree.kernel_parts import inlined, inner
from probus.tree.preparation._codes import CODE_SHIFT
from probus.tree.preparation._row_target import amount_of, n_outputs_of, sum_index


class SplitRules(NamedTuple):
    """What a split must keep to, and what it tries to lower."""

    criterion: int  # the code of a Criterion
    numbers: bool  # the target is numbers, not classes
    n_outputs: int
    unit: bool  # whether all weights are one
    learn: bool  # the missing are tried on either side; otherwise they are left out of account
    min_leaf: int
    min_weight: float
    plain: bool  # squares, and no weight or constraint to mind: the fast walks serve
    constrained: bool  # some column is monotone: what either side predicts must be in order, and within bounds


@njit(inline="always")
def row_of(entry):
    """The row of an entry of a list."""
    return np.int64(entry & np.uint64(0xFFFFFFFF)) >> 1


@inner
def scan_two_classes(lists, place, start, known, end, min_leaf, left_n, left_ones, n, ones):
    """Gini of two classes, all weights one: rows of the second class on the left decide all. No division, no rounding.

    lists (IN)          uint64[*, n]; the node has lists[place, start:end]
    known (IN)          where the missing begin
    end (IN)            one more than the last row that may cross
    left_n, left_ones   rows, and rows of the second class, on the left before the first crosses; n, ones: in all
    """
    a, one = left_n, left_ones
    best, best_den, at = -1.0, 1.0, -1
    entry = lists[place, start]
    for i in range(start + 1, end):
        one += np.float64(np.int64(entry & np.uint64(1)))
        a += 1.0
        following = lists[place, i] if i < known else ~np.uint64(0)
        b = n - a
        if following >> CODE_SHIFT != entry >> CODE_SHIFT and a >= min_leaf and b >= min_leaf:
            num, den = one * one * b + (ones - one) * (ones - one) * a, a * b
            if num * best_den > best * den:
                best, best_den, at = num, den, i
        entry = following
    # Σ s_k² / w of both classes, by the sums of the second alone
    return 2.0 * (best / best_den - ones) + n, at


@inner
def scan_sums(lists, place, start, known, end, amount, weight, unit, min_leaf, left, total):
    """Squared error: (Σ w y)² / Σ w on either side.

    Arguments as above; amount (IN) float64[n] is w y; left, total (IN) rows, weight and Σ w y, on the left and in all.
    """
    a, w, s = left
    n, weights, sums = total
    best, best_den, at = -1.0, 1.0, -1
    entry = lists[place, start]
    for i in range(start + 1, end):
        row = row_of(entry)
        s += amount[row]
        w += 1.0 if unit else weight[row]
        a += 1.0
        following = lists[place, i] if i < known else ~np.uint64(0)
        if following >> CODE_SHIFT != entry >> CODE_SHIFT and a >= min_leaf and n - a >= min_leaf:
            v, t = weights - w, sums - s
            num, den = s * s * v + t * t * w, w * v
            if num * best_den > best * den:
                best, best_den, at = num, den, i
        entry = following
    return best / best_den, at


@inner
def scan_classes(
    lists, place, start, known, end, label, amount, weight, table, rules, monotone, bounds, left, right
):  # fmt: skip
    """Any risk: the score of either side is updated as a row crosses, in as few steps as the risk allows.

    Arguments as above; label (IN) int32[n], amount, weight (IN) float64[n], bounds (IN) float64[2] on predictions,
    left, right (INOUT).
    """
    code, by_steps = rules.criterion, additive(rules)
    fl, fr = 0.0, 0.0  # Σ φ(s_k) of either side
    for k in range(2, len(left) if by_steps else 2):
        fl += step(code, 0.0, left[k], table)
        fr += step(code, 0.0, right[k], table)
    best, at = -np.inf, -1
    for i in range(start + 1, end):
        entry = lists[place, i - 1]
        row = row_of(entry)
        for o in range(n_outputs_of(label)):
            k, v = sum_index(label, row, o), amount_of(amount, row, o)
            if by_steps:
                fl += step(code, left[k], v, table)
                fr += step(code, right[k], -v, table)
            left[k] += v
            right[k] = right[k] - v if rules.numbers else max(right[k] - v, 0.0)
        left[0] += 1.0
        right[0] -= 1.0
        left[1] += weight[row]
        right[1] = max(right[1] - weight[row], 0.0)
        if i < known and lists[place, i] >> CODE_SHIFT == entry >> CODE_SHIFT:
            continue
        if not allowed(left, right, rules, monotone, bounds):
            continue
        if by_steps:
            gained = score_of_sum(rules, fl, left[1], table) + score_of_sum(rules, fr, right[1], table)
        else:
            gained = score(rules, left, table) + score(rules, right, table)
        if gained > best:
            best, at = gained, i
    return best, at


@inlined
def allowed(left, right, rules, monotone, bounds):
    """Whether both sides are large enough, and predict what constraints let them."""
    if min(left[0], right[0]) < rules.min_leaf or min(left[1], right[1]) < max(rules.min_weight, 1e-300):
        return False
    if rules.criterion == POISSON:
        for k in range(2, len(left)):
            if min(left[k], right[k]) <= 1e-10 * (left[k] + right[k]):
                return False  # nothing but what rounding left
    if monotone == 0:
        return True
    return in_order(left[-1] / left[1], right[-1] / right[1], monotone, bounds)


@inlined
def in_order(a, b, monotone, bounds):
    """Whether the predictions of both sides keep to a constraint, and to those further up."""
    return bounds[0] <= min(a, b) and max(a, b) <= bounds[1] and (a - b) * monotone <= 0.0
