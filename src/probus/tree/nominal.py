"""The best cut of a histogram: of an ordered column by its codes, of a nominal one by the order its levels deserve.

For two classes and for numbers the best of all 2^(m−1) − 1 partitions of m levels cuts them in order of their mean
(Fisher 1958; Breiman et al. 1984, section 4.2.2). For more classes a few levels are tried in every way, many are
ordered by the first principal component of their class shares (Coppersmith, Hong and Hosking 1999).
"""

from __future__ import annotations

import numpy as np

from probus.tree.criteria import score
from probus.tree.gray_code import crossing, left_first
from probus.tree.histogram import sort_by
from probus.tree.kernel import inner
from probus.tree.scan import allowed

__all__ = ["scan_cells"]

_EXHAUSTIVE = 10  # levels; 511 partitions


@inner
def scan_cells(nominal, filled, more, cells, table, rules, monotone, bounds, left, right, order, other, scores, matrix):
    """Best cut of a histogram: score(left) + score(right), and how many cells of ``order`` go left.

    cells (IN)          float64[*, 2 + K] the tally of each cell
    more (IN)           whether something waits on the right already, so that all may cross
    left, right (INOUT) float64[2 + K] tallies before the first cell crosses
    order (OUT)         int64[*] the cells, those that go left first
    other, scores (OUT) int64[*], float64[*] buffers
    matrix (OUT)        float64[3 + K, K] for a matrix of the classes, and for three vectors
    """
    for c in range(filled):
        order[c] = c
    n_sums = cells.shape[1] - 2
    one_way = n_sums == 1 or (n_sums == 2 and rules.n_outputs == 1)  # their means put the levels in the best order
    if nominal and not one_way and filled <= _EXHAUSTIVE:
        return _every_way(filled, more, cells, table, rules, bounds, left, right, order)
    if nominal:
        if one_way:
            for c in range(filled):
                scores[c] = cells[c, cells.shape[1] - 1] / cells[c, 1]
        else:
            _first_component(filled, cells, scores, matrix)
        sort_by(scores, order, filled, other)
    best, at = -np.inf, -1
    for q in range(filled if more else filled - 1):
        _cross(left, right, cells[order[q]], 1.0, rules.numbers)
        if allowed(left, right, rules, monotone, bounds):
            gained = score(rules, left, table) + score(rules, right, table)
            if gained > best:
                best, at = gained, q + 1
    return best, at


@inner
def _cross(left, right, cell, sign, numbers):
    """Move a cell from right to left, or back."""
    for k in range(len(cell)):
        left[k] += sign * cell[k]
        right[k] -= sign * cell[k]
        if not numbers:  # what rounding leaves of weights that went must not fall below nothing
            left[k] = max(left[k], 0.0)
            right[k] = max(right[k], 0.0)


@inner
def _every_way(filled, more, cells, table, rules, bounds, left, right, order):
    """Every partition, one level crossing at a time (Gray code); without missing on the right the last level stays."""
    best, best_code = -np.inf, np.int64(0)
    for step in range(1, 1 << (filled if more else filled - 1)):
        c, sign, code = crossing(step)
        _cross(left, right, cells[c], sign, rules.numbers)
        if allowed(left, right, rules, np.int64(0), bounds):
            gained = score(rules, left, table) + score(rules, right, table)
            if gained > best:
                best, best_code = gained, code
    n_left = left_first(best_code, filled, order)
    return best, (n_left if best > -np.inf else -1)


@inner
def _first_component(filled, cells, scores, matrix):
    """Scores of the levels: their class shares along the direction in which these, weighted, vary most."""
    n_classes = cells.shape[1] - 2
    mean, direction, turned, spread = matrix[0], matrix[1], matrix[2], matrix[3:]
    total = 0.0
    for k in range(n_classes):
        mean[k] = 0.0
        for j in range(n_classes):
            spread[j, k] = 0.0
    for c in range(filled):
        total += cells[c, 1]
        for k in range(n_classes):
            mean[k] += cells[c, 2 + k]
    for c in range(filled):
        for j in range(n_classes):
            a = cells[c, 2 + j] / cells[c, 1] - mean[j] / total
            for k in range(n_classes):
                spread[j, k] += cells[c, 1] * a * (cells[c, 2 + k] / cells[c, 1] - mean[k] / total)
    widest = 0
    for k in range(n_classes):
        if spread[k, k] > spread[widest, widest]:
            widest = k
    for k in range(n_classes):
        direction[k] = spread[widest, k]
    for _ in range(50):  # power iteration; the order is wanted, not the digits
        size, moved = 0.0, 0.0
        for j in range(n_classes):
            turned[j] = 0.0
            for k in range(n_classes):
                turned[j] += spread[j, k] * direction[k]
            size += turned[j] * turned[j]
        if size == 0.0:
            break
        for k in range(n_classes):
            moved = max(moved, abs(turned[k] / np.sqrt(size) - direction[k]))
            direction[k] = turned[k] / np.sqrt(size)
        if moved < 1e-9:
            break
    for c in range(filled):
        scores[c] = 0.0
        for k in range(n_classes):
            scores[c] += direction[k] * cells[c, 2 + k] / cells[c, 1]
