"""All frequent itemsets by a depth-first search (Zaki 2000) over bitsets of the baskets that hold the first item.

Items are ordered by rising frequency. The baskets of an item are numbered anew and the later items in them become
bitsets of that length: the rarer the item, the shorter they are. Larger sets follow by intersecting these.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.numba_seam.instructions import ones


@njit(nogil=True, cache=True)
def longer(array, size):
    """The array with space for twice as much, and at least that size."""
    more = np.empty(max(size, 2 * array.shape[0]), dtype=array.dtype)
    more[: array.shape[0]] = array
    return more


@njit(nogil=True, cache=True)
def _later_items(holders, places, starts, items, count, local, min_count):
    """Number the items that are frequent in the baskets of an item, behind it; −1 for others. Returns how many."""
    count[:] = 0
    for h in range(holders.shape[0]):
        for place in range(places[h] + 1, starts[holders[h] + 1]):
            count[items[place]] += 1
    size = 0
    for item in range(count.shape[0]):
        local[item] = -1
        if count[item] >= min_count:
            local[item] = size
            size += 1
    return size


@njit(nogil=True, cache=True)
def _with_room(candidate, support, bits, size, words):
    """The arrays, longer where they have no room for so many candidates."""
    if size > candidate.shape[0]:
        candidate, support = longer(candidate, size), longer(support, size)
    if size * words > bits.shape[0]:
        bits = longer(bits, size * words)
    return candidate, support, bits


@njit(nogil=True, cache=True)
def _project(holders, places, starts, items, count, local, words, candidate, support, bits):
    """The later items as candidates: the bit of each basket of the first item, numbered from 0, that holds them."""
    for item in range(local.shape[0]):
        if local[item] >= 0:
            candidate[local[item]], support[local[item]] = item, count[item]
            bits[local[item] * words : (local[item] + 1) * words] = 0
    for h in range(holders.shape[0]):
        mask = np.uint64(1) << np.uint64(h & 63)
        for place in range(places[h] + 1, starts[holders[h] + 1]):
            item = local[items[place]]
            if item >= 0:
                bits[item * words + (h >> 6)] |= mask


@njit(nogil=True, cache=True)
def _extend(own, behind, words, min_count, candidate, support, bits):
    """Put the frequent sets of a candidate and one after it behind all candidates; returns where they end."""
    kept = behind
    for other in range(own + 1, behind):
        total = 0
        for word in range(words):
            both = bits[own * words + word] & bits[other * words + word]
            bits[kept * words + word] = both
            total += ones(both)
        if total >= min_count:
            candidate[kept], support[kept] = candidate[other], total
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def search_from(first, last, starts, items, holder_starts, holders, places, min_count, max_length, limit):
    """The frequent itemsets whose rarest item is one of first … last − 1.

    starts (IN)        int64[n + 1]   basket b holds items[starts[b]:starts[b + 1]], ranks, ascending
    holder_starts (IN) int64[m + 1]   item i is in the baskets holders[holder_starts[i]:holder_starts[i + 1]]
    places (IN)        int64[…]       and there at these places of ``items``
    returns            found int32[…] the itemsets one behind the other, lengths int32[f], counts int64[f], and
                       examined int64[…], how many sets of each length were counted; more than ``limit`` are not found
    """
    n_items = holder_starts.shape[0] - 1
    count, local = np.zeros(n_items, dtype=np.int64), np.empty(n_items, dtype=np.int64)
    found, lengths, counts = np.empty(1024, np.int32), np.empty(256, np.int32), np.empty(256, np.int64)
    n_found, n_written = 0, 0
    examined = np.zeros(n_items + 2, dtype=np.int64)
    prefix = np.empty(n_items + 1, dtype=np.int32)
    # the candidates of each level lie behind each other: base, size, and the one that is being extended
    base, size, at = np.zeros(n_items + 2, np.int64), np.zeros(n_items + 2, np.int64), np.zeros(n_items + 2, np.int64)
    candidate, support = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int64)
    bits = np.empty(1024, dtype=np.uint64)
    for start in range(first, last):
        mine = holders[holder_starts[start] : holder_starts[start + 1]]
        where = places[holder_starts[start] : holder_starts[start + 1]]
        words = (mine.shape[0] + 63) // 64
        prefix[0] = start
        level, size[0], base[0], at[0] = 0, 0, 0, 0
        examined[1] += 1
        if max_length > 1:
            examined[2] += n_items - start - 1
            size[0] = _later_items(mine, where, starts, items, count, local, min_count)
            candidate, support, bits = _with_room(candidate, support, bits, size[0], words)
            _project(mine, where, starts, items, count, local, words, candidate, support, bits)
        level, length, total = -1, 1, mine.shape[0]  # the first item itself, then its extensions
        while True:
            if n_found == limit:
                return found[:n_written], lengths[:n_found], counts[:n_found], examined, True
            if n_found == lengths.shape[0]:
                lengths, counts = longer(lengths, 0), longer(counts, 0)
            if n_written + length > found.shape[0]:
                found = longer(found, n_written + length)
            found[n_written : n_written + length] = prefix[:length]
            lengths[n_found], counts[n_found] = length, total
            n_written += length
            n_found += 1
            if level < 0:
                level = 0
            elif length < max_length and at[level] + 1 < size[level]:
                own, behind = base[level] + at[level], base[level] + size[level]
                n_more = behind - own - 1
                candidate, support, bits = _with_room(candidate, support, bits, behind + n_more, words)
                examined[length + 1] += n_more
                kept = _extend(own, behind, words, min_count, candidate, support, bits)
                if kept > behind:
                    level += 1
                    base[level], size[level], at[level] = behind, kept - behind, 0
                else:
                    at[level] += 1
            else:
                at[level] += 1
            while level >= 0 and at[level] == size[level]:
                level -= 1
                if level >= 0:
                    at[level] += 1
            if level < 0:
                break
            chosen = base[level] + at[level]
            prefix[level + 1], total, length = candidate[chosen], support[chosen], level + 2
    return found[:n_written], lengths[:n_found], counts[:n_found], examined, False
