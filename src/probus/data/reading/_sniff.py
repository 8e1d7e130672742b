"""Detection of the delimiter, decimal sign and header of delimited text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

from probus.data.reading._byte_source import Text
from probus.data.reading._missing_markers import AMONG_NUMBERS, CONVENTIONAL
from probus.errors import Advice, DataError

# The rarer character first: in "1,5;2,5" both split every line equally, and a semicolon is never part of a number.
DELIMITERS = ("\t", ";", "|", ",")
_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)\s*", re.IGNORECASE)
_COMMA_DECIMAL = re.compile(r"[+-]?\d*,\d+")
_POINT_DECIMAL = re.compile(r"[+-]?\d*\.\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
_SAMPLE_BYTES, _SAMPLE_RECORDS, _LEAST_LINES = 1 << 18, 200, 4
_NO_VALUE = CONVENTIONAL | AMONG_NUMBERS | {""}


@dataclass(frozen=True)
class Dialect:
    """The format of the text; ``records`` are the first rows below the header; ``notes`` report what was detected."""

    delimiter: str
    decimal: str
    header: bool
    spaced: bool
    records: list[list[str]]
    notes: list[str]


def sniff(text: Text, ending: str, *, delimiter: str | None, decimal: str | None, header: bool | None) -> Dialect:
    """The dialect of the text; what the user did not give is detected.

    >>> found = sniff(b"a;b\\n1,5;2\\n", ".csv", delimiter=None, decimal=None, header=None)
    >>> found.notes, found.header
    (["delimiter ';' and decimal comma detected"], True)
    """
    usual = "\t" if ending == ".tsv" else ","
    sample = _Sample.of(text)
    separator = _check(delimiter) or _find_delimiter(sample, usual)
    records = sample.records(separator)
    point = decimal or _find_decimal(records, separator)
    if point not in (".", ","):
        raise DataError(f"decimal is {point!r}.", "'.' or ','")
    if header is not None and not isinstance(header, bool):
        raise DataError(f"header is {header!r}.", "True, False, or None to detect it")
    titled, counted = (header, False) if header is not None else _find_header(records, point)
    body = records[1:] if titled else records
    spaced = _is_spaced(body)
    found = []
    if separator != usual and delimiter is None:
        found.append("delimiter " + ("tab" if separator == "\t" else repr(separator)))
    if point == "," and decimal is None:
        found.append("decimal comma")
    notes = [" and ".join(found) + " detected"] if found else []
    if not titled and header is None:
        notes.append("no header: columns named x0, x1, …")
    if counted:
        advice = Advice("header", False, when="if it is not one")
        notes.append(f"the first row is used as header although it has numbers; pass {advice}")
    if spaced:
        notes.append("spaces after delimiters removed")
    return Dialect(separator, point, titled, spaced, body, notes)


def is_number(cell: str, decimal: str) -> bool:
    """Whether a cell reads as a number with that decimal sign.

    >>> is_number("-1.5e3", "."), is_number("1,5", ","), is_number("1.234", ",")
    (True, True, False)
    """
    if decimal == ",":
        cell = "no" if "." in cell else cell.replace(",", ".")
    return _NUMBER.fullmatch(cell) is not None


def _check(delimiter: str | None) -> str | None:
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r'
    ):
        raise DataError(
            f"delimiter is {delimiter!r}.",
            "one ASCII character such as ',' ';' '|' or '\\t', or r'\\s+' for runs of blanks",
        )
    return delimiter


@dataclass(frozen=True)
class _Sample:
    """The beginning of the text; ``whole`` if it is all of it."""

    text: str
    whole: bool

    @classmethod
    def of(cls, text: Text) -> _Sample:
        stop = _SAMPLE_BYTES
        if text[:stop].count(b"\n") < _LEAST_LINES:  # long lines
            for _ in range(_LEAST_LINES):
                stop = text.find(b"\n", stop) + 1 or len(text)
        return cls(text[:stop].decode("utf-8", "ignore"), len(text) <= stop)

    def records(self, delimiter: str) -> list[list[str]]:
        """The first records; the last one of a longer text is dropped because it may be incomplete."""
        try:
            reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter)
            records = [record for record in islice(reader, _SAMPLE_RECORDS) if record]
        except csv.Error:
            return []
        return records if self.whole or len(records) < 2 else records[:-1]


def _find_delimiter(sample: _Sample, usual: str) -> str:
    """The delimiter that splits the first record and most others into the same number of fields."""
    best, best_share = usual, 0.0
    for delimiter in dict.fromkeys((usual, *DELIMITERS) if usual == "\t" else DELIMITERS):
        widths = [len(record) for record in sample.records(delimiter)] if delimiter in sample.text else []
        if widths and widths[0] > 1 and (share := widths.count(widths[0]) / len(widths)) > best_share:
            best, best_share = delimiter, share
    return best


def _find_decimal(records: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell.strip() for record in records for cell in record]
    commas = [cell for cell in cells if _COMMA_DECIMAL.fullmatch(cell)]
    points = [cell for cell in cells if _POINT_DECIMAL.fullmatch(cell)]
    # "1,234" means 1.234 if the delimiter is a semicolon; otherwise the comma may separate thousands.
    surely = any(not _THOUSANDS.fullmatch(cell) for cell in commas)
    if surely and all(_THOUSANDS.fullmatch(cell.replace(".", ",")) for cell in points):
        return ","  # beside "7,86", the point of "8.654" separates thousands
    return "," if (delimiter == ";" or surely) and len(commas) > len(points) else "."


def _find_header(records: list[list[str]], decimal: str) -> tuple[bool, bool]:
    """Whether the first record is a header, and whether it is one although it has numbers.

    Words above a column of numbers are evidence for a header; numbers above numbers, and words that occur again
    below, against. A row of years, or of 0, 1, 2, …, is a header too.
    """
    if not records:
        return True, False
    top, rows = [cell.strip() for cell in records[0]], records[1:]
    if not rows:
        return not any(is_number(cell, decimal) for cell in top), False
    if _counts_up(top) and not _counts_up(rows[0]):
        return True, True
    favour = against = 0
    for j, title in enumerate(top):
        below = [cell for row in rows if len(row) == len(top) and (cell := row[j].strip()) not in _NO_VALUE]
        if not below or title in _NO_VALUE:
            continue
        if sum(is_number(cell, decimal) for cell in below) >= 0.9 * len(below):
            against += is_number(title, decimal)
            favour += not is_number(title, decimal)
        else:
            against += title in below
    return favour >= against, False


def _counts_up(record: list[str]) -> bool:
    """Whether the record is 0, 1, 2, …, the default column names of frames, or words and consecutive years."""
    counts = [int(cell) for cell in record if cell.isascii() and cell.isdecimal()]
    words = [cell for cell in record if not is_number(cell, ".")]
    if len(counts) < 2 or len(counts) + len(words) < len(record):
        return False
    if counts == list(range(len(counts))):
        return len(counts) > 2 and not any(words)
    return counts[0] >= 1800 and counts[-1] <= 2100 and counts == list(range(counts[0], counts[-1] + 1))


def _is_spaced(records: list[list[str]]) -> bool:
    later = [cell for record in records for cell in record[1:] if cell]
    return bool(later) and all(cell.startswith(" ") for cell in later)
