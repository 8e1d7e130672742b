"""Delimited text as a frame, and its layout.

Most files have no delimiter and no quote inside quotes. Polars then splits the text as if quotes had no meaning, and
the number of delimiters proves that every line has all its fields; other files are surveyed byte by byte first.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from probus.data.reading.string_columns import EXACT
from probus.data.reading.text_layout import Layout, survey
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["split_cells"]

_QUOTE, _LINE_FEED, _ZERO = 34, 10, 48
_BLOCK = 1 << 18  # a block and the masks over it stay in the second-level cache


def split_cells(
    body: bytes, delimiter: str, width: int, numeric: Collection[int], name: str, first_line: int
) -> tuple[pl.DataFrame | None, Layout | None]:
    """The cells in columns "0", "1", …, null if empty, and their layout; None if quotes are irregular.

    Cells are strings. Those of the ``numeric`` columns may be float64: if all of them are numbers that lose no digits,
    and no cell of the text begins with a zero before another digit. A line with more or fewer than ``width`` fields is
    an error that gives its number.

    >>> frame, layout = split_cells(b'1,"a"\\n,"b"\\n', ",", 2, [0], "'x.csv'", 1)
    >>> frame.rows(), layout.quoted.tolist(), layout.empty.tolist()
    ([(1.0, 'a'), (None, 'b')], [0, 2], [1, 0])
    """
    import polars as pl

    if width > 1 and (found := _split_simply(body, delimiter, width, numeric)):
        return found
    layout = survey(body, delimiter, width, name, first_line)
    if layout is None:
        return None, None
    try:
        return _parsed(layout.without_blank_lines(body), delimiter, width, quote='"'), layout
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name} cannot be parsed: {str(error).splitlines()[0]}.", "delimited text") from error


def _parsed(
    body: bytes, delimiter: str, width: int, *, quote: str | None, numeric: Collection[int] = ()
) -> pl.DataFrame:
    import polars as pl

    schema = {str(j): pl.Float64 if j in numeric else pl.String for j in range(width)}
    return pl.read_csv(body, has_header=False, separator=delimiter, schema=schema, quote_char=quote)


def _split_simply(
    body: bytes, delimiter: str, width: int, numeric: Collection[int]
) -> tuple[pl.DataFrame, Layout] | None:
    """The cells and the layout if no line is blank or has another width, and quotes are only around whole cells.

    Polars refuses lines with too many fields. If the delimiters are as many as they should be, no line has too few.
    """
    import polars as pl

    lines, delimiters, quotes, zero_led = _counts(body, ord(delimiter))
    if delimiters != lines * (width - 1):
        return None
    try:
        frame = None if zero_led else _with_numbers(body, delimiter, width, numeric)
        frame = _parsed(body, delimiter, width, quote=None) if frame is None else frame
    except pl.exceptions.PolarsError:  # a line has too many fields
        return None
    if lines != frame.height:
        return None
    layout = Layout(width, lines)
    if quotes:
        frame, layout.quoted = _without_quotes(frame)
        if quotes != 2 * layout.quoted.sum():
            return None
    layout.empty = np.array(frame.null_count().row(0))
    return frame, layout


def _with_numbers(body: bytes, delimiter: str, width: int, numeric: Collection[int]) -> pl.DataFrame | None:
    """The cells with float64 for numeric columns; None if one of these holds anything that float64 is not."""
    import polars as pl

    try:
        frame = _parsed(body, delimiter, width, quote=None, numeric=numeric)
    except pl.exceptions.PolarsError:
        return None
    numbers = pl.col(pl.Float64)
    inexact = numbers.is_nan().any() | (numbers.abs().max() > EXACT)
    return None if numeric and any(frame.select(inexact).row(0)) else frame


def _counts(body: bytes, delimiter: int) -> tuple[int, int, int, bool]:
    """The numbers of line feeds, delimiters and quotes, and whether a cell begins with a zero and another digit."""
    text = np.frombuffer(body, np.uint8)
    lines = delimiters = quotes = 0
    quoted = b'"' in body
    zero_led = len(text) > 1 and text[0] == _ZERO and 0 <= int(text[1]) - _ZERO < 10
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        feeds, ends = block == _LINE_FEED, block == delimiter
        lines += int(np.count_nonzero(feeds))
        delimiters += int(np.count_nonzero(ends))
        quotes += int(np.count_nonzero(block == _QUOTE)) if quoted else 0
        if not zero_led:
            first, second = text[start + 1 : start + _BLOCK + 1], text[start + 2 : start + _BLOCK + 2]
            ends |= feeds
            begins = ends[: len(second)]
            begins &= first[: len(second)] == _ZERO
            begins &= second - np.uint8(_ZERO) < 10  # a digit: bytes below "0" wrap around
            zero_led = bool(begins.any())
    return lines, delimiters, quotes, zero_led


def _without_quotes(frame: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
    """The cells without the quotes around them, and the number of quoted cells in each column."""
    import polars as pl
    import polars.selectors as cs

    cells = pl.col(pl.String)
    around = cells.str.starts_with('"') & cells.str.ends_with('"') & (cells.str.len_bytes() > 1)
    counts = frame.select(around.sum()).to_dicts()[0]
    places = [name for name, count in counts.items() if count]
    quoted = np.array([counts.get(name, 0) for name in frame.columns])
    return frame.with_columns(cs.by_name(places).str.strip_chars('"')), quoted
