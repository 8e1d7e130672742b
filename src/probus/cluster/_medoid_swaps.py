"""The swaps of k-medoids: FasterPAM (Schubert & Rousseeuw 2021), which weighs all swaps with one row at once."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit


@njit(nogil=True, cache=True)
def first_medoids(D, k):
    """BUILD: the row with the least sum of distances, then always the row that lowers the sum most.

    D (IN) float64[n, n];  returns int64[k]
    """
    n = D.shape[0]
    medoids = np.empty(k, np.int64)
    nearest = np.full(n, np.inf)
    taken = np.zeros(n, np.bool_)
    for c in range(k):
        best, least = -1, np.inf
        for candidate in range(n):
            if taken[candidate]:
                continue
            total = 0.0
            for o in range(n):
                total += min(nearest[o], D[candidate, o])
            if total < least:
                best, least = candidate, total
        medoids[c] = best
        taken[best] = True
        for o in range(n):
            nearest[o] = min(nearest[o], D[best, o])
    return medoids


@njit(nogil=True, cache=True)
def _nearest_two(D, medoids, near, second):
    for o in range(D.shape[0]):
        near[o] = second[o] = -1
        for c in range(medoids.shape[0]):
            d = D[o, medoids[c]]
            if near[o] < 0 or d < D[o, medoids[near[o]]]:
                second[o] = near[o]
                near[o] = c
            elif second[o] < 0 or d < D[o, medoids[second[o]]]:
                second[o] = c


@njit(nogil=True, cache=True)
def swapped(D, medoids, max_swaps):
    """Swap a medoid for another row as long as this lowers the sum of distances to the nearest medoids.

    D (IN)            float64[n, n]
    medoids (IN, OUT) int64[k]
    returns           the number of swaps, and whether no swap is left that lowers the sum
    """
    n, k = D.shape[0], medoids.shape[0]
    near, second = np.empty(n, np.int64), np.empty(n, np.int64)
    loss, change = np.empty(k), np.empty(k)
    _nearest_two(D, medoids, near, second)
    total = 0.0
    for o in range(n):
        total += D[o, medoids[near[o]]]
    swaps, since, candidate = 0, 0, 0
    while since < n and swaps < max_swaps:
        if since == 0:  # what removing each medoid costs
            loss[:] = 0.0
            for o in range(n):
                if k > 1:
                    loss[near[o]] += D[o, medoids[second[o]]] - D[o, medoids[near[o]]]
        change[:] = loss
        gain = 0.0
        for o in range(n):
            d, first = D[candidate, o], D[o, medoids[near[o]]]
            if k == 1:
                gain += d - first
                continue
            other = D[o, medoids[second[o]]]
            if d < first:
                gain += d - first
                change[near[o]] += first - other
            elif d < other:
                change[near[o]] += d - other
        best = np.argmin(change)
        if change[best] + gain < -1e-12 * total - 1e-300:
            total += change[best] + gain
            medoids[best] = candidate
            _nearest_two(D, medoids, near, second)
            swaps += 1
            since = 0
        else:
            since += 1
        candidate = (candidate + 1) % n
    return swaps, since >= n
