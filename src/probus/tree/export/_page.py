"""The boxes of a drawn tree and their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.tree.export._boxes import NodeBox, Style, box_of, text_width
from probus.tree.export._split_text import TreeText


@dataclass(frozen=True, eq=False)
class Page:
    """Boxes and their positions, in points; the root first, y growing upwards from 0."""

    boxes: list[NodeBox]
    children: list[list[int]]
    x: np.ndarray
    top: np.ndarray
    width: float
    height: float
    legend: list[list[int]]


def page_of(words: TreeText, max_depth: int | None, style: Style) -> Page:
    """The boxes of a tree at their positions, under a legend of the classes."""
    boxes, children, depths = _boxes(words, max_depth, style)
    x = tidy_places(children, [box.width for box in boxes], gap=style.fontsize)
    width = float(max(x[i] + box.width / 2 for i, box in enumerate(boxes)))
    legend = _legend_lines(words, max(width, 24 * style.fontsize), style.fontsize)
    rows = [[box for box, d in zip(boxes, depths, strict=True) if d == depth] for depth in range(max(depths) + 1)]
    tops, y = [], -style.fontsize * (1.6 * len(legend) + 0.6 * bool(legend))
    for depth, row in enumerate(rows):
        y -= max(box.condition_height for box in row) + (2.6 * style.fontsize if depth else 0)
        tops.append(y)
        y -= max(box.height for box in row)
    widest = max([width, *(sum(entry_width(words.classes[k], style.fontsize) for k in line) for line in legend)])
    top = np.array([tops[depth] for depth in depths]) - y
    return Page(boxes, children, x + (widest - width) / 2, top, widest, -y, legend)


def _boxes(words: TreeText, max_depth: int | None, style: Style) -> tuple[list[NodeBox], list[list[int]], list[int]]:
    """The boxes that are shown, parents first, the places of their children, and their depths."""
    tree = words.tree
    boxes = [box_of(words, 0, None, True, False, style)]
    children: list[list[int]] = [[]]
    depths, place = [0], 0
    while place < len(boxes):
        node, depth = boxes[place].node, depths[place]
        if not tree.is_leaf[node] and (max_depth is None or depth <= max_depth):
            split = words.split(node)
            for left, child in ((True, tree.children_left[node]), (False, tree.children_right[node])):
                cut = max_depth == depth and not tree.is_leaf[child]
                children[place].append(len(boxes))
                boxes.append(box_of(words, int(child), split, left, bool(cut), style))
                children.append([])
                depths.append(depth + 1)
        place += 1
    return boxes, children, depths


def _legend_lines(words: TreeText, width: float, fontsize: float) -> list[list[int]]:
    """The classes by line of the legend; empty if there are too many for a legend."""
    if not words.classifies or len(words.classes) > 20:
        return []
    lines: list[list[int]] = [[]]
    free = width
    for k, name in enumerate(words.classes):
        free -= entry_width(name, fontsize)
        if free < 0 and lines[-1]:
            lines.append([])
            free = width - entry_width(name, fontsize)
        lines[-1].append(k)
    return lines


def entry_width(name: str, fontsize: float) -> float:
    """The width of a class in the legend."""
    return text_width(name, fontsize) + 2.4 * fontsize


# -- positions of the nodes of a drawn tree: compact, without overlap, parents centred over their children


def tidy_places(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> np.ndarray:
    """The x coordinate of the centre of each node, after Reingold and Tilford (1981), for nodes of any width.

    Nodes of one depth are on one line. A subtree is moved left until its outline has the distance ``gap`` from the
    outline of its left sibling. Parents come before children and are centred over the first and the last.

    >>> tidy_places([[1, 2], [], []], [1.0, 3.0, 1.0], gap=1.0).tolist()
    [3.0, 1.5, 4.5]
    """
    n_nodes = len(children)
    offset = np.zeros(n_nodes)  # from the parent
    outlines: list[list[tuple[float, float]]] = [[] for _ in range(n_nodes)]  # (left, right) by depth, from the node
    for node in range(n_nodes - 1, -1, -1):
        placed, below = _side_by_side([outlines[child] for child in children[node]], gap)
        middle = (placed[0] + placed[-1]) / 2 if placed else 0.0
        for child, place in zip(children[node], placed, strict=True):
            offset[child] = place - middle
            outlines[child] = []
        half = widths[node] / 2
        outlines[node] = [(-half, half), *((left - middle, right - middle) for left, right in below)]
    x = np.zeros(n_nodes)
    x[0] = -min(left for left, _ in outlines[0])
    for node in range(n_nodes):
        for child in children[node]:
            x[child] = x[node] + offset[child]
    return x


def _side_by_side(
    subtrees: Sequence[list[tuple[float, float]]], gap: float
) -> tuple[list[float], list[tuple[float, float]]]:
    """The position of each subtree, the first at 0, and the outline of all of them."""
    places: list[float] = []
    whole: list[tuple[float, float]] = []
    for outline in subtrees:
        shared = zip(whole, outline, strict=False)
        place = max((right + gap - left for (_, right), (left, _) in shared), default=0.0)
        places.append(place)
        moved = [(left + place, right + place) for left, right in outline]
        both = [(old[0], new[1]) for old, new in zip(whole, moved, strict=False)]
        whole = both + whole[len(moved) :] + moved[len(whole) :]
    return places, whole
