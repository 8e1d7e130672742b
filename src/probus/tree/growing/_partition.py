"""A node hands its rows to its children."""

from __future__ import annotations

import numpy as np

from probus.tree._node_columns import (  # fmt: skip
    DEPTH,
    END,
    FEATURE,
    LEFT,
    LOW,
    LOWER,
    MISSING_LEFT,
    MISSING_SEEN,
    RIGHT,
    SEED,
    START,
    UNKNOWN,
    UPPER,
)
from probus.tree.kernel_parts import inner
from probus.tree.preparation._codes import CODE_SHIFT, N_CODES, NOMINAL, PLACE
from probus.tree.splitting._random_split import draw
from probus.tree.splitting._scan import row_of


@inner
def send(link, lists, codes, about, rows, words, side, learn):
    """Decide for each row of a node whether it goes left or right; without ``learn`` the missing stay unknown."""
    f, low = link[FEATURE], link[LOW]
    place, n_codes, n_missing, n_left = about[f, PLACE], about[f, N_CODES], 0, 0
    missing_side = link[MISSING_LEFT] if learn else UNKNOWN
    size = (n_codes + 31) // 32
    for p in range(link[START], link[END]):
        r, code = rows[p], np.int64(0)
        if place >= 0:
            r, code = row_of(lists[place, p]), np.int64(lists[place, p] >> CODE_SHIFT)
        if codes is not None and place < 0:
            code = np.int64(codes[-1 - place, r])
        side[r] = code <= low
        if code == n_codes:
            side[r] = missing_side
            n_missing += 1
        elif about[f, NOMINAL] == 1:
            word, bit = code >> 5, np.uint32(code & 31)
            side[r] = (words[low + word] >> bit) & np.uint32(1)
            words[low + size + word] |= np.uint32(1) << bit  # a level this node knows
        n_left += side[r] == 1
    link[MISSING_SEEN] = n_missing > 0
    if n_missing == 0:  # should one come later, it goes with the most
        link[MISSING_LEFT] = 2 * n_left > link[END] - link[START]


@inner
def partition_rows(link, rows, side, buffer):
    """Put the rows that go left before those that go right, in order; returns where the right ones begin."""
    at, kept = link[START], np.int64(0)
    for p in range(link[START], link[END]):
        r = rows[p]
        rows[at] = r
        buffer[kept] = r
        at += side[r]
        kept += 1 - side[r]
    for p in range(kept):
        rows[at + p] = buffer[p]
    return at


@inner
def divide_lists(lists, start, middle, end, side, spare):
    """Divide the node's stretch of every list as its rows were divided, keeping the order on either side."""
    for f in range(lists.shape[0]):
        at, kept = start, np.int64(0)
        for p in range(start, end):
            entry = lists[f, p]
            s = np.int64(side[row_of(entry)])
            lists[f, at] = entry
            spare[kept] = entry
            at += s
            kept += 1 - s
        for p in range(kept):
            lists[f, middle + p] = spare[p]


@inner
def set_up_children(parent, left, middle, links, facts):
    """Set the rows, depth, seeds and bounds of two children."""
    links[parent, LEFT], links[parent, RIGHT] = left, left + 1
    for child in range(left, left + 2):
        links[child, DEPTH] = links[parent, DEPTH] + 1
        links[child, START] = links[parent, START] if child == left else middle
        links[child, END] = middle if child == left else links[parent, END]
        state, _ = draw(np.uint64(links[parent, SEED]) ^ np.uint64(child - left), np.int64(1))
        links[child, SEED] = np.int64(state * np.uint64(0xBF58476D1CE4E5B9))
        facts[child, LOWER], facts[child, UPPER] = facts[parent, LOWER], facts[parent, UPPER]


@inner
def bound(monotone, middle, child, facts):
    """Where the feature that splits two children is monotone, what lies below them must not cross their middle."""
    if monotone > 0:
        facts[child, UPPER] = facts[child + 1, LOWER] = middle
    elif monotone < 0:
        facts[child, LOWER] = facts[child + 1, UPPER] = middle
