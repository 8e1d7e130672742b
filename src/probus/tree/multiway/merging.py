"""CHAID's merging: levels that the class does not tell apart become one (Kass 1980, Applied Statistics 29, 119-127)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, lgamma, log

import numpy as np
from scipy.special import chdtrc

__all__ = ["Grouping", "log_chi2_tail", "log_multiplier", "merged", "pair_p_values"]

_MANY = 30  # categories from which on it pays to look for those of one profile


@dataclass(frozen=True, eq=False)
class Grouping:
    """Categories in groups, and the logarithm of the adjusted p-value of their table against the class."""

    groups: list[list[int]]
    log_p: float


def merged(table: np.ndarray, *, ordered: bool, floating: bool, alpha: float, min_child: float) -> Grouping:
    """Merge the two most alike categories as long as a test at level ``alpha`` does not tell them apart.

    Ordered categories merge with their neighbours; the last one, if ``floating``, with any; others all with all. It
    ends with two groups at the latest. A group of less than ``min_child`` then joins the one it is most like.

    table : weights of categories × classes, none of them all zero
    """
    categories = _Categories(table, ordered, floating, alike_first=alpha < 1)
    while categories.n_alive > 2 and categories.most_alike() > alpha:
        categories.merge_most_alike()
    while categories.n_alive > 1 and categories.lightest() < min_child:
        categories.merge_lightest()
    groups = categories.groups()
    kind = "floating" if ordered and floating else "ordered" if ordered else "free"
    log_p = log_chi2_tail(*_chi2(np.array([table[group].sum(axis=0) for group in groups])))
    return Grouping(groups, min(0.0, log_p + log_multiplier(len(table), len(groups), kind)))


class _Categories:
    """The categories while they merge: counts, members, and the p-value of every pair that may merge, -1 for others."""

    def __init__(self, table: np.ndarray, ordered: bool, floating: bool, alike_first: bool):
        self.ordered, self.floating = ordered, floating
        many = alike_first and not ordered and len(table) > _MANY
        self.members = _of_one_profile(table) if many else [[i] for i in range(len(table))]
        self.counts = np.array([table[members].sum(axis=0) for members in self.members])
        self.alive = np.ones(len(self.members), bool)

    @property
    def n_alive(self) -> int:
        return int(self.alive.sum())

    @cached_property
    def p(self) -> np.ndarray:
        """The p-values, once they are needed: two categories need none."""
        p = np.full((len(self.members), len(self.members)), -1.0)
        for i in range(len(self.members)):
            partners = self._partners(i)
            partners = partners[partners > i]
            p[i, partners] = p[partners, i] = pair_p_values(self.counts[i], self.counts[partners])
        return p

    def _partners(self, i: int) -> np.ndarray:
        """The categories that i may merge with."""
        others = np.flatnonzero(self.alive)
        if not self.ordered:
            return others[others != i]
        float_place = len(self.alive) - 1 if self.floating and self.alive[-1] else -1
        if i == float_place:
            return others[others != i]
        line = others[others != float_place]
        place = int(np.searchsorted(line, i))
        near = [int(line[k]) for k in (place - 1, place + 1) if 0 <= k < len(line)]
        return np.array(near + [float_place] * (float_place >= 0), np.int64)

    def _compare(self, i: int) -> None:
        partners = self._partners(i)
        self.p[i] = self.p[:, i] = -1.0
        self.p[i, partners] = self.p[partners, i] = pair_p_values(self.counts[i], self.counts[partners])

    def _merge(self, i: int, j: int) -> None:
        """j joins i; the floating category always joins another."""
        i, j = min(i, j), max(i, j)
        self.counts[i] += self.counts[j]
        self.members[i] += self.members[j]
        self.alive[j] = False
        self.p[j] = self.p[:, j] = -1.0
        self._compare(i)

    def most_alike(self) -> float:
        return float(self.p.max())

    def merge_most_alike(self) -> None:
        i, j = divmod(int(np.argmax(self.p > self.p.max() - 1e-12)), len(self.p))
        self._merge(i, j)

    def lightest(self) -> float:
        return float(self.counts[self.alive].sum(axis=1).min())

    def merge_lightest(self) -> None:
        i = int(np.argmin(np.where(self.alive, self.counts.sum(axis=1), np.inf)))
        self._merge(i, int(np.argmax(self.p[i] > self.p[i].max() - 1e-12)))

    def groups(self) -> list[list[int]]:
        return [sorted(members) for members, alive in zip(self.members, self.alive, strict=True) if alive]


def _of_one_profile(table: np.ndarray) -> list[list[int]]:
    """Categories with the same shares of classes together: no pair can be more alike, so they merge first anyway."""
    shares = np.round(table / table.sum(axis=1, keepdims=True), 12)
    _, first, profile = np.unique(shares, axis=0, return_index=True, return_inverse=True)
    profile = profile.ravel()
    return [np.flatnonzero(profile == profile[i]).tolist() for i in np.sort(first)]


# -- tests ---------------------------------------------------------------------------------------------


def pair_p_values(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The p-values of Pearson's test that a category and each of the others have the same shares of the classes.

    >>> pair_p_values(np.array([10.0, 20.0]), np.array([[20.0, 10.0], [5.0, 10.0]])).round(4)
    array([0.0098, 1.    ])
    """
    both = one + others
    n_one, n_others = one.sum(), others.sum(axis=1)
    expected = both * (n_one / (n_one + n_others))[:, None]
    scale = n_one * (1 / n_one + 1 / n_others)
    with np.errstate(invalid="ignore", divide="ignore"):
        chi2 = np.where(both > 0, (one - expected) ** 2 / expected, 0.0).sum(axis=1) * scale
    df = (both > 0).sum(axis=1) - 1
    return np.where(df > 0, chdtrc(np.maximum(df, 1), chi2), 1.0)


def _chi2(table: np.ndarray) -> tuple[float, int]:
    """Pearson's statistic of a table and its degrees of freedom."""
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)


def log_chi2_tail(chi2: float, df: int) -> float:
    r"""The logarithm of the probability that a chi-square variable exceeds a value, however small it is.

    >>> round(log_chi2_tail(3.841458820694124, 1), 6), round(log_chi2_tail(5000.0, 2), 6)
    (-2.995732, -2500.0)
    """
    if df == 0:
        return 0.0
    tail = float(chdtrc(df, chi2))
    if tail > 1e-290:
        return log(tail)
    # far out in the tail the asymptotic series of the incomplete gamma function has all digits after a few terms
    a, x = df / 2, chi2 / 2
    term, series, k = 1.0, 1.0, 1
    while k < a + 50 and abs(term) > 1e-17 * series:
        term *= (a - k) / x
        series += term
        k += 1
    return (a - 1) * log(x) - x - lgamma(a) + log(series)


def log_multiplier(c: int, r: int, kind: str) -> float:
    r"""The logarithm of Bonferroni's multiplier: in how many ways c categories can be merged into r groups.

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
