"""Nodes are split on their best feature, and their rows passed to the children, until nothing is gained.

One loop grows all trees: a heap gives the next node, the last one opened (depth first) or the one that gains
most (best first, when leaves are limited). A node owns rows[start:end], and the same stretch of every list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree._criteria import ABSOLUTE
from probus.tree._node_columns import (
    DEPTH,
    END,
    FEATURE,
    GAIN,
    LEFT,
    LOW,
    LOWER,
    MIDDLE,
    MISSING_LEFT,
    MISSING_SEEN,
    N_FACTS,
    N_LINKS,
    PENDING,
    RIGHT,
    SEED,
    START,
    UNKNOWN,
    UPPER,
)
from probus.tree.growing.heap import pop, push
from probus.tree.kernel_parts import inner, longer
from probus.tree.preparation._codes import CODE_SHIFT, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.splitting._node_search import may_split, search_node
from probus.tree.splitting._random_split import draw
from probus.tree.splitting._scan import row_of
from probus.tree.splitting._surrogate_search import find_surrogates, send_unknown


class Limits(NamedTuple):
    """When to stop, and how many features a node may try."""

    max_depth: int
    min_split: int
    min_gain: float
    max_leaves: int
    max_features: int
    shuffled: bool  # whether features are tried in random order, and the first of equally good ones is used
    best_first: bool
    total_weight: float
    pending: int  # nodes of at most so many rows are left to others


class Workspace(NamedTuple):
    """Arrays as large as they can get; the system gives them memory only as they are filled."""

    links: np.ndarray
    facts: np.ndarray
    tallies: np.ndarray
    keys: np.ndarray
    heap: np.ndarray
    side: np.ndarray
    spare: np.ndarray
    words: np.ndarray
    sides: np.ndarray
    buffer: np.ndarray
    out: np.ndarray
    pool: np.ndarray

    @classmethod
    def of(cls, n_rows: int, n_columns: int, n_sums: int, max_leaves: int, listed: bool) -> Workspace:
        """Workspace for a tree on so many rows."""
        most, width = 2 * min(n_rows, max_leaves) + 1, 2 + n_sums
        return cls(
            links=np.empty((most, N_LINKS), np.int64),
            facts=np.empty((most, N_FACTS)),
            tallies=np.empty((most, width)),
            keys=np.empty(most),
            heap=np.empty(most, np.int64),
            side=np.empty(n_rows, np.uint8),
            spare=np.empty(n_rows if listed else 0, np.uint64),
            words=np.empty(64, np.uint32),
            sides=np.empty((3, width)),
            buffer=np.empty(n_rows, np.int64),
            out=np.zeros(5, np.int64),
            pool=np.empty(n_columns, np.int64),
        )


@njit(nogil=True, cache=True)
def grow(
    lists, codes, about, label, amount, weight, table, rows, rules, limits, work, cells, ratios, surrogates, values,
    medians,
):  # fmt: skip
    """Grow a tree on all rows; returns how many nodes and surrogates there are, and the words of nominal splits.

    What is not needed is None, and no code is compiled for it.

    lists, codes, about (INOUT)       Columns; lists are divided in place; codes may be None
    label, amount, weight, table (IN) the target: class, weight (for numbers w y), weight; x log₂ x or empty
    rows (INOUT)                      int64[n] the rows, divided in place
    work (OUT)                        Workspace: the nodes, of which the first is given, and buffers
    cells (OUT)                       buffers for histograms, or None
    ratios (OUT)                      float64[2, d] gain and gain ratio of each column, or None
    surrogates (OUT)                  buffers for surrogates, or None
    values (IN)                       the values behind the codes, for random cuts, or None
    medians (OUT)                     buffers for absolute error, or None
    """
    links, facts, tallies, keys, heap = work.links, work.facts, work.tallies, work.keys, work.heap
    side, words, n_words, most_words = work.side, work.words, np.int64(0), np.int64(0)
    for f in range(len(about)):
        if about[f, NOMINAL] == 1:
            most_words = max(most_words, (about[f, N_CODES] + 31) // 32)
    fresh, used, n_leaves, opened, parent = np.int64(0), np.int64(1), np.int64(1), 0.0, np.int64(-1)
    open_nodes, n_surrogates = np.int64(0), np.int64(0)
    while True:
        wanted, others = np.int64(0), False  # bit by bit, which of the new nodes are to be searched
        for child in range(fresh, used):
            if may_split(links[child], facts[child], tallies[child], label, amount, weight, table, rows, rules, limits):
                wanted |= 1 << (child - fresh)
            others |= links[child, LEFT] == PENDING
        if parent >= 0 and rules.constrained:
            between = (tallies[fresh, -1] / tallies[fresh, 1] + tallies[fresh + 1, -1] / tallies[fresh + 1, 1]) / 2.0
            if rules.criterion == ABSOLUTE:
                between = facts[parent, MIDDLE]
            bound(about[links[parent, FEATURE], MONOTONE], between, fresh, facts)
        if parent >= 0 and (wanted > 0 or others) and lists.shape[1] > 0:
            divide_lists(lists, links[parent, START], links[fresh, END], links[parent, END], side, work.spare)
        for back in range(used - fresh):  # right before left, so that left is on top
            i = used - 1 - back
            if (wanted >> (i - fresh)) & 1 == 0:
                continue
            if codes is not None and n_words + 2 * most_words > len(words):
                words = longer(words, 2 * (len(words) + most_words))
            n_words = search_node(
                links[i], facts[i], tallies[i], lists, codes, about, rows, label, amount, weight, table, rules, limits,
                work.sides, work.buffer, work.out, work.pool, cells, ratios, values, medians, words, n_words,
            )  # fmt: skip
            if links[i, FEATURE] >= 0:
                opened += 1.0
                push(keys, heap, open_nodes, facts[i, GAIN] if limits.best_first else opened, i)
                open_nodes += 1
        if open_nodes == 0 or n_leaves >= limits.max_leaves:
            break
        parent = pop(keys, heap, open_nodes)
        open_nodes -= 1
        send(links[parent], lists, codes, about, rows, words, side, rules.learn)
        if surrogates is not None:
            if n_words + 2 * most_words * len(about) > len(words):
                words = longer(words, 2 * (len(words) + most_words * len(about)))
            found, n_words = find_surrogates(
                parent, links[parent], codes, about, rows, weight, side, surrogates, n_surrogates, work.buffer, words,
                n_words,
            )  # fmt: skip
            send_unknown(links[parent], codes, about, rows, weight, side, surrogates[4], n_surrogates, found, words)
            n_surrogates += found
        middle = partition_rows(links[parent], rows, side, work.buffer)
        set_up_children(parent, used, middle, links, facts)
        fresh, used, n_leaves = used, used + 2, n_leaves + 1
    for h in range(open_nodes):  # those that had to stay leaves
        links[heap[h], FEATURE] = -2
    return used, n_surrogates, words[:n_words]


# -- a node hands its rows to its children -------------------------------------------------------------


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
