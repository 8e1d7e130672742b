"""The loops over rows: moments and counts per class, and the scores of a row under each class."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from probus.compiling import njit

# Per class: float64[K] the sum of weights; float64[K, d] a value near the mean, the mean relative to it, and the sum
# of squared deviations from the mean. Relative means keep precision for data near 1e8.
Moments = namedtuple("Moments", ["total", "shift", "mean", "ssd"])

_BLOCK = 1024  # rows summed about one shift


@njit(nogil=True, cache=True)
def merge_moments(past, new):
    """The moments of two samples together (Chan, Golub and LeVeque 1979).

    past (OUT)  Moments  of the one sample, then of both
    new (IN)    Moments  of the other
    """
    for k in range(len(past.total)):
        if new.total[k] == 0.0:
            continue
        share = new.total[k] / (past.total[k] + new.total[k])
        for j in range(past.mean.shape[1]):
            if past.total[k] == 0.0:
                past.shift[k, j] = new.shift[k, j]
            gap = (new.shift[k, j] - past.shift[k, j]) + new.mean[k, j] - past.mean[k, j]
            past.mean[k, j] += gap * share
            past.ssd[k, j] += new.ssd[k, j] + gap * gap * past.total[k] * share
        past.total[k] += new.total[k]


@njit(nogil=True, cache=True)
def class_moments(X, label, w, block, out):
    """The moments of each column within each class, in one pass.

    Blocks of rows are summed about the first value that the class has in the block. A member of the sample is
    within √n standard deviations of its mean, so cancellation costs at most a factor of the block's length.

    X (IN)       float64[n, d]
    label (IN)   int64[n]         in [0, K)
    w (IN)       float64[n]       weights; empty if all are 1
    block (OUT)  Moments          scratch
    out (OUT)    Moments          zero at the start, or the moments of earlier rows
    """
    n, d = X.shape
    for start in range(0, n, _BLOCK):
        for k in range(len(block.total)):
            block.total[k] = 0.0
            for j in range(d):
                block.mean[k, j] = 0.0
                block.ssd[k, j] = 0.0
        for i in range(start, min(start + _BLOCK, n)):
            k = label[i]
            weight = w[i] if len(w) else 1.0
            if weight == 0.0:
                continue
            if block.total[k] == 0.0:
                for j in range(d):
                    block.shift[k, j] = X[i, j]
            block.total[k] += weight
            for j in range(d):
                v = X[i, j] - block.shift[k, j]
                block.mean[k, j] += weight * v
                block.ssd[k, j] += weight * v * v
        for k in range(len(block.total)):
            if block.total[k] > 0.0:
                for j in range(d):
                    total = block.mean[k, j]
                    block.mean[k, j] = total / block.total[k]
                    block.ssd[k, j] = max(block.ssd[k, j] - total * block.mean[k, j], 0.0)
        merge_moments(out, block)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def gaussian_scores(X, constant, theta, precision, out):
    """constant_k − ½ Σ_j (x_j − θ_kj)² precision_kj for every row and class.

    X (IN)          float64[n, d]
    constant (IN)   float64[K]
    theta (IN)      float64[K, d]
    precision (IN)  float64[K, d]  1 / variance
    out (OUT)       float64[n, K]
    """
    n, d = X.shape
    for i in range(n):
        for k in range(len(constant)):
            distance = 0.0
            for j in range(d):
                v = X[i, j] - theta[k, j]
                distance += v * v * precision[k, j]
            out[i, k] = constant[k] - 0.5 * distance


@njit(nogil=True, cache=True)
def category_ranges(X, low, high):
    """The smallest and the largest code of each column.

    X (IN)      int64[n, d]
    low (OUT)   int64[d]   lowered where a smaller code is found
    high (OUT)  int64[d]   raised where a larger one is
    """
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])


@njit(nogil=True, cache=True)
def count_categories(X, label, w, start, columns, out):
    """Weighted counts of each category within each class, for some of the columns.

    X (IN)        int64[n, d]    codes, in range
    label (IN)    int64[n]       in [0, K)
    w (IN)        float64[n]     weights; empty if all are 1
    start (IN)    int64[d]       where the categories of each column start in out
    columns (IN)  (int, int)     the first column to count, and the one after the last
    out (OUT)     float64[K, L]  added to
    """
    for i in range(X.shape[0]):
        counts = out[label[i]]
        weight = w[i] if len(w) else 1.0
        for j in range(columns[0], columns[1]):
            counts[np.uint64(start[j] + X[i, j])] += weight  # unsigned: avoids the check for negative indices


@njit(nogil=True, cache=True)
def category_scores(X, constant, start, table, out):
    """constant_k + Σ_j table[k, category of x_j] for every row and class.

    X (IN)         int64[n, d]    codes, in range
    constant (IN)  float64[K]
    start (IN)     int64[d]       where the categories of each column start in the table
    table (IN)     float64[K, L]  log probabilities
    out (OUT)      float64[n, K]
    """
    n, d = X.shape
    for i in range(n):
        for k in range(len(constant)):
            log_prob = table[k]
            score = constant[k]
            for j in range(d):
                score += log_prob[np.uint64(start[j] + X[i, j])]
            out[i, k] = score


@njit(nogil=True, cache=True)
def kernel_log_densities(x, value, weight, bandwidth, out):
    """log Σ_t w_t φ((x − v_t) / h) / (h Σ_t w_t), with φ the standard normal density.

    The sum is taken relative to its largest term, that of the nearest value, so nothing underflows; terms below
    e⁻⁵⁰ of it do not change a double and are skipped.

    x (IN)       float64[n]   NaN gives 0: the factor is omitted
    value (IN)   float64[m]   distinct, ascending
    weight (IN)  float64[m]   positive
    out (OUT)    float64[n]
    """
    m = len(value)
    constant = np.log(weight.sum() * bandwidth * np.sqrt(2.0 * np.pi))
    for i in range(len(x)):
        if np.isnan(x[i]):
            out[i] = 0.0
            continue
        at = min(np.searchsorted(value, x[i]), m - 1)
        if at > 0 and abs(x[i] - value[at - 1]) < abs(x[i] - value[at]):
            at -= 1
        nearest = abs(x[i] - value[at])
        reach = np.sqrt((nearest / bandwidth) ** 2 + 100.0) * bandwidth
        peak = 0.5 * (nearest / bandwidth) ** 2
        total = 0.0
        first = min(at, np.searchsorted(value, x[i] - reach))  # far away, reach is rounded to the nearest or below
        last = max(at + 1, np.searchsorted(value, x[i] + reach, side="right"))
        for t in range(first, last):
            z = (x[i] - value[t]) / bandwidth
            total += weight[t] * np.exp(peak - 0.5 * z * z)
        out[i] = np.log(total) - peak - constant
