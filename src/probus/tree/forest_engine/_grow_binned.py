"""All nodes of a tree, one after the other: depth first, each right before its left child; or best first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree._criteria import score
from probus.tree.forest_engine._column_bins import N_CODES, NOMINAL, START
from probus.tree.forest_engine._levels import LEFT, partition_levels, store_sides, tally_levels, write_words
from probus.tree.forest_engine._many_classes import cut_many_classes
from probus.tree.forest_engine._numeric_target import cut_numbers
from probus.tree.forest_engine._payload import sum_up
from probus.tree.forest_engine._random_cut import random_split
from probus.tree.forest_engine._two_classes import cut_two_classes
from probus.tree.growing.heap import pop, push
from probus.tree.kernel_parts import inlined, longer
from probus.tree.splitting._class_levels import partition_classes
from probus.tree.splitting._random_split import draw_column
from probus.tree.splitting._thresholds import between

# whole and other numbers of a node; its right child comes right after the left one in ``links``
CHILD, FEATURE, MISSING_LEFT, SUBSET, COUNT = 0, 2, 3, 4, 5
THRESHOLD, COVER, GAIN, IMPURITY = range(4)
_FROM, _TO, _PARENT, _SIDE, _DEPTH = range(5)  # of a node that waits
_MIDDLE = _SIDE  # of a node that is divided, best first: where the rows of its right child begin
_EPSILON = 2.220446049250313e-16  # as scikit-learn forgives in comparing gains


class BinnedLimits(NamedTuple):
    """When to stop, and which columns and cuts a node may try."""

    max_depth: int
    min_split: int
    min_gain: float
    max_features: int
    total_weight: float
    centre: float  # what was taken off the numbers that are to be predicted
    at_once: int  # how many packed loads can be summed
    max_leaves: int
    most_gathered: int  # rows of a subtree whose codes are copied together before it is grown


class BinnedWorkspace(NamedTuple):
    """Memory for growing one tree, and a table."""

    stack: np.ndarray  # int64[*, 5]: nodes that wait
    pool: np.ndarray  # int64[d]: columns in the order in which they are drawn
    tally: np.ndarray  # float64[2 + K]: the sums of a node
    sides: np.ndarray  # float64[2, 2 + K]: the sums of its children
    gathered: np.ndarray  # codes of the rows of a small node, side by side: [d, *], or [*, D] for random cuts
    spare_rows: np.ndarray
    spare_load: np.ndarray
    table: np.ndarray  # x log₂ x, or empty


@njit(nogil=True, cache=True)
def grow_tree(bins, rows, load, rules, limits, seed, nodes, work, side_of, tried, drawn):
    """Grow a tree depth first; returns how many nodes it has, and the words of its nominal splits.

    rows, load (INOUT) uint32[m], and what each of them adds to sums; divided in place
    nodes (OUT)        int32[*, 6], float64[*, 4] and float64[*, K]: links, facts and values of the nodes
    side_of (OUT)      uint8[*] the side of each level; None without nominal columns
    tried (OUT)        buffers for the search of the best split, or None
    drawn (OUT)        buffers for random cuts, or None

    What may be None is an argument of its own: Numba leaves out branches by the types of arguments only.
    """
    links, facts, value = nodes
    stack, tally, gathered = work.stack, work.tally, work.gathered
    words, n_words, most_words = np.empty(64, np.uint32), np.int64(0), words_of_split(bins.about)
    state, used, top = np.uint64(seed), np.int64(0), np.int64(1)
    gathered_from, gathered_to = np.int64(0), np.int64(0)  # the rows whose codes are gathered
    stack[0, _FROM], stack[0, _TO], stack[0, _PARENT], stack[0, _SIDE], stack[0, _DEPTH] = 0, len(rows), -1, 0, 0
    while top > 0:
        top -= 1
        start, end, depth = stack[top, _FROM], stack[top, _TO], stack[top, _DEPTH]
        node, used = used, used + 1
        if stack[top, _PARENT] >= 0:
            links[stack[top, _PARENT], stack[top, _SIDE]] = node
        impurity = sum_up(load[start:end], limits.at_once, rules, work.table, tally)
        store_node(node, links, facts, value, tally, impurity, limits.centre)
        if not may_split(end - start, depth, impurity, tally, rules, limits):
            continue
        if end - start <= limits.most_gathered and not (gathered_from <= start and end <= gathered_to):
            if tried is not None:
                gather_codes(bins.codes, rows[start:end], gathered)
            if drawn is not None:
                gather_rows(bins.codes, rows[start:end], gathered)
            gathered_from, gathered_to = start, end
        here = gathered if gathered_from <= start and end <= gathered_to else bins.codes
        if n_words + most_words > len(words):
            words = longer(words, 2 * len(words) + most_words)
        state, n_left, n_words = split_node(
            node, state, here, bins, rows[start:end], load[start:end], rules, limits, impurity, nodes, work, side_of,
            tried, drawn, words, n_words,
        )  # fmt: skip
        if n_left == 0:
            continue
        middle = start + n_left
        for side in (1, 0):  # the left on top
            stack[top, _FROM], stack[top, _TO] = (start, middle) if side == 0 else (middle, end)
            stack[top, _PARENT], stack[top, _SIDE], stack[top, _DEPTH] = node, CHILD + side, depth + 1
            top += 1
    return used, words[:n_words]


@njit(nogil=True, cache=True)
def grow_best_first(bins, rows, load, rules, limits, seed, nodes, work, side_of, tried, drawn):
    """As ``grow_tree``, but the node whose split gains most is split next, until there are ``max_leaves``."""
    links, facts, value = nodes
    stack, tally = work.stack, work.tally
    words, n_words, most_words = np.empty(64, np.uint32), np.int64(0), words_of_split(bins.about)
    keys, heap, n_open = np.empty(len(stack)), np.empty(len(stack), np.int64), np.int64(0)
    state, fresh, used, n_leaves = np.uint64(seed), np.int64(0), np.int64(1), np.int64(1)
    stack[0, _FROM], stack[0, _TO], stack[0, _DEPTH] = 0, len(rows), 0
    while True:
        for node in range(fresh, used):
            start, end, depth = stack[node, _FROM], stack[node, _TO], stack[node, _DEPTH]
            impurity = sum_up(load[start:end], limits.at_once, rules, work.table, tally)
            store_node(node, links, facts, value, tally, impurity, limits.centre)
            if not may_split(end - start, depth, impurity, tally, rules, limits):
                continue
            if n_words + most_words > len(words):
                words = longer(words, 2 * len(words) + most_words)
            state, n_left, n_words = split_node(
                node, state, bins.codes, bins, rows[start:end], load[start:end], rules, limits, impurity, nodes, work,
                side_of, tried, drawn, words, n_words,
            )  # fmt: skip
            if n_left > 0:
                stack[node, _MIDDLE] = start + n_left
                push(keys, heap, n_open, facts[node, GAIN], np.int64(node))
                n_open += 1
        if n_open == 0 or n_leaves >= limits.max_leaves:
            break
        parent = pop(keys, heap, n_open)
        n_open -= 1
        for side in range(2):
            child, middle = used + side, stack[parent, _MIDDLE]
            links[parent, CHILD + side] = child
            stack[child, _FROM] = stack[parent, _FROM] if side == 0 else middle
            stack[child, _TO] = middle if side == 0 else stack[parent, _TO]
            stack[child, _DEPTH] = stack[parent, _DEPTH] + 1
        fresh, used, n_leaves = used, used + 2, n_leaves + 1
    for h in range(n_open):  # those that have to stay leaves
        make_leaf(heap[h], links, facts)
    return used, words[:n_words]


@inlined
def words_of_split(about):
    """The most words that a nominal split needs."""
    most = np.int64(0)
    for f in range(len(about)):
        if about[f, NOMINAL] == 1:
            most = max(most, 2 * ((about[f, N_CODES] + 31) // 32))
    return most


@inlined
def may_split(n, depth, impurity, tally, rules, limits):
    """Whether a node of so many rows may be split at all."""
    few = n < max(limits.min_split, 2 * rules.min_leaf) or tally[1] < 2.0 * rules.min_weight
    return impurity > 0.0 and not few and depth < limits.max_depth


@inlined
def split_node(
    node, state, codes, bins, rows, load, rules, limits, impurity, nodes, work, side_of, tried, drawn, words, n_words
):  # fmt: skip
    """Find the split of a node and divide its rows; returns how many go left, 0 where it is not worthwhile.

    codes (IN) those of the bins, or gathered ones
    """
    if drawn is not None:
        state, f, cut, threshold, missing_left, gain = random_split(
            state, codes, bins, rows, load, rules, limits, impurity, work, drawn, side_of
        )
    if tried is not None:
        state, f, cut, threshold, missing_left, gain = best_split(
            state, codes, bins, rows, load, rules, limits, impurity, work, tried, side_of
        )
    if f < 0 or max(gain, 0.0) / limits.total_weight + _EPSILON < limits.min_gain:
        return state, np.int64(0), n_words
    links, facts, _ = nodes
    links[node, FEATURE], facts[node, THRESHOLD], facts[node, GAIN] = f, threshold, max(gain, 0.0)
    n_codes, nominal = bins.about[f, N_CODES], bins.about[f, NOMINAL] == 1
    if side_of is not None and nominal:
        links[node, SUBSET] = n_words
        n_words = write_words(side_of, n_codes, words, n_words)
    if drawn is not None:
        column = codes[:, f]
    if tried is not None:
        column = codes[f]
    n_left, missing_seen = partition_rows(column, n_codes, nominal, cut, missing_left, rows, load, work, side_of)
    # should a missing value come later, it goes with the most
    links[node, MISSING_LEFT] = missing_left if missing_seen else 2 * n_left > len(rows)
    return state, np.int64(n_left), n_words


@inlined
def gather_codes(codes, rows, gathered):
    """Copy the codes of some rows into one block of memory, and renumber these rows from 0."""
    for f in range(codes.shape[0]):
        for i in range(len(rows)):
            gathered[f, i] = codes[f, rows[i]]
    for i in range(len(rows)):
        rows[i] = i


@inlined
def gather_rows(codes, rows, gathered):
    """The same, where the codes of a row lie side by side."""
    for i in range(len(rows)):
        r = rows[i]
        for f in range(codes.shape[1]):
            gathered[i, f] = codes[r, f]
        rows[i] = i


@inlined
def store_node(node, links, facts, value, tally, impurity, centre):
    """Store a node as a leaf: its counts, impurity and values."""
    make_leaf(node, links, facts)
    links[node, COUNT] = np.int32(tally[0])
    facts[node, COVER], facts[node, IMPURITY] = tally[1], impurity
    for k in range(value.shape[1]):
        value[node, k] = tally[2 + k] / tally[1] + centre


@inlined
def make_leaf(node, links, facts):
    """Mark a node as a leaf."""
    links[node, CHILD] = links[node, CHILD + 1] = links[node, SUBSET] = -1
    links[node, FEATURE], links[node, MISSING_LEFT] = -2, 0
    facts[node, THRESHOLD], facts[node, GAIN] = -2.0, 0.0


@inlined
def best_split(state, codes, bins, rows, load, rules, limits, impurity, work, tried, side_of):
    """Try columns in random order: ``max_features``, and more as long as none can split the node."""
    hist, counts, bits, many, levels = tried
    about, low, high = bins.about, bins.low, bins.high
    d, total, table = len(about), work.tally, work.table
    before = score(rules, total, table)
    most = before + impurity * total[1] * (1.0 - 1e-12)  # no split scores more
    best, column, cut, threshold, missing_left = -np.inf, np.int64(-1), np.int64(-1), np.nan, 0
    drawn = np.int64(0)
    while drawn < d and (drawn < limits.max_features or column < 0) and best < most:
        state, f = draw_column(state, work.pool, drawn)
        drawn += 1
        n_codes, first = about[f, N_CODES], about[f, START]
        at, above, t, way, found = np.int64(-1), np.int64(-1), np.nan, 0, -np.inf
        if side_of is not None and about[f, NOMINAL] == 1:
            found, at, way = best_levels(
                codes[f], n_codes, rows, load, hist, counts, bits, many, levels, work, rules, best, side_of
            )  # fmt: skip
        else:
            found, at, above, way = best_cut(codes[f], n_codes, rows, load, rules, work, hist, counts, bits, many)
            if found > best:
                t = between(high[first + at], low[first + above], 0.5) if above < n_codes else np.inf
        if found > best:
            best, column, cut, threshold, missing_left = found, f, at, t, way
    return state, column, cut, threshold, missing_left, best - before


@inlined
def best_levels(column, n_codes, rows, load, hist, counts, bits, many, levels, work, rules, best, side_of):
    """The best partition of the levels of a nominal column; ``side_of`` holds it where it is better than the best."""
    cells, code_of, order, other, scores, groups = levels
    filled, missing = tally_levels(column, n_codes, rows, load, hist, counts, bits, many, cells, code_of)
    found, at, way = best_partition(filled, missing, cells, work, order, other, scores, groups, rules, best)
    if found > best:
        store_sides(n_codes, filled, at, order[0], code_of, side_of)
    return found, at, way


@inlined
def best_partition(filled, missing, cells, work, order, other, scores, groups, rules, least):
    """The best partition of levels: in the order of their means, or that of ``class_levels`` for more classes."""
    sides, total, table = work.sides, work.tally, work.table
    if groups is None:
        return partition_levels(filled, missing, cells, sides, order, other, scores, total, rules, table)
    return partition_classes(filled, missing, cells, sides[0], order[0], groups, total, rules, table, least)


@inlined
def best_cut(column, n_codes, rows, load, rules, work, hist, counts, bits, many):
    """The best cut of an ordered column: its score, the codes on either side of it, and whether the missing go left."""
    sides, total, table = work.sides, work.tally, work.table
    if load.ndim == 1:
        return cut_two_classes(column, n_codes, rows, load, hist, bits, total, rules, table)
    if many is None:
        return cut_numbers(column, n_codes, rows, load, hist, counts, bits, total, rules)
    return cut_many_classes(
        column, n_codes, rows, load, hist, counts, bits, many[0], many[1], many[2], sides[0], total, rules, table
    )


@inlined
def partition_rows(column, n_codes, nominal, cut, missing_left, rows, load, work, side_of):
    """Put the rows that go left before those that go right, in order; how many they are, and whether any is missing."""
    spare_rows, spare_load = work.spare_rows, work.spare_load
    at, kept, missing = np.uint64(0), np.uint64(0), np.uint64(0)
    for i in range(len(rows)):
        r = rows[i]
        c = np.int64(column[r])
        lacks = c == n_codes
        go = c <= cut
        if side_of is not None and nominal:
            go = side_of[np.uint64(c)] == LEFT
        go = np.uint64(missing_left if lacks else go)
        missing += np.uint64(lacks)
        rows[at] = spare_rows[kept] = r
        if load.ndim == 1:
            v = load[i]
            load[at] = spare_load[kept] = v
        else:
            w, v = load[i, 0], load[i, 1]
            load[at, 0] = spare_load[kept, 0] = w
            load[at, 1] = spare_load[kept, 1] = v
        at += go
        kept += np.uint64(1) - go
    for i in range(kept):
        rows[at + i] = spare_rows[i]
        if load.ndim == 1:
            load[at + i] = spare_load[i]
        else:
            load[at + i, 0], load[at + i, 1] = spare_load[i, 0], spare_load[i, 1]
    return np.int64(at), missing > 0
