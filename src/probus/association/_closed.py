"""Closed itemsets by prefix-preserving extensions (Uno, Asai, Uchida and Arimura 2004), and which of them are maximal.

A closed set contains every item that all of its baskets hold. Each has one parent, so none is found twice and none has
to be kept to notice that. A frequent set is maximal if no item can be added; maximal sets are closed.
"""

from __future__ import annotations

import numpy as np

from probus.association._depth_first import longer
from probus.compiling import njit
from probus.numba_seam.instructions import ones


@njit(nogil=True, cache=True)
def _within(chosen, words, n_words, column):
    """Whether every basket of a set holds an item."""
    w = 0
    while w < n_words and not chosen[w] & ~column[words[w]]:
        w += 1
    return w == n_words


@njit(nogil=True, cache=True)
def _shared(chosen, words, n_words, column):
    """How many baskets of a set hold an item."""
    total = 0
    for w in range(n_words):
        total += ones(chosen[w] & column[words[w]])
    return total


@njit(nogil=True, cache=True)
def _extensible(baskets, words, n_words, inside, core, bits, min_count):
    """Whether an item before the core can be added."""
    item = 0
    while item < core and (inside[item] or _shared(baskets, words, n_words, bits[item]) < min_count):
        item += 1
    return item < core


@njit(nogil=True, cache=True)
def _closure(baskets, words, n_words, parent, core, bits, inside):
    """The items that all baskets hold, in ``inside`` (OUT); −1 if one before the core is new, else their number."""
    size = 0
    for item in range(bits.shape[0]):
        inside[item] = parent[item] or item == core or _within(baskets, words, n_words, bits[item])
        if inside[item]:
            size += 1
            if item < core and not parent[item]:
                return -1
    return size


@njit(nogil=True, cache=True)
def _all_baskets(n_baskets, words, baskets):
    """The set of all baskets, as the words that are not 0 and their places (OUT)."""
    for word in range(words.shape[0]):
        words[word] = word
        baskets[word] = ~np.uint64(0)
    if n_baskets % 64:
        baskets[words.shape[0] - 1] = (np.uint64(1) << np.uint64(n_baskets % 64)) - np.uint64(1)


@njit(nogil=True, cache=True)
def _restrict(words, baskets, column, fewer_words, fewer_baskets):
    """The baskets of a set that hold an item too (OUT); returns the number of words that are not 0."""
    kept = 0
    for w in range(words.shape[0]):
        both = baskets[w] & column[words[w]]
        if both:
            fewer_words[kept], fewer_baskets[kept] = words[w], both
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def _deeper(levels):
    """The array with twice as many rows."""
    more = np.empty((2 * levels.shape[0], levels.shape[1]), dtype=levels.dtype)
    more[: levels.shape[0]] = levels
    return more


@njit(nogil=True, cache=True)
def closed_sets(bits, n_baskets, min_count, limit):
    """The closed frequent itemsets, from the baskets of each item, uint64[m, words].

    returns  found int32[…] the itemsets one behind the other, lengths int32[f], counts int64[f], maximal bool[f],
             whether the limit was reached
    """
    n_items, n_words = bits.shape
    found, lengths, counts = np.empty(1024, np.int32), np.empty(256, np.int32), np.empty(256, np.int64)
    maximal = np.empty(256, dtype=np.bool_)
    n_found, n_written = 0, 0
    # a level is a set on the way to the present one: its baskets (words that are not 0), its items, the next extension
    levels = 16
    words, baskets = np.empty((levels, n_words), np.int32), np.empty((levels, n_words), np.uint64)
    used, core, number = np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    inside, total = np.zeros((levels, n_items), np.bool_), np.zeros(levels, np.int64)
    _all_baskets(n_baskets, words[0], baskets[0])
    used[0], total[0] = n_words, n_baskets
    size = _closure(baskets[0], words[0], n_words, inside[0].copy(), -1, bits, inside[0])
    level, core[0], new = 0, -1, True
    while level >= 0:
        if new and size > 0:
            if n_found == limit:
                return found[:n_written], lengths[:n_found], counts[:n_found], maximal[:n_found], True
            if n_found == lengths.shape[0]:
                lengths, counts, maximal = longer(lengths, 0), longer(counts, 0), longer(maximal, 0)
            if n_written + size > found.shape[0]:
                found = longer(found, n_written + size)
            for item in range(n_items):
                if inside[level, item]:
                    found[n_written] = item
                    n_written += 1
            lengths[n_found], counts[n_found] = size, total[level]
            maximal[n_found] = not _extensible(
                baskets[level], words[level], used[level], inside[level], core[level], bits, min_count
            )
            number[level] = n_found
            n_found += 1
        elif new:
            number[level] = -1
        new = False
        core[level] += 1
        item = core[level]
        if item == n_items:
            level -= 1
            continue
        if inside[level, item]:
            continue
        count = _shared(baskets[level], words[level], used[level], bits[item])
        if count < min_count:
            continue
        if number[level] >= 0:
            maximal[number[level]] = False
        deeper = level + 1
        if deeper == used.shape[0]:
            words, baskets, inside = _deeper(words), _deeper(baskets), _deeper(inside)
            used, core, number, total = longer(used, 0), longer(core, 0), longer(number, 0), longer(total, 0)
        n = used[level]
        kept = _restrict(words[level, :n], baskets[level, :n], bits[item], words[deeper], baskets[deeper])
        used[deeper], core[deeper], total[deeper] = kept, item, count
        size = _closure(baskets[deeper], words[deeper], kept, inside[level], item, bits, inside[deeper])
        if size >= 0:
            level, new = deeper, True
    return found[:n_written], lengths[:n_found], counts[:n_found], maximal[:n_found], False
