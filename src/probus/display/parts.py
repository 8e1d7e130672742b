"""The parts of a displayed result. Each is written as lines of text and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import Any

from probus.display.drawing import svg_of

__all__ = ["Cells", "Notes", "Paragraph", "Part", "Picture"]


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

    def lines(self) -> list[str]:
        """The text."""
        return _wrapped(self.text, self.width)

    def html(self) -> str:
        """A paragraph."""
        text = escape(self.text).replace("\n", "<br>")
        return f"<p><b>{text}</b></p>" if self.bold else f"<p>{text}</p>" if text else ""


@dataclass(frozen=True)
class Cells(Part):
    """A table. Cells are strings, or objects that have HTML of their own.

    rows : the header first; without ``header``, the first cell of each row is its header.
    right : the columns that are aligned right.
    margin : the number of blanks before each line of text.

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

    def lines(self) -> list[str]:
        """The rows, columns two blanks apart."""
        rows = [[str(cell) for cell in row] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        sides = [">" if place in self.right else "<" for place in range(len(widths))]
        padded = (
            [f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)] for row in rows
        )
        return [" " * self.margin + "  ".join(cells).rstrip() for cells in padded]

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
            text = cell._repr_html_() if hasattr(cell, "_repr_html_") else escape(str(cell))
            written.append(f"<{tag}{style}>{text}</{tag}>")
        return f"<tr>{''.join(written)}</tr>"


@dataclass(frozen=True)
class Notes(Part):
    """Separate lines, each after a ``mark``; ``width`` wraps them in a terminal, ``only_html`` leaves them out there.

    >>> Notes(["Add rows."], mark="→ ").lines(), Notes(["a class of < 5 rows"]).html()
    (['  → Add rows.'], '<ul><li>a class of &lt; 5 rows</li></ul>')
    """

    notes: Sequence[str]
    mark: str = ""
    margin: int = 2
    width: int | None = None
    only_html: bool = False

    def lines(self) -> list[str]:
        """The notes."""
        if self.only_html:
            return []
        return [
            " " * self.margin + line for note in self.notes for line in _wrapped(self.mark + note, self.width, "  ")
        ]

    def html(self) -> str:
        """A list."""
        return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in self.notes)}</ul>" if self.notes else ""


@dataclass(frozen=True)
class Picture(Part):
    """A plot in HTML, nothing in text; ``plot`` takes matplotlib axes."""

    plot: Callable[[Any], Any]

    def lines(self) -> list[str]:
        """None."""
        return []

    def html(self) -> str:
        """Inline SVG."""
        return svg_of(self.plot)


def _wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    if width is not None:
        text = fill(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return text.split("\n")
