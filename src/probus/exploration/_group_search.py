"""How many groups the rows form, compared with tables that have none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from probus.cluster import first_medoids, swapped
from probus.data import Column, Kind, Table
from probus.exploration._fair_distance import FairDistance

_MOST_GROUPS = 8
_ROWS = 300
_TABLES = 39  # without groups: the table is beyond all of them with probability 1/40 if it has none either
FEWEST_ROWS = 20
_LEAST_EXCESS = 4.0  # standard deviations: tables without groups are not exactly like the table
_SWAPS = 1000


@dataclass(frozen=True)
class GroupSearch:
    """The mean silhouette of each number of groups, and that of tables without groups.

    k : the numbers. silhouette : of the table. expected, spread : mean and standard deviation in tables without groups.
    highest : of the excess in any of those tables.
    """

    k: np.ndarray
    silhouette: np.ndarray
    expected: np.ndarray
    spread: np.ndarray
    highest: float

    @property
    def excess(self) -> np.ndarray:
        """How much larger the silhouette is than expected, in standard deviations."""
        return (self.silhouette - self.expected) / self.spread

    def excess_of(self, k: int) -> float:
        """The excess of a number of groups."""
        return float(self.excess[int(np.flatnonzero(self.k == k)[0])])

    @property
    def needed(self) -> float:
        """The excess that tables without groups do not reach for any number of groups."""
        return max(_LEAST_EXCESS, self.highest)

    def candidates(self) -> list[int]:
        """The numbers of groups that tables without groups do not explain, the clearest first."""
        order = np.argsort(-self.excess, kind="stable")
        return [int(self.k[place]) for place in order if self.excess[place] > self.needed]


def search_groups(
    table: Table, rng: np.random.Generator, *, most_groups: int = _MOST_GROUPS, rows: int = _ROWS, tables: int = _TABLES
) -> GroupSearch | None:
    """Compare the silhouettes of a table's rows with those of tables without groups.

    None for too few rows. ``rows`` of the table are used, at most, and so many ``tables`` without groups.
    """
    if table.n_rows < FEWEST_ROWS:
        return None
    if table.n_rows > rows:
        table = table.take(np.sort(rng.choice(table.n_rows, rows, replace=False)))
    table = Table([column for column in table if _varies(column)])
    if not table.names:
        return None
    k = np.arange(2, min(most_groups, table.n_rows // 5) + 1)
    found = _silhouettes(table, k)
    source = GrouplessTables(FairDistance.of(table).clipped(table))
    reference = np.array([_silhouettes(source.draw(rng), k) for _ in range(tables)])
    expected, spread = reference.mean(axis=0), np.maximum(reference.std(axis=0, ddof=1), 1e-3)
    return GroupSearch(k, found, expected, spread, float(((reference - expected) / spread).max()))


def _varies(column: Column) -> bool:
    known = column.values[~column.missing]
    return len(known) > 1 and bool((known != known[0]).any())


def _silhouettes(table: Table, k: np.ndarray) -> np.ndarray:
    """The mean silhouette of each number of groups around medoids."""
    distance = FairDistance.of(table)
    D = distance.matrix(distance.clipped(table))
    first = first_medoids(D, int(k[-1]))
    values = np.zeros(len(k))
    for place, number in enumerate(k):
        medoids = first[:number].copy()
        swapped(D, medoids, _SWAPS)
        values[place] = _mean_silhouette(D, D[:, medoids].argmin(axis=1), int(number))
    return values


def _mean_silhouette(D: np.ndarray, labels: np.ndarray, k: int) -> float:
    """Of rows with all distances known; 0 for a row that is alone."""
    inside = np.equal.outer(labels, np.arange(k)).astype(np.float64)
    sizes, sums = inside.sum(axis=0), D @ inside
    rows = np.arange(len(D))
    own = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / np.maximum(sizes, 1)
    means[:, sizes == 0] = np.inf
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(own, nearest)
    usable = (larger > 0) & (sizes[labels] > 1) & np.isfinite(nearest)
    return float(np.where(usable, (nearest - own) / np.where(usable, larger, 1.0), 0.0).mean())


# -- tables like a given one but without groups, to compare it with ------------------------------------


_BINS = 30


class GrouplessTables:
    """Random tables with the columns of a given one, each with one mode, correlated alike, and otherwise independent.

    Numbers and ordered levels follow a Gaussian copula with the rank correlations of the table, each with the unimodal
    distribution nearest to its own. A table that is only skewed or correlated is like these; a table with groups is
    not. Other levels are drawn independently, as in latent class analysis: what they have in common is the groups'.
    Values are missing where they are in rows of the table.
    """

    def __init__(self, table: Table):
        self._table = table
        self._ordered = [c for c in table if c.kind in (Kind.NUMERIC, Kind.ORDINAL)]
        self._margins = [_Margin.of(column) for column in self._ordered]
        self._root = _root(np.column_stack([_normal_scores(c) for c in self._ordered])) if self._ordered else None
        self._missing = {c.name: c.missing for c in table if c.missing.any()}

    def draw(self, rng: np.random.Generator) -> Table:
        """A table with as many rows."""
        n = self._table.n_rows
        drawn: dict[str, np.ndarray] = {}
        if self._root is not None:
            shares = ndtr(rng.standard_normal((n, len(self._ordered))) @ self._root)
            for j, (column, margin) in enumerate(zip(self._ordered, self._margins, strict=True)):
                drawn[column.name] = margin.values(shares[:, j]).astype(column.values.dtype)
        for column in self._table:
            if column.name not in drawn:
                drawn[column.name] = rng.choice(column.values[~column.missing], n)
        source = rng.permutation(n)  # of the missing values of each row
        for name, missing in self._missing.items():
            drawn[name][missing[source]] = np.nan if self._table[name].kind is Kind.NUMERIC else -1
        return Table([replace(column, values=drawn[column.name]) for column in self._table])


@dataclass(frozen=True)
class _Margin:
    """A distribution: shares of single values, or of the intervals between ``edges``."""

    edges: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, column: Column) -> _Margin:
        values = column.numbers_array()[~column.missing] if column.kind is Kind.NUMERIC else column.values
        values = values[values >= 0] if column.kind is Kind.ORDINAL else values
        distinct, counts = np.unique(values, return_counts=True)
        if len(distinct) <= _BINS:
            return cls(distinct, unimodal(counts))
        counts, edges = np.histogram(values, _BINS)
        return cls(edges, unimodal(counts))

    def values(self, shares: np.ndarray) -> np.ndarray:
        """The values below which these shares of the distribution are."""
        reached = np.concatenate([[0.0], np.cumsum(self.shares)])
        reached /= reached[-1]
        if len(self.edges) > len(self.shares):
            return np.interp(shares, reached, self.edges)
        return self.edges[np.clip(np.searchsorted(reached, shares, side="left") - 1, 0, len(self.edges) - 1)]


def unimodal(counts: np.ndarray) -> np.ndarray:
    """The counts that rise to one mode and fall from it, nearest in least squares, by their sum.

    >>> unimodal(np.array([1, 4, 0, 4, 1])).round(2)
    array([0.1, 0.4, 0.2, 0.2, 0.1])
    """
    best, least = counts.astype(np.float64), np.inf
    for mode in range(len(counts)):
        rising = isotonic_regression(counts[:mode].astype(np.float64)).x if mode else np.empty(0)
        falling = isotonic_regression(counts[mode:].astype(np.float64), increasing=False).x
        fitted = np.concatenate([rising, falling])
        error = float(((fitted - counts) ** 2).sum())
        if error < least - 1e-9:
            best, least = fitted, error
    return best / best.sum()


def _normal_scores(column: Column) -> np.ndarray:
    """Normal quantiles of the ranks, standardised; missing values at the mean, 0."""
    known = ~column.missing
    scores = np.zeros(len(column))
    values = ndtri((rankdata(column.values[known]) - 0.5) / known.sum())
    scores[known] = (values - values.mean()) / (values.std() or 1.0)
    return scores


def _root(scores: np.ndarray) -> np.ndarray:
    """A square root of the correlations, of pairs of which neither is missing; the nearest that has one."""
    known = (scores != 0).astype(np.float64)
    correlations = (scores.T @ scores) / np.maximum(known.T @ known, 1.0)
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
    return root.T
