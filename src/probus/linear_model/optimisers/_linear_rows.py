"""Rows of a dense or sparse matrix in one form, and a descent over them in batches."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.compiling import njit, read_only
from probus.linear_model.optimisers._update_rules import take_step
from probus.losses.margin_losses import loss_and_slope

# values float64, columns int32 (empty for a dense matrix), starts int64[n + 1]
Rows = namedtuple("Rows", ["values", "columns", "starts"])


def rows_of(X: Any) -> Rows:
    """The rows of a matrix.

    >>> rows_of(np.eye(2)).starts
    array([0, 2, 4])
    """
    if issparse(X):
        values, columns, starts = X.data, X.indices.astype(np.int32, copy=False), X.indptr
    else:
        values, columns = np.ascontiguousarray(X).ravel(), np.empty(0, np.int32)
        starts = np.arange(X.shape[0] + 1) * X.shape[1]
    return Rows(read_only(values), read_only(columns), starts.astype(np.int64))


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def product(values, columns, w):
    """x · w of one row; columns are empty where it is dense."""
    total = 0.0
    if len(columns) == 0:
        for j in range(len(values)):
            total += values[j] * w[j]
    else:
        for j in range(len(values)):
            total += values[j] * w[np.uint64(columns[j])]  # unsigned: avoids the check for negative indices
    return total


@njit(nogil=True, cache=True, fastmath={"contract"})
def add_multiple(values, columns, factor, w):
    """Add a multiple of one row to w."""
    if len(columns) == 0:
        for j in range(len(values)):
            w[j] += factor * values[j]
    else:
        for j in range(len(values)):
            w[np.uint64(columns[j])] += factor * values[j]


@njit(nogil=True)
def row_at(rows, i):
    """The values and columns of a row."""
    first, last = rows.starts[i], rows.starts[i + 1]
    return rows.values[first:last], rows.columns[first:last] if len(rows.columns) else rows.columns


@njit(nogil=True, cache=True)
def batch_descent(rows, y, weight, order, batch, loss, penalty, intercept, rule, constants, eta, power, t, w, m, v):
    """One epoch of an optimiser on a linear model; returns the mean loss of the rows when they were visited.

    rows, y, weight (IN)          Rows, float64[n], float64[n]
    order, batch (IN)             int64[k]  the rows, in the order of the visit, and how many make a step
    loss, penalty (IN)            (number, parameter) and (L2, L1)
    intercept (IN)                whether the last coefficient is one
    rule, constants (IN)          see take_step
    eta, power, t (IN)            the step t has size eta / t ** power; the number of the first
    w, m, v (OUT)                 float64[d]
    """
    d = len(w) - 1 if intercept else len(w)
    g = np.empty(len(w))
    total = 0.0
    for start in range(0, len(order), batch):
        stop = min(start + batch, len(order))
        g[:] = 0.0
        for i in order[start:stop]:
            values, columns = row_at(rows, i)
            p = product(values, columns, w) + (w[d] if intercept else 0.0)
            value, factor, slope = loss_and_slope(loss[0], loss[1], y[i], p)
            total += weight[i] * (value + np.log(factor))
            slope *= weight[i] / (stop - start)
            if slope != 0.0:
                add_multiple(values, columns, slope, g)
                if intercept:
                    g[d] += slope
        for j in range(d):
            g[j] += penalty[0] * w[j] + penalty[1] * np.sign(w[j])
        take_step(rule, constants, eta / t**power, t, g, w, m, v)
        t += 1
    return total / len(order)
