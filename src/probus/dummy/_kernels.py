"""Discretisation of a sorted column into Holte's intervals."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit


@njit(nogil=True, cache=True)
def close_intervals(counts, smallest, closes):
    """Holte's intervals: each is closed once a class has enough members and the next value is of another class.

    counts (IN)   float64[V, K]  weighted counts of the classes at each distinct value, ascending
    smallest (IN) float          members that the largest class of an interval must have
    closes (OUT)  bool[V]        true at the last value of each interval
    """
    n_values, n_classes = counts.shape
    members = np.zeros(n_classes)
    for v in range(n_values):
        for k in range(n_classes):
            members[k] += counts[v, k]
        best = members.argmax()
        closes[v] = v == n_values - 1 or (members[best] >= smallest and counts[v + 1, best] < counts[v + 1].max())
        if closes[v]:
            for k in range(n_classes):
                members[k] = 0.0
