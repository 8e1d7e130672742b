"""How many groups the rows form, compared with tables that have none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.cluster import first_medoids, swapped
from probus.data import Column, Table
from probus.exploration._fair_distance import FairDistance
from probus.exploration._groupless_tables import GrouplessTables

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
