"""The layout of delimited text: fields per line, and which cells are quoted or empty.

A parser does not report any of this, and accepts short lines and unmatched quotes silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from probus.display import counted
from probus.errors import Advice, DataError

_QUOTE, _LINE_FEED = 34, 10
_BLOCK = 1 << 18  # a block and the masks over it stay in the second-level cache


@dataclass
class Layout:
    """Counts of cells per column; ``blank`` are the byte spans of blank lines."""

    width: int
    rows: int = 0
    quoted: np.ndarray = field(init=False)
    empty: np.ndarray = field(init=False)
    blank: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.quoted, self.empty = np.zeros((2, self.width), dtype=np.int64)

    @property
    def bare(self) -> np.ndarray:
        """Cells that are neither quoted nor empty."""
        return self.rows - self.quoted - self.empty

    def without_blank_lines(self, text: bytes) -> bytes:
        """The text without its blank lines."""
        edges = [0, *(edge for span in self.blank for edge in span), len(text)]
        return b"".join(text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True))


def survey(text: bytes, delimiter: str, width: int, name: str, first_line: int = 1) -> Layout | None:
    """The layout of UTF-8 text whose lines end in a line feed; None if quotes are irregular.

    A line with more or fewer than ``width`` fields is an error that gives its number.

    >>> found = survey(b'1,"a"\\n,"b"\\n', ",", 2, "'x.csv'")
    >>> found.rows, found.quoted.tolist(), found.empty.tolist()
    (2, [0, 2], [1, 0])
    """
    layout = Layout(width)
    buffer = np.frombuffer(text, np.uint8)
    start, size = 0, _BLOCK
    while start < len(buffer):
        block = buffer[start : start + size]
        ends, orderly = _breaks(block, ord(delimiter))
        lines = np.flatnonzero(block[ends] == _LINE_FEED)
        if not orderly or (not len(lines) and start + size >= len(buffer)):
            return None
        if not len(lines):  # the record is longer than the block
            size *= 2
            continue
        ends = ends[: lines[-1] + 1]
        starts = np.concatenate(([0], ends[:-1] + 1))
        fields = np.diff(lines, prepend=-1)
        stop = start + int(ends[-1]) + 1
        if (fields != width).any():
            spans = np.column_stack((starts[lines - fields + 1], ends[lines] + 1)) + start
            full = _set_blank_aside(layout, text, spans, fields, name, first_line)
            starts, ends = starts[np.repeat(full, fields)], ends[np.repeat(full, fields)]
        _count(layout, block, starts, ends)
        start, size = stop, _BLOCK
    return layout


def ragged_line_error(name: str, line: int, fields: int, width: int) -> DataError:
    """The error for a line with too many or too few fields."""
    return DataError(
        f"{name}: line {line} has {counted(fields, 'field')}, the first line {width}.",
        "the same number in every line",
        f"Correct that line, put quotes around cells that hold the delimiter, pass {Advice('delimiter')}, or "
        f"{Advice('skip')} for lines above the header.",
    )


def _breaks(block: np.ndarray, delimiter: int) -> tuple[np.ndarray, bool]:
    """The ends of the fields, outside quotes, and whether every quote opens or closes a field or is doubled in one."""
    breaks = (block == delimiter) | (block == _LINE_FEED)
    quotes = block == _QUOTE
    marks = np.flatnonzero(quotes)
    if not len(marks):
        return np.flatnonzero(breaks), True
    inside = (np.cumsum(quotes, dtype=np.uint8) & 1).astype(bool)  # overflow keeps the parity
    edge = np.concatenate(([True], breaks | quotes, [True]))
    orderly = np.where(inside[marks], edge[marks], edge[marks + 2]).all()
    return np.flatnonzero(breaks & ~inside), bool(orderly)


def _set_blank_aside(
    layout: Layout, text: bytes, spans: np.ndarray, fields: np.ndarray, name: str, first_line: int
) -> np.ndarray:
    """True for lines that are not blank; the first line with the wrong number of fields is an error."""
    full = np.ones(len(fields), dtype=bool)
    for i in np.flatnonzero(fields != layout.width):
        start, stop = spans[i].tolist()
        if text[start:stop].strip():
            line = first_line + text.count(b"\n", 0, start)
            raise ragged_line_error(name, line, int(fields[i]), layout.width)
        full[i] = False
        layout.blank.append((start, stop))
    return full


def _count(layout: Layout, block: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> None:
    width = layout.width
    first = block[starts]
    layout.rows += len(starts) // width
    layout.quoted += (first == _QUOTE).reshape(-1, width).sum(axis=0)
    layout.empty += (starts == ends).reshape(-1, width).sum(axis=0)
