"""From matplotlib to a page: small inline SVG whose colours follow the theme of the page.

Colours become CSS variables, so that light and dark themes reach into the pictures; text stays text in the page's own
font. Identifiers, metadata and dates are stripped: the same data gives the same bytes, and many pictures live in one
page without clashing.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from probus.display import drawing

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")

# colours matplotlib can carry, and the CSS variables that take their place
INK, MUTED, LINE = "#010101", "#020202", "#030303"
CLASS = tuple(f"#04040{i}" for i in range(6))
_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    **{colour: f"var(--class-{i})" for i, colour in enumerate(CLASS)},
    drawing.INK: "var(--ink)",
    drawing.MUTED: "var(--muted)",
    drawing.GRID: "var(--grid)",
    drawing.SPINE: "var(--line)",
    **{colour: f"var(--class-{i})" for i, colour in enumerate(drawing.COLOURS)},
    "#ffffff": "var(--paper)",
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "probus",
    "font.size": 11,
    "text.color": INK,
    "axes.linewidth": 0.8,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "path.simplify": True,
}


def blank(width: float, height: float, *, left: float, right: float, bottom: float, top: float) -> tuple[Any, Any]:
    """A figure of that many CSS pixels with one pair of axes inside those margins."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
        box = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
        axes = figure.add_axes(box, facecolor="none")
    return figure, axes


def picture(
    plot: Callable[[Any], Any], label: str, *, width: float = 340, height: float = 340, plain: bool = False
) -> Markup:
    """What a function draws on matplotlib axes, such as the ``plot`` of a result, as inline SVG.

    A ``plain`` one keeps its colours, and its size.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE), any_glyph():
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none", layout="constrained")
        plot(figure.add_subplot(facecolor="none"))
    return inline_svg(figure, width, height, label, fixed=plain, plain=plain)


def inline_svg(
    figure: Any, width: float, height: float, label: str, *, fixed: bool = False, plain: bool = False
) -> Markup:
    """The figure as inline SVG. A ``fixed`` one keeps its size and scrolls; others shrink with the page.

    A ``plain`` one keeps its colours, for a background that is white in every theme.
    """
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context(_STYLE), any_glyph():
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    _expand_markers(root)
    _slim(root, {} if plain else _VARIABLES)
    root.attrib.clear()
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("style", f"width:{width}px" if fixed else f"width:100%;max-width:{round(1.2 * width)}px")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


@contextmanager
def any_glyph() -> Iterator[None]:
    """Without warnings of letters that matplotlib's font lacks: the page has its own fonts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        yield


def _expand_markers(root: ElementTree.Element) -> None:
    """Replace each reference to a marker by the marker, so that no identifier is needed."""
    shapes = {f"#{path.get('id')}": path for path in root.iter(f"{_SVG}path") if path.get("id")}
    for use in root.iter(f"{_SVG}use"):
        shape = shapes[use.attrib.pop(_HREF)]
        place = f"translate({float(use.attrib.pop('x')):.1f} {float(use.attrib.pop('y')):.1f})"
        use.tag = f"{_SVG}path"
        use.attrib.update(d=shape.attrib["d"], transform=place, style=use.get("style", shape.get("style", "")))


def _slim(element: ElementTree.Element, variables: Mapping[str, str]) -> None:
    """Keep only what is seen: no namespaces, metadata, identifiers, fonts, invisible patches, idle digits."""
    element.tag = element.tag.removeprefix(_SVG)
    for child in list(element):
        _slim(child, variables)
        invisible = child.tag == "path" and child.get("style") == "fill:none"
        empty = child.tag == "g" and len(child) == 0
        if invisible or empty or child.tag in ("metadata", "defs"):
            element.remove(child)
    for unwanted in ("id", "clip-path"):
        element.attrib.pop(unwanted, None)
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF).replace(" ", ""))
    if "style" in element.attrib:
        element.set("style", _theme(element.attrib["style"], variables))
    for name in {"d", "x", "y"}.intersection(element.keys()):
        element.set(name, " ".join(_NUMBER.sub(_round, element.attrib[name]).split()))
    element.text = element.text if element.tag == "text" else None
    element.tail = None


def _round(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _theme(style: str, variables: Mapping[str, str]) -> str:
    """A style with its colours as variables and without its font, which is the page's."""
    kept = []
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        for colour, variable in variables.items():
            value = value.replace(colour, variable)
        if name and name not in ("font-family", "stroke-linejoin"):
            kept.append(f"{name}:{value}")
    return ";".join(kept)
