"""``probus.read``: a file becomes a typed table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probus.data.column import quote_some
from probus.data.reading.delimited import read_delimited
from probus.data.reading.formats import read_arrow, read_json, read_json_lines, read_parquet
from probus.data.reading.missing import Declared
from probus.data.reading.source import open_source
from probus.data.reading.sqlite import read_sqlite
from probus.data.table import Kinds, Table
from probus.errors import DataError

__all__ = ["read"]

_READERS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "delimited text": (read_delimited, {"delimiter", "encoding", "decimal", "header"}),
    "json lines": (read_json_lines, {"encoding"}),
    "json": (read_json, {"encoding"}),
    "parquet": (read_parquet, set()),
    "arrow": (read_arrow, set()),
    "sqlite": (read_sqlite, {"table", "query"}),
}


def read(
    source: Any,
    kinds: Kinds | None = None,
    missing: Any = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table:
    """A file as a typed Table; what had to be guessed about the file is in its ``notes``.

    Parameters
    ----------
    source : path, open file or bytes
        Delimited text (.csv, .tsv, .txt), .parquet, Arrow (.arrow, .feather, .ipc), JSON lines (.jsonl, .ndjson), a
        JSON array of objects (.json) or a SQLite file (.sqlite, .sqlite3, .db); the text formats also as .gz. An
        open file without a name is taken for delimited text.
    kinds : dict
        Your word on the kinds of some columns: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.
    missing : value or list of values
        What stands for a missing value in this file, besides empty cells, NA, N/A, NaN and null. The likes of "?"
        and "-" are taken for missing by themselves where all else in the column is a number, and said.
    delimiter, encoding, decimal, header
        How the text is written: a character, a codec, "." or ",", True or False. Detected where not given.
    table, query : str
        What to take from a SQLite file; not needed where it has one table. The file is opened for reading only.

    >>> import io
    >>> people = read(io.StringIO("age;height;sex\\n22;1,80;m\\n38;1,65;f\\n?;1,70;f\\n"))
    >>> people
    Table: 3 rows × 3 columns
              kind     missing  values
      age     numeric  1 (33%)  22 – 38
      height  numeric           1.65 – 1.8
      sex     binary            f, m
      note: delimiter ';' and decimal comma detected
      note: missing values written as '?' in 1 column: 'age'
    """
    found = open_source(source)
    options = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "header": header,
        "table": table,
        "query": query,
    }
    given = {option: value for option, value in options.items() if value is not None}
    reader, takes = _READERS[found.format]
    if given.keys() - takes:
        raise DataError(
            f"{found.name} is read as {found.format}, which does not take {quote_some(sorted(given.keys() - takes))}.",
            f"only {quote_some(sorted(takes))}" if takes else "none of the options of text files",
        )
    if found.decoded:
        if encoding is not None:
            raise DataError(
                f"{found.name} is open as text, encoding given.", "a file open as bytes", "Open it with 'rb'."
            )
        given["encoding"] = "utf-8"
    columns, notes = reader(found, Declared.of(missing), **given)
    if not columns or not len(columns[0]):
        raise DataError(f"{found.name} has no rows.", "at least one row")
    nothing = [column.name for column in columns if column.missing.all()]
    if nothing:
        notes.append(f"nothing but missing values in {quote_some(nothing)}")
    result = Table(columns, notes=notes)
    return result.with_kinds(**kinds) if kinds else result
