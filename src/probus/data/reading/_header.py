"""The header of delimited text and the column names in it."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.data._column import quote_some
from probus.data.reading._byte_source import Text
from probus.data.reading._sniff import Dialect
from probus.errors import Advice, DataError

_LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class Body:
    """The rows: the text from the byte ``start`` on, where the line with the number ``first_line`` begins."""

    text: Text
    start: int
    first_line: int

    def rows(self) -> bytes:
        """A copy of the rows."""
        return self.text[self.start :]

    def view(self) -> np.ndarray:
        """The bytes of the rows, not copied."""
        return np.frombuffer(self.text, np.uint8)[self.start :]


def with_line_feeds(text: Text) -> Text:
    """The text with line feeds only."""
    return text[:].replace(b"\r\n", b"\n").replace(b"\r", b"\n") if text.find(b"\r") >= 0 else text


def trim(text: Text, name: str) -> tuple[Text, int]:
    """The text without blank lines at its ends, and the number of its first line."""
    body = text if text[:1] != b"\n" else text[:].lstrip(b"\n")
    first_line = len(text) - len(body) + 1
    if _is_blank(body, 0):
        raise DataError(f"{name} is empty: it has only white space.", "a table with a header and rows")
    if body[-1:] != b"\n" or body[-2:] == b"\n\n":
        body = body[:].rstrip(b"\n") + b"\n"
    return body, first_line


def split_header(text: Text, dialect: Dialect, first_line: int, name: str) -> tuple[list[str], Body]:
    """The names, and the rows below them."""
    stop = _first_record(text)
    line = io.StringIO(text[:stop].decode(), newline="")
    try:
        cells = next(csv.reader(line, delimiter=dialect.delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise DataError(f"{name}: the first line cannot be split: {error}.", "the names of the columns") from error
    if not dialect.header:
        return [f"x{j}" for j in range(len(cells))], Body(text, 0, first_line)
    if _is_blank(text, stop):
        raise DataError(
            f"{name} has a header and no rows.", "at least one row", Advice("header", False, when="if that is a row")
        )
    return cells, Body(text, stop, first_line + text[:stop].count(b"\n"))


def _first_record(text: Text) -> int:
    """The end of the first record: the first line feed that is not inside quotes."""
    stop = quotes = 0
    while stop < _LONGEST_HEADER and (end := text.find(b"\n", stop)) >= 0:
        quotes += text[stop:end].count(b'"')
        stop = end + 1
        if quotes % 2 == 0:
            return stop
    return text.find(b"\n") + 1


def _is_blank(text: Text, start: int) -> bool:
    return not (text[start : start + 1024].strip() or text[start:].strip())  # the beginning usually avoids a copy


def column_names(cells: list[str]) -> tuple[list[str], list[str]]:
    """The header cells as unique names, and notes on names that were generated.

    >>> column_names(["age", " sex ", ""])
    (['age', 'sex', 'column 3'], ["empty cells in the header: named 'column 3'"])
    >>> column_names(["x", "x", "x_2", "x"])
    (['x', 'x_3', 'x_2', 'x_4'], ["duplicate names in the header: 'x' renamed to 'x_3', 'x_4'"])
    """
    titles = [cell.strip() or f"column {j}" for j, cell in enumerate(cells, 1)]
    untitled = [each for each, cell in zip(titles, cells, strict=True) if not cell.strip()]
    notes = [f"empty cells in the header: named {quote_some(untitled)}"] if untitled else []
    taken, last, names, renamed = set(titles), dict.fromkeys(titles, 0), [], defaultdict(list)
    for title in titles:
        last[title] += 1
        name = title
        while last[title] > 1 and (name := f"{title}_{last[title]}") in taken:
            last[title] += 1
        taken.add(name)
        names.append(name)
        if name != title:
            renamed[title].append(name)
    notes += [f"duplicate names in the header: {old!r} renamed to {quote_some(new)}" for old, new in renamed.items()]
    return names, notes


def choose_columns(names: Sequence[str], columns: Sequence[str] | None, source: str) -> list[str]:
    """The columns to read: all, or those that were chosen, in their order."""
    if columns is None:
        return list(names)
    wanted = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    known = set(names)
    absent = [name for name in wanted if name not in known]
    if absent or not wanted:
        found = f"no column {quote_some(absent)}" if absent else "columns is empty"
        raise DataError(f"{source}: {found}.", f"one of {quote_some(names, 12)}")
    return wanted
