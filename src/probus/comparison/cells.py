"""Rows of cells as aligned text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["as_html", "as_text"]


def as_text(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """The rows under each other, columns two blanks apart, those numbered in ``right`` flush right.

    >>> print(as_text([["", "model", "accuracy"], ["1", "forest", "0.81"], ["10", "Zero-R", "0.62"]], right=[0]))
        model   accuracy
     1  forest  0.81
    10  Zero-R  0.62
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def as_html(rows: Sequence[Sequence[str]], note: str = "") -> str:
    """A table whose first row is its head, with a note under it.

    >>> as_html([["model"], ["<b>"]])
    '<table><thead><tr><th>model</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head, *body = rows
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body)
    below = f'<p style="opacity:.7">{escape(note)}</p>' if note else ""
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>{below}"
