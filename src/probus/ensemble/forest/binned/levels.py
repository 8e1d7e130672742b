"""The best part of the levels of a nominal column, in a node of any target."""

from __future__ import annotations

import numpy as np

from probus.ensemble.forest.binned.payload import add_row
from probus.tree.kernel import inner
from probus.tree.nominal import scan_cells

__all__ = ["LEFT", "RIGHT", "UNKNOWN", "note_levels", "part_levels", "tally_levels", "write_words"]

RIGHT, LEFT, UNKNOWN = range(3)  # what a node says of a level


@inner
def tally_levels(column, n_levels, rows, load, start, end, cells, code_of):
    """Tally the rows by level; returns how many levels there are, and whether the last cell holds the missing.

    cells (OUT)   float64[*, 2 + K] the tally of each level that is there
    code_of (OUT) int64[*] the code of each cell
    """
    for c in range(n_levels + 1):
        for k in range(cells.shape[1]):
            cells[c, k] = 0.0
    for i in range(start, end):
        add_row(cells[np.int64(column[rows[i]])], load, i)
    filled = 0
    for c in range(n_levels + 1):
        if cells[c, 0] > 0.0:
            code_of[filled] = c
            for k in range(cells.shape[1]):
                cells[filled, k] = cells[c, k]
            filled += 1
    missing = filled > 0 and code_of[filled - 1] == n_levels
    return filled - missing, missing


@inner
def part_levels(filled, missing, cells, sides, order, spare, scores, total, rules, table):
    """The best partition: its score, how many cells of ``order[0]`` go left, and whether the missing do.

    cells (IN)  from ``tally_levels``, the missing after the last
    order (OUT) int64[2, *] the cells, those that go left first, and room to work
    """
    best, n_left, missing_left = -np.inf, np.int64(0), 0
    for way in range(0 if filled == 0 else (2 if missing else 1)):
        for k in range(len(total)):
            sides[0, k] = cells[filled, k] if way == 1 else 0.0
            sides[1, k] = total[k] - sides[0, k]
        found, at = scan_cells(
            True, filled, missing and way == 0, cells, table, rules, 0, sides[0], sides[0], sides[1], order[1], spare,
            scores,
        )  # fmt: skip
        if at >= 0 and found > best:
            best, n_left, missing_left = found, np.int64(at), way
            for q in range(filled):
                order[0, q] = order[1, q]
    return best, n_left, missing_left


@inner
def note_levels(n_levels, filled, n_left, order, code_of, says):
    """Write down what becomes of each level."""
    for c in range(n_levels + 1):
        says[c] = UNKNOWN
    for q in range(filled):
        says[code_of[order[q]]] = LEFT if q < n_left else RIGHT


@inner
def write_words(says, n_levels, words, at):
    """The levels that go left and those the node knows, one bit each; returns where the words end."""
    size = (n_levels + 31) // 32
    for q in range(2 * size):
        words[at + q] = np.uint32(0)
    for c in range(n_levels):
        bit = np.uint32(1) << np.uint32(c & 31)
        if says[c] == LEFT:
            words[at + (c >> 5)] |= bit
        if says[c] != UNKNOWN:
            words[at + size + (c >> 5)] |= bit
    return at + 2 * size
