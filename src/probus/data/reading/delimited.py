"""Delimited text: split into a header and cells, parsed by polars, typed column by column."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from probus.data.column import Column, quote_some
from probus.data.reading.byte_source import Source
from probus.data.reading.encoding import to_utf8
from probus.data.reading.header import chosen, column_names, split_header, trimmed, with_line_feeds
from probus.data.reading.missing_markers import CONVENTIONAL, Declared
from probus.data.reading.preamble import without_preamble
from probus.data.reading.sniff import Dialect, is_number, sniff
from probus.data.reading.string_columns import EXACT, Typed, typed_numbers, typed_strings
from probus.data.reading.text_layout import Layout, ragged, survey
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_delimited"]


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
    text, notes = to_utf8(source.data, encoding, source.name)
    above = without_preamble(with_line_feeds(text), source.name, skip=skip, comment=comment)
    text, blank = trimmed(above.text, above.name)
    dialect = sniff(text, source.ending, delimiter=delimiter or above.delimiter, decimal=decimal, header=header)
    cells, body, first_line = split_header(text, dialect, above.first_line + blank - 1, above.name)
    names, renamed = column_names(cells)
    wanted = [names.index(name) for name in chosen(names, columns, source.name)]
    layout = survey(body, dialect.delimiter, len(names), above.name, first_line)
    if layout is None:
        typed = _type_irregular(names, wanted, body, dialect, declared, above.name, first_line)
    else:
        typed = _type_regular(names, wanted, layout.without_blank_lines(body), dialect, layout, declared, above.name)
    notes += [*above.notes, *dialect.notes, *renamed, *_notes_on_lines(layout), *_notes_on_markers(typed)]
    return [each.column for each in typed], notes + [each.note for each in typed if each.note]


def _type_regular(
    names: list[str], wanted: list[int], body: bytes, dialect: Dialect, layout: Layout, declared: Declared, name: str
) -> list[Typed]:
    """The columns of text with regular quotes: unquoted numbers are parsed directly, the rest as strings."""
    fast = {j for j in wanted if _seems_numeric(j, dialect, layout)}
    frame = _parse(body, dialect, len(names), fast, name, sorted(wanted))
    arrays = {j: frame[str(j)].to_numpy() for j in fast}
    numbers = {j: array for j, array in arrays.items() if _all_parsed(array, int(layout.empty[j]))}
    doubtful = sorted(fast - numbers.keys())
    if doubtful:
        frame = frame.with_columns(_parse(body, dialect, len(names), set(), name, doubtful))
    quoted = _quoting(frame, dialect, layout)
    return [
        typed_numbers(names[j], numbers[j], declared)
        if j in numbers
        else _type_strings(names[j], frame[str(j)], quoted[j], dialect, layout, j, declared)
        for j in wanted
    ]


def _seems_numeric(j: int, dialect: Dialect, layout: Layout) -> bool:
    if dialect.decimal == "," or layout.quoted[j] or layout.zero_led[j]:
        return False
    cells = [record[j] for record in dialect.records if j < len(record) and record[j]]
    return bool(cells) and all(is_number(cell, ".") for cell in cells)


def _parse(body: bytes, dialect: Dialect, width: int, numeric: set[int], name: str, only: list[int]) -> pl.DataFrame:
    """The cells in columns "0", "1", …: float64 for the numeric ones (null if a cell is not a number), else strings."""
    import polars as pl

    schema = {str(j): pl.Float64 if j in numeric else pl.String for j in range(width)}
    try:
        return pl.read_csv(
            body, has_header=False, separator=dialect.delimiter, schema=schema, columns=only, ignore_errors=True
        )
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name} cannot be parsed: {str(error).splitlines()[0]}.", "delimited text") from error


def _all_parsed(numbers: np.ndarray, empty: int) -> bool:
    """Whether every cell that is not empty was parsed as a number, and no integer lost digits."""
    if np.count_nonzero(np.isnan(numbers)) != empty:
        return False
    beyond = numbers[np.abs(numbers) > EXACT]
    return not np.isfinite(beyond).any()


def _quoting(frame: pl.DataFrame, dialect: Dialect, layout: Layout) -> list[bool | None]:
    """For each column True if quotes mark its digits as labels, False if not, None if quotes carry no information.

    Programs that quote strings leave missing values unquoted, so an unquoted NA is not a string. If the decimal sign
    is also the delimiter, quotes only separate the two.
    """
    if dialect.decimal == dialect.delimiter:
        return [False] * layout.width
    words = layout.bare.copy()
    for j in np.flatnonzero((layout.quoted > 0) & (words > 0)):
        if str(j) not in frame.columns:
            continue
        markers = frame[str(j)].str.strip_chars().is_in(list(CONVENTIONAL)).sum()
        words[j] = max(words[j] - markers, 0)
    if not words.any():
        return [None] * layout.width
    return [bool(in_quotes and not bare) for in_quotes, bare in zip(layout.quoted, words, strict=True)]


def _type_strings(
    title: str, cells: pl.Series, quoted: bool | None, dialect: Dialect, layout: Layout, j: int, declared: Declared
) -> Typed:
    markers = CONVENTIONAL if not quoted or layout.bare[j] else frozenset()
    if not (quoted and layout.empty.any()):  # if missing cells are unquoted, "" in quotes is an empty string
        markers |= {""}
    if dialect.spaced:
        cells = cells.str.strip_chars_start(" ")
    typed = typed_strings(title, cells, quoted=quoted, decimal=dialect.decimal, markers=markers, declared=declared)
    if "" in typed.column.levels:
        note = f"column {title!r} has empty strings in quotes, kept as a level; pass missing=[''] if they are missing"
        return replace(typed, note=note)
    return typed


def _type_irregular(
    names: list[str], wanted: list[int], body: bytes, dialect: Dialect, declared: Declared, name: str, first_line: int
) -> list[Typed]:
    """The columns of text with quotes in unquoted cells (5" pipe) or after a backslash, with the slower csv module."""
    import polars as pl

    reader = csv.reader(
        io.StringIO(body.decode(), newline=""),
        delimiter=dialect.delimiter,
        escapechar="\\" if b'\\"' in body else None,
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
                raise ragged(name, line, len(row), len(names))
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
            names[j],
            pl.Series(columns[j], dtype=pl.String),
            quoted=False,
            decimal=dialect.decimal,
            markers=CONVENTIONAL | {""},
            declared=declared,
        )
        for j in wanted
    ]


def _notes_on_lines(layout: Layout | None) -> list[str]:
    blank = len(layout.blank) if layout else 0
    return [f"{blank} blank line{'s' * (blank > 1)} skipped"] if blank else []


def _notes_on_markers(typed: list[Typed]) -> list[str]:
    columns: dict[str, list[str]] = {}
    for each in typed:
        for marker in each.markers:
            columns.setdefault(marker, []).append(each.column.name)
    return [
        f"missing values written as {marker!r} in {len(names)} column{'s' * (len(names) > 1)}: {quote_some(names)}"
        for marker, names in columns.items()
    ]
