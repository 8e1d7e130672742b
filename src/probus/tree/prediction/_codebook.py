"""Values as small codes that decide every split of many trees.

The codes follow from the trees alone: a value's code is the number of thresholds below it, so that
:math:`x \\le t_k` just where its code is at most k. A column with more thresholds than one or two bytes can tell apart
is coded several times, for one run of them each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.tree._trees import NO_SUBSET, Trees, subset_words
from probus.tree.kernel_parts import inner

_CELLS = 4096
_COLUMNS_PER_TREE = 4  # that are coded in the time that codes save in one tree
_SCALES = (1e-300, 1e300)  # neither zero nor infinity, whose product with the other is not a number
_ONE, _TWO = np.uint64(1), np.uint64(2)


class Codebook(NamedTuple):
    """How runs of columns are coded: a cell of a grid is where the search in the thresholds begins.

    column : int64[V], the column of each run
    n_levels : int64[V], of a nominal column, whose codes are its levels; 0 for thresholds
    low, scale : float64[V], value x lies in cell (x - low) · scale, cut off to the grid
    cells : uint16[V, cells], how many thresholds lie in earlier cells
    stride : uint64[V], first step of the binary search within a cell
    thresholds : float64[V, …], ascending, infinite after the last, as far as a search may read
    """

    column: np.ndarray
    n_levels: np.ndarray
    low: np.ndarray
    scale: np.ndarray
    cells: np.ndarray
    stride: np.ndarray
    thresholds: np.ndarray


def codebook_of(trees: Trees, missing: int) -> tuple[Codebook, np.ndarray, np.ndarray]:
    """The codes that decide the splits of trees; for each node its run and the code it compares with.

    ``missing`` is the largest code, that of missing values. At nominal splits there is nothing to compare with; a
    nominal column may have at most that many levels.
    """
    longest = missing - 1  # of the runs: their codes are 0 to missing - 1
    run, code = np.zeros((2, len(trees.feature)), np.int64)
    columns: list[int] = []
    tables: list[np.ndarray] = []
    for column in np.unique(trees.feature[~trees.is_leaf]):
        mine = np.flatnonzero(trees.feature == column)
        if trees.n_levels[column]:
            thresholds, rank = np.zeros(0), np.zeros(len(mine), np.int64)
        else:
            thresholds, rank = np.unique(trees.threshold[mine], return_inverse=True)
        run[mine], code[mine] = len(columns) + rank // longest, rank % longest
        for start in range(0, max(len(thresholds), 1), longest):
            columns.append(column)
            tables.append(thresholds[start : start + longest])
    run_column = np.array(columns, np.int64)
    return Codebook(run_column, trees.n_levels[run_column], *_grids(tables)), run, code


def worth_coding(trees: Trees) -> bool:
    """Whether there are enough trees to make up for coding the columns they split on."""
    used = np.bincount(trees.feature[~trees.is_leaf], minlength=1)
    return int(np.count_nonzero(used)) <= _COLUMNS_PER_TREE * len(trees)


def level_sets(trees: Trees) -> tuple[np.ndarray, np.ndarray]:
    """For each nominal split one bit per level, set if it goes left, and after the last one for missing values.

    Bits in words of 32, and for each node where its own begin, -1 where it has none. Levels that the node does not
    know go as the missing do.
    """
    set_of = np.full(len(trees.feature), NO_SUBSET, np.int64)
    words, used = [], 0
    for column in np.unique(trees.feature[trees.subset >= 0]):
        nodes, n_levels = np.flatnonzero(trees.feature == column), int(trees.n_levels[column])
        n_words = int(subset_words(n_levels))
        at = trees.subset[nodes, None] + np.arange(n_words)
        left, known = trees.subsets[at], trees.subsets[at + n_words]
        missing_left = trees.missing_go_to_left[nodes, None] == 1
        goes = np.zeros((len(nodes), n_levels // 32 + 1), np.uint32)
        goes[:, :n_words] = np.where(missing_left, left | ~known, left & known)
        goes[:, -1] &= np.uint32((1 << n_levels % 32) - 1)
        goes[:, -1] |= missing_left[:, 0].astype(np.uint32) << np.uint32(n_levels % 32)
        set_of[nodes] = used + np.arange(len(nodes)) * goes.shape[1]
        used += goes.size
        words.append(goes.ravel())
    return np.concatenate([*words, np.zeros(1, np.uint32)]), set_of


def _grids(tables: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The parts of a codebook that lead to the place of a value in its thresholds."""
    n = len(tables)
    low, scale, stride, cells = np.zeros(n), np.ones(n), np.ones(n, np.uint64), np.zeros((n, _CELLS), np.uint16)
    for v, table in enumerate(tables):
        finite = table[np.isfinite(table)]
        if len(finite) > 1:
            low[v] = finite[0]
            with np.errstate(all="ignore"):
                scale[v] = np.clip((_CELLS - 1) / (finite[-1] - finite[0]), *_SCALES)
        with np.errstate(over="ignore"):  # the same operations as in the kernel, so that both round alike
            place = np.clip((table - low[v]) * scale[v], 0.0, _CELLS - 1.0).astype(np.int64)
        cells[v] = np.searchsorted(place, np.arange(_CELLS))
        most = int(np.bincount(place).max()) if len(table) else 1
        stride[v] = 1 << (most.bit_length() - 1)
    longest = max(map(len, tables), default=0) + 2 * int(stride.max(initial=2)) + 2
    thresholds = np.full((n, longest), np.inf)
    for v, table in enumerate(tables):
        thresholds[v, : len(table)] = table
    return low, scale, cells, stride, thresholds


@inner
def quantise(
    X,
    row,
    column,
    first,
    n,
    run_column,
    n_levels,
    low,
    scale,
    cells,
    stride,
    thresholds,
    missing,
    codes,
    code_row,
    code_run,
):
    """The codes of n rows from the first on; ``missing`` for missing values, of levels the code after the last.

    X (IN)                    float64, flat; value j of row i is at i · row + j · column
    run_column to thresholds (IN)  the parts of a ``Codebook``
    codes (OUT)               uint8 or uint16, flat; run v of row r is at r · code_row + v · code_run
    """
    for v in range(len(run_column)):
        base, levels, out = first * row + run_column[v] * column, n_levels[v], v * code_run
        if levels > 0:
            for r in range(n):
                x = X[base + r * row]
                level = np.int64(x) if x == x else levels
                codes[out + r * code_row] = level if 0 <= level < levels else levels
            continue
        zero, per_unit, cell, table, widest = low[v], scale[v], cells[v], thresholds[v], stride[v]
        for r in range(n):
            x = X[base + r * row]
            known = x if x == x else zero
            place = np.uint64(cell[np.int64(min(max((known - zero) * per_unit, 0.0), _CELLS - 1.0))])
            step = widest
            while step > _TWO:
                place += step * np.uint64(table[place + step - _ONE] < x)
                step >>= _ONE
            place += _TWO * np.uint64(table[place + _ONE] < x)
            place += np.uint64(table[place] < x)
            codes[out + r * code_row] = place if x == x else np.uint64(missing)
