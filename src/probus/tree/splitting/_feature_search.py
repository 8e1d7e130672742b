"""The best split of a node on one feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.tree._criteria import additive, score
from probus.tree.kernel_parts import inner
from probus.tree.preparation._codes import CODE_SHIFT, MISSING, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.preparation._row_target import add_row
from probus.tree.splitting._class_levels import EVERY_WAY, first_component, group_buffers, partition_classes
from probus.tree.splitting._gray_code import crossing, left_first
from probus.tree.splitting._histogram import fill_cells, sort_by
from probus.tree.splitting._scan import allowed, row_of, scan_classes, scan_sums, scan_two_classes

CODE_OF, ORDER, _TRIED, _OTHER = range(4)  # rows of ``ints``: code of each cell, order of the best split and of others
_LEFT, _RIGHT, _MISSING = range(3)  # rows of ``tallies``


def cell_buffers(most_codes: int, n_sums: int) -> tuple[Any, ...]:
    """Buffers for the histograms of columns of so many codes: tallies, whole numbers, scores, and groups of levels."""
    most = most_codes + 1
    return np.empty((most, 2 + n_sums)), np.empty((4, most), np.int64), np.empty(most), group_buffers(most, n_sums)


@inner
def search_column(
    f, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, total, tallies, cells,
    buffer, out,
):  # fmt: skip
    """The best split of rows[start:end] on column f; returns what it gains, −inf where there is none.

    out (OUT)   int64[5] low, high, whether the missing go left, and of a listed column the rows on either side of the
                cut. An ordered column is cut between the codes low and high; high is −1 where known values go left and
                missing values right. Of a nominal column the cells ``ints[ORDER, :low]`` go left
    total (IN)  float64[2 + K] tally of the node
    tallies, cells, buffer (OUT) buffers; cells may be None where no column is counted
    """
    place, n_codes, nominal, monotone = about[f, PLACE], about[f, N_CODES], about[f, NOMINAL] == 1, about[f, MONOTONE]
    left, right, missing = tallies[_LEFT], tallies[_RIGHT], tallies[_MISSING]
    filled = end - start
    for k in range(len(missing)):
        missing[k] = 0.0
    if cells is not None and place < 0:
        filled = fill_cells(
            codes[-1 - place], n_codes, rows[start:end], label, amount, weight, cells[1][CODE_OF], cells[0], buffer
        )
        if cells[1][CODE_OF, filled - 1] == n_codes:
            filled -= 1
            for k in range(len(missing)):
                missing[k] = cells[0][filled, k]
    if place >= 0 and about[f, MISSING] == 1:
        while filled > 0 and np.int64(lists[place, start + filled - 1] >> CODE_SHIFT) == n_codes:
            filled -= 1
            row = row_of(lists[place, start + filled])
            add_row(tallies, np.int64(_MISSING), row, label, amount, weight)
    gain, before = -np.inf, 0.0
    ways = 2 if rules.learn and missing[0] > 0.0 else 1
    if cells is not None and place < 0 and nominal and len(total) > 4 and rules.n_outputs == 1 and additive(rules):
        for k in range(len(right)):
            right[k] = total[k] if rules.learn else total[k] - missing[k]
        gain, out[0], out[2] = partition_classes(
            filled, ways == 2, cells[0], left, cells[1][ORDER], cells[3], right, rules, table, gain
        )
        out[1] = -1
        return gain - score(rules, right, table)
    for way in range(ways if filled > 0 else 0):
        for k in range(len(missing)):  # first with the missing on the right, then on the left
            left[k] = missing[k] if way == 1 else 0.0
            right[k] = total[k] if way == 0 and rules.learn else total[k] - missing[k]
        if way == 0:
            before = score(rules, right, table)
        more = ways == 2 and way == 0
        gained, at = -np.inf, -1
        if place >= 0:
            gained, at = _scan(
                lists, place, start, start + filled, more, label, amount, weight, table, rules, monotone, bounds, left,
                right,
            )  # fmt: skip
        if cells is not None and place < 0:
            gained, at = scan_cells(
                nominal, filled, more, cells[0], table, rules, monotone, bounds, left, right, cells[1][_TRIED],
                cells[1][_OTHER], cells[2], cells[3],
            )  # fmt: skip
        if at < 0 or gained <= gain:
            continue
        gain, out[2] = gained, way
        if place >= 0:
            out[0] = np.int64(lists[place, at - 1] >> CODE_SHIFT)
            out[1] = np.int64(lists[place, at] >> CODE_SHIFT) if at < start + filled else -1
            out[3], out[4] = row_of(lists[place, at - 1]), (row_of(lists[place, at]) if at < start + filled else -1)
        if cells is not None and place < 0:
            _keep_cut(nominal, filled, at, cells[1], out)
    return gain - before


@inner
def _keep_cut(nominal, filled, at, ints, out):
    """Write down a cut of a histogram: the codes on either side, or for levels how many cells go left."""
    if nominal:
        out[0], out[1] = at, -1
        for q in range(filled):
            ints[ORDER, q] = ints[_TRIED, q]
    else:
        out[0], out[1] = ints[CODE_OF, at - 1], (ints[CODE_OF, at] if at < filled else -1)


@inner
def _scan(lists, place, start, known, more, label, amount, weight, table, rules, monotone, bounds, left, right):
    """Walk a list in the way its risk allows."""
    if not more and lists[place, start] >> CODE_SHIFT == lists[place, known - 1] >> CODE_SHIFT:
        return -np.inf, -1
    end = known + 1 if more else known
    if rules.plain and rules.unit and len(left) == 4:
        n, ones = left[0] + right[0], left[3] + right[3]
        return scan_two_classes(lists, place, start, known, end, rules.min_leaf, left[0], left[3], n, ones)
    if label.ndim == 1 and rules.plain and len(left) == 3:
        here, total = (left[0], left[1], left[2]), (left[0] + right[0], left[1] + right[1], left[2] + right[2])
        return scan_sums(lists, place, start, known, end, amount, weight, rules.unit, rules.min_leaf, here, total)
    return scan_classes(
        lists, place, start, known, end, label, amount, weight, table, rules, monotone, bounds, left, right
    )


@inner
def search_plain(lists, place, start, end, amount, weight, unit, min_leaf, total, out):
    """As ``search_column``, for the case that is most frequent: a list without missing values and a plain risk."""
    if lists[place, start] >> CODE_SHIFT == lists[place, end - 1] >> CODE_SHIFT:
        return -np.inf
    if len(total) == 4:
        before = (total[2] * total[2] + total[3] * total[3]) / total[1]
        gained, at = scan_two_classes(lists, place, start, end, end, min_leaf, 0.0, 0.0, total[0], total[3])
    else:
        before = total[2] * total[2] / total[1]
        nothing, all_of_it = (0.0, 0.0, 0.0), (total[0], total[1], total[2])
        gained, at = scan_sums(lists, place, start, end, end, amount, weight, unit, min_leaf, nothing, all_of_it)
    if at < 0:
        return -np.inf
    out[0], out[1] = np.int64(lists[place, at - 1] >> CODE_SHIFT), np.int64(lists[place, at] >> CODE_SHIFT)
    out[2], out[3], out[4] = 0, row_of(lists[place, at - 1]), row_of(lists[place, at])
    return gained - before


# -- the best cut of a histogram: of an ordered column by its codes, of a nominal one by the order its levels deserve
# For two classes and for numbers the best of all 2^(m−1) − 1 partitions of m levels cuts them in order of their mean
# (Fisher 1958; Breiman et al. 1984, section 4.2.2). More classes of one output, by Gini or entropy, are left to
# ``class_levels``. By other criteria and for several outputs a few levels are tried in every way, and many are ordered
# by the first principal component of their class shares.


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
