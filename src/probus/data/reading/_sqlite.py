"""Reading a table or a query of a SQLite file; the file is never written."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from probus.data._column import Column, quote_some
from probus.data.reading._byte_source import Source
from probus.data.reading._formats import columns_of_cells
from probus.data.reading._header import choose_columns
from probus.data.reading._missing_markers import Declared
from probus.errors import Advice, DataError

_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def read_sqlite(
    source: Source,
    declared: Declared,
    table: str | None = None,
    query: str | None = None,
    columns: Sequence[str] | None = None,
) -> tuple[list[Column], list[str]]:
    """The columns of the table, of the query, or of the only table."""
    if table is not None and query is not None:
        raise DataError("both table and query are given.", "one of them")
    assert source.path is not None
    try:
        with closing(sqlite3.connect(source.path.resolve().as_uri() + "?mode=ro", uri=True)) as connection:
            query = _select_all(connection, table, source.name) if query is None else query
            connection.set_authorizer(_only_reading)
            cursor = connection.execute(query)
            names = [each[0] for each in cursor.description or ()]
            rows = cursor.fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DataError(
            f"{source.name}: SQLite reports: {error}.", "one SELECT on a complete database file", "Nothing was changed."
        ) from error
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DataError(
            f"the query has duplicate column names: {quote_some(twice)}.", "unique names", "Rename them with AS."
        )
    cells = dict(zip(names, zip(*rows, strict=True) if rows else ((),) * len(names), strict=True))
    wanted = choose_columns(names, columns, source.name)
    return columns_of_cells({name: list(cells[name]) for name in wanted}, declared)


def _select_all(connection: sqlite3.Connection, table: str | None, name: str) -> str:
    listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    tables = [row[0] for row in connection.execute(listing)]
    if not tables:
        raise DataError(f"{name} has no tables.", "a SQLite file with at least one")
    if table is None and len(tables) > 1:
        raise DataError(
            f"{name} has {len(tables)} tables: {quote_some(tables, 12)}.",
            "one",
            Advice("table", "NAME", "table=NAME (or query=SQL)"),
        )
    chosen = tables[0] if table is None else table
    if chosen not in tables:
        close = difflib.get_close_matches(chosen, tables, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else ""
        raise DataError(f"{name} has no table {chosen!r}.", f"one of {quote_some(tables, 12)}", hint)
    escaped = chosen.replace('"', '""')
    return f'SELECT * FROM "{escaped}"'


def _only_reading(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
