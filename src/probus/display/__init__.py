"""How results are displayed: base classes of results, tables as text and HTML, numbers as text, the style of plots.

A result derives from ``Result`` (or from ``Results``, if it is a sequence) and lists its parts (sentences, ``Cells``,
``Notes``, a ``Picture``) and its rows. Text, HTML, ``to_dict`` and ``to_frame`` follow. ``drawing`` is the plot style.
"""

from probus.borrowing import listing
from probus.display._numbers import (
    comma_separated,
    counted,
    counted_of,
    decimals_for,
    exact_percent,
    figure,
    interval_decimals,
    interval_texts,
    listed,
    p_text,
    percent,
    rounded,
    sentence,
    shortened,
)
from probus.display._parts import Cells, Notes, OnlyHtml, OnlyText, Paragraph, Part, Picture
from probus.display._plain import plain
from probus.display._result import Displayed, Result, Results

__all__ = [
    "Cells", "Displayed", "Notes", "OnlyHtml", "OnlyText", "Paragraph", "Part", "Picture", "Result", "Results",
    "comma_separated", "counted", "counted_of", "decimals_for", "exact_percent", "figure", "interval_texts", "listed",
    "p_text", "percent", "plain", "rounded", "sentence", "shortened",
]  # fmt: skip

__dir__ = listing(globals())
