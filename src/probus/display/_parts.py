"""The parts of a displayed result. Each is written as lines of text and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import fill
from typing import Any

from probus.display.drawing import svg_of


class Part(ABC):
    """A part of a displayed result."""

    @abstractmethod
    def lines(self) -> list[str]:
        """The part as lines of text, for a terminal."""

    @abstractmethod
    def html(self) -> str:
        """The part as HTML, for a notebook."""


@dataclass(frozen=True)
class Paragraph(Part):
    """Text; ``width`` wraps it in a terminal."""

    text: str
    width: int | None = None
    bold: bool = False
    margin: int = 0

    def lines(self) -> list[str]:
        """The text."""
        return [" " * self.margin + line for line in _wrap(self.text, self.width)]

    def html(self) -> str:
        """A paragraph."""
        text = _escape(self.text)
        return f"<p><b>{text}</b></p>" if self.bold else f"<p>{text}</p>" if text else ""


@dataclass(frozen=True)
class Cells(Part):
    """A table. Cells are strings, of several lines perhaps, or objects that have HTML of their own.

    rows : the header first; without ``header``, the first cell of each row is its header.
    right : the columns that are aligned right.
    margin : the number of blanks before each line of text. most : the number of rows shown in text.

    >>> table = Cells([["", "model", "accuracy"], ["1", "forest", "0.81"], ["10", "Zero-R", "0.62"]], right=[0])
    >>> print(*table.lines(), sep="\\n")
        model   accuracy
     1  forest  0.81
    10  Zero-R  0.62
    >>> Cells([["model", "<b>"]], header=False).html()
    '<table><tbody><tr><th>model</th><td>&lt;b&gt;</td></tr></tbody></table>'
    """

    rows: Sequence[Sequence[Any]]
    right: Sequence[int] = ()
    margin: int = 0
    header: bool = True
    most: int | None = None

    def lines(self) -> list[str]:
        """The rows, columns two blanks apart."""
        shown = self.rows if self.most is None else self.rows[: self.most + self.header]
        rows = [[str(cell).split("\n") for cell in row] for row in shown]
        widths = [max(len(line) for cell in column for line in cell) for column in zip(*rows, strict=True)]
        sides = [">" if place in self.right else "<" for place in range(len(widths))]
        lines = []
        for row in rows:
            for cells in zip_longest(*row, fillvalue=""):
                padded = (f"{c:{side}{width}}" for c, side, width in zip(cells, sides, widths, strict=True))
                lines.append(" " * self.margin + "  ".join(padded).rstrip())
        hidden = len(self.rows) - len(shown)
        return [*lines, *([f"  … and {hidden:,} more: see to_frame()"] if hidden else [])]

    def html(self) -> str:
        """A table."""
        head = f"<thead>{self._row(self.rows[0], 'th', 'th')}</thead>" if self.header else ""
        body = "".join(self._row(row, "td" if self.header else "th", "td") for row in self.rows[self.header :])
        return f"<table>{head}<tbody>{body}</tbody></table>"

    def _row(self, cells: Sequence[Any], first: str, others: str) -> str:
        written = []
        for place, cell in enumerate(cells):
            tag = others if place else first
            style = ' style="text-align:right"' if place in self.right else ""
            text = cell._repr_html_() if hasattr(cell, "_repr_html_") else _escape(str(cell))
            written.append(f"<{tag}{style}>{text}</{tag}>")
        return f"<tr>{''.join(written)}</tr>"


@dataclass(frozen=True)
class Notes(Part):
    """Separate lines, each after a ``mark``; ``width`` wraps them in a terminal, ``ordered`` numbers them in HTML.

    >>> Notes(["Add rows."], mark="→ ").lines(), Notes(["a class of < 5 rows"]).html()
    (['  → Add rows.'], '<ul><li>a class of &lt; 5 rows</li></ul>')
    """

    notes: Sequence[str]
    mark: str = ""
    margin: int = 2
    width: int | None = None
    ordered: bool = False

    def lines(self) -> list[str]:
        """The notes."""
        return [" " * self.margin + line for note in self.notes for line in _wrap(self.mark + note, self.width, "  ")]

    def html(self) -> str:
        """A list."""
        tag = "ol" if self.ordered else "ul"
        items = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<{tag}>{items}</{tag}>" if items else ""


@dataclass(frozen=True)
class OnlyText(Part):
    """A part that HTML shows in another way."""

    part: Part

    def lines(self) -> list[str]:
        """Those of the part."""
        return self.part.lines()

    def html(self) -> str:
        """Nothing."""
        return ""


@dataclass(frozen=True)
class OnlyHtml(Part):
    """A part that text shows in another way, or leaves out for its length."""

    part: Part

    def lines(self) -> list[str]:
        """None."""
        return []

    def html(self) -> str:
        """That of the part."""
        return self.part.html()


@dataclass(frozen=True)
class Picture(Part):
    """A plot in HTML, nothing in text; ``plot`` takes matplotlib axes, ``size`` and ``themed`` are as of ``svg_of``."""

    plot: Callable[[Any], Any]
    size: tuple[float, float] = (4.8, 4.8)
    themed: bool = False

    def lines(self) -> list[str]:
        """None."""
        return []

    def html(self) -> str:
        """Inline SVG."""
        return svg_of(self.plot, size=self.size, themed=self.themed)


def _escape(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _wrap(text: str, width: int | None, indent: str = "") -> list[str]:
    if width is not None:
        text = fill(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return text.split("\n")
