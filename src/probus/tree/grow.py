"""A node asks every column, splits on the best and hands its rows to its children, until nothing is gained.

One loop grows all trees: a heap says which open node is next, the last one opened (depth first) or the one that gains
most (best first, when leaves are limited). A node owns rows[start:end], and the same stretch of every list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from probus.tree.absolute import search_absolute
from probus.tree.codes import CODE_SHIFT, MISSING, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.kernel import inner
from probus.tree.nodes import (
    DEPTH,
    END,
    FEATURE,
    GAIN,
    HIGH,
    IMPURITY,
    LEFT,
    LOW,
    LOWER,
    MISSING_LEFT,
    MISSING_SEEN,
    N_FACTS,
    N_LINKS,
    PENDING,
    RIGHT,
    SEED,
    START,
    THRESHOLD,
    UNKNOWN,
    UPPER,
)
from probus.tree.random_split import draw, search_random
from probus.tree.risk import ABSOLUTE, ENTROPY, SQUARES, score
from probus.tree.scan import row_of
from probus.tree.split import CODE_OF, ORDER, search_column, search_plain
from probus.tree.surrogate import find_surrogates, send_unknown

__all__ = ["Limits", "Room", "grow"]

_EPSILON = 2.220446049250313e-16  # as scikit-learn forgives in comparing gains


class Limits(NamedTuple):
    """When to stop, and which columns a node may ask."""

    max_depth: int
    min_split: int
    min_gain: float
    max_leaves: int
    max_features: int
    best_first: bool
    total_weight: float
    pending: int  # nodes of at most so many rows are left to others


class Room(NamedTuple):
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
    def of(cls, n_rows: int, n_columns: int, n_classes: int, max_leaves: int, listed: bool) -> Room:
        """Room for a tree on so many rows."""
        most, width = 2 * min(n_rows, max_leaves) + 1, 2 + n_classes
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
            out=np.empty(3, np.int64),
            pool=np.empty(n_columns, np.int64),
        )


@njit(nogil=True, cache=True)
def grow(
    lists, codes, about, label, amount, weight, table, rows, rules, limits, room, cells, ratios, surrogates, values,
    medians,
):  # fmt: skip
    """Grow a tree on all rows; returns how many nodes and surrogates there are, and the words of nominal splits.

    What is not needed is None, and no code is compiled for it.

    lists, codes, about (INOUT)       Columns; lists are divided in place; codes may be None
    label, amount, weight, table (IN) the target: class, weight (for numbers w y), weight; x log₂ x or empty
    rows (INOUT)                      int64[n] the rows, divided in place
    room (OUT)                        Room: the nodes, of which the first is given, and room to work
    cells (OUT)                       room for histograms, or None
    ratios (OUT)                      float64[2, d] gain and gain ratio of each column, or None
    surrogates (OUT)                  room for surrogates, or None
    values (IN)                       the values behind the codes, for random cuts, or None
    medians (OUT)                     room for absolute error, or None
    """
    links, facts, tallies, keys, heap = room.links, room.facts, room.tallies, room.keys, room.heap
    side, words, n_words, most_words = room.side, room.words, np.int64(0), np.int64(0)
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
            _bound(about[links[parent, FEATURE], MONOTONE], tallies[fresh], tallies[fresh + 1], fresh, facts)
        if parent >= 0 and (wanted > 0 or others) and lists.shape[1] > 0:
            divide_lists(lists, links[parent, START], links[fresh, END], links[parent, END], side, room.spare)
        for back in range(used - fresh):  # right before left, so that left is on top
            i = used - 1 - back
            if (wanted >> (i - fresh)) & 1 == 0:
                continue
            if codes is not None and n_words + 2 * most_words > len(words):
                words = _longer(words, 2 * (len(words) + most_words))
            n_words = search_node(
                links[i], facts[i], tallies[i], lists, codes, about, rows, label, amount, weight, table, rules, limits,
                room.sides, room.buffer, room.out, room.pool, cells, ratios, values, medians, words, n_words,
            )  # fmt: skip
            if links[i, FEATURE] >= 0:
                opened += 1.0
                _push(keys, heap, open_nodes, facts[i, GAIN] if limits.best_first else opened, i)
                open_nodes += 1
        if open_nodes == 0 or n_leaves >= limits.max_leaves:
            break
        parent = _pop(keys, heap, open_nodes)
        open_nodes -= 1
        send(links[parent], lists, codes, about, rows, words, side, rules.learn)
        if surrogates is not None:
            if n_words + 2 * most_words * len(about) > len(words):
                words = _longer(words, 2 * (len(words) + most_words * len(about)))
            found, n_words = find_surrogates(
                parent, links[parent], codes, about, rows, weight, side, surrogates, n_surrogates, room.buffer, words,
                n_words,
            )  # fmt: skip
            send_unknown(links[parent], codes, about, rows, weight, side, surrogates[4], n_surrogates, found, words)
            n_surrogates += found
        middle = part_rows(links[parent], rows, side, room.buffer)
        hand_down(parent, used, middle, links, facts)
        fresh, used, n_leaves = used, used + 2, n_leaves + 1
    for h in range(open_nodes):  # those that had to stay leaves
        links[heap[h], FEATURE] = -2
    return used, n_surrogates, words[:n_words]


# -- one node --------------------------------------------------------------------------------------------


@inner
def may_split(link, fact, tally, label, amount, weight, table, rows, rules, limits):
    """Sum up a node; whether it may split at all."""
    link[LEFT] = link[RIGHT] = -1
    link[FEATURE], link[MISSING_LEFT], link[MISSING_SEEN] = -2, 0, 0
    for k in range(len(tally)):
        tally[k] = 0.0
    first, numbers = rows[link[START]], len(tally) == 3
    fixed, lowest, highest = 0.0, amount[first] / weight[first], amount[first] / weight[first]
    for r in rows[link[START] : link[END]]:
        v, w = amount[r], weight[r]
        tally[1] += w
        tally[2 + label[r]] += v
        if numbers:  # the part of the risk that no split changes, and whether there is anything to gain
            y = v / w
            fixed += v * y if rules.risk == SQUARES else (v * np.log(y) if y > 0.0 else 0.0)
            lowest, highest = min(lowest, y), max(highest, y)
    n = link[END] - link[START]
    tally[0] = n
    most = 0.0
    for k in range(2, len(tally)):
        most = max(most, tally[k])
    pure = highest - lowest <= 1e-15 * max(abs(lowest), abs(highest)) if numbers else most >= tally[1] * (1.0 - 1e-15)
    if not numbers:
        fixed = 0.0 if rules.risk == ENTROPY else tally[1]
    fact[IMPURITY] = (
        0.0
        if pure
        else np.inf
        if rules.risk == ABSOLUTE
        else max(0.0, (fixed - score(rules.risk, tally, table)) / tally[1])
    )
    if pure or link[DEPTH] >= limits.max_depth or n < max(limits.min_split, 2 * rules.min_leaf):
        return False
    if tally[1] < 2.0 * rules.min_weight:
        return False
    if n <= limits.pending:
        link[LEFT] = PENDING
        return False
    return True


@inner
def search_node(
    link, fact, tally, lists, codes, about, rows, label, amount, weight, table, rules, limits, sides, buffer, out, pool,
    cells, ratios, values, medians, words, n_words,
):  # fmt: skip
    """Find the best split of a node among the columns it may ask; returns how many words are in use."""
    bounds, cut = fact[LOWER : UPPER + 1], sides[2]
    d = len(about)
    best, column = -np.inf, d
    asked, drawn, again = 0, 0, False
    state = np.uint64(link[SEED])
    some = limits.max_features < d
    simple = rules.plain and (len(tally) == 3 or (rules.unit and len(tally) == 4))
    most = (fact[IMPURITY] * tally[1]) * (1.0 - 1e-12)  # no split gains more than all
    if some:
        for f in range(d):
            pool[f] = f
    if ratios is not None:
        for f in range(d):
            ratios[1, f] = -np.inf
    while not again and best < most:
        if drawn < d and asked < limits.max_features:
            f = drawn
            if some:
                state, j = draw(state, d - drawn)
                pool[drawn], pool[drawn + j] = pool[drawn + j], pool[drawn]
                f = pool[drawn]
            drawn += 1
        elif ratios is None or asked == 0:
            break
        else:
            f, again = -1, True
            if ratios is not None:
                f = best_ratio(ratios)
        start, end = link[START], link[END]
        if values is not None:
            gain, state = search_random(
                f, state, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, tally,
                sides, cells, buffer, out, values, cut,
            )  # fmt: skip
        elif medians is not None:
            gain = search_absolute(
                f, lists, codes, about, rows, start, end, label, amount, weight, rules, cells, buffer, out, medians
            )
        elif simple and about[f, PLACE] >= 0 and about[f, MISSING] == 0:
            gain = search_plain(
                lists, about[f, PLACE], start, end, amount, weight, rules.unit, rules.min_leaf, tally, out
            )
        else:
            gain = search_column(
                f, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, tally, sides,
                cells, buffer, out,
            )  # fmt: skip
        if gain == -np.inf:
            continue
        asked += 1
        if ratios is not None and not again:
            ratios[0, f] = gain
            ratios[1, f] = gain / split_information(f, link, lists, codes, about, rows, weight, cells, out)
            continue
        if gain > best or (gain == best and f < column):
            best, column, fact[THRESHOLD] = gain, f, cut[0]
            link[LOW], link[HIGH], link[MISSING_LEFT] = out[0], out[1], out[2]
            if codes is not None and about[f, NOMINAL] == 1:
                link[LOW] = n_words
                _write_levels(out[0], about[f, N_CODES], cells[1], words, n_words)
    # no split makes the risk larger, whatever rounding says
    if column == d or max(best, 0.0) / limits.total_weight + _EPSILON < limits.min_gain:
        return n_words
    link[FEATURE], fact[GAIN] = column, best
    return n_words + (2 * ((about[column, N_CODES] + 31) // 32) if about[column, NOMINAL] == 1 else 0)


@inner
def _write_levels(n_left, n_levels, ints, words, n_words):
    """Set the bits of the levels that go left; those the node knows are set as its rows are sent."""
    for q in range(2 * ((n_levels + 31) // 32)):
        words[n_words + q] = np.uint32(0)
    for q in range(n_left):
        c = ints[CODE_OF, ints[ORDER, q]]
        words[n_words + (c >> 5)] |= np.uint32(1) << np.uint32(c & 31)


@inner
def best_ratio(ratios):
    """The column of the largest gain ratio among those that gain at least the average (Quinlan 1993, section 2.2).

    ratios (IN) float64[2, d] gain and gain ratio of each column; a ratio of −inf for those that were not asked
    """
    total, counted, best = 0.0, 0, -1
    for f in range(ratios.shape[1]):
        if ratios[1, f] > -np.inf and ratios[0, f] > 0.0:
            total += ratios[0, f]
            counted += 1
    for f in range(ratios.shape[1]):
        much = counted == 0 or ratios[0, f] >= total / counted * (1.0 - 1e-9)
        if ratios[1, f] > -np.inf and much and (best < 0 or ratios[1, f] > ratios[1, best]):
            best = f
    return best


@inner
def split_information(f, link, lists, codes, about, rows, weight, cells, out):
    """The entropy of the two sides themselves, in bits, times the weight of both; ``out`` is of the column's search."""
    low, missing_left = out[0], out[2]
    left, both, place, n_codes = 0.0, 0.0, about[f, PLACE], about[f, N_CODES]
    for p in range(link[START], link[END]):
        r, code = rows[p], n_codes
        if place >= 0:
            r, code = row_of(lists[place, p]), np.int64(lists[place, p] >> CODE_SHIFT)
        if codes is not None and place < 0:
            code = np.int64(codes[-1 - place, r])
        both += weight[r]
        if code == n_codes:
            left += weight[r] * missing_left
        elif about[f, NOMINAL] == 0 and code <= low:
            left += weight[r]
    if cells is not None and about[f, NOMINAL] == 1:
        for q in range(low):
            left += cells[0][cells[1][ORDER, q], 1]
    share = min(max(left / both, 1e-12), 1.0 - 1e-12)
    return -both * (share * np.log2(share) + (1.0 - share) * np.log2(1.0 - share))


# -- handing rows down -----------------------------------------------------------------------------------


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
def part_rows(link, rows, side, buffer):
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
def hand_down(parent, left, middle, links, facts):
    """Give the children their rows, depth, seeds and bounds."""
    links[parent, LEFT], links[parent, RIGHT] = left, left + 1
    for child in range(left, left + 2):
        links[child, DEPTH] = links[parent, DEPTH] + 1
        links[child, START] = links[parent, START] if child == left else middle
        links[child, END] = middle if child == left else links[parent, END]
        state, _ = draw(np.uint64(links[parent, SEED]) ^ np.uint64(child - left), 1)
        links[child, SEED] = np.int64(state * np.uint64(0xBF58476D1CE4E5B9))
        facts[child, LOWER], facts[child, UPPER] = facts[parent, LOWER], facts[parent, UPPER]


@inner
def _bound(monotone, left, right, child, facts):
    """Where the column that parts two children is monotone, what lies below them must not cross their middle."""
    middle = (left[-1] / left[1] + right[-1] / right[1]) / 2.0
    if monotone > 0:
        facts[child, UPPER] = facts[child + 1, LOWER] = middle
    elif monotone < 0:
        facts[child, LOWER] = facts[child + 1, UPPER] = middle


# -- words that grow, and a heap -------------------------------------------------------------------------


@inner
def _longer(a, size):
    longer = np.empty(size, a.dtype)
    for i in range(len(a)):
        longer[i] = a[i]
    return longer


@inner
def _push(keys, heap, size, key, node):
    at = size
    while at > 0 and keys[(at - 1) // 2] < key:
        up = (at - 1) // 2
        keys[at], heap[at] = keys[up], heap[up]
        at = up
    keys[at], heap[at] = key, node


@inner
def _pop(keys, heap, size):
    top, size = heap[0], size - 1
    key, node, at = keys[size], heap[size], 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and keys[down + 1] > keys[down]:
            down += 1
        if keys[down] <= key:
            break
        keys[at], heap[at] = keys[down], heap[down]
        at = down
    keys[at], heap[at] = key, node
    return top
