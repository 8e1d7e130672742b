"""Plots of the regions of a tree that splits on one or two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import percent
from probus.display.drawing import BLUE, INK, caption, new_axes, tidy
from probus.tree.export._boxes import class_colours, fill_of, text_width
from probus.tree.export._leaf_conditions import LeafCondition
from probus.tree.export._short_text import rounded
from probus.tree.export._split_text import TreeText

if TYPE_CHECKING:
    from probus.tree.export._additive import Region, Regions


_SIZE = 8.0  # font size in a tile


def draw_regions(found: Regions, features: Sequence[int], ax: Any) -> Any:
    """Steps over one column, coloured rectangles over two."""
    words = found.tree_text
    return _draw_steps(found, words, features[0], ax) if len(features) == 1 else _draw_tiles(found, words, features, ax)


def _draw_steps(found: Regions, words: TreeText, feature: int, ax: Any) -> Any:
    """The constant, or the frequency of each class, over the values of the column."""
    ax = new_axes(ax, 6.4, 4.0)
    axis = _ThresholdAxis(words, found, feature)
    colours = class_colours(len(words.classes)) if words.classifies else [BLUE]
    for box in found:
        for low, high in axis.spans(box):
            for value, colour in zip(np.atleast_1d(box.constant), colours, strict=True):
                ax.plot([low, high], [value, value], color=colour, linewidth=2.4, solid_capstyle="butt")
    title = f"{len(found)} regions of {words.names[feature]}"
    tidy(ax, title, words.names[feature], "share of the class" if words.classifies else "prediction")
    axis.label(ax.xaxis)
    if words.classifies:
        caption(ax, list(zip(words.classes, colours, strict=True)), "upper right")
    return ax


def _draw_tiles(found: Regions, words: TreeText, features: Sequence[int], ax: Any) -> Any:
    """Rectangles coloured like the boxes of the tree, each with its prediction."""
    from matplotlib.patches import Rectangle

    ax = new_axes(ax, 6.4, 5.2)
    axes = [_ThresholdAxis(words, found, feature) for feature in features]
    ax.set(xlim=axes[0].ends, ylim=axes[1].ends)
    for box in found:
        for left, right in axes[0].spans(box):
            for bottom, top in axes[1].spans(box):
                tile = Rectangle((left, bottom), right - left, top - bottom, edgecolor="#9aa4ae", linewidth=0.6)
                tile.set_facecolor(fill_of(words, box.leaf))
                ax.add_patch(tile)
                _write(ax, tile, _format(words, box))
    tidy(ax, f"{len(found)} regions", *(words.names[feature] for feature in features))
    ax.grid(False)
    axes[0].label(ax.xaxis)
    axes[1].label(ax.yaxis)
    return ax


def _format(words: TreeText, box: Region) -> list[str]:
    if words.classifies:
        return [words.prediction(box.leaf), percent(box.constant.max())]
    return [rounded(float(box.constant), 3)]


def _write(ax: Any, tile: Any, lines: list[str]) -> None:
    """Write the lines in the centre of a tile if they fit."""
    extent, points = tile.get_window_extent(), 72 / ax.figure.dpi
    wide = max(text_width(line, _SIZE) for line in lines)
    if wide < extent.width * points and 1.3 * _SIZE * len(lines) < extent.height * points:
        x, y = tile.get_x() + tile.get_width() / 2, tile.get_y() + tile.get_height() / 2
        ax.text(x, y, "\n".join(lines), ha="center", va="center", color=INK, fontsize=_SIZE, parse_math=False)


class _ThresholdAxis:
    """One column as an axis: the range of the thresholds with a margin, or levels side by side."""

    def __init__(self, words: TreeText, found: Regions, feature: int):
        self.words, self.feature = words, feature
        field = words.fields[feature]
        n_levels = len(field.levels) if field is not None and field.levels else int(words.tree.n_levels[feature])
        demands = [c for box in found for c in box.conditions if c.feature == feature]
        cuts = np.array([end for c in demands for end in (c.low, c.high) if np.isfinite(end)])
        if n_levels:
            self.ends = (-0.5, n_levels - 0.5)
        else:
            cuts = cuts if len(cuts) else np.zeros(1)
            pad = 0.25 * (cuts.max() - cuts.min()) or 0.1 * abs(cuts[0]) or 1.0
            self.ends = (float(cuts.min() - pad), float(cuts.max() + pad))

    def spans(self, box: Region) -> list[tuple[float, float]]:
        """The intervals of the axis that a box covers."""
        condition = next((c for c in box.conditions if c.feature == self.feature), LeafCondition(self.feature))
        if condition.levels is not None:
            return _runs(sorted(condition.levels))
        low, high = max(condition.low, self.ends[0]), min(condition.high, self.ends[1])
        return [(low, high)] if low < high else []

    def label(self, axis: Any) -> None:
        """Label the axis with levels or dates."""
        field = self.words.fields[self.feature]
        if field is not None and field.kind.has_levels:
            codes = range(len(field.levels))
            axis.set_ticks(codes, [self.words.level(self.feature, code) for code in codes])
        elif field is not None and field.dates:
            axis.set_major_formatter(lambda days, _: self.words.cell(self.feature, round(days)))


def _runs(codes: Sequence[int]) -> list[tuple[float, float]]:
    """The intervals covered by codes, with adjacent codes joined.

    >>> _runs([0, 1, 4])
    [(-0.5, 1.5), (3.5, 4.5)]
    """
    runs: list[tuple[float, float]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 0.5:
            runs[-1] = (runs[-1][0], code + 0.5)
        else:
            runs.append((code - 0.5, code + 0.5))
    return runs
