"""Rows that repeat other rows, exactly or nearly, more often than chance explains: they belong in one fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from probus.data._column import Column
from probus.data._hashing import mixed
from probus.data._kind import Kind
from probus.data.findings._column_checks import identifying
from probus.data.findings._facts import facts
from probus.data.findings._group_names import has_numbered_levels
from probus.data.findings._nearest_rows import points_of

MANY_VALUES = 50  # distinct values: without such a column, equal rows may be chance
NOTABLE = 0.01  # of the rows: fewer hardly change a score
BEYOND_CHANCE = 4  # pairs of equal rows per pair that is expected
NEARLY_ALL = 0.5  # of the pairs that are equal in the other columns are equal in this one too
FAR_BEYOND = 20  # pairs per pair expected, where that is not so: the other columns have few values

NEARLY_ALL_LEVELS = 0.9  # the same in a column of few values
OF_THEIR_OWN = 0.95  # of the rows have a value that no other has
FEWEST_LEVELS = 5  # columns of a table without columns of many values
SOME = 500  # rows that are compared with all others

FREQUENT = 0.1  # of the rows with one value
FEWEST_COPIES = 3
MOSTLY = 0.5  # of the equal rows lie closer than chance explains

ROUNDING = 1e-9  # standard deviations: smaller gaps are errors of arithmetic
FEWEST_ROWS, MOST_ROWS = 50, 200_000  # for near copies
MANY_ROWS, SAMPLE = 20_000, 5_000  # of many rows, only where some of them have near ones
FEWEST_NUMBERS = 2  # columns of many values, without which near rows may be chance
NEAR = 0.05  # standard deviations of each column, on average
CHANCE = (0.02, 0.001, 0.00005)  # that a row and its nearest ones lie so much alone
NOTABLE_NEAR, FEWEST_NEAR = 0.02, 6  # rows: fewer may be chance, as rows are not quite at random
MORE = 5  # near rows per row expected
NEARLY_AS_MANY = 0.9  # near rows at a stricter level
MOST_COPIES, NEIGHBOURS = 9, 12  # of a row
FARTHEST = 1e100  # standard deviations: larger ones have no squares
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
    used = [c for c in columns if facts(c).n_distinct > 1 and not (_numbers_rows(c) or dates_rows(c))]
    many = [c for c in used if facts(c).n_distinct > MANY_VALUES]
    unit = _equal(used, many) if many else _equal_levels(used)
    if unit is None:
        return None
    exact = np.bincount(unit)[unit] > 1
    numbers = [c for c in many if c.kind is Kind.NUMERIC]
    if numbers and FEWEST_ROWS <= len(unit) <= MOST_ROWS and (exact.any() or len(numbers) >= FEWEST_NUMBERS):
        rows = _two_of_each(unit)
        at = np.arange(len(rows))
        if len(rows) > MANY_ROWS:
            at = np.random.default_rng(0).choice(at, SAMPLE, replace=False)
        lonely = _Lonely.of(numbers, used, rows, at)
        closer = np.asarray((lonely.chance <= CHANCE[0]).any(axis=1))
        if exact.any() and closer[exact[rows[at]]].mean() < MOSTLY:
            return None  # equal rows lie no closer than others: numbers were rounded
        if len(numbers) >= FEWEST_NUMBERS:
            if len(at) < len(rows) and lonely.level(~exact[rows[at]], len(at) // 2) is not None:
                lonely = _Lonely.of(numbers, used, rows, np.arange(len(rows)))
            if len(lonely.others) == len(rows):
                unit = lonely.joined(rows, unit)
    together = np.bincount(unit)[unit] > 1
    return Copies(unit, int(exact.sum()), int((together & ~exact).sum())) if together.any() else None


def _numbers_rows(column: Column) -> bool:
    """Whether each row has a number or a numbered label of its own, by which copies would differ too."""
    return bool(identifying(column)) and (column.kind is Kind.NUMERIC or has_numbered_levels(column))


def dates_rows(column: Column) -> bool:
    """Whether each row has a date of its own, or a larger number than the last: when it was recorded."""
    seen = facts(column)
    if column.kind is not Kind.NUMERIC or seen.n_distinct < OF_THEIR_OWN * len(column):
        return False
    return column.dates or bool((np.diff(column.values) > 0).all())


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


def _equal(columns: Sequence[Column], varied: Sequence[Column]) -> np.ndarray | None:
    """The sets of equal rows, each row apart where equal ones are few; None where chance explains them.

    ``varied`` are the columns of many values. Rows of one shop or patient are equal in what describes it, and by chance
    in the rest. Without one of those columns, more are equal, as many as the frequencies of its values explain.
    """
    n = len(columns[0])
    free = np.stack([_rare(column) for column in varied]).sum(axis=0)
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
        return None
    for j, term in enumerate(terms):
        alike = _pairs((whole - term)[free > 0])
        expected = alike * _pairs(term[first]) / _all_pairs(len(first))
        share, beyond = (NEARLY_ALL, FAR_BEYOND) if j in many else (NEARLY_ALL_LEVELS, BEYOND_CHANCE)
        if pairs < share * alike and pairs < beyond * expected:
            return None
    return unit


def _equal_levels(columns: Sequence[Column]) -> np.ndarray | None:
    """The sets of equal rows of a table without columns of many values; None where chance explains them.

    Of rows that are alike by chance, the numbers that differ in 0, 1 and 2 columns follow from each other. Copies are
    more than that. Rows of which many are equal are frequent answers, not copies.
    """
    if len(columns) < FEWEST_LEVELS:
        return None
    codes = np.stack([facts(column).codes for column in columns], axis=1)
    n, p = codes.shape
    unit = np.unique(reduce(mixed, codes.T, np.zeros(n, np.uint64)), return_inverse=True)[1]
    size = np.bincount(unit)[unit]
    few = np.flatnonzero(size <= MOST_COPIES + 1)
    copied = few[size[few] > 1]
    if len(copied) < max(NOTABLE * n, FEWEST_NEAR):
        return None
    some = few if len(few) <= SOME else np.random.default_rng(0).choice(few, SOME, replace=False)
    differ = np.zeros((len(some), n), np.uint8 if p < 256 else np.uint16)
    for column in codes.T:
        differ += column[some][:, None] != column
    one, two = (float((differ == k).sum()) / len(some) for k in (1, 2))
    expected = min(one, one**2 * (p - 1) / (2 * p * max(two, 1e-300)))
    if (size[few] - 1).mean() < BEYOND_CHANCE * expected:
        return None
    apart = np.arange(n) + len(size)
    apart[copied] = unit[copied]
    return np.unique(apart, return_inverse=True)[1]


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
    def of(cls, numbers: Sequence[Column], columns: Sequence[Column], rows: np.ndarray, at: np.ndarray) -> _Lonely:
        """The neighbours of some of the rows, by their places."""
        with np.errstate(all="ignore"):
            points = np.clip(np.nan_to_num(points_of(numbers, rows, clip=False)), -FARTHEST, FARTHEST)
        X = _smear(points)
        others, distance = _nearest(X, columns, rows, at)
        free = np.stack([_rare(column) for column in numbers]).sum(axis=0)[rows][at]  # others are equal by chance
        ratio = distance[:, :MOST_COPIES] / np.maximum(distance[:, 1 : MOST_COPIES + 1], 1e-300)
        different = _different(numbers, rows[at], rows[others[:, :MOST_COPIES]])
        free = np.minimum(free, different[:, 0])
        dimensions = np.minimum(_dimensions(distance, X.shape[1]), free)[:, None]
        chance = MOST_COPIES * ratio ** (dimensions * np.arange(1, MOST_COPIES + 1))
        same = _levels(columns, numbers, rows)
        near = NEAR * np.sqrt(X.shape[1]) * (different / X.shape[1]) ** (1 / 8)  # some are equal by chance
        close = _distances(points, at, others[:, :MOST_COPIES]) <= near
        close &= same[at][:, None] == same[others[:, :MOST_COPIES]]
        return cls(others, np.logical_and.accumulate(close, axis=1), chance)

    def sets(self, level: float) -> np.ndarray:
        """Whether each row lies alone with others."""
        return np.asarray((self.alike & (self.chance <= level)).any(axis=1))

    def level(self, new: np.ndarray, n: int) -> float | None:
        """The strictest probability by which as many of the ``new`` rows lie alone, more of n than by chance."""
        counts = [int((self.sets(level) & new).sum()) for level in CHANCE]
        enough = [
            count >= max(max(NOTABLE_NEAR, MORE * level) * n, FEWEST_NEAR)
            for count, level in zip(counts, CHANCE, strict=True)
        ]
        if not any(enough):
            return None
        most = NEARLY_AS_MANY * counts[enough.index(True)]
        return min(level for count, level in zip(counts, CHANCE, strict=True) if count >= most)

    def joined(self, rows: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """The sets of rows with those joined that lie alone together, where there are more than by chance."""
        level = self.level(np.bincount(unit)[unit[rows]] == 1, len(unit))
        if level is None:
            return unit
        k = 1 + (self.alike & (self.chance <= level)).argmax(axis=1)  # of the smallest set
        one, place = np.nonzero(np.arange(MOST_COPIES) < np.where(self.sets(level), k, 0)[:, None])
        return _components(unit, rows[one], rows[self.others[one, place]])


def _different(numbers: Sequence[Column], rows: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """In how many columns each row differs from each of the nearest; in all where it differs in none.

    What rows of one patient have in common says nothing about how near they are in the rest.
    """
    count = np.zeros(nearest.shape, np.int64)
    for column in numbers:
        codes = facts(column).codes
        count += codes[rows][:, None] != codes[nearest]
    return np.where(count == 0, len(numbers), count)


def _smear(points: np.ndarray) -> np.ndarray:
    """The points with rounded numbers spread over what was rounded, so that equal ones are no nearer."""
    X = points.copy()
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
    tree = cKDTree(Z, leafsize=32)
    place = np.empty(len(Z), np.intp)
    place[tree.indices] = np.arange(len(Z))
    order = np.argsort(place[at])  # rows that are near in the tree one after the other: twice as fast
    found = np.empty((len(at), NEIGHBOURS + 1), np.intp)
    found[order] = tree.query(Z[at[order]], k=NEIGHBOURS + 1)[1]
    itself = found == at[:, None]
    itself[~itself.any(axis=1), -1] = True  # equal in these directions to more rows than were asked for
    others = found[~itself].reshape(len(at), NEIGHBOURS)
    distance = _distances(X, at, others)
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(others, order, axis=1), np.take_along_axis(distance, order, axis=1)


def _distances(X: np.ndarray, at: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.sqrt(np.stack([((X[other] - X[at]) ** 2).sum(axis=1) for other in others.T], axis=1))


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


def _components(unit: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sets of rows after joining those of each pair."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = int(unit.max()) + 1
    graph = coo_array((np.ones(len(one), bool), (unit[one], unit[other])), shape=(n, n))
    return connected_components(graph, directed=False)[1][unit]
