"""The split of a selected column: the two sides whose responses differ most by the standardised statistic.

A side A of n_A out of n cases has T = Σ_A w h, and a quadratic form that is Σ_k (T_k − E T_k)² m_k up to the factor
(n − 1) / (n_A n_B), where m is the metric of the response.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit
from probus.tree.conditional._statistic import response_metric
from probus.tree.splitting._class_levels import EVERY_WAY

_ROUNDING = 1e-10  # minimum improvement of a later split, so that ties do not depend on rounding


@dataclass(frozen=True, eq=False)
class Cut:
    """A split on one column: whether its number is at most ``threshold``, or its level is in ``left``.

    ``known`` are the levels at the node. Both are None for numbers, whose threshold is a training value.
    """

    feature: int
    threshold: float = 0.0
    left: np.ndarray | None = None
    known: np.ndarray | None = None

    def sides(self, x: np.ndarray) -> np.ndarray:
        """For each value 1 if it goes left, 0 if right, -1 if it is missing or a level that is unknown at the node."""
        known = ~np.isnan(x)
        if self.left is None or self.known is None:
            return np.where(known, x <= self.threshold, -1).astype(np.int8)
        level = np.where(known, x, 0.0).astype(np.int64)
        return np.where(known & self.known[level], self.left[level], -1).astype(np.int8)


def best_cut(feature: int, x: np.ndarray, n_levels: int, h: np.ndarray, w: np.ndarray, smallest: float) -> Cut | None:
    """The best split of a column into two sides of weight at least ``smallest``; None if there is none.

    x, h, w : values, responses and weights of a node's rows.
    """
    known = ~np.isnan(x)
    x, h, w = x[known], h[known], w[known]
    everyone = np.arange(len(x))
    _, mean, metric, rank = response_metric(h, w, everyone, everyone, x, False)
    if rank == 0:
        return None
    away = w[:, None] * (h - mean)
    if n_levels > 0:
        return _partition(feature, x.astype(np.int64), n_levels, away, w, metric, smallest)
    order = np.argsort(x, kind="stable")
    ascending = x[order]
    at = scan(w[order], away[order], metric, np.append(ascending[:-1] < ascending[1:], False), smallest)
    return Cut(feature, float(ascending[at])) if at >= 0 else None


def _partition(
    feature: int, level: np.ndarray, n_levels: int, away: np.ndarray, w: np.ndarray, metric: np.ndarray, smallest: float
) -> Cut | None:
    """The best partition of levels; for many levels, the best in the order of their responses."""
    N = np.bincount(level, w, n_levels)
    T = np.stack([np.bincount(level, away[:, k], n_levels) for k in range(away.shape[1])], axis=1)
    present = np.flatnonzero(N > 0)
    N, T = N[present], T[present]
    if len(present) <= EVERY_WAY:
        code = every_partition(N, T, metric, smallest)
        goes_left = code >> np.arange(len(present)) & 1 == 1
    else:
        order = np.argsort(_first_component(N, T, metric), kind="stable")
        at = scan(N[order], T[order], metric, np.arange(1, len(N) + 1) < len(N), smallest)
        goes_left = np.isin(np.arange(len(N)), order[: at + 1])
    if not goes_left.any():
        return None
    left, known = np.zeros(n_levels, bool), np.zeros(n_levels, bool)
    left[present[goes_left]], known[present] = True, True
    return Cut(feature, left=left, known=known)


def _first_component(N: np.ndarray, T: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """The mean responses of levels along their first principal component.

    For numbers and two classes the best partition is a split in this order (Fisher 1958); otherwise it usually is
    (Coppersmith, Hong and Hosking 1999).
    """
    means = T / N[:, None] * np.sqrt(metric)
    direction = np.linalg.svd(means * np.sqrt(N)[:, None], full_matrices=False)[2][0]
    return means @ direction


@njit(nogil=True, cache=True)
def scan(N, T, metric, may_close, smallest):
    """The position in ordered items after which the sides differ most; -1 if none is allowed.

    N (IN)         float64[m] weights
    T (IN)         float64[m, q] weighted responses, less their mean
    may_close (IN) bool[m] whether the left side may end with an item
    """
    n, below = N.sum(), 0.0
    sums = np.zeros(T.shape[1])
    best, at = 0.0, -1
    for i in range(len(N) - 1):
        below += N[i]
        for k in range(len(sums)):
            sums[k] += T[i, k]
        if may_close[i] and below >= smallest and n - below >= smallest:
            differ = _difference(sums, metric, below, n - below)
            if differ > best * (1.0 + _ROUNDING):
                best, at = differ, i
    return at


@njit(nogil=True, cache=True)
def every_partition(N, T, metric, smallest):
    """The levels of the left side, as bits, of the partition whose sides differ most; 0 if there is none.

    The first level goes left. Arguments are those of ``scan``, an item for each level.
    """
    n = N.sum()
    sums = np.empty(T.shape[1])
    best, best_code = 0.0, 0
    for code in range(1, (1 << len(N)) - 1, 2):
        below = 0.0
        sums[:] = 0.0
        for level in range(len(N)):
            if (code >> level) & 1:
                below += N[level]
                for k in range(len(sums)):
                    sums[k] += T[level, k]
        if below >= smallest and n - below >= smallest:
            differ = _difference(sums, metric, below, n - below)
            if differ > best * (1.0 + _ROUNDING):
                best, best_code = differ, code
    return best_code


@njit(nogil=True, cache=True)
def _difference(sums, metric, below, above):
    """The quadratic form of a side, up to a common factor."""
    total = 0.0
    for k in range(len(sums)):
        total += sums[k] * sums[k] * metric[k]
    return total / (below * above)
