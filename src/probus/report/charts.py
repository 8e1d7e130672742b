"""Pictures whose axes are numbers, drawn by matplotlib and handed over as small inline SVG.

Colours leave here as CSS variables, so that a page's light and dark themes reach into the pictures; text stays text in
the page's own font. Identifiers, metadata and dates are stripped: the same data gives the same bytes, and many
pictures live in one page without clashing.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup

from probus.display import figure
from probus.report.summary import Histogram

__all__ = ["agreement", "heat_map", "histogram", "missing_map"]

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")

# colours matplotlib can carry, and the CSS variables that take their place
_INK, _MUTED, _LINE = "#010101", "#020202", "#030303"
_CLASS = tuple(f"#04040{i}" for i in range(6))
_VARIABLES = {
    _INK: "var(--ink)",
    _MUTED: "var(--muted)",
    _LINE: "var(--line)",
    **{colour: f"var(--class-{i})" for i, colour in enumerate(_CLASS)},
}
# pictures made of pixels cannot follow a theme: one hue that reads on both, its strength carried by opacity
_HUE, _OPPOSITE = (0.20, 0.45, 0.80), (0.85, 0.42, 0.22)

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "probus",
    "font.size": 11,
    "axes.linewidth": 0.8,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "path.simplify": True,
}


def histogram(shape: Histogram, *, dates: bool = False, width: int = 280, height: int = 96) -> Markup:
    """Bars of a numeric column, classes stacked."""
    figure_, axes = _blank(width, height, left=6, right=6, bottom=18, top=4)
    stacked = np.cumsum(shape.counts, axis=0)
    for heights, colour in reversed(list(zip(stacked, _CLASS, strict=False))):
        axes.stairs(heights, shape.edges, fill=True, color=colour, linewidth=0)
    axes.set_xlim(shape.edges[0], shape.edges[-1] if shape.edges[-1] > shape.edges[0] else shape.edges[0] + 1)
    axes.set_ylim(0, max(stacked[-1].max(), 1))
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    low, high = figure(shape.low, dates=dates), figure(shape.high, dates=dates)
    _end_labels(axes, low, high)
    return _svg(figure_, width, height, f"Histogram from {low} to {high}")


def heat_map(matrix: np.ndarray, names: Sequence[str]) -> Markup:
    """Strengths from −1 to 1 between columns: blue for positive, orange for negative, blank for none."""
    cell, gutter = 22, 12 + 6.2 * min(max(map(len, names)), 18)
    side = round(cell * len(names) + gutter)
    figure_, axes = _blank(side, side, left=gutter, right=1, bottom=gutter, top=1)
    strength = np.nan_to_num(matrix)
    rgba = np.where(strength[..., None] < 0, [*_OPPOSITE, 0.0], [*_HUE, 0.0])
    rgba[..., 3] = np.abs(strength)
    axes.imshow(rgba, interpolation="none", aspect="auto", extent=(0, len(names), len(names), 0))
    _bare(axes)
    _named_ticks(axes, names, across=True)
    return _svg(figure_, side, side, "Heat map of the associations between columns", fixed=True)


def missing_map(shares: np.ndarray, names: Sequence[str]) -> Markup:
    """Share of missing values, bands of rows (left to right, in the order of the file) × columns."""
    gutter = 12 + 6.2 * min(max(map(len, names)), 18)
    width, height = 640, 18 * len(names) + 2
    figure_, axes = _blank(width, height, left=gutter, right=1, bottom=1, top=1)
    rgba = np.empty((*shares.T.shape, 4))
    rgba[..., :3] = _OPPOSITE
    rgba[..., 3] = np.sqrt(shares.T) * 0.95  # so that a few missing values are still visible
    axes.imshow(rgba, interpolation="none", aspect="auto", extent=(0, 1, len(names), 0))
    _bare(axes)
    _named_ticks(axes, names)
    return _svg(
        figure_, width, height, "Map of missing values: rows from left to right, one line per column", fixed=True
    )


def agreement(actual: np.ndarray, predicted: np.ndarray, *, width: int = 420, height: int = 320) -> Markup:
    """Predicted against actual numbers, with the line on which they agree; dense places are darker."""
    figure_, axes = _blank(width, height, left=56, right=8, bottom=40, top=8)
    both = np.concatenate([actual, predicted])
    low, high = float(both.min()), float(both.max())
    high = high if high > low else low + 1.0
    counts, _, _ = np.histogram2d(predicted, actual, bins=48, range=((low, high), (low, high)))
    rgba = np.empty((*counts.shape, 4))
    rgba[..., :3] = _HUE
    rgba[..., 3] = np.sqrt(counts / max(counts.max(), 1)) * 0.95
    axes.imshow(rgba, origin="lower", interpolation="none", aspect="auto", extent=(low, high, low, high))
    axes.plot([low, high], [low, high], color=_MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.locator_params(nbins=4)
    axes.set_xlabel("actual")
    axes.set_ylabel("predicted, out of fold")
    return _svg(figure_, width, height, "Predicted against actual values")


# -- from matplotlib to a page -------------------------------------------------------------------------


def _blank(width: float, height: float, *, left: float, right: float, bottom: float, top: float) -> tuple[Any, Any]:
    """A figure of that many CSS pixels with one pair of axes inside those margins."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure_ = Figure(figsize=(width / 72, height / 72), facecolor="none")
        box = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
        axes = figure_.add_axes(box, facecolor="none")
    return figure_, axes


def _bare(axes: Any) -> None:
    for spine in axes.spines.values():
        spine.set_visible(False)


def _end_labels(axes: Any, low: str, high: str) -> None:
    """Only the ends of the axis are labelled, inward, so that no label is cut off."""
    axes.set_xticks(axes.get_xlim(), [low, high])
    first, last = axes.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")


def _named_ticks(axes: Any, names: Sequence[str], *, across: bool = False) -> None:
    """Names down the left side and, if requested, along the bottom; a $ in a name is no formula."""
    places = np.arange(len(names)) + 0.5
    labels = [name if len(name) <= 18 else name[:17] + "…" for name in names]
    axes.set_yticks(places, labels, parse_math=False)
    axes.set_xticks([])
    if across:
        upright = {"rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"}
        axes.set_xticks(places, labels, parse_math=False, **upright)


def _svg(figure_: Any, width: float, height: float, label: str, *, fixed: bool = False) -> Markup:
    """The figure as inline SVG. A ``fixed`` one keeps its size and scrolls; others shrink with the page."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        figure_.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    _slim(root)
    root.attrib.clear()
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("style", f"width:{width}px" if fixed else f"width:100%;max-width:{round(1.2 * width)}px")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _slim(element: ElementTree.Element) -> None:
    """Keep only what is seen: no namespaces, metadata, identifiers, fonts, invisible patches, idle digits."""
    element.tag = element.tag.removeprefix(_SVG)
    for child in list(element):
        _slim(child)
        invisible = child.tag == "path" and child.get("style") == "fill:none"
        empty = child.tag == "g" and len(child) == 0
        if invisible or empty or child.tag in ("metadata", "defs"):
            element.remove(child)
    for unwanted in ("id", "clip-path"):
        element.attrib.pop(unwanted, None)
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF).replace(" ", ""))
    if "style" in element.attrib:
        element.set("style", _themed(element.attrib["style"]))
    for name in {"d", "x", "y"}.intersection(element.keys()):
        element.set(name, " ".join(_NUMBER.sub(_rounded, element.attrib[name]).split()))
    element.text = element.text if element.tag == "text" else None
    element.tail = None


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _themed(style: str) -> str:
    """A style with its colours as variables and without its font, which is the page's."""
    kept = []
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        for colour, variable in _VARIABLES.items():
            value = value.replace(colour, variable)
        if name and name not in ("font-family", "stroke-linejoin"):
            kept.append(f"{name}:{value}")
    return ";".join(kept)
