"""A tree as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display.drawing import INK, MUTED
from probus.errors import DataError
from probus.tree.export._boxes import LINE, PAD, NodeBox, Style, class_colours
from probus.tree.export._page import Page, entry_width, page_of
from probus.tree.export._scikit_learn import or_scikit_learn
from probus.tree.export._split_text import TreeText

_EDGE = "#cfd6de"
_THICKEST = 1.5  # the width of a branch with all rows, in letters
_WIDEST = 60.0  # maximum width of a new figure in inches; larger trees are scaled down
_MARGIN = 8.0
_OWN = "plot_tree"  # the label of figures that are made here; the next tree gets another


@or_scikit_learn
def plot_tree(
    decision_tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    label: str = "all",
    filled: bool = True,
    impurity: bool = False,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = True,
    precision: int = 3,
    ax: Any = None,
    fontsize: float | None = None,
) -> list[Any]:
    """Draw a tree with matplotlib; returns its texts, of which each knows its ``axes`` and ``figure``.

    A box shows the split feature of a node, or the prediction of a leaf; above it is the condition of its branch. Boxes
    are coloured by class, darker if purer, or by value; bars show the class frequencies; the width of a branch shows
    its number of rows. Without ``ax`` the tree is drawn on the current axes or, where no figure is open, on a figure as
    large as it needs.

    Parameters
    ----------
    decision_tree : a fitted tree.
    max_depth : deeper nodes are shown as "…".
    feature_names, class_names : names of columns and classes to use instead.
    label : which boxes name their numbers: "all", the "root" only, or "none".
    filled : whether the boxes are coloured.
    impurity, node_ids : show the impurity and the number of each node.
    proportion : show the share of rows instead of their number.
    rounded : whether the corners of boxes are round.
    precision : significant digits of values and impurities.
    ax : matplotlib axes to draw on; None draws on the current ones.
    fontsize : in points; 10, or what fits into ``ax``.

    Returns
    -------
    The texts of the drawing.

    >>> from probus.datasets import iris
    >>> from probus.tree import DecisionTreeClassifier
    >>> flowers = iris()
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(flowers.drop("species"), flowers["species"])
    >>> [text.get_text() for text in plot_tree(tree)][:4]
    ['petal_length', 'setosa: 33 %', 'n = 150', 'setosa: 100 %']
    """
    if label not in ("all", "root", "none"):
        raise DataError(f"label={label!r}.", "'all', 'root' or 'none'")
    if max_depth is not None and max_depth < 0:
        raise DataError(f"max_depth={max_depth}.", "0 or more, or None for the whole tree")
    words = TreeText(decision_tree, feature_names, class_names)
    style = Style(label, filled, impurity, node_ids, proportion, rounded, precision, fontsize or 10.0)
    page = page_of(words, max_depth, style)
    ax, scale = _axes(ax, page, fit=fontsize is None)
    pen = _Pen(ax, scale, style)
    for parent, children in enumerate(page.children):
        pen.branches(page, parent, children)
    for place, box in enumerate(page.boxes):
        pen.box(box, page.x[place], page.top[place])
    pen.legend(page, words)
    return list(ax.texts)


def _axes(ax: Any, page: Page, fit: bool) -> tuple[Any, float]:
    """Axes whose units are the points of the page, and their scale."""
    from matplotlib import pyplot

    width, height = page.width + 2 * _MARGIN, page.height + 2 * _MARGIN
    if ax is None and pyplot.get_fignums() and pyplot.gcf().get_label() != _OWN:
        ax = pyplot.gca()
    if ax is None:
        scale = min(1.0, _WIDEST * 72 / max(width, height))
        figure = pyplot.figure(figsize=(scale * width / 72, scale * height / 72), label=_OWN)
        ax = figure.add_axes((0, 0, 1, 1))
        extent = np.array([width, height])
    else:
        ax.clear()
        extent = ax.get_window_extent()
        points = np.array([extent.width, extent.height]) * 72 / ax.figure.dpi
        scale = float(min(points / (width, height))) if fit else 1.0
        extent = points / scale
    centre = np.array([page.width, page.height]) / 2
    ax.set_xlim(centre[0] - extent[0] / 2, centre[0] + extent[0] / 2)
    ax.set_ylim(centre[1] - extent[1] / 2, centre[1] + extent[1] / 2)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax, scale


@dataclass(frozen=True)
class _Pen:
    """Draws parts of a page; text and lines are scaled with the page.

    Patches are added as artists: the limits of the axes are fixed, and updating them for every patch is slow.
    """

    ax: Any
    scale: float
    style: Style

    def branches(self, page: Page, parent: int, children: list[int]) -> None:
        """Draw a branch from the parent to each child, with a width for its number of rows."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        size = self.style.fontsize
        thickness = [max(_THICKEST * page.boxes[child].share * size, 0.08 * size) for child in children]
        start = page.x[parent] - sum(thickness) / 2
        for child, thick in zip(children, thickness, strict=True):
            x0, y0 = start + thick / 2, page.top[parent] - page.boxes[parent].height
            x1, y1 = page.x[child], page.top[child]
            turn = y1 + page.boxes[child].condition_height
            bend = (y0 + turn) / 2
            path = Path([(x0, y0), (x0, bend), (x1, bend), (x1, turn), (x1, y1)], [1, 4, 4, 4, 2])
            line = {"edgecolor": _EDGE, "linewidth": thick * self.scale, "capstyle": "butt"}
            self.ax.add_artist(PathPatch(path, facecolor="none", zorder=1, **line))
            start += thick

    def box(self, box: NodeBox, x: float, top: float) -> None:
        """Draw the box with its text, the bar of class frequencies below, and the condition of its branch above."""
        from matplotlib.patches import FancyBboxPatch

        size, width = self.style.fontsize, box.inner_width
        corner = 0.45 * size if self.style.rounded else 0.0
        shape = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
        outline: Any = {"edgecolor": "#7d8894", "linewidth": 0.8 * self.scale}
        patch = FancyBboxPatch((x - width / 2, top - box.height), width, box.height, shape, **outline, zorder=3)
        patch.set_facecolor(box.fill)
        self.ax.add_artist(patch)
        y = top - PAD * size
        for i, line in enumerate(box.lines):
            self._text(line, x, y - LINE * size / 2, bold=i == 0, colour=INK)
            y -= LINE * size
        if box.shares is not None:
            self._bar(box.shares, x - width / 2 + PAD * size, width - 2 * PAD * size, y - 0.7 * size)
        self._condition(box, x, top)

    def _condition(self, box: NodeBox, x: float, top: float) -> None:
        """Draw the condition of the branch, interrupting the branch."""
        from matplotlib.patches import Rectangle

        size, height = self.style.fontsize, LINE * len(box.condition) * self.style.fontsize
        y, wide = top + box.condition_height - 0.1 * size, box.condition_width
        ground = self.ax.figure.get_facecolor()
        self.ax.add_artist(Rectangle((x - wide / 2, y - height), wide, height, facecolor=ground, linewidth=0, zorder=2))
        for line in box.condition:
            self._text(line, x, y - LINE * size / 2, colour=INK, small=0.9)
            y -= LINE * size

    def _bar(self, shares: np.ndarray, x: float, width: float, y: float) -> None:
        from matplotlib.patches import Rectangle

        for share, colour in zip(shares, class_colours(len(shares)), strict=True):
            if share > 0:
                bar = Rectangle((x, y), share * width, 0.38 * self.style.fontsize, facecolor=colour, linewidth=0)
                bar.set_zorder(4)
                self.ax.add_artist(bar)
            x += share * width

    def legend(self, page: Page, words: TreeText) -> None:
        """The classes and their colours, in lines at the top left."""
        from matplotlib.patches import Rectangle

        size, y = self.style.fontsize, page.height
        colours = class_colours(len(words.classes))
        for line in page.legend:
            x = 0.0
            for k in line:
                chip = Rectangle((x, y - 1.1 * size), 0.9 * size, 0.9 * size, facecolor=colours[k], linewidth=0)
                self.ax.add_artist(chip)
                self._text(words.classes[k], x + 1.3 * size, y - 0.65 * size, colour=MUTED, side="left")
                x += entry_width(words.classes[k], size)
            y -= 1.6 * size

    def _text(
        self,
        text: str,
        x: float,
        y: float,
        *,
        colour: str,
        bold: bool = False,
        small: float = 1.0,
        side: str = "center",
    ) -> None:
        how: dict[str, Any] = {"ha": side, "va": "center_baseline", "parse_math": False, "zorder": 5, "color": colour}
        size = self.style.fontsize * small * self.scale
        self.ax.text(x, y, text, fontsize=size, fontweight="bold" if bold else "normal", **how)
