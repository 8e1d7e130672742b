"""A node hands its rows to its children; the smaller is counted, the larger is what remains, and both are searched."""

from __future__ import annotations

import numpy as np
from numba import njit

from probus.ensemble.boosting.histogram import clear, count_rows, subtract
from probus.ensemble.boosting.nodes import (
    COUNT_BITS,
    CUT,
    DEPTH,
    END,
    EVERY_CODE,
    FEATURE,
    GAIN,
    GROUP,
    L1,
    L2,
    LEFT,
    LOWER,
    MAX_DEPTH,
    MIN_HESSIAN,
    MIN_LEAF,
    MIN_SPLIT,
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
)  # fmt: skip
from probus.ensemble.boosting.packing import unpack
from probus.ensemble.boosting.search import move, search
from probus.tree.grow import _pop, _push
from probus.tree.kernel import inner
from probus.tree.random_split import draw

__all__ = ["divide", "grow"]


@inner
def goes_left(link, about, sets, table):
    """For each byte of the column a node asks, whether rows that have it go left."""
    f, cut, missing_left = link[FEATURE], link[CUT], link[MISSING_LEFT]
    stride, size, n_codes, nominal = about[f, STRIDE], about[f, SIZE], about[f, N_CODES], about[f, NOMINAL]
    for byte in range(EVERY_CODE):
        code = (byte // stride) % size
        left = np.int64(code <= cut)
        if nominal == 1:
            word, shift = code >> 6, np.uint64(code & 63)
            known = (sets[4 + word] >> shift) & np.uint64(1)
            left = np.int64((sets[word] >> shift) & np.uint64(1)) if known != 0 else missing_left
        if code >= n_codes:
            left = missing_left
        table[byte] = left


@inner
def part_rows(column, rows, spare, table, start, end):
    """Put the rows that go left before those that go right, in order; returns where the right ones begin."""
    at, kept = start, start
    for p in range(start, end):
        r = rows[p]
        left = np.int64(table[column[r]])
        rows[at] = r
        spare[kept] = r
        at += left
        kept += 1 - left
    for p in range(kept - start):
        rows[at + p] = spare[start + p]
    return at


@njit(nogil=True, cache=True)
def divide(by_column, rows, spare, link, about, sets, start, end):
    """Part a stretch of a node's rows; returns where those that go right begin."""
    table = np.empty(EVERY_CODE, np.uint8)
    goes_left(link, about, sets, table)
    return part_rows(by_column[about[link[FEATURE], GROUP]], rows, spare, table, start, end)


@inner
def hand_down(i, child, middle, links, facts, circles, alive):
    """Give the children their rows, depth, seeds, bounds and circles."""
    links[i, LEFT] = child
    for c in range(child, child + 2):
        links[c, START] = links[i, START] if c == child else middle
        links[c, END] = middle if c == child else links[i, END]
        links[c, DEPTH] = links[i, DEPTH] + 1
        links[c, LEFT], links[c, FEATURE], links[c, SLOT] = -1, NO_SPLIT, -1
        state, _ = draw(np.uint64(links[i, SEED]) ^ np.uint64(c - child), 1)
        links[c, SEED] = np.int64(state * np.uint64(0xBF58476D1CE4E5B9))
        facts[c, LOWER], facts[c, UPPER] = facts[i, LOWER], facts[i, UPPER]
        for q in range(len(circles)):
            alive[c, q] = alive[i, q] & circles[q, links[i, FEATURE]]


@inner
def total_of(cells):
    """The sum of all rows, read off one byte's cells."""
    total = np.int64(0)
    for c in range(EVERY_CODE):
        total += cells[c]
    return total


@inner
def bound(monotone, i, child, links, facts, rules, bits, units):
    """Where the column that parts two children is monotone, what lies below them must not cross their middle."""
    lower, upper = facts[i, LOWER], facts[i, UPPER]
    middle = 0.0
    for c in range(child, child + 2):
        g, h, _ = unpack(links[c, TOTAL], bits, units)
        middle += move(g, h, rules[L1], rules[L2], lower, upper) / 2.0
    if monotone > 0:
        facts[child, UPPER] = facts[child + 1, LOWER] = middle
    elif monotone < 0:
        facts[child, LOWER] = facts[child + 1, UPPER] = middle


@inner
def allow(i, depth, levels, circles, alive, allowed):
    """The columns a node may ask: those drawn for its depth that share a circle with all that were asked above it."""
    depth = min(depth, len(levels) - 1)
    for f in range(len(allowed)):
        met = np.uint8(len(circles) == 0)
        for q in range(len(circles)):
            met |= alive[i, q] & circles[q, f]
        allowed[f] = levels[depth, f] & met


@njit(nogil=True, cache=True)
def grow(
    by_row, by_column, rows, spare, pay, about, rules, bits, units, links, facts, sets, cells, levels, circles, alive,
    keys, heap, slots, max_leaves, best_first, only, child, slot, middle,
):  # fmt: skip
    """Grow a tree in one go and return how many nodes it has; or split one node of it.

    by_row, by_column (IN) Codes
    rows, spare (INOUT)    int32[m] the rows of the tree, divided in place; room as large
    pay (IN)               int64[n] what each row adds to a histogram
    about (IN)             int64[d, 7] of the columns, rules, bits, units: see ``nodes``
    links, facts (INOUT)   the nodes, of which the first is given
    sets (OUT)             uint64[nodes, 8] the levels that go left, and those that are known, of nominal splits
    cells (OUT)            int64[slots, 256 G] the histograms of the open nodes
    levels (IN)            uint8[*, d] the columns that may be asked at each depth; the last row serves all below
    circles (IN)           uint8[c, d] columns that may meet on a path; none: all may
    alive (OUT)            uint8[nodes, c] the circles that hold every column asked so far
    keys, heap, slots (OUT) the open nodes, and the free histograms
    only (IN)              −1, or the one node to split, into ``child`` and the next, with a free histogram ``slot``;
                           ``middle`` says that its rows are divided already, and the smaller part counted there;
                           ``max_leaves`` 2 says that its children will not be split.
                           −2 searches the root, whose histogram is in slot 0
    """
    ints, scores = np.empty((4, max(EVERY_CODE, len(about))), np.int64), np.empty(EVERY_CODE)
    allowed, table = np.empty(len(about), np.uint8), np.empty(EVERY_CODE, np.uint8)
    n_slots, used, n_leaves, opened, n_open = len(slots) - 1, np.int64(1), np.int64(1), 0.0, np.int64(0)
    i, first, last = only, np.int64(0), np.int64(0)  # the node in hand, and the nodes to search
    if only == -1:
        clear(cells[0])
        count_rows(by_row, rows, 0, len(rows), pay, cells[0])
        for s in range(n_slots):
            slots[s] = n_slots - s
    if only < 0:
        links[0, TOTAL] = total_of(cells[0])
        links[0, SLOT] = 0
    while True:
        if only >= 0 or used > 1:
            if middle < 0:
                goes_left(links[i], about, sets[i], table)
                column = by_column[about[links[i, FEATURE], GROUP]]
                part = part_rows(column, rows, spare, table, links[i, START], links[i, END])
            else:
                part = middle
            if links[i, MISSING_LEFT] == UNSEEN:  # should one come later, it goes with the most
                links[i, MISSING_LEFT] = 2 * part >= links[i, START] + links[i, END]
            hand_down(i, child, part, links, facts, circles, alive)
            small = child if part - links[i, START] <= links[i, END] - part else child + 1
            large = 2 * child + 1 - small
            first, last = child, child + 2
            few = links[small, END] - links[small, START]
            if few == 0 or (
                bits[COUNT_BITS] == 0 and few < rules[MIN_LEAF]
            ):  # hessians told the count wrong: stay whole
                links[i, FEATURE], links[i, LEFT] = NO_SPLIT, -1
                last = child
            elif n_leaves + 1 >= max_leaves:  # nothing will be split any more
                last = child
            else:
                if middle < 0:
                    clear(cells[slot])
                    count_rows(by_row, rows, links[small, START], links[small, END], pay, cells[slot])
                subtract(cells[links[i, SLOT]], cells[slot])
                links[small, SLOT], links[large, SLOT] = slot, links[i, SLOT]
                links[small, TOTAL] = total_of(cells[slot])
                links[large, TOTAL] = links[i, TOTAL] - links[small, TOTAL]
                bound(about[links[i, FEATURE], MONOTONE], i, child, links, facts, rules, bits, units)
        else:
            first, last = np.int64(0), np.int64(1)
        for back in range(last - first):  # right before left, so that left is on top
            c = last - 1 - back
            _, h, n = unpack(links[c, TOTAL], bits, units)
            links[c, FEATURE] = NO_SPLIT
            if links[c, DEPTH] < rules[MAX_DEPTH] and n >= rules[MIN_SPLIT] and h >= 2.0 * rules[MIN_HESSIAN]:
                allow(c, links[c, DEPTH], levels, circles, alive, allowed)
                search(
                    links[c], facts[c], cells[links[c, SLOT]], about, rules, bits, units, allowed, sets[c], ints, scores
                )
            if only == -1 and links[c, FEATURE] != NO_SPLIT:
                opened += 1.0
                _push(keys, heap, n_open, facts[c, GAIN] if best_first else opened, c)
                n_open += 1
            elif only == -1 and c > 0:
                slots[n_slots] = links[c, SLOT]
                n_slots += 1
        if only != -1:
            return used
        if used > 1 and links[i, LEFT] < 0:
            slots[n_slots], slots[n_slots + 1] = slot, links[i, SLOT]
            n_slots += 2
        elif used > 1:
            n_leaves += 1
        if n_open == 0 or n_leaves >= max_leaves:
            break
        i = _pop(keys, heap, n_open)
        n_open -= 1
        n_slots -= 1
        slot, child = slots[n_slots], used
        used += 2
    for h in range(n_open):
        links[heap[h], FEATURE] = NO_SPLIT
    return used
