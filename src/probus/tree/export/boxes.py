"""What the boxes of a drawn tree say, how large that makes them, and their colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from textwrap import wrap
from typing import Any

import numpy as np

from probus.display import percent
from probus.display.drawing import BLUE, COLOURS
from probus.tree.export.phrases import rounded, some_of
from probus.tree.export.wording import Question, Wording

__all__ = ["LINE", "PAD", "Box", "Style", "box_of", "class_colours", "fill_of", "text_width"]

LINE, PAD, BAR = 1.3, 0.7, 0.75  # the height of a line, space around the text, room for the bar of shares: in letters
_LETTERS, _LISTED = 18, 60  # in a line before it is broken, and in a list of levels
_JOINED = "\u00a0"  # a space where no line may break
_DEEPEST = 0.62  # of a colour over white, so that dark text on it can be read


@dataclass(frozen=True)
class Style:
    """How much is said, and in which size; see ``plot_tree``."""

    label: str
    filled: bool
    impurity: bool
    node_ids: bool
    proportion: bool
    rounded: bool
    precision: int
    fontsize: float


@dataclass(frozen=True, eq=False)
class Box:
    """A node as it is drawn: above it what its branch demands, in it lines of text, the first of them bold.

    share : of all rows. shares : of the classes, drawn as a bar; None for numbers and for what is left out.
    """

    node: int
    demand: tuple[str, ...]
    lines: tuple[str, ...]
    fill: Any
    share: float
    shares: np.ndarray | None
    fontsize: float

    @property
    def width(self) -> float:
        """Of the text, or of the demand above it where that is wider."""
        return max(self.inner_width, self.demand_width)

    @property
    def demand_width(self) -> float:
        """Of what stands above it."""
        return max((text_width(line, 0.9 * self.fontsize) for line in self.demand), default=0.0)

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
    def demand_height(self) -> float:
        """Of what stands above it."""
        return (LINE * len(self.demand) + 0.35) * self.fontsize if self.demand else 0.0


def box_of(words: Wording, node: int, question: Question | None, went_left: bool, cut: bool, style: Style) -> Box:
    """The box of a node, reached by one branch of its parent's question; of a ``cut`` branch nothing is said."""
    tree = words.tree
    share = float(tree.n_node_samples[node] / tree.n_node_samples[0])
    demand = _demand(words, question, went_left)
    if cut:
        return Box(node, demand, ("…",), "#f2f4f6", share, None, style.fontsize)
    shares = tree.value[node, 0] if words.classifies else None
    fill = fill_of(words, node) if style.filled else "white"
    return Box(node, demand, tuple(_lines(words, node, style)), fill, share, shares, style.fontsize)


def _lines(words: Wording, node: int, style: Style) -> list[str]:
    """What a node asks or predicts, then the rest."""
    tree = words.tree
    value = tree.value[node, 0]
    told = words.prediction(node) if words.classifies else rounded(float(value[0]), style.precision)
    told = _cut_short(told) + (f": {percent(value.max())}" if words.classifies else "")
    lines = [told] if tree.is_leaf[node] else [_cut_short(words.names[tree.feature[node]]), told]
    named = style.label == "all" or (style.label == "root" and node == 0)
    n = int(tree.n_node_samples[node])
    if style.proportion:
        lines.append(percent(n / tree.n_node_samples[0]) + " of rows" * named)
    else:
        lines.append("n = " * named + f"{n:,}")
    if style.impurity:
        lines.append(f"{words.criterion} = " * named + rounded(float(tree.impurity[node]), style.precision))
    return lines + [f"node {node}"] * style.node_ids


def _demand(words: Wording, question: Question | None, left: bool) -> tuple[str, ...]:
    """What a branch demands, in short lines; levels are only listed, and kept whole."""
    if question is None:
        return ()
    told = question.side(left)
    if question.levels is not None and not told.startswith("is "):
        names = [words.level(question.feature, code) for code in sorted(question.levels[0 if left else 1])]
        told = ", ".join(name.replace(" ", _JOINED) for name in some_of(names, _LISTED))
    return tuple(line.replace(_JOINED, " ") for line in wrap(told, _LETTERS, break_on_hyphens=False))


def _cut_short(name: str, most: int = 28) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


# -- colours -------------------------------------------------------------------------------------------


@cache
def class_colours(n_classes: int) -> Sequence[Any]:
    """A colour for each class, told apart by colour-blind readers where they are few."""
    if n_classes <= len(COLOURS):
        return COLOURS[:n_classes]
    from matplotlib import colormaps

    return [colormaps["tab20"](i % 20) for i in range(n_classes)]


def fill_of(words: Wording, node: int) -> Any:
    """The colour of the class, paler the less pure the node is; or of the value, paler the smaller it is."""
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
