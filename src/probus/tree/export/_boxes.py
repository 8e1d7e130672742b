"""The text, sizes and colours of the boxes of a drawn tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from textwrap import wrap
from typing import Any

import numpy as np

from probus.display import percent
from probus.display.drawing import BLUE, COLOURS
from probus.tree.export._short_text import rounded, some_of
from probus.tree.export._split_text import SplitText, TreeText

LINE, PAD, BAR = 1.3, 0.7, 0.75  # heights of a line, the padding and the bar of class frequencies, in letters
_LETTERS, _LISTED, _NAME = 18, 60, 28  # maximum of a line, of a list of levels, and of a name
_JOINED = "\u00a0"  # a non-breaking space
_DEEPEST = 0.62  # opacity of a colour, so that dark text on it is readable


@dataclass(frozen=True)
class Style:
    """What is shown, and the font size; see ``plot_tree``."""

    label: str
    filled: bool
    impurity: bool
    node_ids: bool
    proportion: bool
    rounded: bool
    precision: int
    fontsize: float


@dataclass(frozen=True, eq=False)
class NodeBox:
    """A node as drawn: the condition of its branch above it, and lines of text in it, the first of them bold.

    share : of all rows. shares : class frequencies, drawn as a bar; None for numbers and omitted branches.
    """

    node: int
    condition: tuple[str, ...]
    lines: tuple[str, ...]
    fill: Any
    share: float
    shares: np.ndarray | None
    fontsize: float

    @property
    def width(self) -> float:
        """The width of the text or of the condition above it, whichever is wider."""
        return max(self.inner_width, self.condition_width)

    @property
    def condition_width(self) -> float:
        """The size of the condition above it."""
        return max((text_width(line, 0.9 * self.fontsize) for line in self.condition), default=0.0)

    @property
    def inner_width(self) -> float:
        """Of the box itself."""
        widest = max(text_width(line, self.fontsize, bold=i == 0) for i, line in enumerate(self.lines))
        return widest + 2 * PAD * self.fontsize

    @property
    def height(self) -> float:
        """Of the box itself."""
        bar = 0.0 if self.shares is None else BAR
        return (LINE * len(self.lines) + 2 * PAD + bar) * self.fontsize

    @property
    def condition_height(self) -> float:
        """The size of the condition above it."""
        return (LINE * len(self.condition) + 0.35) * self.fontsize if self.condition else 0.0


def box_of(words: TreeText, node: int, split: SplitText | None, went_left: bool, cut: bool, style: Style) -> NodeBox:
    """The box of a node, reached by one branch of its parent's split; a ``cut`` branch is shown as "…"."""
    tree = words.tree
    share = float(tree.n_node_samples[node] / tree.n_node_samples[0])
    condition = _condition(words, split, went_left)
    if cut:
        return NodeBox(node, condition, ("…",), "#f2f4f6", share, None, style.fontsize)
    shares = tree.value[node, 0] if words.classifies else None
    fill = fill_of(words, node) if style.filled else "white"
    return NodeBox(node, condition, tuple(_lines(words, node, style)), fill, share, shares, style.fontsize)


def _lines(words: TreeText, node: int, style: Style) -> list[str]:
    """The split or prediction of a node, then the other lines."""
    tree = words.tree
    value = tree.value[node, 0]
    text = words.prediction(node) if words.classifies else rounded(float(value[0]), style.precision)
    text = _cut_short(text) + (f": {percent(value.max())}" if words.classifies else "")
    lines = [text] if tree.is_leaf[node] else [_cut_short(words.names[tree.feature[node]]), text]
    named = style.label == "all" or (style.label == "root" and node == 0)
    n = int(tree.n_node_samples[node])
    if style.proportion:
        lines.append(percent(n / tree.n_node_samples[0]) + " of rows" * named)
    else:
        lines.append("n = " * named + f"{n:,}")
    if style.impurity:
        lines.append(f"{words.criterion} = " * named + rounded(float(tree.impurity[node]), style.precision))
    return lines + [f"node {node}"] * style.node_ids


def _condition(words: TreeText, split: SplitText | None, left: bool) -> tuple[str, ...]:
    """The condition of a branch in short lines, which end between levels, or between words of a long one."""
    if split is None:
        return ()
    text = split.side(left)
    if split.levels is not None and not text.startswith("is "):
        names = [words.level(split.feature, code) for code in sorted(split.levels[0 if left else 1])]
        missing = " or missing" * text.endswith(" or missing")
        text = ", ".join(_whole(_cut_short(name)) for name in some_of(names, _LISTED)) + missing
    lines = wrap(text, _LETTERS, break_on_hyphens=False, break_long_words=False)
    return tuple(line.replace(_JOINED, " ") for line in lines)


def _whole(name: str) -> str:
    """A name that is not broken, where it fits into a line."""
    return name.replace(" ", _JOINED) if len(name) < _LETTERS else name


def _cut_short(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1].rstrip() + "…"


# -- colours -------------------------------------------------------------------------------------------


@cache
def class_colours(n_classes: int) -> Sequence[Any]:
    """A colour for each class; a few classes get colours that colour-blind readers can distinguish."""
    if n_classes <= len(COLOURS):
        return COLOURS[:n_classes]
    from matplotlib import colormaps

    return [colormaps["tab20"](i % 20) for i in range(n_classes)]


def fill_of(words: TreeText, node: int) -> Any:
    """The colour of the class, paler if the node is less pure; or of the value, paler if it is smaller."""
    tree = words.tree
    if words.classifies:
        shares, n_classes = tree.value[node, 0], tree.value.shape[2]
        purity = (shares.max() - 1 / n_classes) / (1 - 1 / n_classes) if n_classes > 1 else 1.0
        return _over_white(class_colours(n_classes)[int(shares.argmax())], 0.06 + (_DEEPEST - 0.06) * purity)
    low, high = float(tree.value.min()), float(tree.value.max())
    return _over_white(BLUE, _DEEPEST * (float(tree.value[node, 0, 0]) - low) / (high - low) if high > low else 0.0)


def _over_white(colour: Any, opacity: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return tuple(1 - opacity * (1 - part) for part in to_rgb(colour))


# -- sizes ---------------------------------------------------------------------------------------------


@lru_cache(4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a line in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])
