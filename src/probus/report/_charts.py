"""Pictures of columns: histograms, associations and missing values, as small inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from probus.display import figure, shortened
from probus.report._inline_svg import CLASS, blank, inline_svg
from probus.report._summary import Histogram

# pictures made of pixels cannot follow a theme: one hue that reads on both, its strength carried by opacity
_HUE, _OPPOSITE = (0.20, 0.45, 0.80), (0.85, 0.42, 0.22)


def histogram(shape: Histogram, *, dates: bool = False, width: int = 280, height: int = 96) -> Markup:
    """Bars of a numeric column, classes stacked."""
    figure_, axes = blank(width, height, left=6, right=6, bottom=18, top=4)
    stacked = np.cumsum(shape.counts, axis=0)
    for heights, colour in reversed(list(zip(stacked, CLASS, strict=False))):
        axes.stairs(heights, shape.edges, fill=True, color=colour, linewidth=0)
    axes.set_xlim(shape.edges[0], shape.edges[-1] if shape.edges[-1] > shape.edges[0] else shape.edges[0] + 1)
    axes.set_ylim(0, max(stacked[-1].max(), 1))
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    low, high = figure(shape.low, dates=dates), figure(shape.high, dates=dates)
    _end_labels(axes, low, high)
    return inline_svg(figure_, width, height, f"Histogram from {low} to {high}")


def heat_map(matrix: np.ndarray, names: Sequence[str]) -> Markup:
    """Strengths from −1 to 1 between columns: blue for positive, orange for negative, blank for none."""
    cell, gutter = 22, 12 + 6.2 * min(max(map(len, names)), 18)
    side = round(cell * len(names) + gutter)
    figure_, axes = blank(side, side, left=gutter, right=1, bottom=gutter, top=1)
    strength = np.nan_to_num(matrix)
    rgba = np.where(strength[..., None] < 0, [*_OPPOSITE, 0.0], [*_HUE, 0.0])
    rgba[..., 3] = np.abs(strength)
    axes.imshow(rgba, interpolation="none", aspect="auto", extent=(0, len(names), len(names), 0))
    _bare(axes)
    _named_ticks(axes, names, across=True)
    return inline_svg(figure_, side, side, "Heat map of the associations between columns", fixed=True)


def missing_map(shares: np.ndarray, names: Sequence[str]) -> Markup:
    """Share of missing values, bands of rows (left to right, in the order of the file) × columns."""
    gutter = 12 + 6.2 * min(max(map(len, names)), 18)
    width, height = 640, 18 * len(names) + 2
    figure_, axes = blank(width, height, left=gutter, right=1, bottom=1, top=1)
    rgba = np.empty((*shares.T.shape, 4))
    rgba[..., :3] = _OPPOSITE
    rgba[..., 3] = np.sqrt(shares.T) * 0.95  # so that a few missing values are still visible
    axes.imshow(rgba, interpolation="none", aspect="auto", extent=(0, 1, len(names), 0))
    _bare(axes)
    _named_ticks(axes, names)
    return inline_svg(
        figure_, width, height, "Map of missing values: rows from left to right, one line per column", fixed=True
    )


# -- axes ----------------------------------------------------------------------------------------------


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
    labels = [shortened(name, 18) for name in names]
    axes.set_yticks(places, labels, parse_math=False)
    axes.set_xticks([])
    if across:
        upright = {"rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"}
        axes.set_xticks(places, labels, parse_math=False, **upright)
