"""Linear statistics of a response and columns, standardised under permutation (Strasser and Weber 1999).

The response of a row is h: its number, or one indicator for each class. A column is g: its number, or one indicator
for each level. Of n cases (rows by weight) with T = Σ w g hᵀ, all permutations of the responses give

    E T = Σ w g · mean(h)ᵀ,    cov T = V ⊗ (n / (n − 1)) · Σ w (g − mean(g)) (g − mean(g))ᵀ,

where V is the covariance of h. Both covariances are those of a number or of indicators, so that generalised inverses
are known: 1 / variance of a number, 1 / share of each indicator. The quadratic form is a sum over cells.
"""

from __future__ import annotations

import math

import numpy as np

from probus.compiling import njit


@njit(nogil=True, cache=True)
def column_statistics(columns, n_levels, h, w, rows, answers, maximum, first, last, statistic, freedom):
    """Statistics of the association of the response with each of the columns ``first`` up to ``last``.

    The quadratic form (T − E T)ᵀ cov⁺ (T − E T) with its rank, or the largest |T − E T| / sd with the number of
    distinct ones. Cases with missing values are ignored.

    columns (IN)    float64[d, n] numbers, levels by code, NaN for missing
    n_levels (IN)   int64[d] 0 for numbers
    h (IN)          float64[*, q] responses: a number, or indicators of classes
    w (IN)          float64[n]
    rows (IN)       int64[m] the node: places in the columns and in w
    answers (IN)    int64[m] for each the row of h that is its response
    statistic (OUT) float64[d] NaN if the column or the response is constant
    freedom (OUT)   int64[d]
    """
    for j in range(first, last):
        statistic[j], freedom[j] = _statistic(columns[j], n_levels[j], h, w, rows, answers, maximum)


@njit(nogil=True, cache=True)
def shuffled_statistics(columns, n_levels, h, w, rows, shuffles, maximum, statistic, freedom):
    """``column_statistics`` of all columns for each permutation of the responses.

    shuffles (IN)            int64[B, m]
    statistic, freedom (OUT) float64[B, d], int64[B, d]
    """
    for b in range(len(shuffles)):
        for j in range(len(columns)):
            statistic[b, j], freedom[b, j] = _statistic(columns[j], n_levels[j], h, w, rows, shuffles[b], maximum)


@njit(nogil=True, cache=True)
def _statistic(x, n_levels, h, w, rows, answers, maximum):
    if n_levels > 0:
        return _of_levels(x, n_levels, h, w, rows, answers, maximum)
    return _of_numbers(x, h, w, rows, answers, maximum)


@njit(nogil=True, cache=True)
def _of_numbers(x, h, w, rows, answers, maximum):
    n, mean, metric, freedom = response_metric(h, w, rows, answers, x, maximum)
    low, high = np.inf, -np.inf
    for r in range(len(rows)):
        i = rows[r]
        if x[i] == x[i]:
            low, high = min(low, x[i]), max(high, x[i])
    if freedom == 0 or low == high:
        return np.nan, 0
    unit = _unit(low, high)
    x_mean = 0.0
    for r in range(len(rows)):
        i = rows[r]
        if x[i] == x[i]:
            x_mean += w[i] * (x[i] * unit - low * unit) / n
    spread = 0.0
    T = np.zeros(h.shape[1])
    for r in range(len(rows)):
        i, a = rows[r], answers[r]
        if x[i] == x[i]:
            distance = x[i] * unit - low * unit - x_mean
            spread += w[i] * distance * distance
            for k in range(len(T)):
                T[k] += w[i] * distance * (h[a, k] - mean[k])
    total, largest = 0.0, 0.0
    for k in range(len(T)):
        cell = T[k] * T[k] * metric[k]
        total += cell
        largest = max(largest, cell)
    scale = (n - 1.0) / (n * spread)
    return (np.sqrt(largest * scale) if maximum else total * scale), freedom


@njit(nogil=True, cache=True)
def _unit(low, high):
    """A power of two that scales numbers between these to about one without rounding, so that squares are finite."""
    exponent = math.frexp(max(abs(low), abs(high)))[1]
    return math.ldexp(1.0, -max(-1000, min(1000, exponent)))


@njit(nogil=True, cache=True)
def _of_levels(x, n_levels, h, w, rows, answers, maximum):
    n, mean, metric, freedom = response_metric(h, w, rows, answers, x, maximum)
    N = np.zeros(n_levels)
    T = np.zeros((n_levels, h.shape[1]))
    for r in range(len(rows)):
        i, a = rows[r], answers[r]
        if x[i] == x[i]:
            own = np.int64(x[i])
            N[own] += w[i]
            for k in range(T.shape[1]):
                T[own, k] += w[i] * (h[a, k] - mean[k])
    total, largest, present = 0.0, 0.0, 0
    for level in range(n_levels):
        if N[level] == 0.0:
            continue
        present += 1
        for k in range(T.shape[1]):
            cell = T[level, k] * T[level, k] * metric[k] / N[level]
            total += cell
            if N[level] < n:
                largest = max(largest, cell * n / (n - N[level]))
    if freedom == 0 or present < 2:
        return np.nan, 0
    scale = (n - 1.0) / n
    if maximum:
        return np.sqrt(largest * scale), freedom * (present if present > 2 else 1)
    return total * scale, freedom * (present - 1)


@njit(nogil=True, cache=True)
def response_metric(h, w, rows, answers, x, maximum):
    """The cases whose x is known: their number, mean response, the metric that standardises it, and its rank.

    The metric is 1 / variance where the largest coordinate counts, else a generalised inverse of the covariance: for
    indicators of classes 1 / share. The rank is 0 if the response is constant, and for ``maximum`` the number of
    coordinates of distinct size: for two classes each is the negative of the other.
    """
    n = 0.0
    q = h.shape[1]
    mean, metric = np.zeros(q), np.zeros(q)
    low, high = np.inf, -np.inf
    for r in range(len(rows)):
        i, a = rows[r], answers[r]
        if x[i] == x[i]:
            n += w[i]
            low, high = min(low, h[a, 0]), max(high, h[a, 0])
            for k in range(q):
                mean[k] += w[i] * h[a, k]
    if n <= 1.0:
        return n, mean, metric, 0
    for k in range(q):
        mean[k] /= n
    if q == 1:
        for r in range(len(rows)):
            i, a = rows[r], answers[r]
            if x[i] == x[i]:
                metric[0] += w[i] * (h[a, 0] - mean[0]) ** 2 / n
        metric[0] = 1.0 / metric[0] if low < high else 0.0
        return n, mean, metric, (1 if low < high else 0)
    present = 0
    for k in range(q):
        if mean[k] > 0.0:
            present += 1
            metric[k] = 1.0 / mean[k]
    if present < 2:
        return n, mean, metric, 0
    if maximum:
        for k in range(q):
            metric[k] = 1.0 / (mean[k] * (1.0 - mean[k])) if mean[k] > 0.0 else 0.0
        return n, mean, metric, (present if present > 2 else 1)
    return n, mean, metric, present - 1
