"""The ids of users and items: labels in order, and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table, are_records, collect, is_frame
from probus.errors import DataError

LARGEST = 2**53  # whole numbers beyond are not exact as floats
_INTEGERS = 2**63  # and these are no integers of 64 bits


@dataclass(frozen=True, eq=False)
class Ids:
    """Different ids in order, whole numbers or strings, and the number of each.

    Ids are the same where they are written the same: 42, 42.0 and "42" are one id, also where some are strings.

    >>> ids, codes = Ids.of(np.array([7, 42, 7]))
    >>> codes, ids.codes(["42", 7.0, "no one"])
    (array([0, 1, 0], dtype=int32), array([ 1,  0, -1], dtype=int32))
    """

    labels: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> tuple[Ids, np.ndarray]:
        """The ids among the values, and the number of each value."""
        labels, codes = np.unique(values, return_inverse=True)
        return cls(labels), codes.astype(np.int32)

    def __len__(self) -> int:
        return len(self.labels)

    def codes(self, values: Any) -> np.ndarray:
        """int32[n], the number of each value; −1 for those that are unknown."""
        asked = as_ids(values)
        if len(self.labels) == 0:
            return np.full(len(asked), -1, dtype=np.int32)
        if self.labels.dtype.kind == "i" and asked.dtype.kind == "U":
            asked = _as_numbers(asked)
        elif self.labels.dtype.kind == "U" and asked.dtype.kind == "i":
            asked = asked.astype(str)
        place = np.minimum(np.searchsorted(self.labels, asked), len(self.labels) - 1)
        return np.where(self.labels[place] == asked, place, -1).astype(np.int32)

    def joined(self, others: np.ndarray) -> Ids:
        """These and further ids, in order."""
        if self.labels.dtype.kind != others.dtype.kind:
            return Ids(np.union1d(self.labels.astype(str), others.astype(str)))
        return Ids(np.union1d(self.labels, others))


def as_ids(values: Any) -> np.ndarray:
    """Ids as whole numbers where all are, else as strings.

    >>> as_ids([3, 1.0, "2"]), as_ids([1, "a"])
    (array(['3', '1', '2'], dtype='<U1'), array(['1', 'a'], dtype='<U1'))
    """
    array = np.asarray(values)
    if array.dtype.kind == "i":
        return array.astype(np.int64)
    if array.dtype.kind == "f" and np.all((array == np.floor(array)) & (np.abs(array) < LARGEST)):
        return array.astype(np.int64)
    cells = list(values) if array.dtype.kind in "OU" else array.tolist()
    if cells and all(_is_whole(cell) and abs(int(cell)) < _INTEGERS for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array([written(cell) for cell in cells], dtype=str) if cells else np.empty(0, dtype=np.int64)


def ids_of(column: Column, what: str) -> np.ndarray:
    """The ids of a column; an error where some are missing."""
    gone = column.missing
    if gone.any():
        rows = ", ".join(map(str, np.flatnonzero(gone)[:3]))
        raise DataError(
            f"column {column.name!r}: {int(gone.sum())} of {len(column)} rows have no {what} (row {rows}).",
            f"a {what} in every row",
            "Leave these rows out.",
        )
    if column.kind is Kind.NUMERIC and (np.abs(column.values) >= LARGEST).any():
        raise DataError(
            f"column {column.name!r}: ids beyond {LARGEST:,}, of which floats lose the last digits.",
            "whole numbers below, or strings",
            f"Convert them: {column.name}.astype(str).",
        )
    if column.kind.has_levels and column.levels:  # convert the few levels, not every row
        levels = as_ids(list(column.levels))
        return np.asarray(levels[column.values])
    return as_ids(column.values if column.kind is Kind.NUMERIC else column.decoded())


def with_exact_integers(table: Table, data: Any) -> Table:
    """The table of these data, where columns of whole numbers that floats may round are strings."""
    found = []
    for column in table:
        if column.kind is Kind.NUMERIC and not column.dates and (np.abs(column.values) >= LARGEST).any():
            cells = _cells(data, column.name)
            if cells and all(cell is None or isinstance(cell, Integral) for cell in cells):
                found.append(Column.labels(column.name, [None if cell is None else str(int(cell)) for cell in cells]))
    return table.with_columns(*found)


def _cells(data: Any, name: str) -> list[Any]:
    """The cells of a column as they were given; none where they are not kept."""
    if is_frame(data):
        import narwhals as nw

        frame = nw.from_native(collect(data), eager_only=True)
        return next(frame.get_column(own).to_list() for own in frame.columns if str(own) == name)
    if are_records(data):
        return [row.get(name) for row in data]
    if isinstance(data, Mapping):
        cells = next(cells for own, cells in data.items() if str(own) == name)
        return list(cells) if isinstance(cells, Iterable) else [cells]
    return []


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, (bool, np.bool_)):
        return False
    return isinstance(cell, (int, np.integer)) or (isinstance(cell, (float, np.floating)) and float(cell).is_integer())


def written(cell: Any) -> str:
    """An id as a string: that of 42.0 is that of 42."""
    return str(int(cell)) if _is_whole(cell) else str(cell)


def _as_numbers(texts: np.ndarray) -> np.ndarray:
    """Strings as the whole numbers that they write; the smallest integer, which is no id, for others."""
    unknown = np.iinfo(np.int64).min
    found = np.full(len(texts), unknown, dtype=np.int64)
    for place, text in enumerate(texts.tolist()):
        if text.removeprefix("-").isdecimal() and len(text) < 19 and str(int(text)) == text:
            found[place] = int(text)
    return found
