"""All frequent itemsets level by level (Agrawal and Srikant 1994): the reference of the depth-first search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby

import numpy as np

Set = tuple[int, ...]


def apriori(bits: np.ndarray, min_count: int, max_length: int, limit: int) -> tuple[dict[Set, int], np.ndarray, bool]:
    """The count of each frequent set, how many of each length were examined, and whether the limit was reached.

    bits : for each item the set of its baskets, uint64[m, words]; items are ordered by rising frequency.
    """
    examined = np.zeros(len(bits) + 2, dtype=np.int64)
    examined[1] = len(bits)
    counts = np.bitwise_count(bits).sum(axis=1)
    level: dict[Set, int] = {(item,): int(count) for item, count in enumerate(counts)}
    frequent: dict[Set, int] = {}
    for length in range(2, max_length + 2):
        frequent |= level
        if len(frequent) > limit:
            return frequent, examined, True
        if not level or length > max_length:
            break
        larger: dict[Set, int] = {}
        for candidate in _join(level):
            examined[length] += 1
            if all(part in level for part in combinations(candidate, length - 1)):
                count = int(np.bitwise_count(np.bitwise_and.reduce(bits[list(candidate)])).sum())
                if count >= min_count:
                    larger[candidate] = count
                    if len(frequent) + len(larger) > limit:
                        return frequent, examined, True
        level = larger
    return frequent, examined, False


def _join(level: dict[Set, int]) -> Iterator[Set]:
    """Unions of two sets that differ in their last item only."""
    for _, group in groupby(sorted(level), key=lambda items: items[:-1]):
        for one, other in combinations(list(group), 2):
            yield (*one, other[-1])
