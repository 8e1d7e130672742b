"""Which columns an exploration uses, and why it leaves others out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probus.data import Column, Kind, Table
from probus.data.findings import facts, identifying
from probus.display import counted, percent
from probus.report import Profile

_FEW_LEVELS, _MOST_LEVELS = 10, 50
_ROWS_A_LEVEL = 5  # on average: rarer levels hardly recur
_MOST_MISSING = 0.9


@dataclass(frozen=True)
class LeftOut:
    """A column that groups, map, odd rows and rules do not use.

    Attributes
    ----------
    column, why : the name of the column, and the reason.
    """

    column: str
    why: str

    def __str__(self) -> str:
        return f"{self.column} ({self.why})"


def usable(table: Table, profile: Profile) -> tuple[Table, tuple[LeftOut, ...]]:
    """The columns that rows can be compared by, infinite values as missing, and those that are left out.

    >>> table = Table.of({"x": [1.0, 2.0, 4.0], "same": [3.0, 3.0, 3.0]})
    >>> kept, left_out = usable(table, Profile.of(table))
    >>> kept.names, str(left_out[0])
    (('x',), 'same (constant)')
    """
    redundant = {finding.column for finding in profile.findings if finding.code == "PB203"}
    kept, left_out = [], []
    for column in table:
        why = "a copy of another column" if column.name in redundant else _unusable(column)
        if why:
            left_out.append(LeftOut(column.name, why))
        else:
            kept.append(_finite(column))
    return Table(kept), tuple(left_out)


def _unusable(column: Column) -> str:
    """Why rows cannot be compared by a column; empty if they can."""
    if column.kind is Kind.TEXT:
        return "text"
    seen = facts(_finite(column))
    if seen.n_present == 0:
        return "no values"
    if seen.n_distinct == 1:
        return "constant"
    if seen.n_present < (1 - _MOST_MISSING) * len(column):
        return f"{percent(1 - seen.n_present / len(column))} missing"
    if identifying(column):
        return "identifier"
    scattered = seen.n_distinct > _MOST_LEVELS or seen.rows_per_value < _ROWS_A_LEVEL
    if column.kind is Kind.NOMINAL and seen.n_distinct > _FEW_LEVELS and scattered:
        return counted(seen.n_distinct, "level")
    return ""


def _finite(column: Column) -> Column:
    """The column with infinite values as missing, and without its written form, which is not needed again."""
    if column.kind is not Kind.NUMERIC:
        return column
    infinite = np.isinf(column.values)
    if not infinite.any():
        return column if column.written is None else replace(column, written=None)
    return replace(column, values=np.where(infinite, np.nan, column.values), written=None)
