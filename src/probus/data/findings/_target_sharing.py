"""Whether rows of one group have more similar targets than rows of different groups, by permutation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.data._column import Column
from probus.data.findings._facts import facts, has_classes

MOST_ROWS = 10_000  # of which an effect that matters is certain
FEWEST_EACH = 10  # rows of a group, before groups are left out
FIRST, ALL = 19, 199  # permutations: a column without effect is rejected after the first
AROUND = 2  # groups on either side, in the order of their numbers


@dataclass(frozen=True)
class Sharing:
    """How similar the targets of rows of one group are.

    correlation : the intraclass correlation, the share of the target's variance that is between groups; for classes
        that of their indicators.
    p : the probability of so much similarity if targets were exchanged at random over the rows.
    apart : of the variance between groups, the share that remains beside the groups with the nearest numbers: about 1
        where numbers only name the groups, about 0 where the target is a smooth function of them.
    n_groups, n_rows : the groups of two rows or more, and their rows.
    """

    correlation: float
    p: float
    apart: float
    n_groups: int
    n_rows: int


def some_groups(groups: np.ndarray, most: int = MOST_ROWS, seed: int = 0) -> np.ndarray:
    """The places of rows of groups with two rows or more: of many rows, some of each group, and of some groups."""
    random = np.random.default_rng(seed)
    sizes = np.bincount(groups)
    order = np.lexsort((random.random(len(groups)), groups))
    place = np.empty(len(groups), dtype=np.intp)
    place[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    several = np.flatnonzero(sizes > 1)
    each = max(most // max(len(several), 1), FEWEST_EACH)
    drawn = random.permutation(several)
    total = np.cumsum(np.minimum(sizes[drawn], each))
    kept = np.zeros(len(sizes), dtype=bool)
    kept[drawn[: int(np.searchsorted(total, most, side="right"))]] = True
    return np.flatnonzero(kept[groups] & (place < each))


def sharing_of(label: Column, rows: np.ndarray, groups: np.ndarray) -> Sharing:
    """How similar the targets of rows of one group are.

    Between-group sums of squares of ranks, or of indicators of classes, are compared with those of targets exchanged at
    random. Below 1 in 20 the tail is that of a gamma distribution with the mean, variance and skewness of 199 draws.

    >>> label = Column.labels("y", list("aabb" * 5))
    >>> found = sharing_of(label, np.arange(20), np.repeat(np.arange(10), 2))
    >>> found.correlation, found.p < 0.05
    (1.0, True)
    """
    places = some_groups(groups)
    codes = np.unique(groups[places], return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    if len(sizes) < 2:
        return Sharing(0.0, 1.0, 1.0, len(sizes), len(places))
    values = _ClassIndicators(label, rows[places]) if has_classes(label) else _TargetRanks(label, rows[places])
    between, total = values.between(codes, sizes, None), values.total
    n, k = len(codes), len(sizes)
    typical = (n - (sizes**2).sum() / n) / (k - 1)
    among, within = between / (k - 1), (total - between) / max(n - k, 1)
    correlation = (among - within) / max(among + (typical - 1) * within, 1e-300)
    means = values.sums(codes, k) / sizes[:, None]
    beside = float((sizes[:, None] * (means - _neighbours(means)) ** 2).sum()) / k / (1 + 1 / (2 * AROUND))
    apart = (beside - within) / max(among - within, 1e-300)
    p = _tail(values, codes, sizes, between)
    return Sharing(float(correlation), p, float(apart), k, n)


def _neighbours(means: np.ndarray) -> np.ndarray:
    """The mean of the groups beside each one."""
    k = len(means)
    places = np.arange(k)[:, None] + np.r_[-AROUND:0, 1 : AROUND + 1]
    inside = (places >= 0) & (places < k)
    near = np.where(inside[:, :, None], means[places.clip(0, k - 1)], 0.0)
    return near.sum(axis=1) / np.maximum(inside.sum(axis=1), 1)[:, None]


def _tail(values: _ClassIndicators | _TargetRanks, codes: np.ndarray, sizes: np.ndarray, between: float) -> float:
    """The probability of at least so much between groups if the targets were exchanged."""
    from scipy.stats import pearson3

    random = np.random.default_rng(0)
    drawn = [values.between(codes, sizes, random) for _ in range(FIRST)]
    least = between * (1 - 1e-9)
    if max(drawn) >= least:
        return float((1 + sum(each >= least for each in drawn)) / (1 + FIRST))
    drawn += [values.between(codes, sizes, random) for _ in range(ALL - FIRST)]
    sample = np.array(drawn)
    spread = sample.std(ddof=1)
    if spread <= 1e-12 * max(abs(between), 1.0):
        return 1.0
    z = (sample - sample.mean()) / spread
    tail = float(pearson3.sf((between - sample.mean()) / spread, max(float((z**3).mean()), 0.0)))
    return max(tail, float((sample >= least).mean()))


class _ClassIndicators:
    """The indicators of classes; what is between groups is measured from the frequencies of all rows."""

    def __init__(self, label: Column, rows: np.ndarray):
        self.codes = np.unique(facts(label).codes[rows], return_inverse=True)[1]
        self.n = int(self.codes.max()) + 1
        self.share = np.bincount(self.codes) / len(rows)
        self.total = len(rows) * float(1 - (self.share**2).sum())

    def sums(self, groups: np.ndarray, k: int, codes: np.ndarray | None = None) -> np.ndarray:
        pairs = groups * self.n + (self.codes if codes is None else codes)
        return np.bincount(pairs, minlength=k * self.n).reshape(k, self.n).astype(np.float64)

    def between(self, groups: np.ndarray, sizes: np.ndarray, random: np.random.Generator | None) -> float:
        sums = self.sums(groups, len(sizes), None if random is None else random.permutation(self.codes))
        return float(((sums**2).sum(axis=1) / sizes).sum() - len(groups) * (self.share**2).sum())


class _TargetRanks:
    """The ranks of a numeric target, centred: tails have no weight of their own."""

    def __init__(self, label: Column, rows: np.ndarray):
        from scipy.stats import rankdata

        ranks = rankdata(label.values[rows])
        self.ranks = ranks - ranks.mean()
        self.total = float((self.ranks**2).sum())

    def sums(self, groups: np.ndarray, k: int, ranks: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(groups, self.ranks if ranks is None else ranks, minlength=k)[:, None]

    def between(self, groups: np.ndarray, sizes: np.ndarray, random: np.random.Generator | None) -> float:
        sums = self.sums(groups, len(sizes), None if random is None else random.permutation(self.ranks))
        return float((sums[:, 0] ** 2 / sizes).sum())
