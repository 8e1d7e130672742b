"""``probus.read``: read a file as a typed table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.data._column import Column, quote_some
from probus.data._frames import is_frame
from probus.data._table import Kinds, Table
from probus.data.reading._addresses import IN_CLOUDS, address_of, from_cloud
from probus.data.reading._byte_source import Source, is_file_like, open_source
from probus.data.reading._delimited import read_delimited
from probus.data.reading._excel import read_excel
from probus.data.reading._formats import read_arrow, read_json, read_json_lines, read_parquet
from probus.data.reading._missing_markers import Declared
from probus.data.reading._sqlite import read_sqlite
from probus.errors import DataError

_READERS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "delimited text": (read_delimited, {"columns", "comment", "decimal", "delimiter", "encoding", "header", "skip"}),
    "json lines": (read_json_lines, {"columns", "encoding"}),
    "json": (read_json, {"columns", "encoding"}),
    "parquet": (read_parquet, {"columns"}),
    "arrow": (read_arrow, {"columns"}),
    "sqlite": (read_sqlite, {"columns", "query", "table"}),
    "excel": (read_excel, {"columns", "sheet", "skip"}),
}


@verb
def read(
    source: Any,
    kinds: Kinds | None = None,
    missing: Any = None,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    skip: int | None = None,
    comment: str | None = None,
    sheet: str | int | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table:
    """Read a file as a typed Table; what was detected in the file is listed in its ``notes``.

    Parameters
    ----------
    source : path, address, open file or bytes; or data in memory
        An address begins with http:// or https://, or, for the stores that polars reads, with s3://, gs://, az:// or
        hf://. Data in memory (a frame, a dict of columns, records, an array) is converted as by ``Table``.

        Formats: delimited text (.csv, .tsv, .txt, .dat), .parquet, Arrow (.arrow, .feather, .ipc), JSON lines (.jsonl,
        .ndjson), a JSON array of objects (.json), a SQLite file (.sqlite, .sqlite3, .db), or a sheet of an
        Excel or OpenDocument file (.xlsx, .xlsm, .xlsb, .xls, .ods; ``pip install 'probus[excel]'``); the text formats
        also as .gz. An open file without a name is read as delimited text.
    kinds : dict
        The kinds of some columns, instead of the inferred ones: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``; or
        the format of numbers or dates: ``{"price": "1.234,5 €", "when": "%d/%m/%Y"}``.
    missing : value or list of values
        Values that mark missing values in this file, besides empty cells, NA, N/A, NaN and null. Markers such as "?"
        and "-" are recognised, and noted, where all other values of the column are numbers.
    columns : list of str
        The columns to read, in this order. The others are not parsed.
    delimiter, encoding, decimal, header
        The format of the text: a character (or r"\\s+" for runs of blanks), a codec, "." or ",", True or False.
        Detected if not given.
    skip : int
        The number of lines (of a sheet, rows) above the header.
    comment : str
        The beginning of comment lines. Comments above the header that begin with "#" are recognised without it.
    sheet : str or int
        What to read from an Excel file: the name of a sheet or its number, from 1. By default the first.
    table, query : str
        What to read from a SQLite file; not needed if it has one table. The file is opened read-only.

    Returns
    -------
    The table; its ``notes`` list what was detected.

    >>> import io
    >>> people = read(io.StringIO("age;height;sex\\n22;1,80;m\\n38;1,65;f\\n?;1,70;f\\n"))
    >>> people
    Table: 3 rows × 3 columns
              kind     missing   values
      age     numeric  1 (33 %)  22 – 38
      height  numeric            1.65 – 1.8
      sex     binary             f, m
    <BLANKLINE>
         age  height  sex
      0   22     1.8  m
      1   38    1.65  f
      2          1.7  f
      note: delimiter ';' and decimal comma detected
      note: missing values written as '?' in 1 column: 'age'
    """
    options = {
        "columns": columns,
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "header": header,
        "skip": skip,
        "comment": comment,
        "sheet": sheet,
        "table": table,
        "query": query,
    }
    given = {option: value for option, value in options.items() if value is not None}
    address = address_of(source)
    if address is not None and address.startswith(tuple(f"{store}://" for store in IN_CLOUDS)):
        given.pop("delimiter", None)
        frame = Declared.of(missing).removed(from_cloud(address, delimiter))
        return _from_memory(frame, kinds, f"options of {address!r}", given)
    if address is None and not is_file_like(source):
        return _from_memory(source, kinds, "data in memory", given | ({} if missing is None else {"missing": missing}))
    found = open_source(source)
    with closing(found):
        typed, notes = _read_source(found, Declared.of(missing), given)
    if not typed or not len(typed[0]):
        raise DataError(f"{found.name} has no rows.", "at least one row")
    nothing = [column.name for column in typed if column.take(slice(1)).missing.all() and column.missing.all()]
    if nothing:
        notes.append(f"all values are missing in {quote_some(nothing)}")
    result = Table(typed, notes=notes)
    return result.with_kinds(**kinds) if kinds else result


def _from_memory(data: Any, kinds: Kinds | None, what: str, given: dict[str, Any]) -> Table:
    """A table of data that needs no parsing; of the options only the choice of columns has a meaning."""
    columns = given.pop("columns", None)
    if given:
        raise DataError(f"{what} with {quote_some(sorted(given))}.", "these options for text files only")
    if not isinstance(data, (Table, Mapping)) and not is_frame(data) and not np.ndim(data):
        found = f"cannot read from a value of type {type(data).__name__}."
        raise DataError(found, "a path, an address, an open file, or a frame, a dict, records or an array")
    table = Table.of(data)
    table = table if columns is None else table.select(*columns)
    return table.with_kinds(**kinds) if kinds else table


def _read_source(found: Source, declared: Declared, given: dict[str, Any]) -> tuple[list[Column], list[str]]:
    """The columns and notes of the reader for the format, which must take the options that are given."""
    reader, takes = _READERS[found.format]
    if given.keys() - takes:
        raise DataError(
            f"{found.name} is read as {found.format}, which does not take {quote_some(sorted(given.keys() - takes))}.",
            f"only {quote_some(sorted(takes))}" if takes else "no options of text files",
        )
    if found.decoded:
        if "encoding" in given:
            raise DataError(
                f"{found.name} is open as text, but encoding is given.", "a binary file", "Open it with mode 'rb'."
            )
        given = given | {"encoding": "utf-8"}
    return reader(found, declared, **given)
