"""The decisions of trees as small patterns of bits: which splits a row passes, for a few neighbouring leaves at once.

A block is a subtree with few decisions. Its pattern has a bit for each feature split on above it, set where the row
passes all of these splits, and a bit for each of its own splits, set where the row goes left. All that the leaves of
a block contribute to a row follows from its pattern, so that it is looked up in a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.shap._shapley_kernel import Paths
from probus.tree.kernel_parts import inner
from probus.tree.prediction import RowLayout, in_set, over_rows

_CHUNK_BYTES = 1 << 19  # of what rows that are looked up together take
_ROWS = (32, 2048)  # the fewest and the most of them


class Blocks(NamedTuple):
    """Subtrees whose decisions fit in one pattern; they cover all leaves, in the order of ``Paths``.

    node : the root of each, which may be a leaf
    n_path : how many features are split on above it; these are the first players, and the first bits
    n_bits : n_path and the number of its splits
    first_player, n_players : where its players begin in ``players``, and their number
    players : the features that are split on above the leaves of a block, each once
    """

    node: np.ndarray
    n_path: np.ndarray
    n_bits: np.ndarray
    first_player: np.ndarray
    n_players: np.ndarray
    players: np.ndarray

    def take(self, which: np.ndarray) -> Blocks:
        """Some of the blocks, in their order."""
        return Blocks._make([*(np.ascontiguousarray(each[which]) for each in self[:-1]), self.players])


class Lookup(NamedTuple):
    """What each block adds to the columns of a result, by pattern.

    table : the entries of block b begin at first_entry[b], and their numbers at first[b], 2^bits for each entry
    column : of the result, that an entry is added to
    """

    table: np.ndarray
    first: np.ndarray
    first_entry: np.ndarray
    column: np.ndarray


def blocks_of(paths: Paths, most_bits: int) -> Blocks:
    """The largest subtrees of at most so many decisions; leaves are blocks whatever their path."""
    n_leaves = int((paths.feature < 0).sum())
    node, n_path, n_bits, n_players = np.zeros((4, n_leaves), np.int64)
    depth = int(paths.level.max())
    players = np.zeros(int(paths.level[paths.feature < 0].sum()) + depth + 1, np.int64)
    n = find_blocks(
        paths.start, paths.feature, paths.level, paths.size, most_bits, node, n_path, n_bits, n_players, players
    )
    first = np.cumsum(n_players[:n]) - n_players[:n]
    return Blocks._make([*(each[:n].copy() for each in (node, n_path, n_bits, first, n_players)), players])


def count_patterns(paths: Paths, blocks: Blocks, X: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
    """How many rows have each pattern: flat, and where the counts of each block begin."""
    first = np.concatenate([[0], np.cumsum(1 << blocks.n_bits)])
    parts: list[np.ndarray] = []

    def count(rows: RowLayout, part: slice) -> None:
        counts = np.zeros(first[-1])
        tally_patterns(rows, paths, blocks, first, _work(paths, X.shape[1], 0), counts)
        parts.append(counts)

    over_rows(X, n_jobs, 2.0 * len(X) * len(paths.feature), count)
    return np.sum(parts, axis=0) if parts else np.zeros(first[-1]), first  # whole numbers: any order is exact


def add_looked_up(
    paths: Paths, blocks: Blocks, lookup: Lookup, X: np.ndarray, n_jobs: int | None, out: np.ndarray
) -> None:
    """Add what the blocks contribute to each row: to float64[n, columns]."""
    if not len(lookup.column):
        return

    def add(rows: RowLayout, part: slice) -> None:
        work = _work(paths, X.shape[1], out.shape[1])
        look_up(rows, paths, blocks, lookup, work, np.zeros((out.shape[1], work[0].shape[1])), out[part])

    over_rows(X, n_jobs, 1.0 * len(X) * len(lookup.column), add)


def _work(paths: Paths, d: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Room for the columns of some rows, their decisions in a tree and their patterns."""
    widest = int(np.diff(paths.start).max())
    rows = int(np.clip(_CHUNK_BYTES // (8 * (d + columns) + widest), *_ROWS))
    return np.empty((d, rows)), np.empty((widest, rows), np.uint8), np.empty(rows, np.int32)


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def find_blocks(start, feature, level, size, most_bits, node, n_path, n_bits, n_players, players):
    """The blocks from the root down; returns their number.

    start to size (IN)       parts of ``Paths``
    node to players (OUT)    parts of ``Blocks``, and the number of players of each
    """
    path = np.zeros(level.max() + 1, np.int64)
    found, at = 0, 0
    for t in range(len(start) - 1):
        i = start[t]
        while i < start[t + 1]:
            path[level[i]] = i
            n = 0
            for above in range(level[i]):
                n += _add_player(feature[path[above]], at, n, players)
            splits = (size[i] - 1) // 2
            if splits > 0 and n + splits > most_bits:
                i += 1
                continue
            node[found], n_path[found], n_bits[found] = i, n, n + splits
            for s in range(i, i + size[i]):
                if feature[s] >= 0:
                    n += _add_player(feature[s], at, n, players)
            n_players[found] = n
            found, at, i = found + 1, at + n, i + size[i]
    return found


@inner
def _add_player(feature, at, n, players):
    for q in range(at, at + n):
        if players[q] == feature:
            return 0
    players[at + n] = feature
    return 1


@njit(nogil=True, cache=True)
def tally_patterns(rows, paths, blocks, first, work, counts):
    """Count the patterns of rows.

    rows, paths, blocks (IN)  ``RowLayout``, ``Paths`` and ``Blocks``
    first (IN)                where the counts of each block begin
    work (WORK)               see ``_work``
    counts (IN, OUT)          float64, flat
    """
    X, row, column, n = rows
    values, left, pattern = work
    path = np.zeros(paths[7].max() + 1, np.int64)
    for begin in range(0, n, values.shape[1]):
        m = min(values.shape[1], n - begin)
        _copy_columns(X, row, column, begin, m, values)
        b = 0
        for t in range(len(paths[0]) - 1):
            if b < len(blocks[0]) and blocks[0][b] < paths[0][t + 1]:
                _decide_all(values, m, paths, t, left)
            i = paths[0][t]
            while b < len(blocks[0]) and blocks[0][b] < paths[0][t + 1]:
                i = _walk_to(i, blocks[0][b], paths[7], path)
                _find_patterns(left, m, paths, blocks, b, paths[0][t], path, pattern)
                place = first[b]
                for r in range(m):
                    counts[place + pattern[r]] += 1.0
                b += 1


@njit(nogil=True, cache=True)
def look_up(rows, paths, blocks, lookup, work, sums, out):
    """Add the entries of the tables that the patterns of rows select.

    rows, paths, blocks, lookup (IN)  ``RowLayout``, ``Paths``, ``Blocks`` and ``Lookup``
    work, sums (WORK)                 see ``_work``; float64[columns, rows]
    out (IN, OUT)                     float64[n, columns]
    """
    X, row, column, n = rows
    values, left, pattern = work
    table, first, first_entry, to = lookup
    path = np.zeros(paths[7].max() + 1, np.int64)
    for begin in range(0, n, values.shape[1]):
        m = min(values.shape[1], n - begin)
        _copy_columns(X, row, column, begin, m, values)
        sums[:] = 0.0
        b = 0
        for t in range(len(paths[0]) - 1):
            if b < len(blocks[0]) and blocks[0][b] < paths[0][t + 1]:
                _decide_all(values, m, paths, t, left)
            i = paths[0][t]
            while b < len(blocks[0]) and blocks[0][b] < paths[0][t + 1]:
                i = _walk_to(i, blocks[0][b], paths[7], path)
                if first_entry[b] < first_entry[b + 1]:
                    _find_patterns(left, m, paths, blocks, b, paths[0][t], path, pattern)
                    entries = first_entry[b], first_entry[b + 1]
                    _add_entries(table, first[b], entries, to, blocks[2][b], pattern, m, sums)
                b += 1
        for r in range(m):
            for c in range(len(sums)):
                out[begin + r, c] += sums[c, r]


@inner
def _add_entries(table, first, entries, to, n_bits, pattern, m, sums):
    for e in range(entries[0], entries[1]):
        place, c = np.uint64(first + ((e - entries[0]) << n_bits)), to[e]
        for r in range(m):
            sums[c, r] += table[place + np.uint64(pattern[r])]


@inner
def _copy_columns(X, row, column, begin, m, values):
    for j in range(len(values)):
        place = begin * row + j * column
        for r in range(m):
            values[j, r] = X[place + r * row]


@inner
def _decide_all(values, m, paths, t, left):
    """1 for the rows that go left at each split of a tree, else 0."""
    start, feature, threshold, missing_left, set_of, sets, n_levels = paths[:7]
    for i in range(start[t], start[t + 1]):
        j = feature[i]
        if j < 0:
            continue
        at = i - start[t]
        if set_of[i] >= 0:
            for r in range(m):
                left[at, r] = in_set(values[j, r], sets, set_of[i], n_levels[j])
        elif missing_left[i] == 1:
            for r in range(m):
                left[at, r] = not (values[j, r] > threshold[i])
        else:
            for r in range(m):
                left[at, r] = values[j, r] <= threshold[i]


@inner
def _walk_to(i, node, level, path):
    """Note the nodes on the way from one node to a later one by their levels."""
    while i <= node:
        path[level[i]] = i
        i += 1
    return i


@inner
def _find_patterns(left, m, paths, blocks, b, start, path, pattern):
    """The pattern of each row for block b, whose path is given."""
    feature, level = paths[1], paths[7]
    node, n_path, first = blocks[0][b], blocks[1][b], blocks[3][b]
    for r in range(m):
        pattern[r] = 0
    for bit in range(n_path):
        player, begun = blocks[5][first + bit], False
        for below in range(1, level[node] + 1):
            split = path[below - 1]
            if feature[split] == player:
                sent = np.uint8(1) if path[below] == split + 1 else np.uint8(0)
                for r in range(m):
                    passes = np.int32(left[split - start, r] == sent) << bit
                    pattern[r] = pattern[r] & (passes | ~(np.int32(1) << bit)) if begun else pattern[r] | passes
                begun = True
    bit = n_path
    end = node + 2 * (blocks[2][b] - n_path) + 1
    for i in range(node, end):
        if feature[i] >= 0:
            for r in range(m):
                pattern[r] |= np.int32(left[i - start, r]) << bit
            bit += 1
