"""The style of all plots: colours, grid, bands, labels instead of legends. Matplotlib loads on first use."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = [
    "BLUE",
    "COLOURS",
    "INK",
    "MUTED",
    "ORANGE",
    "SPINE",
    "behind_text",
    "blues",
    "caption",
    "chance",
    "ink",
    "new_axes",
    "shade",
    "steps",
    "strip_above",
    "svg_of",
    "tidy",
]  # fmt: skip

INK, MUTED, GRID, SPINE = "#111820", "#6b7785", "#e4e8ec", "#b8c0c8"
_INK_IN_DARK, _GRID_IN_DARK = "#e8ecf0", "#2a323a"
# Okabe and Ito's palette, darkened for text: distinguishable by colour-blind readers
COLOURS = ("#0067a5", "#c8500a", "#00805c", "#a84c84", "#8a6d00", "#3a3f47")
BLUE, ORANGE = COLOURS[:2]

_TITLE: Any = {"loc": "left", "fontsize": 11, "fontweight": "bold", "parse_math": False}
_CORNERS = ("lower right", "lower left", "upper right", "upper left")
_LINE_HEIGHT = 0.062  # of a line of a caption, as a share of the axes
_LETTER_WIDTH = 4.7  # points of a letter of it, on average
_CURVES = 2.0  # the order of drawing from which lines are curves, not aids
_SVG_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "probus", "path.simplify": True}


def new_axes(ax: Any, width: float = 4.8, height: float = 4.8) -> Any:
    """The given axes, or those of a new figure of that many inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _paper(ax: Any) -> Any:
    """The colour of the figure; white where it is transparent, as in pages, which replace it by their own."""
    from matplotlib.colors import to_rgba

    colour = ax.figure.figure.get_facecolor()
    return colour if to_rgba(colour)[3] > 0 else "white"


def _is_dark(ax: Any) -> bool:
    """Whether the figure has a dark background, as in matplotlib's style "dark_background"."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(_paper(ax)), [0.3, 0.6, 0.1])) < 0.4


def ink(ax: Any) -> str:
    """The colour of text and lines that stand out on the background of these axes."""
    return _INK_IN_DARK if _is_dark(ax) else INK


def behind_text(ax: Any) -> dict[str, Any]:
    """A box that keeps lines out of letters."""
    return {"facecolor": _paper(ax), "alpha": 0.75, "linewidth": 0, "pad": 1.2}


def tidy(ax: Any, title: str, x: str, y: str, *, square: bool = False) -> None:
    """Name the axes, a light grid, no frame; ``square`` is for two shares of equal scale."""
    ax.set_title(title, **_TITLE, color=ink(ax))
    ax.set_xlabel(x, color=MUTED, parse_math=False)
    ax.set_ylabel(y, color=MUTED, parse_math=False)
    ax.grid(True, color=_GRID_IN_DARK if _is_dark(ax) else GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=MUTED, labelsize=9)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(SPINE)
        spine.set_linewidth(0.8)
    if square:
        ax.set_aspect("equal")
        ax.set_xlim(-0.015, 1.015)
        ax.set_ylim(-0.015, 1.015)
        ax.set_xticks(np.linspace(0, 1, 6))
        ax.set_yticks(np.linspace(0, 1, 6))


def shade(ax: Any, band: Any, colour: str, *, step: str | None = None) -> None:
    """Fill a band (``x``, ``low``, ``high``); None draws nothing."""
    if band is not None:
        ax.fill_between(band.x, band.low, band.high, color=colour, alpha=0.16, linewidth=0, step=step, zorder=2)


def steps(ax: Any, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """A curve of falling thresholds without slopes: at each x the y of the highest threshold that reaches it."""
    reached, first = np.unique(x, return_index=True)
    first = first[reached > 0]
    xs, ys = np.concatenate([[0.0], x[first]]), y[np.concatenate([first[:1], first])]
    ax.plot(xs, ys, color=colour, linewidth=1.8, drawstyle="steps-pre", zorder=3)


def chance(ax: Any, x: Any, y: Any) -> None:
    """The line of a random model."""
    ax.plot(x, y, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=_CURVES - 0.5)


def caption(ax: Any, lines: Sequence[tuple[str, str]], corner: str) -> None:
    """Lines of text, each in its colour, stacked in a corner ("lower right") on a translucent background.

    Where curves or points, drawn before, lie behind the text, another corner is taken if it has fewer of them.
    """
    corner = _free_corner(ax, [text for text, _ in lines], corner)
    vertical, side = corner.split()
    x, step = (0.97 if side == "right" else 0.03), _LINE_HEIGHT
    for place, (text, colour) in enumerate(reversed(lines) if vertical == "lower" else lines):
        y = 0.035 + step * place if vertical == "lower" else 0.965 - step * place
        ax.text(
            x,
            y,
            text,
            transform=ax.transAxes,
            color=colour,
            fontsize=9,
            ha=side,
            va="bottom" if vertical == "lower" else "top",
            parse_math=False,
            bbox=behind_text(ax),
            zorder=5,
        )


def _free_corner(ax: Any, texts: Sequence[str], preferred: str) -> str:
    """The corner with the fewest drawn points behind such a text, the preferred one among equals."""
    ax.get_xlim(), ax.get_ylim()  # the limits follow what is drawn when they are read
    points_wide = ax.get_window_extent().width * 72 / ax.figure.dpi
    width = 0.05 + max(map(len, texts), default=0) * _LETTER_WIDTH / points_wide
    height = 0.05 + len(texts) * _LINE_HEIGHT
    drawn = _drawn_points(ax)

    def behind(corner: str) -> int:
        vertical, side = corner.split()
        x = 1 - drawn[:, 0] if side == "right" else drawn[:, 0]
        y = drawn[:, 1] if vertical == "lower" else 1 - drawn[:, 1]
        return int(((x < width) & (y < height)).sum())

    return min([preferred, *(corner for corner in _CORNERS if corner != preferred)], key=behind)


def _drawn_points(ax: Any) -> np.ndarray:
    """float64[n, 2]: points of curves (not the line of chance), error bars and scatters, in shares of the axes."""
    from matplotlib.collections import LineCollection, PathCollection

    lines = [line for line in ax.lines if line.get_zorder() >= _CURVES and line.get_transform() == ax.transData]
    curves = [line.get_xydata() for line in lines if len(line.get_xydata())]
    bars = [each.get_segments() for each in ax.collections if isinstance(each, LineCollection)]
    curves += [segment for segments in bars for segment in segments if len(segment)]
    dense = [np.column_stack([_between(curve[:, 0]), _between(curve[:, 1])]) for curve in curves]
    scattered = [np.asarray(each.get_offsets()) for each in ax.collections if isinstance(each, PathCollection)]
    points = np.concatenate([*dense, *scattered]) if dense or scattered else np.empty((0, 2))
    points = points[np.isfinite(points).all(axis=1)]
    if len(points):
        points = ax.transAxes.inverted().transform(ax.transData.transform(points))
    return points[((points >= 0) & (points <= 1)).all(axis=1)]


def _between(values: np.ndarray) -> np.ndarray:
    """Values and eight between each two."""
    places = np.arange(len(values))
    return np.interp(np.linspace(0, len(values) - 1, 9 * (len(values) - 1) + 1), places, values)


def strip_above(ax: Any) -> Any:
    """Low axes between square ones and their title, without a frame."""
    ax.set_title(ax.get_title(loc="left"), y=1.15, **_TITLE, color=ink(ax))
    strip = ax.inset_axes([0, 1.02, 1, 0.12], sharex=ax)
    strip.axis("off")
    return strip


def blues() -> Any:
    """White to blue, dark enough at half-way for white text."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("probus", ["#ffffff", "#6da3c9", BLUE, "#003e66"])


def svg_of(plot: Callable[[Any], Any], *, size: tuple[float, float] = (4.8, 4.8), themed: bool = False) -> str:
    """A plot as inline SVG; ``plot`` takes matplotlib axes. A ``themed`` one has the text colour of the page around it,
    and no background."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    with rc_context(_SVG_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        plot(figure.add_subplot())
        figure.savefig(
            buffer,
            format="svg",
            metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")),
            bbox_inches="tight",
            transparent=themed,
        )
    picture = buffer.getvalue()
    picture = picture[picture.index("<svg") :]
    return picture.replace(INK, "currentColor") if themed else picture
