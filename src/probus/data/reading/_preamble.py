"""The lines above the table in delimited text: skipped ones, Excel's ``sep=`` line, and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from probus.data.reading._byte_source import Text
from probus.data.reading._sniff import DELIMITERS, is_number
from probus.display import counted
from probus.errors import Advice, DataError

_SEPARATOR_LINE = re.compile(rb'"?sep=([^\n"])"?\n', re.IGNORECASE)
_COMMENTS = re.compile(rb"(?:#[^\n]*\n|[ \t]*\n)+")


@dataclass
class Preamble:
    """The text below the lines, the number of its first line, the delimiter that they give, and notes on them.

    ``name`` is that of the file for messages; it states if lines further down are not counted.
    """

    text: Text
    name: str
    first_line: int = 1
    delimiter: str | None = None
    notes: list[str] = field(default_factory=list)

    def cut(self, stop: int) -> bytes:
        """Remove the first bytes, which are whole lines."""
        lines, self.text = self.text[:stop], self.text[stop:]
        self.first_line += lines.count(b"\n")
        return lines


def without_preamble(text: Text, name: str, *, skip: int | None, comment: str | None) -> Preamble:
    """The text, whose lines end in line feeds, without the lines above the table and without comments.

    Leading lines that start with ``#`` are comments, unless the last of them is the header.

    >>> found = without_preamble(b"sep=;\\n# 2024\\na;b\\n1;2\\n", "'x.csv'", skip=None, comment=None)
    >>> found.text, found.delimiter, found.first_line, found.notes
    (b'a;b\\n1;2\\n', ';', 3, ["delimiter ';' given by the line 'sep=;'", '1 leading comment line skipped'])
    """
    found = Preamble(text, name)
    if skip is not None:
        _skip(found, skip)
    if line := _SEPARATOR_LINE.match(found.text):
        found.cut(line.end())
        found.delimiter = line[1].decode("ascii", "replace")
        found.notes.append(f"delimiter {found.delimiter!r} given by the line 'sep={found.delimiter}'")
    if comment is not None:
        _remove_comments(found, comment)
    elif line := _COMMENTS.match(found.text) if found.text[:1] == b"#" else None:
        _cut_comments(found, line.end())
    return found


def _skip(found: Preamble, lines: int) -> None:
    if isinstance(lines, bool) or not isinstance(lines, int) or lines < 0:
        raise DataError(f"skip is {lines!r}.", "the number of lines above the header")
    stop = 0
    for _ in range(lines):
        stop = found.text.find(b"\n", stop) + 1 or len(found.text)
    if stop >= len(found.text) > 0 and lines:
        raise DataError(
            f"{found.name} has no line below the {lines} that are skipped.", f"a smaller {Advice('skip', '')}"
        )
    found.cut(stop)


def _remove_comments(found: Preamble, prefix: str) -> None:
    if not isinstance(prefix, str) or not prefix.strip():
        raise DataError(f"comment is {prefix!r}.", "the characters that begin a comment line, such as '#'")
    text, count = re.subn(rb"(?m)^" + re.escape(prefix.encode()) + rb"[^\n]*\n?", b"", found.text)
    if count:
        lines = counted(count, "comment line")
        found.text, found.name = text, f"{found.name} without its {lines}"
        found.notes.append(f"{lines} skipped")


def _cut_comments(found: Preamble, stop: int) -> None:
    below = found.text[stop : found.text.find(b"\n", stop) + 1 or len(found.text)]
    if not below:  # every line starts with it: these are values
        return
    comments = found.text[:stop].rstrip(b"\n")
    last = comments.rfind(b"\n") + 1
    if header := _as_header(comments[last:].decode(), below.decode()):
        found.cut(last)
        found.text = header.encode() + found.text[len(comments) - last :]
    else:
        found.cut(stop)
    count = comments.count(b"\n") + (not header)
    if count:
        found.notes.append(f"{counted(count, 'leading comment line')} skipped")
    if header and not comments[last:].decode().startswith(header):
        found.notes.append("the comment above the first row is used as header")


def _as_header(comment: str, below: str) -> str:
    """The comment as a header if it has words above numbers in as many fields as the next line; empty if it has not."""
    for delimiter in (*DELIMITERS, None):  # None: runs of blanks
        given = comment if delimiter else comment.lstrip("#")
        names, cells = given.split(delimiter), below.rstrip("\n").split(delimiter)
        if len(names) == len(cells) > 1 and any(is_number(cell, ".") for cell in cells):
            if any(is_number(name, ".") for name in names):
                return ""
            return comment if names[0].strip() == "#" else comment.lstrip("# ")
    return ""
