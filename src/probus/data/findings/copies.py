"""Rows that repeat other rows, exactly or nearly, more often than chance explains: they belong in one fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probus.data.column import Column
from probus.data.findings.column_checks import identifying
from probus.data.findings.facts import facts
from probus.data.findings.group_names import has_numbered_levels
from probus.data.findings.nearest_rows import points_of
from probus.data.hashing import mixed
from probus.data.kind import Kind

__all__ = ["Copies", "copies_of"]

MANY_VALUES = 50  # distinct values: without such a column, equal rows may be chance
NOTABLE = 0.01  # of the rows: fewer hardly change a score
BEYOND_CHANCE = 4  # pairs of equal rows per pair that is expected
NEARLY_ALL = 0.5  # of the pairs that are equal in the other columns are equal in this one too
FAR_BEYOND = 20  # pairs per pair expected, where that is not so: the other columns have few values

FREQUENT = 0.1  # of the rows with one value
FEWEST_COPIES = 3
MOSTLY = 0.5  # of the equal rows lie closer than chance explains

ROUNDING = 1e-9  # standard deviations: smaller gaps are errors of arithmetic
FEWEST_ROWS, MOST_ROWS = 50, 200_000  # for near copies
MANY_ROWS, SAMPLE = 20_000, 5_000  # of many rows, only where some of them have near ones
FEWEST_NUMBERS = 3  # columns of many values, without which near rows may be chance
NEAR = 0.05  # standard deviations of each column, on average
CHANCE = (0.02, 0.001, 0.00005)  # that a row and its nearest ones lie so much alone
NOTABLE_NEAR, FEWEST_NEAR = 0.02, 6  # rows: fewer may be chance, as rows are not quite at random
MORE = 5  # near rows per row expected
NEARLY_AS_MANY = 0.9  # near rows at a stricter level
MOST_COPIES, NEIGHBOURS = 9, 12  # of a row
DIRECTIONS = 6  # of most variance, in which neighbours are searched


@dataclass(frozen=True, eq=False)
class Copies:
    """The set of each row, and how many rows repeat or nearly repeat another.

    ``unit`` is the same number, from 0, for rows that are copies of each other.
    """

    unit: np.ndarray
    exact: int
    near: int

    @property
    def n_units(self) -> int:
        """The number of sets, of which most have one row."""
        return int(self.unit.max()) + 1

    @property
    def first_and_place(self) -> tuple[np.ndarray, np.ndarray]:
        """The first row of each set, in the order of the rows, and for each row the place of its set among them."""
        _, first, unit = np.unique(self.unit, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(first), dtype=np.intp)
        place[order] = np.arange(len(first))
        return first[order], place[unit]

    def take(self, rows: np.ndarray) -> Copies | None:
        """The sets of some rows; None where none has two."""
        unit = np.unique(self.unit[rows], return_inverse=True)[1]
        several = np.bincount(unit)[unit] > 1
        return replace(self, unit=unit) if several.any() else None

    @property
    def words(self) -> str:
        """What is kept in one fold.

        >>> Copies(np.array([0, 0, 1]), 2, 0).words
        'rows that repeat each other (2) in one fold'
        """
        how = "repeat" if not self.near else "nearly repeat" if not self.exact else "repeat or nearly repeat"
        return f"rows that {how} each other ({self.exact + self.near:,}) in one fold"


def copies_of(columns: Sequence[Column]) -> Copies | None:
    """The sets of rows that are equal, or nearly, in all columns except row numbers; None where that may be chance.

    >>> x = np.random.default_rng(0).normal(size=(3, 100))
    >>> columns = [Column.numbers(f"x{j}", np.append(values, values[:20])) for j, values in enumerate(x)]
    >>> found = copies_of(columns)
    >>> found.exact, found.unit[0] == found.unit[100]
    (40, np.True_)
    """
    used = [c for c in columns if facts(c).n_distinct > 1 and not _numbers_rows(c)]
    many = [c for c in used if facts(c).n_distinct > MANY_VALUES]
    if not many:
        return None
    n = len(many[0])
    free = np.stack([_rare(column) for column in many]).sum(axis=0)
    unit = _equal(used, free)
    exact = np.bincount(unit)[unit] > 1
    numbers = [c for c in many if c.kind is Kind.NUMERIC]
    if numbers and FEWEST_ROWS <= n <= MOST_ROWS and (exact.any() or len(numbers) >= FEWEST_NUMBERS):
        rows = _two_of_each(unit)
        if len(rows) > MANY_ROWS and not exact.any():
            some = np.random.default_rng(0).choice(len(rows), SAMPLE, replace=False)
            if _Lonely.of(numbers, used, rows, some).alike[:, 0].mean() < NOTABLE / 2:
                return None
        lonely = _Lonely.of(numbers, used, rows)
        if exact.any() and lonely.sets(CHANCE[0])[exact[rows]].mean() < MOSTLY:
            return None  # equal rows lie no closer than others: numbers were rounded
        if len(numbers) >= FEWEST_NUMBERS:
            unit = lonely.joined(rows, unit)
    together = np.bincount(unit)[unit] > 1
    return Copies(unit, int(exact.sum()), int((together & ~exact).sum())) if together.any() else None


def _numbers_rows(column: Column) -> bool:
    """Whether each row has a number or a numbered label of its own, by which copies would differ too."""
    return bool(identifying(column)) and (column.kind is Kind.NUMERIC or has_numbered_levels(column))


def _rare(column: Column) -> np.ndarray:
    """Whether each value is held by few rows: zeros of a column that is mostly zero are equal by chance."""
    seen = facts(column)
    return np.append(seen.counts <= FREQUENT * len(column), False)[seen.codes]


def _two_of_each(unit: np.ndarray) -> np.ndarray:
    """Two rows of each set, or its only one."""
    order = np.argsort(unit, kind="stable")
    start = np.flatnonzero(np.diff(unit[order], prepend=-1))
    place = np.arange(len(unit)) - np.repeat(start, np.diff(start, append=len(unit)))
    return np.sort(order[place < 2])


# -- equal rows ----------------------------------------------------------------------------------------


def _equal(columns: Sequence[Column], free: np.ndarray) -> np.ndarray:
    """The sets of equal rows; rows apart where equal ones are few, or as many as the frequencies of values explain."""
    n = len(free)
    many = [j for j, column in enumerate(columns) if facts(column).n_distinct > MANY_VALUES]
    start = np.arange(1, len(columns) + 1, dtype=np.uint64)[:, None]
    terms = [mixed(np.repeat(start[j], n), facts(c).codes) for j, c in enumerate(columns)]
    whole: np.ndarray = np.stack(terms).sum(axis=0, dtype=np.uint64)
    whole[free == 0] = mixed(whole[free == 0], np.flatnonzero(free == 0) + 1.0)  # only frequent values: apart
    _, first, unit = np.unique(whole, return_index=True, return_inverse=True)
    if n - len(first) < max(NOTABLE * n, FEWEST_COPIES):
        return np.arange(n)
    pairs = _pairs(whole)
    block: np.ndarray = np.stack([terms[j] for j in many]).sum(axis=0, dtype=np.uint64)
    chance = _pairs(block[first]) / _all_pairs(len(first))  # of rows that differ
    if pairs < BEYOND_CHANCE * _pairs(whole - block) * chance:
        return np.arange(n)
    for term in (terms[j] for j in many):
        alike = _pairs((whole - term)[free > 0])
        expected = alike * _pairs(term[first]) / _all_pairs(len(first))
        if pairs < NEARLY_ALL * alike and pairs < FAR_BEYOND * expected:
            return np.arange(n)
    return unit


def _pairs(keys: np.ndarray) -> float:
    counts = np.unique(keys, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1)).sum() / 2)


def _all_pairs(n: int) -> float:
    return max(n * (n - 1) / 2, 1.0)


# -- rows that are nearly equal ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Lonely:
    """The nearest others of each row, and the probability that it lies alone with the k nearest by chance.

    Near rows have the same levels, and are far closer than the next one. Of points at random in d dimensions, the
    ratio of the distances to neighbours k and k + 1 is below r with probability r^(d k).

    others : int[n, K], the nearest rows; alike : bool[n, K], whether these and all nearer ones have the same levels
    and about the same numbers; chance : float64[n, K].
    """

    others: np.ndarray
    alike: np.ndarray
    chance: np.ndarray

    @classmethod
    def of(
        cls, numbers: Sequence[Column], columns: Sequence[Column], rows: np.ndarray, at: np.ndarray | None = None
    ) -> _Lonely:
        """The neighbours of some of the rows, by their places, or of all."""
        at = np.arange(len(rows)) if at is None else at
        X = _smeared(numbers, rows)
        others, distance = _nearest(X, columns, rows, at)
        free = np.stack([_rare(column) for column in numbers]).sum(axis=0)[rows][
            at
        ]  # in others rows are equal by chance
        ratio = distance[:, :MOST_COPIES] / np.maximum(distance[:, 1 : MOST_COPIES + 1], 1e-300)
        free = np.minimum(free, _different(numbers, rows[at], rows[others[:, 0]]))
        dimensions = np.minimum(_dimensions(distance, X.shape[1]), free)[:, None]
        chance = MOST_COPIES * ratio ** (dimensions * np.arange(1, MOST_COPIES + 1))
        same = _levels(columns, numbers, rows)
        close = (distance <= NEAR * np.sqrt(X.shape[1])) & (same[at][:, None] == same[others])
        return cls(others, np.logical_and.accumulate(close, axis=1)[:, :MOST_COPIES], chance)

    def sets(self, level: float) -> np.ndarray:
        """Whether each row lies alone with others."""
        return np.asarray((self.alike & (self.chance <= level)).any(axis=1))

    def joined(self, rows: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """The sets of rows with those joined that lie alone together, where there are more than by chance."""
        new = np.bincount(unit)[unit[rows]] == 1
        counts = [int((self.sets(level) & new).sum()) for level in CHANCE]
        enough = [
            n >= max(max(NOTABLE_NEAR, MORE * level) * len(unit), FEWEST_NEAR)
            for n, level in zip(counts, CHANCE, strict=True)
        ]
        for n, level in zip(counts[::-1], CHANCE[::-1], strict=True):
            if any(enough) and n >= NEARLY_AS_MANY * counts[enough.index(True)]:
                lonely = self.sets(level)
                k = 1 + (self.alike & (self.chance <= level)).argmax(axis=1)  # of the smallest set
                one, place = np.nonzero(np.arange(MOST_COPIES) < np.where(lonely, k, 0)[:, None])
                return _connected(unit, rows[one], rows[self.others[one, place]])
        return unit


def _different(numbers: Sequence[Column], rows: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """In how many columns each row differs from the nearest; in all where it differs in none.

    What rows of one patient have in common says nothing about how near they are in the rest.
    """
    count = np.stack([facts(c).codes[rows] != facts(c).codes[nearest] for c in numbers]).sum(axis=0)
    return np.where(count == 0, len(numbers), count)


def _smeared(numbers: Sequence[Column], rows: np.ndarray) -> np.ndarray:
    """The rows as points; rounded numbers are spread over what was rounded, so that equal ones are no nearer."""
    X = points_of(numbers, rows, clip=False)
    random = np.random.default_rng(0)
    for j in range(X.shape[1]):
        gaps = np.diff(np.unique(X[:, j]))
        X[:, j] += (random.random(len(X)) - 0.5) * gaps[gaps > ROUNDING].min(initial=1.0)
    return X


def _nearest(
    X: np.ndarray, columns: Sequence[Column], rows: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For some rows others that are near in the directions of most variance, and their distances, sorted."""
    from scipy.spatial import cKDTree

    few = [c for c in columns if c.kind.has_levels or facts(c).n_distinct <= MANY_VALUES]
    X = np.hstack([X, points_of(few, rows)])
    Z = X - X.mean(axis=0)
    if Z.shape[1] > DIRECTIONS:
        Z = Z @ np.linalg.eigh(Z.T @ Z)[1][:, -DIRECTIONS:]
    found = cKDTree(Z).query(Z[at], k=NEIGHBOURS + 1)[1]
    itself = found == at[:, None]
    itself[~itself.any(axis=1), -1] = True  # equal in these directions to more rows than were asked for
    others = found[~itself].reshape(len(at), NEIGHBOURS)
    distance = np.sqrt(np.stack([((X[others[:, k]] - X[at]) ** 2).sum(axis=1) for k in range(NEIGHBOURS)], axis=1))
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(others, order, axis=1), np.take_along_axis(distance, order, axis=1)


def _levels(columns: Sequence[Column], numbers: Sequence[Column], rows: np.ndarray) -> np.ndarray:
    """A number for each row, equal where the columns of few values, and what is missing, are equal."""
    keys = np.zeros(len(rows), np.uint64)
    for column in columns:
        codes = facts(column).codes[rows]
        keys = mixed(keys, codes < 0 if any(column is each for each in numbers) else codes)
    return keys


def _dimensions(distance: np.ndarray, most: int) -> float:
    """The dimension of the cloud of rows, by the distances to the fourth and the last (Levina and Bickel 2004)."""
    from scipy.special import digamma

    growth = float(np.median(np.log(np.maximum(distance[:, -1], 1e-300) / np.maximum(distance[:, 3], 1e-300))))
    return float(np.clip((digamma(distance.shape[1]) - digamma(4)) / max(growth, 1e-9), 1, most))


def _connected(unit: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sets of rows after joining those of each pair."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = int(unit.max()) + 1
    graph = coo_array((np.ones(len(one), bool), (unit[one], unit[other])), shape=(n, n))
    return connected_components(graph, directed=False)[1][unit]
