"""The header of delimited text and the column names in it."""

from __future__ import annotations

import csv
import io
from collections import Counter

from probus.data.column import quote_some
from probus.data.reading.sniff import Dialect
from probus.errors import DataError

__all__ = ["column_names", "split_header", "trimmed"]

_LONGEST_HEADER = 1 << 20


def trimmed(text: bytes, name: str) -> tuple[bytes, int]:
    """The text with line feeds only, without blank lines at its ends, and the number of its first line."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    body = text.lstrip(b"\n")
    first_line = len(text) - len(body) + 1
    if _is_blank(body):
        raise DataError(f"{name} is empty: it has only white space.", "a table with a header and rows")
    if not body.endswith(b"\n") or body.endswith(b"\n\n"):
        body = body.rstrip(b"\n") + b"\n"
    return body, first_line


def split_header(text: bytes, dialect: Dialect, first_line: int, name: str) -> tuple[list[str], bytes, int]:
    """The names, the text below them, and the number of its first line."""
    stop = _first_record(text)
    line = io.StringIO(text[:stop].decode(), newline="")
    try:
        cells = next(csv.reader(line, delimiter=dialect.delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise DataError(f"{name}: the first line cannot be split: {error}.", "the names of the columns") from error
    if not dialect.header:
        return [f"x{j}" for j in range(len(cells))], text, first_line
    body = text[stop:]
    if _is_blank(body):
        raise DataError(f"{name} has a header and no rows.", "at least one row", "Pass header=False if that is a row.")
    return cells, body, first_line + text.count(b"\n", 0, stop)


def _first_record(text: bytes) -> int:
    """The end of the first record: the first line feed that is not inside quotes."""
    stop = quotes = 0
    while stop < _LONGEST_HEADER and (end := text.find(b"\n", stop)) >= 0:
        quotes += text.count(b'"', stop, end)
        stop = end + 1
        if quotes % 2 == 0:
            return stop
    return text.find(b"\n") + 1


def _is_blank(text: bytes) -> bool:
    return not (text[:1024].strip() or text.strip())  # checking the start usually avoids a copy


def column_names(cells: list[str], name: str) -> tuple[list[str], list[str]]:
    """The header cells as unique names, and a note on names that were generated.

    >>> column_names(["age", " sex ", ""], "'x.csv'")
    (['age', 'sex', 'column 3'], ["empty cells in the header: named 'column 3'"])
    """
    names = [cell.strip() or f"column {j}" for j, cell in enumerate(cells, 1)]
    twice = [each for each, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(
            f"{name} has duplicate column names: {quote_some(twice)}.",
            "unique names",
            "Rename them in the file, or pass header=False if its first line is a row.",
        )
    untitled = [each for each, cell in zip(names, cells, strict=True) if not cell.strip()]
    return names, [f"empty cells in the header: named {quote_some(untitled)}"] if untitled else []
