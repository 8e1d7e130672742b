"""Columns that runs of blanks separate, as ``numpy.savetxt`` and Fortran programs write them."""

from __future__ import annotations

import re

from probus.data.reading._byte_source import Text
from probus.data.reading._sniff import DELIMITERS, is_number

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
