"""A table as it is displayed: its columns, and its first rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from probus.data._column import Column, level_key, quote_some
from probus.data._dates import COMPACT
from probus.data._kind import Kind
from probus.data._written_formats import ISO
from probus.display import Cells, OnlyHtml, OnlyText, Paragraph, counted, figure, percent

_ROWS = 5
_HALF = 50  # columns at the beginning and at the end that are listed in a terminal
_WIDTH = 100  # of the first rows in a terminal; columns that do not fit are left out
_LONGEST, _LONGEST_IN_HTML = 24, 80  # characters of a cell
_SECONDS_A_DAY = 86_400


def preview(columns: Sequence[Column]) -> list[Any]:
    """The parts of a displayed table: in text, the columns and then the first rows; in HTML, both in one table."""
    if not columns:
        return []
    shown = [*columns[:_HALF], *columns[-_HALF:]] if len(columns) > 2 * _HALF else columns
    lines = [("", "kind", "missing", "values"), *(_describe(column) for column in shown)]
    if len(shown) < len(columns):
        lines.insert(1 + _HALF, (f"… ({len(columns) - len(shown):,} more)", "", "", ""))
    described = Cells(lines, margin=2)
    rows, html = _first_rows(columns), OnlyHtml(_html_rows(columns))
    return [OnlyText(described), *([OnlyText(Paragraph("")), OnlyText(rows)] if rows else []), html]


def notes_on_formats(columns: Iterable[Column]) -> Iterator[str]:
    """A note for each format in which strings were read as numbers or dates, for times of zones, and for 20240131."""
    alike: dict[str, list[Column]] = {}
    for column in columns:
        if column.kind is not Kind.NUMERIC:
            continue
        if column.format and (column.format not in ISO or ", in UTC" in column.why):
            alike.setdefault(column.format, []).append(column)
        elif not column.dates and COMPACT in column.why:
            alike.setdefault(COMPACT, []).append(column)
    for first, *others in alike.values():
        likewise = f" (likewise {quote_some([column.name for column in others])})" if others else ""
        yield f"column {first.name!r}{likewise}: {first.why}"


def cell_text(column: Column, value: Any) -> str:
    """A value of a column as text: numbers without needless digits, dates as dates, nothing if it is missing.

    >>> price, when = Column.numbers("price", []), Column.numbers("when", [], dates=True)
    >>> cell_text(price, 3.0), cell_text(price, 1 / 3), cell_text(price, np.nan), cell_text(when, 1.5)
    ('3', '0.333333', '', '1970-01-02 12:00:00')
    """
    if value is None or value != value:
        return ""
    if column.dates:
        return str(np.datetime64(round(value * _SECONDS_A_DAY), "s")).replace("T", " ").removesuffix(" 00:00:00")
    if column.kind is Kind.NUMERIC:
        return f"{value:.0f}" if abs(value) < 1e15 and value == np.floor(value) else f"{value:.6g}"
    return str(value)


def _describe(column: Column) -> tuple[str, str, str, str]:
    missing = int(column.missing.sum())
    share = f"{missing} ({percent(missing / len(column))})" if missing else ""
    if column.kind.has_levels:
        values = (" < " if column.kind is Kind.ORDINAL else ", ").join(level_key(level) for level in column.levels[:6])
        values += ", …" if len(column.levels) > 6 else ""
    elif missing == len(column):
        values = "none"
    elif column.kind is Kind.NUMERIC:
        low, high = np.nanmin(column.values), np.nanmax(column.values)
        values = " – ".join(figure(v, dates=True) if column.dates else f"{v:g}" for v in (low, high))
    else:
        values = repr(next(v for v in column.values if v is not None))
    return one_line(column.name, 28), str(column.kind), share, one_line(values, 60)


def _cells(column: Column, most: int) -> list[str]:
    first = column.take(slice(0, _ROWS))
    return [one_line(cell_text(column, value), most) for value in first.decoded().tolist()]


def one_line(text: str, most: int = _LONGEST) -> str:
    """A text in one line of at most so many characters."""
    text = text.replace("\n", " ")
    return text if len(text) <= most else text[: most - 1] + "…"


def _numeric(columns: Sequence[Column]) -> list[int]:
    """The places of the numbers behind a column of row numbers."""
    return [place for place, column in enumerate(columns, 1) if column.kind is Kind.NUMERIC]


def _first_rows(columns: Sequence[Column]) -> Cells | None:
    if not len(columns[0]):
        return None
    shown: list[list[str]] = [["", *map(str, range(min(_ROWS, len(columns[0]))))]]
    left = _WIDTH - 4
    for column in columns:
        cells = [one_line(column.name, _LONGEST), *_cells(column, _LONGEST)]
        left -= max(map(len, cells)) + 2
        if left < 0 and len(shown) > 1:
            break
        shown.append(cells)
    hidden = len(columns) - len(shown) + 1
    if hidden:
        shown.append([f"… {counted(hidden, 'more column')}", *[""] * (len(shown[0]) - 1)])
    right = [place for place in _numeric(columns) if place < len(shown) - bool(hidden)]
    return Cells(list(zip(*shown, strict=True)), right=[0, *right], margin=2)


def _html_rows(columns: Sequence[Column]) -> Cells:
    missing = [f"{gone:,}" if (gone := int(column.missing.sum())) else "" for column in columns]
    facts = [
        ("", *(column.name for column in columns)),
        ("kind", *(column.kind for column in columns)),
        ("missing", *missing),
    ]
    rows = zip(*(_cells(column, _LONGEST_IN_HTML) for column in columns), strict=True)
    return Cells([*facts, *((str(i), *row) for i, row in enumerate(rows))], right=_numeric(columns))
