"""The kernel that grows a tree: split rows, count the smaller child, subtract for the larger, search both."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._gradient_histogram import add_shares, clear, count_rows, subtract
from probus.ensemble.boosting._node_arrays import (  # fmt: skip
    CUT,
    DEPTH,
    END,
    EVERY_CODE,
    FEATURE,
    GAIN,
    GROUP,
    LEFT,
    LOWER,
    MISSING_LEFT,
    MONOTONE,
    N_CODES,
    NO_SPLIT,
    NOMINAL,
    SEED,
    SIZE,
    SLOT,
    START,
    STRIDE,
    TOTAL,
    UNSEEN,
    UPPER,
)
from probus.ensemble.boosting._packed_gradients import unpack
from probus.ensemble.boosting._split_search import choose, draw_columns, leaf_step, try_column
from probus.ensemble.boosting._thread_barrier import wait_for_all
from probus.tree.growing.heap import pop, push
from probus.tree.kernel_parts import inner
from probus.tree.splitting import draw

_SHARED = 1024  # rows per thread above which threads split and count them separately


@inner
def goes_left(link, about, sets, table):
    """For each byte of the column of a split, whether rows with it go left."""
    f, cut, missing_left = link[FEATURE], link[CUT], link[MISSING_LEFT]
    stride, size, n_codes, nominal = about[f, STRIDE], about[f, SIZE], about[f, N_CODES], about[f, NOMINAL]
    byte = 0
    while byte < EVERY_CODE:  # a column that shares its byte has each of its codes many times
        for code in range(size):
            left = np.int64(code <= cut)
            if nominal == 1:
                word, shift = code >> 6, np.uint64(code & 63)
                known = (sets[4 + word] >> shift) & np.uint64(1)
                left = np.int64((sets[word] >> shift) & np.uint64(1)) if known != 0 else missing_left
            if code >= n_codes:
                left = missing_left
            last = min(byte + stride, EVERY_CODE)
            while byte < last:
                table[byte] = left
                byte += 1


@inner
def split_rows(column, rows, spare, table, start, end):
    """Put the rows that go left before those that go right, in order; returns where the right rows begin."""
    at, kept, one = np.uint64(start), np.uint64(start), np.uint64(1)
    for p in range(start, end):
        r = rows[np.uint64(p)]
        left = np.uint64(table[np.uint64(column[np.uint64(r)])])
        rows[at] = r
        spare[kept] = r
        at += left
        kept += one - left
    for p in range(np.int64(kept) - start):
        rows[at + np.uint64(p)] = spare[np.uint64(start + p)]
    return np.int64(at)


@inner
def init_children(i, child, middle, links, facts, interactions, alive):
    """Set rows, depth, seeds, bounds and interaction sets of the children."""
    links[i, LEFT] = child
    if links[i, MISSING_LEFT] == UNSEEN:  # missing values in new data go to the larger child
        links[i, MISSING_LEFT] = 2 * middle >= links[i, START] + links[i, END]
    for c in range(child, child + 2):
        links[c, START] = links[i, START] if c == child else middle
        links[c, END] = middle if c == child else links[i, END]
        links[c, DEPTH] = links[i, DEPTH] + 1
        links[c, LEFT], links[c, FEATURE], links[c, SLOT] = -1, NO_SPLIT, -1
        state, _ = draw(np.uint64(links[i, SEED]) ^ np.uint64(c - child), np.int64(1))
        links[c, SEED] = np.int64(state * np.uint64(0xBF58476D1CE4E5B9))
        facts[c, LOWER], facts[c, UPPER] = facts[i, LOWER], facts[i, UPPER]
        for q in range(len(interactions)):
            alive[c, q] = alive[i, q] & interactions[q, links[i, FEATURE]]


@inner
def total_of(cells):
    """The sum over all rows, from the histogram of one byte."""
    total = np.int64(0)
    for c in range(EVERY_CODE):
        total += cells[c]
    return total


@inner
def total_from_rows(link, rows, row_values):
    """The sum over all rows of a node without a histogram."""
    total = np.int64(0)
    for p in range(link[START], link[END]):
        total += row_values[rows[p]]
    return total


@inner
def set_child_bounds(monotone, i, child, links, facts, rules, scales):
    """If the split column is monotone, bound the values below both children by the mean of their values."""
    if monotone == 0:
        return
    lower, upper, middle = facts[i, LOWER], facts[i, UPPER], 0.0
    for c in range(child, child + 2):
        g, h, _ = unpack(links[c, TOTAL], scales)
        middle += leaf_step(g, h, rules.l1, rules.l2, lower, upper) / 2.0
    if monotone > 0:
        facts[child, UPPER] = facts[child + 1, LOWER] = middle
    else:
        facts[child, LOWER] = facts[child + 1, UPPER] = middle


@inner
def mark_allowed(i, depth, levels, interactions, alive, allowed):
    """The columns a node may split: drawn for its depth, and in an interaction set with all columns of its path."""
    depth = min(depth, len(levels) - 1)
    for f in range(len(allowed)):
        met = np.uint8(len(interactions) == 0)
        for q in range(len(interactions)):
            met |= alive[i, q] & interactions[q, f]
        allowed[f] = levels[depth, f] & met


@inner
def bytes_of(by_row, me, team):
    """The bytes of the coded table whose columns are this thread's: from the first, before the last."""
    width = by_row.shape[1]
    return width * me // team, width * (me + 1) // team


@inner
def search_together(first, last, workspace, scales, levels, allowed, ints, scores, me, counter, team, turn):
    """Search splits of the nodes first to last: each thread tries the columns of its bytes, and all choose the same."""
    w = workspace
    about, rules, interactions, cells, found = w.about, w.rules, w.interactions, w.cells, w.found
    links, facts, sets, alive = w.links[me], w.facts[me], w.sets[me], w.alive[me]
    g_first, g_last = bytes_of(w.codes.by_row, me, team)
    for i in range(first, last):
        if not can_split(links[i], rules, scales):
            continue
        mark_allowed(i, links[i, DEPTH], levels, interactions, alive, allowed)
        n_drawn = draw_columns(links[i], about, rules, allowed, ints[3])
        for q in range(n_drawn):
            f = ints[3, q]
            if g_first <= about[f, GROUP] < g_last:
                try_column(
                    f, links[i], facts[i], cells[links[i, SLOT]], about, rules, scales, ints, scores,
                    found[i - first],
                )  # fmt: skip
    turn = wait_for_all(counter, team, turn)
    for i in range(first, last):
        if can_split(links[i], rules, scales):
            mark_allowed(i, links[i, DEPTH], levels, interactions, alive, allowed)
            n_drawn = draw_columns(links[i], about, rules, allowed, ints[3])
            choose(
                links[i], facts[i], cells[links[i, SLOT]], about, rules, scales, n_drawn, sets[i], ints, scores,
                found[i - first],
            )  # fmt: skip
        else:
            links[i, FEATURE] = NO_SPLIT
    return turn


@inner
def can_split(link, rules, scales):
    """Whether a node is large enough to split, and not too deep."""
    _, h, n = unpack(link[TOTAL], scales)
    return link[DEPTH] < rules.max_depth and n >= rules.min_split and h >= 2.0 * rules.min_hessian


@inner
def split_together(i, workspace, rows, table, me, counter, team, turn):
    """Split the rows of a node, few on one thread, many on all threads; returns the middle."""
    link, spare, middles = workspace.links[me, i], workspace.spare, workspace.middles
    start, end = link[START], link[END]
    column = workspace.codes.by_column[workspace.about[link[FEATURE], GROUP]]
    goes_left(link, workspace.about, workspace.sets[me, i], table)
    if team == 1 or end - start <= _SHARED * team:
        if me == 0:
            middles[0] = split_rows(column, rows, spare, table, start, end)
        turn = wait_for_all(counter, team, turn)
        return middles[0], turn
    n = end - start
    first, last = start + n * me // team, start + n * (me + 1) // team
    middles[me] = split_to_spare(column, rows, spare, table, first, last)
    turn = wait_for_all(counter, team, turn)
    middle, left, right = start, start, start
    for t in range(team):
        n_left = middles[t] - (start + n * t // team)
        middle += n_left
        if t < me:
            left += n_left
            right += start + n * (t + 1) // team - middles[t]
    right += middle - start
    for p in range(middles[me] - first):
        rows[np.uint64(left + p)] = spare[np.uint64(first + p)]
    for p in range(last - middles[me]):
        rows[np.uint64(right + p)] = spare[np.uint64(last - 1 - p)]
    return middle, wait_for_all(counter, team, turn)


@inner
def split_to_spare(column, rows, spare, table, start, end):
    """Copy rows that go left to the front of ``spare``, the others backwards to its end; returns the boundary."""
    left, right = np.uint64(start), np.uint64(end - 1)
    for p in range(start, end):
        r = rows[np.uint64(p)]
        goes = np.uint64(table[np.uint64(column[np.uint64(r)])])
        spare[left] = r
        spare[right] = r
        left += goes
        right += goes - np.uint64(1)
    return np.int64(left)


@inner
def count_together(workspace, rows, first, last, cells, me, counter, team, turn):
    """The histogram of a range of rows: threads share many by rows, few by bytes."""
    by_row, row_values, shares = workspace.codes.by_row, workspace.row_values, workspace.shares[:team]
    g_first, g_last = bytes_of(by_row, me, team)
    low, high = EVERY_CODE * g_first, EVERY_CODE * g_last
    if team > 1 and (last - first) > _SHARED * team:
        n = last - first
        clear(shares[me], 0, shares.shape[1])
        mine, behind = first + n * me // team, first + n * (me + 1) // team
        count_rows(by_row, rows, mine, behind, row_values, shares[me], np.int64(0), by_row.shape[1])
        turn = wait_for_all(counter, team, turn)
        add_shares(cells, shares, low, high)
    else:
        clear(cells, low, high)
        count_rows(by_row, rows, first, last, row_values, cells, g_first, g_last)
    return turn


@inner
def merge_in_order(rows, spare, start, middle, end):
    """Merge two sorted runs: undoes a split that is not used."""
    for p in range(start, end):
        spare[p] = rows[p]
    a, b = start, middle
    for p in range(start, end):
        if a < middle and (b >= end or spare[a] < spare[b]):
            rows[p] = spare[a]
            a += 1
        else:
            rows[p] = spare[b]
            b += 1


@njit(nogil=True, cache=True)
def grow(workspace, rows, scales, levels, me, team, counter):
    """Grow a tree and return the number of its nodes; all threads of a team make the same call and share the work.

    workspace (INOUT)  a ``Workspace``; each thread has its own copy of the nodes, of which the first is given
    rows (INOUT)       int32[m] the rows of the tree, reordered by leaves
    scales (IN)        how to unpack sums
    levels (IN)        uint8[*, d] the columns that may be split at each depth; the last row serves all below
    me, team, counter  the number of this thread, the number of threads, and the counter of their barrier
    """
    w = workspace
    about, rules, cells, max_leaves, best_first = w.about, w.rules, w.cells, w.max_leaves, w.best_first
    ints, scores = np.empty((6, max(EVERY_CODE, len(about))), np.int64), np.empty(EVERY_CODE + 1)
    allowed, table = np.empty(len(about), np.uint8), np.empty(EVERY_CODE, np.uint8)
    links, facts, alive = w.links[me], w.facts[me], w.alive[me]
    keys, heap, slots = w.keys[me], w.heap[me], w.slots[me]
    g_first, g_last = bytes_of(w.codes.by_row, me, team)
    low, high = EVERY_CODE * g_first, EVERY_CODE * g_last
    # literal 0 and 1 have types of their own, for which all callees would be compiled again
    zero, one = np.int64(0), np.int64(1)
    n_slots, used, n_leaves, opened, n_open, turn = len(slots) - 1, one, one, 0.0, zero, zero
    for s in range(n_slots):
        slots[s] = n_slots - s
    turn = count_together(w, rows, zero, len(rows), cells[0], me, counter, team, turn)
    turn = wait_for_all(counter, team, turn)
    links[0, TOTAL], links[0, SLOT] = total_of(cells[0]), 0
    first, last = zero, one  # the nodes to search
    while True:
        turn = search_together(first, last, w, scales, levels, allowed, ints, scores, me, counter, team, turn)
        for back in range(last - first):  # right before left, so that left is on top
            c = last - 1 - back
            if links[c, FEATURE] != NO_SPLIT:
                opened += 1.0
                push(keys, heap, n_open, facts[c, GAIN] if best_first else opened, c)
                n_open += 1
            elif c > 0:
                slots[n_slots] = links[c, SLOT]
                n_slots += 1
        if n_open == 0 or n_leaves >= max_leaves:
            break
        i = pop(keys, heap, n_open)
        n_open -= 1
        middle, turn = split_together(i, w, rows, table, me, counter, team, turn)
        start, end = links[i, START], links[i, END]
        few = min(middle - start, end - middle)
        # where the count derived from hessians was wrong the node stays a leaf
        if few == 0 or (scales.count_bits == 0 and few * scales.mean_count < rules.min_leaf):
            slots[n_slots] = links[i, SLOT]
            n_slots += 1
            links[i, FEATURE] = NO_SPLIT
            if me == 0:
                merge_in_order(rows, w.spare, start, middle, end)
            turn = wait_for_all(counter, team, turn)
            first, last = used, used
            continue
        first, last, used, n_leaves = used, used + 2, used + 2, n_leaves + 1
        n_slots -= 1
        slot, mine = slots[n_slots], links[i, SLOT]
        small_left = middle - start <= end - middle
        small, monotone = first if small_left else first + 1, about[links[i, FEATURE], MONOTONE]
        if n_leaves < max_leaves:
            s_first, s_last = (start, middle) if small_left else (middle, end)
            turn = count_together(w, rows, s_first, s_last, cells[slot], me, counter, team, turn)
            subtract(cells[mine], cells[slot], low, high)
        turn = wait_for_all(counter, team, turn)
        init_children(i, first, middle, links, facts, w.interactions, alive)
        if n_leaves < max_leaves:
            links[small, SLOT], links[2 * first + 1 - small, SLOT] = slot, mine
            links[small, TOTAL] = total_of(cells[slot])
        elif monotone != 0:  # the last are not counted, but their values must be in order
            links[small, TOTAL] = total_from_rows(links[small], rows, w.row_values)
        links[2 * first + 1 - small, TOTAL] = links[i, TOTAL] - links[small, TOTAL]
        set_child_bounds(monotone, i, first, links, facts, rules, scales)
        if n_leaves >= max_leaves:
            break
    for h in range(n_open):
        links[heap[h], FEATURE] = NO_SPLIT
    return used
