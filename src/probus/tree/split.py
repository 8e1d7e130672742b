"""What a node gains if it splits on a column."""

from __future__ import annotations

import numpy as np

from probus.tree.cells import fill_cells
from probus.tree.codes import CODE_SHIFT, MISSING, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.kernel import inner
from probus.tree.nominal import scan_cells
from probus.tree.risk import SQUARES, score
from probus.tree.scan import row_of, scan_classes, scan_sums, scan_two_classes

__all__ = ["CODE_OF", "ORDER", "search_column"]

CODE_OF, ORDER, _TRIED, _OTHER = range(4)  # rows of ``ints``: code of each cell, order of the best split and of others
_LEFT, _RIGHT, _MISSING = range(3)  # rows of ``tallies``


@inner
def search_column(
    f, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, total,
    tallies, cells, ints, scores, buffer, out,
):  # fmt: skip
    """The best split of rows[start:end] on column f; returns what it gains, −inf where there is none.

    out (OUT)   int64[3] low, high, whether the missing go left. An ordered column is cut between the codes low and
                high; high is −1 where the known are parted from the missing. Of a nominal column the cells
                ``ints[ORDER, :low]`` go left
    total (IN)  float64[2 + K] tally of the node
    tallies, cells, ints, scores, buffer (OUT) room to work
    """
    place, n_codes, nominal, monotone = about[f, PLACE], about[f, N_CODES], about[f, NOMINAL] == 1, about[f, MONOTONE]
    left, right, missing = tallies[_LEFT], tallies[_RIGHT], tallies[_MISSING]
    entries = lists[max(place, 0), start:end]
    filled = end - start
    for k in range(len(missing)):
        missing[k] = 0.0
    if place < 0:
        filled = fill_cells(
            codes[-1 - place], n_codes, rows[start:end], label, amount, weight, ints[CODE_OF], cells, buffer
        )
        if ints[CODE_OF, filled - 1] == n_codes:
            filled -= 1
            for k in range(len(missing)):
                missing[k] = cells[filled, k]
    elif about[f, MISSING] == 1:
        while filled > 0 and np.int64(entries[filled - 1] >> CODE_SHIFT) == n_codes:
            filled -= 1
            row = row_of(entries[filled])
            missing[0] += 1.0
            missing[1] += weight[row]
            missing[2 + label[row]] += amount[row]
    gain, before = -np.inf, 0.0
    ways = 2 if rules.learn and missing[0] > 0.0 else 1
    for way in range(ways if filled > 0 else 0):
        for k in range(len(missing)):  # first with the missing on the right, then on the left
            left[k] = missing[k] if way == 1 else 0.0
            right[k] = total[k] if way == 0 and rules.learn else total[k] - missing[k]
        if way == 0:
            before = score(rules.risk, right, table)
        more = ways == 2 and way == 0
        if place < 0:
            gained, at = scan_cells(
                nominal,
                filled,
                more,
                cells,
                table,
                rules,
                monotone,
                bounds,
                left,
                right,
                ints[_TRIED],
                ints[_OTHER],
                scores,
            )
        else:
            gained, at = _scan(
                entries, filled, more, label, amount, weight, table, rules, monotone, bounds, left, right
            )
        if at < 0 or gained <= gain:
            continue
        gain, out[2] = gained, way
        if place >= 0:
            out[0] = np.int64(entries[at - 1] >> CODE_SHIFT)
            out[1] = np.int64(entries[at] >> CODE_SHIFT) if at < filled else -1
        elif nominal:
            out[0], out[1] = at, -1
            for q in range(filled):
                ints[ORDER, q] = ints[_TRIED, q]
        else:
            out[0], out[1] = ints[CODE_OF, at - 1], (ints[CODE_OF, at] if at < filled else -1)
    return gain - before


@inner
def _scan(entries, known, more, label, amount, weight, table, rules, monotone, bounds, left, right):
    """Walk a list in the way its risk allows."""
    if not more and entries[0] >> CODE_SHIFT == entries[known - 1] >> CODE_SHIFT:
        return -np.inf, -1
    last = known + 1 if more else known
    plain = rules.risk == SQUARES and not rules.constrained and rules.min_weight <= 0.0
    if plain and rules.unit and len(left) == 4:
        return scan_two_classes(entries, known, last, rules.min_leaf, left, right)
    if plain and len(left) == 3:
        return scan_sums(entries, known, last, amount, weight, rules.unit, rules.min_leaf, left, right)
    return scan_classes(entries, known, last, label, amount, weight, table, rules, monotone, bounds, left, right)
