"""Sheets of Excel and OpenDocument files, read by fastexcel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from probus.data import _frames as frames
from probus.data._coded_strings import CodedStrings
from probus.data._column import Column, quote_some
from probus.data.reading._byte_source import Source
from probus.data.reading._header import choose_columns, column_names
from probus.data.reading._missing_markers import CONVENTIONAL, Declared
from probus.data.reading._string_columns import typed_strings
from probus.display import counted
from probus.errors import Advice, DataError

if TYPE_CHECKING:
    import polars as pl


def read_excel(
    source: Source,
    declared: Declared,
    sheet: str | int | None = None,
    skip: int | None = None,
    columns: Sequence[str] | None = None,
) -> tuple[list[Column], list[str]]:
    """The columns of a sheet: the one of that name or number (from 1), or the first; ``skip`` rows are above it."""
    book = _open(source)
    place, notes = _place(book.sheet_names, sheet, source.name)
    if skip is not None and (isinstance(skip, bool) or not isinstance(skip, int) or skip < 0):
        raise DataError(f"skip is {skip!r}.", "the number of rows above the header")
    frame, titles = _load(book, place, skip or 0, source.name)
    names, renamed = column_names(titles)
    frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    frame = frame.select(choose_columns(names, columns, source.name))
    blank = frame.height - (frame := frame.filter(~_all_null(frame))).height
    if blank:
        notes.append(f"{counted(blank, 'blank row')} skipped")
    return _infer(frame, declared, [*notes, *renamed])


def _open(source: Source) -> Any:
    try:
        import fastexcel
    except ImportError:
        raise DataError(
            f"{source.name} is an Excel file, and fastexcel is not installed.",
            "fastexcel to read it",
            "pip install 'probus[excel]', or save the sheet as csv.",
        ) from None
    try:
        return fastexcel.read_excel(source.data)
    except fastexcel.FastExcelError as error:
        raise _damage_error(source.name, error) from None


def _damage_error(name: str, error: Exception) -> DataError:
    return DataError(
        f"{name} cannot be read as Excel: {str(error).splitlines()[0]}.", "a complete file", "Get it again."
    )


def _place(sheets: list[str], sheet: str | int | None, name: str) -> tuple[int, list[str]]:
    """The index of the sheet, and a note if the file has others that were not chosen from."""
    if sheet is None and sheets:
        advice = Advice("sheet", python="sheet=", when=f"for {quote_some(sheets[1:])}")
        return 0, [f"sheet {sheets[0]!r} is read; pass {advice}"] if len(sheets) > 1 else []
    if isinstance(sheet, str) and sheet in sheets:
        return sheets.index(sheet), []
    number = int(sheet) if isinstance(sheet, str) and sheet.isdecimal() else sheet
    if isinstance(number, int) and 1 <= number <= len(sheets):
        return number - 1, []
    raise DataError(f"{name} has no sheet {sheet!r}.", f"one of {quote_some(sheets, 12)}, or its number from 1")


def _load(book: Any, place: int, skip: int, name: str) -> tuple[pl.DataFrame, list[str]]:
    """The rows below the header, and the header; unnamed columns without values are left out."""
    top = _rows(book, place, skip, name, n_rows=1, dtypes="string")
    titles = [title or "" for title in top.row(0)] if top.height else []
    plain = [f"c{j}" for j in range(len(titles))]
    below = _rows(book, place, skip + 1, name, column_names=plain, schema_sample_rows=None) if titles else top
    if not below.height:
        raise DataError(f"{name}: the sheet has {'a header and ' * bool(titles)}no rows.", "at least one row")
    used = [j for j, title in enumerate(titles) if title.strip() or below[plain[j]].null_count() < below.height]
    return below.select(plain[j] for j in used), [titles[j] for j in used]


def _rows(book: Any, place: int, skip: int, name: str, **how: Any) -> pl.DataFrame:
    import fastexcel
    import polars as pl

    try:
        return book.load_sheet(place, header_row=None, skip_rows=skip, **how).to_polars()
    except fastexcel.InvalidParametersError:  # no row is left below the skipped ones
        return pl.DataFrame()
    except fastexcel.FastExcelError as error:
        raise _damage_error(name, error) from None


def _all_null(frame: pl.DataFrame) -> pl.Series:
    import polars as pl

    return frame.select(pl.all_horizontal(pl.all().is_null())).to_series()


def _infer(frame: pl.DataFrame, declared: Declared, notes: list[str]) -> tuple[list[Column], list[str]]:
    """The columns: strings as in delimited text, numbers and dates as they are stored."""
    import polars as pl

    columns: list[Column] = []
    for series in frame:
        if series.dtype == pl.String:
            markers = CONVENTIONAL | {""}
            typed = typed_strings(
                CodedStrings.of(series.name, series), quoted=False, decimal=".", markers=markers, declared=declared
            )
            columns.append(typed.column)
            notes += [typed.note] * bool(typed.note)
        else:
            columns += frames.columns_of(declared.removed(series.to_frame()), infer=True).columns
    return columns, notes
