"""The ids of users and items: labels in order, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Column, Kind
from probus.errors import DataError

_LARGEST = 2**53  # whole numbers beyond are not exact as floats


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
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    if array.dtype.kind == "f" and np.all((array == np.floor(array)) & (np.abs(array) < _LARGEST)):
        return array.astype(np.int64)
    cells = list(values) if array.dtype.kind in "OU" else array.tolist()
    if cells and all(_is_whole(cell) for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array([_written(cell) for cell in cells], dtype=str) if cells else np.empty(0, dtype=np.int64)


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
    if column.kind.has_levels and column.levels:  # convert the few levels, not every row
        levels = as_ids(list(column.levels))
        return np.asarray(levels[column.values])
    return as_ids(column.values if column.kind is Kind.NUMERIC else column.decoded())


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, (bool, np.bool_)):
        return False
    return isinstance(cell, (int, np.integer)) or (isinstance(cell, (float, np.floating)) and float(cell).is_integer())


def _written(cell: Any) -> str:
    return str(int(cell)) if _is_whole(cell) else str(cell)


def _as_numbers(texts: np.ndarray) -> np.ndarray:
    """Strings as the whole numbers that they write; the smallest integer, which is no id, for others."""
    unknown = np.iinfo(np.int64).min
    found = np.full(len(texts), unknown, dtype=np.int64)
    for place, text in enumerate(texts.tolist()):
        if text.removeprefix("-").isdecimal() and len(text) < 19 and str(int(text)) == text:
            found[place] = int(text)
    return found
