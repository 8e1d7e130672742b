"""The cells of delimited text: numbers, coded strings, and their layout.

Most files have no delimiter and no quote inside quotes. Polars then splits the text as if quotes had no meaning, and
the number of delimiters proves that every line has all its fields. Other files are surveyed byte by byte first.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from probus.data._coded_strings import CodedStrings, examine_strings
from probus.data.reading._byte_source import MappedFile
from probus.data.reading._header import Body
from probus.data.reading._string_columns import EXACT
from probus.data.reading._text_layout import Layout, survey
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl


_QUOTE, _LINE_FEED, _ZERO, _NINE = 34, 10, 48, 57
_BLOCK = 1 << 17  # a block and the masks over it stay in the second-level cache
_A_THREAD = 1 << 22  # bytes
_MOST_MASKS = 255  # that a byte can count
_LED_BY_ZERO = r"^0\d"
_LIKE_ZLIB = (b"x^", b"x\x01")  # polars takes text that begins so for compressed


@dataclass(frozen=True)
class ParsedCells:
    """The columns by their places: float64 arrays, NaN for empty cells, or strings; and their layout."""

    numbers: dict[int, np.ndarray]
    strings: dict[int, CodedStrings]
    layout: Layout


def split_cells(
    body: Body, delimiter: str, width: int, wanted: Collection[int], numeric: Collection[int], name: str
) -> ParsedCells | None:
    """The cells of the ``wanted`` columns, perhaps of more, and the layout of all; None if quotes are irregular.

    The ``numeric`` columns are arrays where all cells are unquoted numbers that lose no digits, without leading zeros.
    A line with more or fewer than ``width`` fields is an error that gives its number.

    >>> cells = split_cells(Body(b'1,"a"\\n,"b"\\n', 0, 1), ",", 2, [0, 1], [0], "'x.csv'")
    >>> cells.numbers[0].tolist(), cells.strings[1].listed, cells.layout.quoted.tolist(), cells.layout.empty.tolist()
    ([1.0, nan], ['a', 'b'], [0, 2], [1, 0])
    """
    import polars as pl

    if width > 1 and (found := _split_simply(body, delimiter, width, wanted, numeric)):
        return found
    rows = body.rows()
    layout = survey(rows, delimiter, width, name, body.first_line)
    if layout is None:
        return None
    kept = layout.without_blank_lines(rows)
    try:
        frame = _parse(Body(kept, 0, body.first_line), delimiter, width, quote='"')
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name} cannot be parsed: {str(error).splitlines()[0]}.", "delimited text") from error
    numbers = _plain_numbers(frame, [j for j in numeric if not layout.quoted[j]])
    needed = set(wanted) | set(np.flatnonzero(layout.quoted).tolist())
    return ParsedCells(numbers, _code(frame, sorted(needed - numbers.keys())), layout)


def _parse(body: Body, delimiter: str, width: int, *, quote: str | None, numeric: Collection[int] = ()) -> pl.DataFrame:
    import polars as pl

    text, above = body.text, body.text[: body.start].count(b"\n")
    if text[:2] in _LIKE_ZLIB:
        text, above = b"\n" + text[:], above + 1
    schema = {str(j): pl.Float64 if j in numeric else pl.String for j in range(width)}
    source = text.file if isinstance(text, MappedFile) else text
    return pl.read_csv(source, has_header=False, skip_lines=above, separator=delimiter, schema=schema, quote_char=quote)


def _split_simply(
    body: Body, delimiter: str, width: int, wanted: Collection[int], numeric: Collection[int]
) -> ParsedCells | None:
    """The cells if no line is blank or has another width, and quotes are only around whole cells.

    Polars refuses lines with too many fields. If the delimiters are as many as they should be, no line has too few.
    """
    import polars as pl

    counts = _counts(body, ord(delimiter))
    if counts.delimiters != counts.lines * (width - 1):
        return None
    # quotes and leading zeros are counted in all columns
    places = range(width) if counts.quotes or counts.zero_led else wanted
    try:
        cells = _ignore_quotes(body, delimiter, width, places, numeric, counts.zero_led)
    except pl.exceptions.PolarsError:  # a line has too many fields
        return None
    strings, quoted = cells.strings, cells.layout.quoted
    if counts.quotes:
        for j, (bare, times) in zip(strings, _without_quotes([*strings.values()]), strict=True):
            strings[j], quoted[j] = bare, times
    return cells if cells.layout.rows == counts.lines and counts.quotes == 2 * quoted.sum() else None


def _ignore_quotes(
    body: Body, delimiter: str, width: int, places: Collection[int], numeric: Collection[int], zero_led: int
) -> ParsedCells:
    """The cells with their quotes; strings are converted to numbers only where parsing numbers loses something."""
    frame = _with_numbers(body, delimiter, width, numeric)
    if frame is not None:
        strings = _code(frame, [j for j in places if j not in numeric])
        if zero_led == (zero_led and sum(map(_leading_zeros, strings.values()))):
            columns = frame.get_columns()
            return ParsedCells(_arrays({j: columns[j] for j in numeric}), strings, _layout(frame))
    frame = _parse(body, delimiter, width, quote=None)
    numbers = _plain_numbers(frame, numeric)
    return ParsedCells(numbers, _code(frame, [j for j in places if j not in numbers]), _layout(frame))


def _with_numbers(body: Body, delimiter: str, width: int, numeric: Collection[int]) -> pl.DataFrame | None:
    """The cells with float64 for numeric columns; None if one of these holds anything that float64 is not."""
    import polars as pl

    try:
        frame = _parse(body, delimiter, width, quote=None, numeric=numeric)
    except pl.exceptions.PolarsError:
        return None
    columns = frame.get_columns()
    return frame if all(_is_exact(columns[j]) for j in numeric) else None


def _is_exact(numbers: Any) -> bool:
    """Whether no number of a series is NaN, or so large that digits may be lost."""
    if numbers.null_count() == len(numbers):
        return True
    return not math.isnan(numbers.sum()) and -EXACT < numbers.min() <= numbers.max() < EXACT


def _plain_numbers(frame: pl.DataFrame, numeric: Collection[int]) -> dict[int, np.ndarray]:
    """The columns of strings whose cells that are not empty are numbers, without leading zeros or lost digits."""
    import polars as pl

    found: dict[int, pl.Series] = {}
    columns = frame.get_columns()
    texts = pl.DataFrame([columns[j] for j in numeric])
    led = texts.select(pl.all().str.contains(_LED_BY_ZERO).any()).row(0) if numeric else ()
    for j, zero_led in zip(numeric, led, strict=True):
        numbers = columns[j].cast(pl.Float64, strict=False)
        if not zero_led and numbers.null_count() == columns[j].null_count() and _is_exact(numbers):
            found[j] = numbers
    return _arrays(found)


def _arrays(numbers: dict[int, pl.Series]) -> dict[int, np.ndarray]:
    """The columns as arrays, nulls as NaN; a query that fills them takes a fifth of the time of arrays of nulls."""
    import polars as pl

    if any(series.null_count() for series in numbers.values()):
        filled = pl.DataFrame([series.alias(str(j)) for j, series in numbers.items()]).fill_null(math.nan)
        numbers = dict(zip(numbers, filled.get_columns(), strict=True))
    return {j: series.to_numpy() for j, series in numbers.items()}


def _layout(frame: pl.DataFrame) -> Layout:
    layout = Layout(frame.width, frame.height)
    layout.empty = np.array(frame.null_count().row(0))
    return layout


def _code(frame: pl.DataFrame, places: list[int]) -> dict[int, CodedStrings]:
    import polars as pl

    columns = frame.get_columns()
    return dict(zip(places, CodedStrings.of_frame(pl.DataFrame([columns[j] for j in places])), strict=True))


def _leading_zeros(cells: CodedStrings) -> int:
    """The number of cells that begin with a zero and another digit."""
    return int(cells.counts[cells.seen.str.contains(_LED_BY_ZERO).to_numpy()].sum())


def _without_quotes(columns: list[CodedStrings]) -> Iterator[tuple[CodedStrings, int]]:
    """The strings of each column without the quotes around them, and the number of cells that were quoted."""
    import polars as pl

    text = pl.first().str
    around = text.starts_with('"') & text.ends_with('"') & (text.len_bytes() > 1)
    for cells, facts in zip(columns, examine_strings(columns, around=around, bare=text.strip_chars('"')), strict=True):
        quoted = int(cells.counts[facts["around"].to_numpy()].sum())
        yield (cells.mapped(facts["bare"]) if quoted else cells), quoted


class _Counts(NamedTuple):
    """The numbers of line feeds, delimiters and quotes, and of cells that begin with a zero and another digit."""

    lines: int
    delimiters: int
    quotes: int
    zero_led: int


def _counts(body: Body, delimiter: int) -> _Counts:
    """The counts of the bytes, on threads: NumPy does not hold the lock of Python meanwhile."""
    import polars as pl

    text = body.view()
    quoted = body.text.find(b'"', body.start) >= 0
    threads = max(1, min(pl.thread_pool_size(), len(text) // _A_THREAD))
    size = -(-len(text) // threads)
    bounds = [(start, min(start + size, len(text))) for start in range(0, len(text), size)]
    count = partial(_counts_between, text, delimiter, quoted)
    if threads == 1:
        found = list(map(count, bounds))
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(count, bounds))
    lines, delimiters, quotes, zero_led = np.sum(found, axis=0).tolist()
    first_cell = text[0] == _ZERO and chr(text[1]) in "0123456789"
    return _Counts(lines, delimiters, quotes, zero_led + first_cell)


def _counts_between(text: np.ndarray, delimiter: int, quoted: bool, bounds: tuple[int, int]) -> _Counts:
    lines, delimiters, quotes, zero_led = _Tally(), _Tally(), _Tally(), 0
    masks = np.empty((3, _BLOCK), dtype=bool)
    for start in range(*bounds, _BLOCK):
        block = text[start : min(start + _BLOCK, bounds[1])]
        feeds, ends, found = masks[:, : len(block)]
        if quoted:
            quotes.add(np.equal(block, _QUOTE, out=found))
        lines.add(np.equal(block, _LINE_FEED, out=feeds))
        delimiters.add(np.equal(block, delimiter, out=ends))
        ends |= feeds
        second = text[start + 2 : start + 2 + len(block)]
        led = np.equal(text[start + 1 : start + 1 + len(second)], _ZERO, out=found[: len(second)])
        led &= ends[: len(second)]
        led &= np.greater_equal(second, _ZERO, out=feeds[: len(second)])
        if led.any():
            zero_led += int(np.count_nonzero(led & (second <= _NINE)))
    return _Counts(lines.total(), delimiters.total(), quotes.total(), zero_led)


class _Tally:
    """The number of true elements of masks, added up in bytes: that takes half the time of counting each mask."""

    def __init__(self) -> None:
        self._bytes = np.zeros(_BLOCK, dtype=np.uint8)
        self._masks = self._counted = 0

    def add(self, mask: np.ndarray) -> None:
        if self._masks == _MOST_MASKS:
            self.total()
        self._bytes[: len(mask)] += mask.view(np.uint8)
        self._masks += 1

    def total(self) -> int:
        """The number so far."""
        self._counted += int(self._bytes.sum(dtype=np.int64))
        self._bytes[:] = self._masks = 0
        return self._counted
