"""The profile of a table: its columns, missing values, associations and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.data import Table, Task, examine
from probus.data.findings import Findings
from probus.datasets.source import open_source, required_column
from probus.display import Cells, Result, counted, drawing
from probus.inspection import Association, associations
from probus.report._summary import Classes, ColumnSummary, summarise

_SHOWN = 30  # columns in the text and in the picture
_SAMPLED_ROWS = 10_000
_COMPARED_COLUMNS = 60
_BANDS = 160


@dataclass(frozen=True, eq=False, repr=False)
class Profile(Result):
    """The columns of a table, its missing values, associations and findings.

    Attributes
    ----------
    name : the name of the data.
    target : the column to predict, if there is one.
    rows : the number of rows.
    columns : the summary of each column.
    classes : the classes of the target.
    missing_shares : the shares of missing values along the rows, for a picture.
    associations : the associations of pairs of columns, the strongest first.
    sampled_rows : how many rows, drawn at random, they were computed on.
    compared_columns : the columns that were compared.
    findings : what ``examine`` found.
    notes : remarks.

    >>> from probus.data import Table, Task
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
    def of(cls, table: Table, target: str | None = None, *, name: str = "table", group: str | None = None) -> Profile:
        """The profile of a table; deterministic. ``group`` is as in ``examine``."""
        classes = Classes.of(table[target] if target else None, table.n_rows)
        compared = table.select(*table.names[:_COMPARED_COLUMNS])
        sampled = _sample(compared)
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
            findings=examine(table, target=target, group=group),
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

    def _parts(self) -> list[Any]:
        size = f"{counted(self.rows, 'row')} × {counted(len(self.columns), 'column')}"
        head = f"Profile of {self.name}: {size}, {counted(len(self.findings), 'finding')}"
        rows = [("column", "kind", "missing", "distinct"), *(tuple(map(str, row.values())) for row in self._rows())]
        return [head, Cells(rows, right=[2, 3], most=_SHOWN), self.findings]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column."""
        return [
            {"column": c.name, "kind": str(c.kind), "missing": c.missing, "distinct": c.distinct} for c in self.columns
        ]

    def save(self, path: Any) -> Path:
        """Write the profile to a file, by its ending .html, .json or another of ``Result.save``; return the path."""
        if Path(path).suffix.lower() not in (".html", ".json"):
            return super().save(path)
        return import_module("probus.report._write").write(self, path)

    def plot(self, axes: Any = None) -> Any:
        """The share of missing values of each column, on matplotlib axes, which are returned."""
        shown = sorted(self.columns, key=lambda column: -column.missing)[:_SHOWN]
        axes = drawing.new_axes(axes, 5.0, 1.0 + 0.25 * len(shown))
        shares = [100 * column.missing / max(self.rows, 1) for column in shown]
        axes.barh(range(len(shown)), shares, height=0.62, color=drawing.BLUE)
        drawing.tidy(axes, f"Missing values of {self.name}", "% of the rows", "")
        axes.set_yticks(range(len(shown)), [column.name for column in shown], parse_math=False)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        return axes

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


@verb
def profile(
    data: Any,
    target: str | None = None,
    *,
    kinds: Mapping[str, Any] | None = None,
    read: Mapping[str, Any] | None = None,
    group: str | None = None,
) -> Profile:
    """Describe a table: its columns, missing values, associations and findings.

    Parameters
    ----------
    data : a Table, a frame, a dict of columns, a path, an address, the name of a bundled data set, or a Task.
    target : the column to predict, if there is one; columns are then described by its classes or against its values.
    kinds : the kinds of some columns, instead of the inferred ones.
    read : options of ``probus.read`` for a path.
    group : the column of groups, if folds keep them together: it is not reported as a leak then.

    Returns
    -------
    The profile, which prints itself and can be saved as a page.

    >>> found = profile("iris", target="species")
    >>> found.rows, [pair.first for pair in found.associations][:1]
    (150, ['petal_length'])
    """
    if isinstance(data, Task):
        data, target, group = data.table, data.target, data.group
    table, name = open_source(data, read)
    table = table.with_kinds(**kinds) if kinds else table
    for column in (target, group):
        if column is not None:
            required_column(table, column)
    return Profile.of(table, target, name=name, group=group)


def _sample(table: Table) -> Table:
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
