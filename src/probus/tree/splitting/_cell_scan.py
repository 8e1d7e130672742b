"""The best cut of a histogram: of an ordered column by its codes, of a nominal one by the order its levels deserve.

For two classes and for numbers the best of all 2^(m−1) − 1 partitions of m levels cuts them in order of their mean
(Fisher 1958; Breiman et al. 1984, section 4.2.2). More classes of one output, by Gini or entropy, are left to
``class_levels``. By other criteria and for several outputs a few levels are tried in every way, and many are ordered by
the first principal component of their class shares.
"""

from __future__ import annotations

import numpy as np

from probus.tree._criteria import score
from probus.tree.kernel_parts import inner
from probus.tree.splitting._class_levels import EVERY_WAY, first_component
from probus.tree.splitting._gray_code import crossing, left_first
from probus.tree.splitting._histogram import sort_by
from probus.tree.splitting._scan import allowed


@inner
def scan_cells(nominal, filled, more, cells, table, rules, monotone, bounds, left, right, order, other, scores, groups):
    """Best cut of a histogram: score(left) + score(right), and how many cells of ``order`` go left.

    cells (IN)          float64[*, 2 + K] the tally of each cell
    more (IN)           whether something waits on the right already, so that all may cross
    left, right (INOUT) float64[2 + K] tallies before the first cell crosses
    order (OUT)         int64[*] the cells, those that go left first
    other, scores (OUT) int64[*], float64[*] buffers
    groups (OUT)        from ``group_buffers``
    """
    for c in range(filled):
        order[c] = c
    n_sums = cells.shape[1] - 2
    one_way = n_sums == 1 or (n_sums == 2 and rules.n_outputs == 1)  # their means put the levels in the best order
    if nominal and not one_way and filled <= EVERY_WAY:
        return _every_way(filled, more, cells, table, rules, bounds, left, right, order)
    if nominal:
        if one_way:
            for c in range(filled):
                scores[c] = cells[c, cells.shape[1] - 1] / cells[c, 1]
        else:
            first_component(filled, cells, scores, groups[4], groups[5])
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
