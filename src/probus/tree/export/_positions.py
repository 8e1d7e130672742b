"""Positions of the nodes of a drawn tree: compact, without overlap, parents centred over their children."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def tidy_places(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> np.ndarray:
    """The x coordinate of the centre of each node, after Reingold and Tilford (1981), for nodes of any width.

    Nodes of one depth are on one line. A subtree is moved left until its outline has the distance ``gap`` from the
    outline of its left sibling; parents come before children and are centred over the first and the last.

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
