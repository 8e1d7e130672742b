"""Which given column each column of a prepared table was made of, found by changing one given column at a time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table

_ROWS = 64  # the fewest in which a column is changed


def sources_of(pipeline: Any, table: Table) -> list[str | None]:
    """The only given column that each prepared column changes with; None where there are several, or none.

    Parameters
    ----------
    pipeline : a fitted pipeline, whose last step is the model.
    table : some rows.

    Returns
    -------
    A name, or None, for each column that the model is given.
    """
    n = max(_ROWS, len(table), *(len(column.levels) for column in table))
    rows = Table(table.take(np.arange(n) % len(table)), origin=table.origin)
    before = _prepared(pipeline, rows)
    found: list[list[str]] = [[] for _ in before]
    for column in rows:
        changed = _changed(pipeline, rows, before, _other_values(column))
        with suppress(Exception):  # steps that take no missing value have no column for it either
            changed |= _changed(pipeline, rows, before, _missing_in_turn(column))
        for names, does in zip(found, changed, strict=True):
            names.extend([column.name] * int(does))
    return [names[0] if len(names) == 1 else None for names in found]


def _changed(pipeline: Any, rows: Table, before: list[np.ndarray], column: Column) -> np.ndarray:
    """Whether each prepared column differs where a column has these values instead."""
    after = _prepared(pipeline, rows.with_columns(column))
    return np.array([not _same(old, new) for old, new in zip(before, after, strict=True)])


def _prepared(pipeline: Any, rows: Table) -> list[np.ndarray]:
    """The values of the prepared columns."""
    made = pipeline[:-1].transform(rows)
    made = made.toarray() if hasattr(made, "toarray") else made
    return [column.decoded() for column in Table.of(made, infer=False)]


def _other_values(column: Column) -> Column:
    """A column with other values in most rows: all levels in turn, or the values of other rows."""
    n = len(column)
    if column.kind.has_levels:
        codes = np.arange(n) % max(len(column.levels), 1)
        return replace(column, values=codes.astype(column.values.dtype) if column.levels else column.values)
    values = np.roll(column.values, 1)
    if column.kind is Kind.NUMERIC and (values == column.values).mean() > 0.5:
        values = column.values + 1.0 + np.arange(n)
    return replace(column, values=values, written=None)


def _missing_in_turn(column: Column) -> Column:
    """A column without the values of every other row."""
    nothing = {Kind.NUMERIC: np.nan, Kind.TEXT: None}.get(column.kind, -1)
    values = column.values.copy()
    values[::2] = nothing
    return replace(column, values=values, written=None)


def _same(old: np.ndarray, new: np.ndarray) -> bool:
    if old.dtype.kind == "f" and new.dtype.kind == "f":
        return np.array_equal(old, new, equal_nan=True)
    return old.tolist() == new.tolist()
