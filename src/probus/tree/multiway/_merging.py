"""CHAID's merging of levels with similar class frequencies (Kass 1980, Applied Statistics 29, 119-127)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, erfc, exp, lgamma, log, sqrt

import numpy as np
from scipy.special import chdtrc

from probus.compiling import njit

_MANY = 30  # categories above which those with equal profiles are merged first
_EQUAL = 1e-12  # tolerance for equal p-values


@dataclass(frozen=True, eq=False)
class Grouping:
    """Categories in groups, and the logarithm of the adjusted p-value of their table against the class."""

    groups: list[list[int]]
    log_p: float


def merged(table: np.ndarray, *, ordered: bool, floating: bool, alpha: float, min_child: float) -> Grouping:
    """Merge the two most similar categories as long as they do not differ in a test at level ``alpha``.

    Ordered categories merge with adjacent ones; the last one, if ``floating``, with any; unordered ones with any. At
    least two groups remain. A group with weight below ``min_child`` is then merged with the most similar one.

    table : weights of categories × classes, none of them all zero
    """
    start = np.arange(len(table))
    if not ordered and alpha < 1 and len(table) > _MANY:
        start = _profiles(table)
    counts = np.zeros((start.max() + 1, table.shape[1]))
    np.add.at(counts, start, table)
    joined = np.empty(len(counts), np.int64)
    merge_alike(counts, ordered, ordered and floating, float(alpha), float(min_child), joined)
    labels = joined[start]
    groups = [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]
    kind = "floating" if ordered and floating else "ordered" if ordered else "free"
    log_p = log_chi2_tail(*_chi2(np.array([table[group].sum(axis=0) for group in groups])))
    return Grouping(groups, min(0.0, log_p + log_multiplier(len(table), len(groups), kind)))


def _profiles(table: np.ndarray) -> np.ndarray:
    """Equal numbers for categories with equal class frequencies, which merge first."""
    shares = np.round(table / table.sum(axis=1, keepdims=True), 12)
    return np.unique(shares, axis=0, return_inverse=True)[1].ravel()


# -- merging -------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def merge_alike(counts, ordered, floating, alpha, min_child, joined):
    """Merge the most similar pair while its p-value exceeds alpha and more than two are left; then the small ones.

    counts (IN)  float64[c, K], categories × classes; changed
    joined (OUT) int64[c], the first category of each one's group
    """
    c, n_classes = counts.shape
    alive = np.ones(c, np.bool_)
    weight = np.zeros(c)
    p = np.full((c, c), -1.0)
    for i in range(c):
        joined[i] = i
        for k in range(n_classes):
            weight[i] += counts[i, k]
        compare(i, counts, alive, ordered, floating, p)
    distinct = False
    for n_alive in range(c, 1, -1):
        i, j = most_alike(p, 0, c)
        distinct = distinct or n_alive == 2 or p[i, j] <= alpha
        if distinct:
            lightest = -1
            for k in range(c):
                if alive[k] and weight[k] < min_child and (lightest < 0 or weight[k] < weight[lightest]):
                    lightest = k
            if lightest < 0:
                break
            i, j = most_alike(p, lightest, lightest + 1)
        i, j = min(i, j), max(i, j)  # a floating category is last, so it always joins another
        alive[j] = False
        weight[i] += weight[j]
        for k in range(n_classes):
            counts[i, k] += counts[j, k]
        for k in range(c):
            p[j, k] = p[k, j] = -1.0
            if joined[k] == j:
                joined[k] = i
        compare(i, counts, alive, ordered, floating, p)


@njit(nogil=True, cache=True)
def compare(i, counts, alive, ordered, floating, p):
    """Update the p-values (OUT) of category i with all that it may merge with."""
    c = counts.shape[0]
    end = c - 1 if floating else c  # where the categories in order end
    below, above = i - 1, i + 1
    while below >= 0 and not alive[below]:
        below -= 1
    while above < end and not alive[above]:
        above += 1
    for j in range(c):
        free = not ordered or (floating and (i == c - 1 or j == c - 1))
        if alive[j] and j != i and (free or j in (below, above)):
            p[i, j] = p[j, i] = pair_p_value(counts[i], counts[j])


@njit(nogil=True, cache=True)
def most_alike(p, start, stop):
    """The pair with the largest p-value whose first is from start to stop, the first in case of ties."""
    largest, best_i, best_j = -1.0, start, start
    for i in range(start, stop):
        for j in range(p.shape[1]):
            if p[i, j] > largest + _EQUAL:
                largest, best_i, best_j = p[i, j], i, j
    return best_i, best_j


# -- tests ---------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def pair_p_value(a, b):
    """The p-value of Pearson's test that two categories have the same class frequencies.

    >>> round(pair_p_value(np.array([10.0, 20.0]), np.array([20.0, 10.0])), 4)
    0.0098
    """
    n_a, n_b, chi2, df = 0.0, 0.0, 0.0, -1
    for k in range(a.shape[0]):
        n_a += a[k]
        n_b += b[k]
    for k in range(a.shape[0]):
        both = a[k] + b[k]
        if both > 0.0:
            df += 1
            expected = both * n_a / (n_a + n_b)
            chi2 += (a[k] - expected) ** 2 / expected * (1 + n_a / n_b)
    return chi2_tail(chi2, df) if df > 0 else 1.0


@njit(nogil=True, cache=True)
def chi2_tail(chi2, df):
    r"""The probability that a chi-square variable of df degrees of freedom exceeds a value.

    From :math:`Q(1/2, x) = \mathrm{erfc}\sqrt{x}` or :math:`Q(1, x) = e^{-x}` up by
    :math:`Q(a + 1, x) = Q(a, x) + x^a e^{-x} / \Gamma(a + 1)`.
    """
    x = chi2 / 2
    if x <= 0.0:
        return 1.0
    a = 0.5 * (2 - df % 2)
    tail = erfc(sqrt(x)) if df % 2 == 1 else exp(-x)
    while a < 0.5 * df:
        tail += exp(a * log(x) - x - lgamma(a + 1))
        a += 1
    return min(tail, 1.0)


def _chi2(table: np.ndarray) -> tuple[float, int]:
    """Pearson's statistic of a table and its degrees of freedom."""
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)


def log_chi2_tail(chi2: float, df: int) -> float:
    r"""The logarithm of the probability that a chi-square variable exceeds a value, also for very small probabilities.

    >>> round(log_chi2_tail(3.841458820694124, 1), 6), round(log_chi2_tail(5000.0, 2), 6)
    (-2.995732, -2500.0)
    """
    if df == 0:
        return 0.0
    tail = float(chdtrc(df, chi2))
    if tail > 1e-290:
        return log(tail)
    # far in the tail a few terms of the asymptotic series of the incomplete gamma function are exact
    a, x = df / 2, chi2 / 2
    term, series, k = 1.0, 1.0, 1
    while k < a + 50 and abs(term) > 1e-17 * series:
        term *= (a - k) / x
        series += term
        k += 1
    return (a - 1) * log(x) - x - lgamma(a) + log(series)


def log_multiplier(c: int, r: int, kind: str) -> float:
    r"""The logarithm of Bonferroni's multiplier: the number of ways to merge c categories into r groups.

    Ordered: :math:`\binom{c-1}{r-1}`. Free: the Stirling number of the second kind. With a floating category:
    :math:`\binom{c-2}{r-2} + r\binom{c-2}{r-1}`.

    >>> from math import exp
    >>> [round(exp(log_multiplier(5, 3, kind))) for kind in ("ordered", "free", "floating")]
    [6, 25, 12]
    """
    if r in (1, c):
        return 0.0
    if kind == "ordered":
        return log(comb(c - 1, r - 1))
    if kind == "floating":
        return log(comb(c - 2, r - 2) + r * comb(c - 2, r - 1))
    ways = sum((-1) ** i * comb(r, i) * (r - i) ** c for i in range(r))
    return log(ways) - lgamma(r + 1)
