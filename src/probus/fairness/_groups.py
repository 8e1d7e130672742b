"""Groups of people: the rows of each level of a sensitive column, or of each combination of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from probus.data import Column, Kind, Table, level_key
from probus.display import figure
from probus.errors import DataError, ModelFileError
from probus.state import Array, Many, Part, Spec, String

_RANGES = 4  # of a numeric column with more values, by quantiles
_MISSING = "missing"
_AND = " · "  # between the levels of an intersection


class GroupWarning(UserWarning):
    """A group was left out of a comparison, or there is only one."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Which group each row belongs to.

    Attributes
    ----------
    name : of the column, or of the columns that the groups are combinations of.
    labels : of the groups, in order; those of missing values come last.
    codes : int64[n], the group of each row.
    notes : what was done to the column, such as ranges of a number.
    """

    name: str
    labels: tuple[str, ...]
    codes: np.ndarray
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> np.ndarray:
        """The number of rows of each group."""
        return np.bincount(self.codes, minlength=len(self))

    def rows(self, group: int) -> np.ndarray:
        """The rows of a group."""
        return np.flatnonzero(self.codes == group)

    def take(self, rows: np.ndarray) -> Groups:
        """The groups of some rows; groups without a row stay."""
        return Groups(self.name, self.labels, self.codes[rows], self.notes)

    def check_several(self) -> None:
        """Refuse a column in which all rows belong to one group."""
        if np.count_nonzero(self.counts) < 2:
            raise DataError(
                f"all {len(self.codes):,} rows have {self.name} = {self.labels[int(self.codes[0])]}.",
                "rows of two groups or more",
                "A comparison of groups needs another column, or rows of the other groups.",
            )


@dataclass(frozen=True, eq=False)
class GroupCoder(Part):
    """How rows become groups, learnt from rows and applied to new ones.

    Attributes
    ----------
    names : of the sensitive columns.
    levels : of each column, as text; none of a number that is cut into ranges.
    edges : of the ranges of each column; none of a column of levels.
    combinations : int64[G, columns], the level or range of each column in each group; after the last, missing values.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    edges: tuple[np.ndarray, ...]
    combinations: np.ndarray
    declared: ClassVar[Mapping[str, Spec]] = {
        "names": Many(String(), "c"),
        "levels": Many(Many(String()), "c"),
        "edges": Many(Array("f8", "*"), "c"),
        "combinations": Array("i8", "g c", low=0),
    }

    @classmethod
    def of(cls, table: Table, weights: np.ndarray | None = None) -> GroupCoder:
        """The levels and ranges of the columns, and the combinations that occur."""
        levels, edges = zip(*(_parts_of(column, weights) for column in table), strict=True)
        bare = cls(table.names, levels, edges, np.zeros((0, len(table.names)), np.int64))
        rows = bare._rows(table)
        found = np.unique(rows[(rows >= 0).all(axis=1)], axis=0)
        return cls(table.names, levels, edges, found.astype(np.int64))

    def check(self) -> None:
        """Raise a ModelFileError where a combination is one of levels or ranges that do not exist."""
        most = [max(len(levels), len(edges) - 1) for levels, edges in zip(self.levels, self.edges, strict=True)]
        if len(self.combinations) and (self.combinations.max(axis=0) > most).any():
            raise ModelFileError("a group of an unknown level.", "levels of the sensitive columns")

    def __len__(self) -> int:
        return len(self.combinations)

    @property
    def name(self) -> str:
        """The columns, in words."""
        return " and ".join(self.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the groups, in order."""
        words = [[*(levels or _range_names(edges)), _MISSING]
                 for levels, edges in zip(self.levels, self.edges, strict=True)]  # fmt: skip
        return tuple(
            _AND.join(each[code] for each, code in zip(words, row, strict=True)) for row in self.combinations.tolist()
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Which numbers were cut into ranges."""
        cut = [(name, len(edges) - 1) for name, edges in zip(self.names, self.edges, strict=True) if len(edges)]
        return tuple(f"{name} is a number: its groups are {k} ranges with about as many rows each" for name, k in cut)

    def codes(self, table: Table) -> np.ndarray:
        """The group of each row; -1 of combinations that did not occur."""
        rows = self._rows(table)
        place = {tuple(row): code for code, row in enumerate(self.combinations.tolist())}
        return np.array([place.get(tuple(row), -1) for row in rows.tolist()], dtype=np.int64)

    def groups(self, table: Table) -> Groups:
        """The groups of the rows that it was learnt from."""
        return Groups(self.name, self.labels, self.codes(table), self.notes)

    def _rows(self, table: Table) -> np.ndarray:
        """The level or range of each column: int64[n, columns]; -1 of unseen levels."""
        found = np.empty((len(table), len(self.names)), np.int64)
        for j, (name, levels, edges) in enumerate(zip(self.names, self.levels, self.edges, strict=True)):
            column = table[name]
            if len(edges):
                codes = np.searchsorted(edges[1:-1], column.numbers_array(), side="right")
            else:
                place = {level: code for code, level in enumerate(levels)}
                codes = np.array([place.get(str(level_key(cell)), -1) for cell in column.decoded().tolist()], np.int64)
            found[:, j] = np.where(np.asarray(column.missing), max(len(levels), len(edges) - 1), codes)
        return found


def _parts_of(column: Column, weights: np.ndarray | None) -> tuple[tuple[str, ...], np.ndarray]:
    """The levels of a column, or the edges of the ranges of a number with many values."""
    present = ~np.asarray(column.missing)
    if column.kind is Kind.NUMERIC and len(np.unique(column.values[present])) > _RANGES:
        return (), _edges(column.values[present], np.ones(int(present.sum())) if weights is None else weights[present])
    cells = column.decoded()[present].tolist()
    seen = {str(level_key(cell)) for cell in cells}
    ordered = [str(level_key(level)) for level in column.levels] if column.levels else sorted(seen, key=_by_value)
    return tuple(level for level in ordered if level in seen), np.empty(0)


def _edges(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The quantiles that cut the values into ranges; a row of weight 2 is two rows."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = np.linspace(0, 1, _RANGES + 1) * reached[-1] * (1 - 1e-12)
    return np.unique(values[order][np.searchsorted(reached, wanted)])


def _by_value(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return 0.0, text


def _range_names(edges: np.ndarray) -> list[str]:
    """A range has its lower end; the last one has both."""
    named = [f"{figure(low)} to <{figure(high)}" for low, high in pairwise(edges)]
    return [*named[:-1], named[-1].replace("<", "")]


def groups_of(*columns: Column) -> Groups:
    """The groups of a column, or the combinations of several: levels, or ranges of a number; missing is a group.

    >>> groups_of(Table.of({"sex": ["f", "m", None, "f"]})["sex"]).labels
    ('f', 'm', 'missing')
    """
    table = Table(columns)
    return GroupCoder.of(table).groups(table)


def sensitive_table(sensitive: Any, n: int) -> Table:
    """Sensitive values as users pass them, as a table: one value per row, or a frame or dict of columns."""
    if sensitive is None:
        raise DataError("no sensitive_features.", "the group of each row")
    if isinstance(sensitive, Column):
        table = Table([sensitive])
    elif isinstance(sensitive, Table | dict) or np.ndim(sensitive) == 2:
        table = Table.of(sensitive, infer=isinstance(sensitive, dict))
    else:
        name = getattr(sensitive, "name", None)
        table = Table.of({name if isinstance(name, str) and name else "group": sensitive}, infer=False)
    if len(table) != n:
        raise DataError(f"sensitive_features has {len(table):,} rows and y has {n:,}.", "the group of each row")
    return table


def sensitive_groups(sensitive: Any, n: int) -> Groups:
    """The groups of rows by values as users pass them: one value per row, or a frame or dict of columns.

    Parameters
    ----------
    sensitive : a list, an array, a series or a column; several columns are combined.
    n : the number of rows that there have to be.

    Returns
    -------
    The groups.

    >>> sensitive_groups({"sex": ["f", "m", "f"], "old": ["no", "no", "yes"]}, 3).labels
    ('f · no', 'f · yes', 'm · no')
    """
    return sensitive if isinstance(sensitive, Groups) else groups_of(*sensitive_table(sensitive, n))
