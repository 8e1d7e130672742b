"""Tables that describe users or items, and the numbers that models make of their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Column, Kind, Schema, Table
from probus.display import counted
from probus.errors import DataError
from probus.recommend._columns import id_column
from probus.recommend._ids import Ids, ids_of, with_exact_integers


@dataclass(frozen=True, eq=False)
class SideTable:
    """A row for each user, or each item: its id and its columns."""

    ids: Ids
    table: Table

    @classmethod
    def of(cls, data: Any, what: str, name: str | None, expected: str) -> SideTable:
        """Read a table of users or items, whose ids are in the column of that name, or of the one of the ratings."""
        table = with_exact_integers(Table.of(data), data)
        name = id_column(table, name, expected, what)
        labels = ids_of(table[name], what)
        columns = table.drop(name)
        if not columns.names:
            raise DataError(f"the table of {what}s has the column {name!r} only.", f"columns that describe {what}s")
        order = np.argsort(labels, kind="stable")
        twice = np.flatnonzero(labels[order][1:] == labels[order][:-1])
        if twice.size:
            raise DataError(
                f"{counted(int(twice.size), 'row')} of {what}s that have another row: {labels[order][twice[0]]}.",
                f"one row for each {what}",
            )
        return cls(Ids(labels[order]), columns.take(order))

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, codes: np.ndarray) -> Table:
        """The rows of those numbers; one of missing values for −1."""
        return Table([_with_missing(column, codes) for column in self.table])

    @property
    def schema(self) -> Schema:
        """The columns with their kinds."""
        return self.table.schema


def _with_missing(column: Column, codes: np.ndarray) -> Column:
    from dataclasses import replace

    gone = codes < 0
    values = column.values[np.maximum(codes, 0)]
    if gone.any():
        values = values.copy()
        values[gone] = np.nan if column.kind is Kind.NUMERIC else None if column.kind is Kind.TEXT else -1
    return replace(column, values=values, written=None)
