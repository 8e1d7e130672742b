"""Delimited text: split into a header and cells, parsed by polars, typed column by column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from probus.data._coded_strings import CodedStrings
from probus.data._column import Column, quote_some
from probus.data._written_formats import shows_decimal
from probus.data.reading._byte_source import Source, Text
from probus.data.reading._cells import ParsedCells, split_cells
from probus.data.reading._encoding import check_beginning, text_in_utf8
from probus.data.reading._header import Body, choose_columns, column_names, split_header, trim, with_line_feeds
from probus.data.reading._missing_markers import CONVENTIONAL, Declared
from probus.data.reading._preamble import without_preamble
from probus.data.reading._sniff import DELIMITERS, Dialect, is_number, sniff
from probus.data.reading._string_columns import Typed, facts_of, typed_numbers, typed_strings
from probus.data.reading._text_layout import Layout, ragged_line_error
from probus.display import counted
from probus.errors import Advice, DataError

if TYPE_CHECKING:
    import polars as pl

_LONGEST = 2**31 - 1
_lock = Lock()
_users: list[int] = []  # for each block that is entered, the limit before it; the first is that of the process


@contextmanager
def long_fields() -> Iterator[None]:
    """Allow long cells inside the block, in all threads; the limit of before is set when the last block ends.

    >>> before = csv.field_size_limit()
    >>> with long_fields():
    ...     len(next(csv.reader(["x" * 200_000]))[0])
    200000
    >>> csv.field_size_limit() == before
    True
    """
    with _lock:
        _users.append(csv.field_size_limit(_LONGEST))
    try:
        yield
    finally:
        with _lock:
            limit = _users.pop()
            if not _users:
                csv.field_size_limit(limit)


@long_fields()
def read_delimited(
    source: Source,
    declared: Declared,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    skip: int | None = None,
    comment: str | None = None,
    columns: Sequence[str] | None = None,
) -> tuple[list[Column], list[str]]:
    """The columns of the text, and notes on what was detected."""
    check_beginning(source.text, source.name)
    text, notes = text_in_utf8(source.text, encoding, source.name)
    above = without_preamble(with_line_feeds(text), source.name, skip=skip, comment=comment)
    text, blank = trim(above.text, above.name)
    delimiter = delimiter or above.delimiter
    if delimiter == BLANKS or (delimiter is None and do_blanks_separate(text)):
        notes += ["columns separated by blanks"] if delimiter is None else []
        text, delimiter = with_single_blanks(text), " "
    dialect = sniff(text, source.ending, delimiter=delimiter, decimal=decimal, header=header)
    titles, body = split_header(text, dialect, above.first_line + blank - 1, above.name)
    names, renamed = column_names(titles)
    place = {name: j for j, name in enumerate(names)}
    wanted = [place[name] for name in choose_columns(names, columns, source.name)]
    shown = decimal is not None or _shows_decimal(dialect)
    numeric = {j for j in wanted if _seems_numeric(j, dialect, shown)}
    cells = split_cells(body, dialect.delimiter, len(names), wanted, numeric, above.name)
    if cells is None:
        typed = _type_irregular(names, wanted, body, dialect, declared, above.name, shown)
    else:
        typed = _type_regular(names, wanted, cells, dialect, declared, shown)
    layout = cells.layout if cells else None
    notes += [*above.notes, *dialect.notes, *renamed, *_notes_on_lines(layout), *_notes_on_markers(typed)]
    return [each.column for each in typed], notes + [each.note for each in typed if each.note]


def _type_regular(
    names: list[str], wanted: list[int], cells: ParsedCells, dialect: Dialect, declared: Declared, decimal_shown: bool
) -> list[Typed]:
    """The columns of text with regular quotes: unquoted numbers are converted directly, the rest as strings."""
    quoted = _quoting(cells, dialect)
    strings = [_strip(cells.strings[j], names[j], dialect) for j in wanted if j not in cells.numbers]
    examined = iter(zip(strings, facts_of(strings, dialect.decimal, declared), strict=True))
    return [
        typed_numbers(names[j], cells.numbers[j], declared)
        if j in cells.numbers
        else _type_strings(*next(examined), quoted[j], dialect, cells.layout, j, declared, decimal_shown)
        for j in wanted
    ]


def _strip(cells: CodedStrings, name: str, dialect: Dialect) -> CodedStrings:
    named = cells.renamed(name)
    return named.mapped(named.seen.str.strip_chars_start(" ")) if dialect.spaced else named


def _shows_decimal(dialect: Dialect) -> bool:
    """Whether one of the first rows shows that the decimal sign does not separate thousands."""
    sign = dialect.decimal
    cells = (cell.strip() for record in dialect.records for cell in record if sign in cell)
    return any(is_number(cell, sign) and shows_decimal(cell, sign) for cell in cells)


def _seems_numeric(j: int, dialect: Dialect, decimal_shown: bool) -> bool:
    """Whether the first cells are numbers that may be converted directly: their digits do not matter."""
    if dialect.decimal == ",":
        return False
    cells = [record[j] for record in dialect.records if j < len(record) and record[j]]
    if not decimal_shown and any("." in cell for cell in cells):
        return False
    return bool(cells) and all(is_number(cell, ".") for cell in cells)


def _quoting(cells: ParsedCells, dialect: Dialect) -> list[bool | None]:
    """For each column True if quotes mark its digits as labels, False if not, None if quotes carry no information.

    Programs that quote strings leave missing values unquoted, so an unquoted NA is not a string. If the decimal sign
    is also the delimiter, quotes only separate the two.
    """
    layout = cells.layout
    if dialect.decimal == dialect.delimiter:
        return [False] * layout.width
    words = layout.bare.copy()
    for j in np.flatnonzero((layout.quoted > 0) & (words > 0)).tolist():
        strings = cells.strings[j]
        markers = strings.counts[strings.seen.str.strip_chars().is_in(list(CONVENTIONAL)).to_numpy()].sum()
        words[j] = max(words[j] - markers, 0)
    if not words.any():
        return [None] * layout.width
    return [bool(in_quotes and not bare) for in_quotes, bare in zip(layout.quoted, words, strict=True)]


def _type_strings(
    cells: CodedStrings,
    facts: pl.DataFrame,
    quoted: bool | None,
    dialect: Dialect,
    layout: Layout,
    j: int,
    declared: Declared,
    decimal_shown: bool,
) -> Typed:
    markers = CONVENTIONAL if not quoted or layout.bare[j] else frozenset()
    if not (quoted and layout.empty.any()):  # if missing cells are unquoted, "" in quotes is an empty string
        markers |= {""}
    typed = typed_strings(
        cells, quoted=quoted, decimal=dialect.decimal, markers=markers, declared=declared, facts=facts,
        decimal_shown=decimal_shown,
    )  # fmt: skip
    if "" in typed.column.levels:
        advice = Advice("missing", [""], when="if they are missing")
        return replace(typed, note=f"column {cells.name!r} has empty strings in quotes, kept as a level; pass {advice}")
    return typed


def _type_irregular(
    names: list[str],
    wanted: list[int],
    body: Body,
    dialect: Dialect,
    declared: Declared,
    name: str,
    decimal_shown: bool,
) -> list[Typed]:
    """The columns of text with quotes in unquoted cells (5" pipe) or after a backslash, with the slower csv module."""
    lines = body.rows()
    first_line = body.first_line
    reader = csv.reader(
        io.StringIO(lines.decode(), newline=""),
        delimiter=dialect.delimiter,
        escapechar="\\" if b'\\"' in lines else None,
        skipinitialspace=True,
        strict=True,
    )
    rows, line = [], first_line
    try:
        for row in reader:
            row = row or [""]
            if len(row) == len(names):
                rows.append(row)
            elif len(row) > 1 or row[0].strip():
                raise ragged_line_error(name, line, len(row), len(names))
            line = first_line + reader.line_num
    except csv.Error as error:
        raise DataError(
            f"{name}: the record that begins in line {line} has an unmatched quote ({error}).",
            "matching quotes around a cell, doubled inside it",
            "Correct that line.",
        ) from error
    columns = list(zip(*rows, strict=True))
    return [
        typed_strings(
            CodedStrings.of(names[j], columns[j]),
            quoted=False,
            decimal=dialect.decimal,
            markers=CONVENTIONAL | {""},
            declared=declared,
            decimal_shown=decimal_shown,
        )
        for j in wanted
    ]


def _notes_on_lines(layout: Layout | None) -> list[str]:
    blank = len(layout.blank) if layout else 0
    return [f"{counted(blank, 'blank line')} skipped"] if blank else []


def _notes_on_markers(typed: list[Typed]) -> list[str]:
    columns: dict[str, list[str]] = {}
    for each in typed:
        for marker in each.markers:
            columns.setdefault(marker, []).append(each.column.name)
    return [
        f"missing values written as {marker!r} in {counted(len(names), 'column')}: {quote_some(names)}"
        for marker, names in columns.items()
    ]


# -- columns that runs of blanks separate, as ``numpy.savetxt`` and Fortran programs write them --------


BLANKS = r"\s+"  # the delimiter by which users ask for it, as in pandas
_SAMPLE = 1 << 16  # bytes
_RUNS = re.compile(rb"[ \t]+")
_RUNS_OUTSIDE_QUOTES = re.compile(rb'("[^"\n]*")|[ \t]+')
_AT_ENDS = re.compile(rb"(?m)^[ \t]+|[ \t]+$")


def do_blanks_separate(text: Text) -> bool:
    """Whether blanks split all lines into equally many fields, at least half of them numbers, and nothing else does.

    >>> do_blanks_separate(b"  1.0   2.0\\n 10.0  -3.5\\n"), do_blanks_separate(b"a b,1\\nc d,2\\n")
    (True, False)
    >>> do_blanks_separate(b"two words\\nin each\\n")
    False
    """
    lines = text[:_SAMPLE].decode("utf-8", "ignore").split("\n")[:200]
    rows = [line.split() for line in (lines[:-1] if len(lines) > 1 else lines) if line.strip()]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    if any(mark in line for mark in DELIMITERS if mark != "\t" for line in lines):
        return False
    if all(line.count("\t") == len(rows[0]) - 1 for line in lines if line.strip()):
        return False  # a file whose delimiter is the tab
    cells = [cell for row in rows[1:] for cell in row]
    return sum(is_number(cell, ".") for cell in cells) >= 0.5 * len(cells)


def with_single_blanks(text: Text) -> bytes:
    """The text with one blank between fields, and none at the ends of lines; quoted blanks are kept.

    >>> with_single_blanks(b'  1.0   "a  b"\\n 10.0\\tc \\n')
    b'1.0 "a  b"\\n10.0 c\\n'
    """
    text = _AT_ENDS.sub(b"", text[:])
    if b'"' not in text:
        return _RUNS.sub(b" ", text)
    return _RUNS_OUTSIDE_QUOTES.sub(lambda found: found[1] or b" ", text)
