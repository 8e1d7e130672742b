"""A layered drawing of boxes and arrows, from top to bottom, as SVG (after Sugiyama, Tagawa and Toda, 1981)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

_TITLE, _DETAIL = 7.3, 6.1  # pixels for a letter of each of the two lines
_HEIGHT, _GAP, _BETWEEN, _MARGIN = 40.0, 30.0, 18.0, 6.0
_SWEEPS = 13  # odd: the last is downwards, which makes chains of boxes straight
_FILLS = {"input": "#8884", "plain": "#3b82c433", "join": "#8883", "model": "#2c9a6a40"}


@dataclass(frozen=True)
class DrawnBox:
    """A box with two lines of text, and the places of the boxes that an arrow comes from."""

    title: str
    detail: str
    inputs: tuple[int, ...]
    kind: str = "plain"
    dimmed: bool = False

    @property
    def width(self) -> float:
        """The width in pixels, by the number of letters."""
        return max(_TITLE * len(self.title), _DETAIL * len(self.detail), 30.0) + 22.0


@dataclass
class _Cell:
    """A place in a layer: of a box, or of an arrow that passes through (``box`` is None)."""

    box: int | None
    width: float
    x: float = 0.0


def drawn(boxes: Sequence[DrawnBox]) -> str:
    """The boxes as SVG; each is below the boxes that its arrows come from, and arrows never cross boxes.

    >>> picture = drawn([DrawnBox("input", "", ()), DrawnBox("scale", "StandardScaler", (0,))])
    >>> picture.startswith("<svg"), picture.count("<rect"), picture.count("<path")
    (True, 2, 1)
    """
    layers, arrows = _layers(boxes)
    _order(layers, arrows)
    _place(layers, arrows)
    cells = [cell for layer in layers for cell in layer]
    left = min(cell.x - cell.width / 2 for cell in cells) - _MARGIN
    width = max(cell.x + cell.width / 2 for cell in cells) + _MARGIN - left
    height = len(layers) * (_HEIGHT + _GAP) - _GAP + 2 * _MARGIN
    tops = {id(cell): _MARGIN + y * (_HEIGHT + _GAP) for y, layer in enumerate(layers) for cell in layer}
    for cell in cells:
        cell.x -= left
    parts = [_arrow(chain, tops, boxes) for chain in arrows]
    parts += [_rectangle(boxes[cell.box], cell, tops[id(cell)]) for cell in cells if cell.box is not None]
    label = escape(f"Diagram: {', '.join(box.title for box in boxes)}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:100%;height:auto" '
        f'font-family="system-ui,sans-serif" fill="currentColor">{"".join(parts)}</svg>'
    )


# -- layout --------------------------------------------------------------------------------------------


def _layers(boxes: Sequence[DrawnBox]) -> tuple[list[list[_Cell]], list[list[_Cell]]]:
    """The cells of each layer, and each arrow as a chain of cells, one in every layer that it passes."""
    depth: list[int] = []
    for box in boxes:
        depth.append(1 + max((depth[each] for each in box.inputs), default=-1))
    layers: list[list[_Cell]] = [[] for _ in range(max(depth) + 1)]
    cells = []
    for place, box in enumerate(boxes):
        cells.append(_Cell(place, box.width))
        layers[depth[place]].append(cells[-1])
    arrows = []
    for place, box in enumerate(boxes):
        for each in box.inputs:
            passing = [_Cell(None, 10.0) for _ in range(depth[each] + 1, depth[place])]
            for y, cell in enumerate(passing, depth[each] + 1):
                layers[y].append(cell)
            arrows.append([cells[each], *passing, cells[place]])
    return layers, arrows


def _neighbours(arrows: list[list[_Cell]]) -> tuple[dict[int, list[_Cell]], dict[int, list[_Cell]]]:
    above: dict[int, list[_Cell]] = {}
    below: dict[int, list[_Cell]] = {}
    for chain in arrows:
        for first, second in pairwise(chain):
            below.setdefault(id(first), []).append(second)
            above.setdefault(id(second), []).append(first)
    return above, below


def _order(layers: list[list[_Cell]], arrows: list[list[_Cell]]) -> None:
    """Sort each layer by the mean place of its neighbours, downwards and upwards in turn: fewer arrows cross."""
    above, below = _neighbours(arrows)
    for sweep in range(_SWEEPS):
        place = {id(cell): (i + 0.5) / len(layer) for layer in layers for i, cell in enumerate(layer)}
        near, order = (above, layers) if sweep % 2 == 0 else (below, layers[::-1])
        for layer in order:
            means = {id(cell): _mean([place[id(n)] for n in near.get(id(cell), [])], place[id(cell)]) for cell in layer}
            layer.sort(key=lambda cell: means[id(cell)])
            place |= {id(cell): (i + 0.5) / len(layer) for i, cell in enumerate(layer)}


def _place(layers: list[list[_Cell]], arrows: list[list[_Cell]]) -> None:
    """Move each cell towards the mean of its neighbours, as far as those beside it allow."""
    above, below = _neighbours(arrows)
    for layer in layers:
        _pack(layer, [0.0] * len(layer))
    for sweep in range(_SWEEPS):
        near, order = (above, layers) if sweep % 2 == 0 else (below, layers[::-1])
        for layer in order:
            _pack(layer, [_mean([n.x for n in near.get(id(cell), [])], cell.x) for cell in layer])


def _pack(layer: list[_Cell], wanted: list[float]) -> None:
    """The places nearest to the wanted ones, by least squares, without overlap: blocks of touching cells are merged."""
    blocks: list[tuple[float, list[int]]] = []  # the wanted place of the first cell, and the cells
    offsets = [0.0]
    for first, second in pairwise(layer):
        offsets.append(offsets[-1] + (first.width + second.width) / 2 + _BETWEEN)
    for place in range(len(layer)):
        block = (wanted[place] - offsets[place], [place])
        while blocks and blocks[-1][0] >= block[0]:
            start, members = blocks.pop()
            merged = members + block[1]
            block = ((start * len(members) + block[0] * len(block[1])) / len(merged), merged)
        blocks.append(block)
    for start, members in blocks:
        for place in members:
            layer[place].x = start + offsets[place]


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


# -- shapes --------------------------------------------------------------------------------------------


def _rectangle(box: DrawnBox, cell: _Cell, top: float) -> str:
    dashed = ' stroke-dasharray="4 3" opacity=".5"' if box.dimmed else ""
    title_y = top + (_HEIGHT / 2 + 4.5 if not box.detail else 17)
    text = f'<text x="{cell.x:.1f}" text-anchor="middle"'
    detail = f'{text} y="{top + 32:.1f}" font-size="11">{escape(box.detail)}</text>' if box.detail else ""
    return (
        f"<g{dashed}>"
        f'<rect x="{cell.x - cell.width / 2:.1f}" y="{top:.1f}" width="{cell.width:.1f}" height="{_HEIGHT:.0f}" rx="6" '
        f'fill="{_FILLS[box.kind]}" stroke="currentColor" stroke-opacity=".45"/>'
        f'{text} y="{title_y:.1f}" font-size="12.5" font-weight="600">{escape(box.title)}</text>{detail}</g>'
    )


def _arrow(chain: list[_Cell], tops: dict[int, float], boxes: Sequence[DrawnBox]) -> str:
    """A smooth line from the bottom of the first cell to the top of the last, with a head."""
    dimmed = any(cell.box is not None and boxes[cell.box].dimmed for cell in chain)
    x, y = chain[0].x, tops[id(chain[0])] + _HEIGHT
    path = f"M{x:.1f} {y:.1f}"
    for place, cell in enumerate(chain[1:], 1):
        top = tops[id(cell)]
        middle = (y + top) / 2
        path += f"C{x:.1f} {middle:.1f} {cell.x:.1f} {middle:.1f} {cell.x:.1f} {top:.1f}"
        x, y = cell.x, top
        if place < len(chain) - 1:
            y += _HEIGHT
            path += f"V{y:.1f}"
    path += "m-4 -6l4 6l4 -6"
    style = ' stroke-dasharray="4 3" opacity=".4"' if dimmed else ""
    return f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity=".6" stroke-width="1.4"{style}/>'
