"""Groups of people: the rows of each level of a sensitive column, or of each combination of several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table, level_key
from probus.display import figure
from probus.errors import DataError

_RANGES = 4  # of a numeric column with more values, by quantiles
_MISSING = "missing"
_AND = " · "  # between the levels of an intersection


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


def groups_of(column: Column) -> Groups:
    """The groups of a column: its levels, or ranges of a number with many values; missing values are a group.

    >>> groups_of(Table.of({"sex": ["f", "m", None, "f"]})["sex"]).labels
    ('f', 'm', 'missing')
    """
    missing = np.asarray(column.missing)
    notes: tuple[str, ...] = ()
    if column.kind is Kind.NUMERIC and len(np.unique(column.values[~missing])) > _RANGES:
        labels, codes = _ranges(column.values, missing)
        notes = (f"{column.name} is a number: its groups are {len(labels)} ranges with about as many rows each",)
    else:
        cells = [level_key(each) for each in column.decoded().tolist()]
        seen = {cell for cell, gone in zip(cells, missing, strict=True) if not gone}
        levels = [level_key(each) for each in column.levels] or sorted(map(str, seen))
        labels = [str(each) for each in levels if each in seen or str(each) in seen]
        place = {label: code for code, label in enumerate(labels)}
        codes = np.array([-1 if gone else place[str(c)] for c, gone in zip(cells, missing, strict=True)], np.int64)
    if missing.any():
        codes = np.where(codes < 0, len(labels), codes)
        labels = [*labels, _MISSING]
    return Groups(column.name, tuple(labels), codes.astype(np.int64), notes)


def intersection(parts: list[Groups]) -> Groups:
    """The combinations of the groups of several columns that occur."""
    stacked = np.column_stack([each.codes for each in parts])
    combinations, codes = np.unique(stacked, axis=0, return_inverse=True)
    labels = [
        _AND.join(part.labels[code] for part, code in zip(parts, row, strict=True)) for row in combinations.tolist()
    ]
    notes = tuple(note for each in parts for note in each.notes)
    return Groups(" and ".join(each.name for each in parts), tuple(labels), codes.ravel().astype(np.int64), notes)


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
    if sensitive is None:
        raise DataError("no sensitive_features.", "the group of each row")
    if isinstance(sensitive, Groups):
        return sensitive
    if isinstance(sensitive, Column):
        table = Table([sensitive])
    elif isinstance(sensitive, Table | dict) or np.ndim(sensitive) == 2:
        table = Table.of(sensitive, infer=isinstance(sensitive, dict))
    else:
        name = getattr(sensitive, "name", None)
        table = Table.of({name if isinstance(name, str) and name else "group": sensitive}, infer=False)
    if len(table) != n:
        raise DataError(f"sensitive_features has {len(table):,} rows and y has {n:,}.", "the group of each row")
    parts = [groups_of(column) for column in table]
    return parts[0] if len(parts) == 1 else intersection(parts)


def _ranges(values: np.ndarray, missing: np.ndarray) -> tuple[list[str], np.ndarray]:
    edges = np.unique(np.quantile(values[~missing], np.linspace(0, 1, _RANGES + 1)))
    codes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return [f"{figure(low)} to {figure(high)}" for low, high in pairwise(edges)], np.where(missing, -1, codes)
