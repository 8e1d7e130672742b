"""The profile of a table: its columns, missing values, associations and findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Table
from probus.data.examine import examine
from probus.data.findings import Findings
from probus.display import Result, counted
from probus.report.associations import Association, associations
from probus.report.summary import Classes, ColumnSummary, summarise

__all__ = ["Profile"]

_SAMPLED_ROWS = 10_000
_COMPARED_COLUMNS = 60
_BANDS = 160


@dataclass(frozen=True, eq=False, repr=False)
class Profile(Result):
    """The columns of a table, its missing values, associations and findings.

    ``associations`` come from ``sampled_rows`` rows drawn at random where the table is long, and from the first
    ``compared_columns`` where it is wide.

    >>> from probus.data import Table
    >>> table = Table.of({"x": [1.0, 2.0, 3.0], "y": [1.0, None, 2.5]})
    >>> Profile.of(table, name="toy")
    Profile of toy: 3 rows × 2 columns, ...
    """

    name: str
    target: str | None
    rows: int
    columns: tuple[ColumnSummary, ...]
    classes: tuple[str, ...]
    missing_shares: np.ndarray
    associations: tuple[Association, ...]
    sampled_rows: int
    compared_columns: tuple[str, ...]
    findings: Findings
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table, target: str | None = None, *, name: str = "table") -> Profile:
        """The profile of a table; deterministic."""
        classes = Classes.of(table[target] if target else None, table.n_rows)
        compared = table.select(*table.names[:_COMPARED_COLUMNS])
        sampled = _sampled(compared)
        return cls(
            name=name,
            target=target,
            rows=table.n_rows,
            columns=tuple(summarise(column, classes) for column in table),
            classes=tuple(classes.names) if len(classes.names) > 1 else (),
            missing_shares=_missing_shares(table),
            associations=tuple(associations(sampled)),
            sampled_rows=sampled.n_rows,
            compared_columns=compared.names,
            findings=examine(table, target=target),
            notes=tuple(table.notes),
        )

    def association_matrix(self) -> tuple[list[str], np.ndarray]:
        """The columns that could be compared, and the strength of each pair, 1 on the diagonal."""
        compared = {name for pair in self.associations for name in (pair.first, pair.second)}
        names = [name for name in self.compared_columns if name in compared]
        place = {name: i for i, name in enumerate(names)}
        matrix = np.eye(len(names))
        for pair in self.associations:
            i, j = place[pair.first], place[pair.second]
            matrix[i, j] = matrix[j, i] = pair.value
        return names, matrix

    def _parts(self) -> list[str]:
        size = f"{counted(self.rows, 'row')} × {counted(len(self.columns), 'column')}"
        return [f"Profile of {self.name}: {size}, {counted(len(self.findings), 'finding')}"]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column."""
        return [
            {"column": c.name, "kind": str(c.kind), "missing": c.missing, "distinct": c.distinct} for c in self.columns
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "name": self.name,
            "target": self.target,
            "rows": self.rows,
            "columns": [column.to_dict() for column in self.columns],
            "associations": [pair.to_dict() for pair in self.associations],
            "sampled_rows": self.sampled_rows,
            "findings": self.findings.to_dict()["findings"],
            "notes": list(self.notes),
        }


def _sampled(table: Table) -> Table:
    if table.n_rows <= _SAMPLED_ROWS:
        return table
    rows = np.random.default_rng(0).choice(table.n_rows, _SAMPLED_ROWS, replace=False)
    return table.take(np.sort(rows))


def _missing_shares(table: Table) -> np.ndarray:
    """Bands of neighbouring rows × columns: the share that is missing."""
    bands = min(_BANDS, table.n_rows)
    starts = np.linspace(0, table.n_rows, bands, endpoint=False, dtype=np.intp)
    sizes = np.diff(np.append(starts, table.n_rows))
    shares = np.zeros((bands, len(table.names)))
    for j, column in enumerate(table):
        missing = column.missing
        if missing.any():
            shares[:, j] = np.add.reduceat(missing.astype(np.float64), starts) / sizes
    return shares
