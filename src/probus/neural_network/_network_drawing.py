"""The picture of a network: units with their values, edges with their weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import figure
from probus.display.drawing import BLUE, INK, MUTED, ORANGE, SPINE
from probus.neural_network._unit_names import bias_name, unit_name

if TYPE_CHECKING:
    from probus.neural_network._network_step import NetworkStep


_DOWN, _RADIUS, _OMITTED = 1.25, 0.33, 0.45  # inches between units, of a unit, and more for units that are left out
_MOST_UNITS = 6  # drawn in a layer: the others are left out between the last two
_MOST_LABELS = 20  # weights written between two layers
_LETTER, _SMALL = 0.071, 8.5  # inches of a letter, and its size in points
_ERROR = "#b85a94"  # readable on white and on black
_TEXT: Any = {"ha": "center", "va": "center", "parse_math": False}


@dataclass(frozen=True)
class _Unit:
    """A drawn unit: its number within its layer, and its place in inches."""

    number: int
    x: float
    y: float


def picture_size(sizes: Sequence[int]) -> tuple[float, float]:
    """Width and height in inches."""
    heights = (_units_of(0, size, 0.0)[0].y for size in sizes)
    return _across(sizes) * (len(sizes) - 1) + 2.2, 2 * max(heights) + 1.8


def _across(sizes: Sequence[int]) -> float:
    """Inches between layers: more where there are many units, so that edges are not steep."""
    return 2.3 + 0.2 * max(min(max(sizes), _MOST_UNITS) - 3, 0)


def draw_network(step: NetworkStep, ax: Any) -> Any:
    """Draw a step's network on matplotlib axes, or on new ones."""
    sizes = step.sizes
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=picture_size(sizes), layout="constrained")[1]
    layers = [_units_of(place, size, _across(sizes)) for place, size in enumerate(sizes)]
    height = max(units[0].y for units in layers)
    for place, layer in enumerate(step.layers, 1):
        _draw_edges(ax, layers[place - 1], layers[place], layer.weights)
    for place, units in enumerate(layers):
        title = "inputs" if place == 0 else step.layers[place - 1].activation
        ax.text(units[0].x, height + 0.68, title, color=MUTED, fontsize=10, **_TEXT)
        for unit in units:
            _draw_unit(ax, step, place, unit)
        if len(units) < sizes[place]:
            ax.text(units[0].x, units[-1].y + _RADIUS + 0.3, "⋮", color=MUTED, fontsize=14, **_TEXT)
    _write_targets(ax, step, layers[-1])
    ax.set(xlim=(-0.6, layers[-1][0].x + 1.25), ylim=(-height - 0.95, height + 0.85), aspect="equal")
    ax.axis("off")
    return ax


def _units_of(place: int, size: int, across: float) -> list[_Unit]:
    """The units of a layer from top to bottom, around the middle."""
    shown = list(range(size)) if size <= _MOST_UNITS else [*range(_MOST_UNITS - 1), size - 1]
    down = np.arange(len(shown)) * _DOWN
    down[-1] += _OMITTED * (len(shown) < size)
    return [_Unit(number, place * across, down[-1] / 2 - y) for number, y in zip(shown, down, strict=True)]


def _draw_unit(ax: Any, step: NetworkStep, place: int, unit: _Unit) -> None:
    """A circle with name and value; bias and error below it."""
    from matplotlib.patches import Circle

    inner = place > 0
    values = step.values[place - 1] if inner else step.x
    colour = BLUE if inner else MUTED
    circle = Circle(
        (unit.x, unit.y), _RADIUS, facecolor=(*_rgb(colour), 0.13), edgecolor=colour, linewidth=1.3, zorder=3
    )
    ax.add_patch(circle)
    name = unit_name(place, unit.number, step.sizes)
    ax.text(unit.x, unit.y + 0.13, name, color=MUTED, fontsize=_SMALL, zorder=4, **_TEXT)
    value = figure(float(f"{values[unit.number]:.3g}"))
    ax.text(unit.x, unit.y - 0.08, value, color=INK, fontsize=10, fontweight="bold", zorder=4, **_TEXT)
    if inner:
        bias = f"{bias_name(place, unit.number, step.sizes)} = {_short(step.layers[place - 1].bias[unit.number])}"
        ax.text(unit.x, unit.y - _RADIUS - 0.12, bias, color=INK, fontsize=_SMALL, zorder=4, **_TEXT)
        error = f"δ = {_short(step.errors[place - 1][unit.number])}"
        ax.text(unit.x, unit.y - _RADIUS - 0.28, error, color=_ERROR, fontsize=_SMALL, zorder=4, **_TEXT)


def _write_targets(ax: Any, step: NetworkStep, units: list[_Unit]) -> None:
    """The target beside each output, and the loss."""
    for unit in units:
        name = "y" if len(step.y) == 1 else f"y{unit_name(0, unit.number, step.sizes)[1:]}"
        x = unit.x + _RADIUS + 0.12
        side = {**_TEXT, "ha": "left"}
        ax.text(x, unit.y + 0.09, f"{name} = {_short(step.y[unit.number])}", color=INK, fontsize=10, **side)
        if unit is units[-1]:
            ax.text(x, unit.y - 0.12, f"L = {_short(step.loss)}", color=_ERROR, fontsize=10, **side)


# -- edges ---------------------------------------------------------------------------------------------


def _draw_edges(ax: Any, before: list[_Unit], after: list[_Unit], weights: np.ndarray) -> None:
    """A line for each weight: blue where positive, wide where large, interrupted by its number."""
    pairs = [(start, end) for start in before for end in after]
    values = np.array([weights[start.number, end.number] for start, end in pairs])
    widths = 0.5 + 2.6 * np.abs(values) / max(np.abs(weights).max(), 1e-12)
    lines = np.array([_between(start, end) for start, end in pairs])
    labels = [_short(value) for value in values] if len(pairs) <= _MOST_LABELS else [""] * len(pairs)
    places = _label_places(lines, labels)
    for line, value, width, label, place in zip(lines, values, widths, labels, places, strict=True):
        colour = BLUE if value > 0 else ORANGE if value < 0 else SPINE
        alpha = 0.75 if label else 0.25  # behind the text of many units
        for part in _parts_of(line, label, place):
            ax.plot(*part.T, color=colour, linewidth=width, alpha=alpha, solid_capstyle="round", zorder=2)
        if label:
            x, y = line[0] + place * (line[1] - line[0])
            angle = float(np.degrees(np.arctan2(*(line[1] - line[0])[::-1])))
            ax.text(x, y, label, color=INK, fontsize=_SMALL, rotation=angle, rotation_mode="anchor", zorder=5, **_TEXT)


def _between(start: _Unit, end: _Unit) -> np.ndarray:
    """The line from the edge of one circle to that of the other, 2 × 2."""
    ends = np.array([[start.x, start.y], [end.x, end.y]])
    step = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0]) * _RADIUS
    return ends + np.array([step, -step])


def _parts_of(line: np.ndarray, label: str, place: float) -> Iterator[np.ndarray]:
    """The line before and after its label."""
    if not label:
        yield line
        return
    half = (len(label) * _LETTER / 2 + 0.05) / np.linalg.norm(line[1] - line[0])
    way = line[1] - line[0]
    yield np.array([line[0], line[0] + max(place - half, 0) * way])
    yield np.array([line[0] + min(place + half, 1) * way, line[1]])


def _label_places(lines: np.ndarray, labels: Sequence[str]) -> list[float]:
    """Where on its line each label is written: farthest from the other lines and from the labels before it."""
    taken: list[np.ndarray] = []
    places = []
    for k, label in enumerate(labels):
        if not label:
            places.append(0.5)
            continue
        way = lines[k, 1] - lines[k, 0]
        half = len(label) * _LETTER / 2 / np.linalg.norm(way)
        others = np.delete(lines, k, axis=0)
        tried = np.linspace(half + 0.06, 0.94 - half, 25) if half < 0.4 else np.array([0.5])
        points = lines[k, 0] + (tried[:, None] + np.linspace(-half, half, 5))[..., None] * way
        free = [min(_distance(each, others), *(np.linalg.norm(each[:, None] - t, axis=2).min() for t in taken), 0.6)
                for each in points]  # fmt: skip
        best = int(np.argmax(np.array(free) - 0.05 * np.abs(tried - 0.5)))
        taken.append(points[best])
        places.append(float(tried[best]))
    return places


def _distance(points: np.ndarray, lines: np.ndarray) -> float:
    """The least distance between points and line segments."""
    if not len(lines):
        return np.inf
    way = lines[:, 1] - lines[:, 0]
    from_start = points[:, None] - lines[:, 0]
    share = np.clip((from_start * way).sum(axis=2) / (way * way).sum(axis=1), 0, 1)
    return float(np.linalg.norm(from_start - share[..., None] * way, axis=2).min())


def _short(value: float) -> str:
    return figure(float(f"{value:.3g}"))


def _rgb(colour: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)
