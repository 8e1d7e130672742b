"""The number of an itemset among those found, from its items."""

from __future__ import annotations

import numpy as np

from probus.association._itemsets import Itemsets


class SetNumbers:
    """Finds itemsets by their items, which are ascending codes.

    All subsets of a frequent set are frequent, so each set is known by the number of the set without its last item, and
    that item. Sets are ordered by length and items, so these keys ascend.

    >>> from probus.association import frequent_itemsets
    >>> SetNumbers(frequent_itemsets([["a", "b"], ["b", "c"]], 0.5)).of(np.array([[0, 1], [1, 2]]))
    array([3, 4])
    """

    def __init__(self, itemsets: Itemsets):
        self._width = len(itemsets.labels)
        self._keys = np.full(len(itemsets), np.iinfo(np.int64).max)
        for length in np.unique(itemsets.lengths):
            numbers, codes = itemsets.of_length(length)
            self._keys[numbers] = (self.of(codes[:, :-1]) + 1) * self._width + codes[:, -1]

    def of(self, codes: np.ndarray) -> np.ndarray:
        """The numbers of frequent sets of one length, a row each; −1 for the empty set."""
        numbers = np.full(len(codes), -1, dtype=np.int64)
        for column in codes.T:
            numbers = np.searchsorted(self._keys, (numbers + 1) * self._width + column)
        return numbers
