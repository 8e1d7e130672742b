"""The critical-difference diagram: average ranks on a line, and bars over models whose order is undecided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError

_FONT_SIZE = 10.0
_ROW, _BAR = 1.7, 0.9  # heights of a label's row and of a bar's row, in font sizes
_HEAD, _FOOT = 4.6, 0.6  # room above the axis for its numbers and the critical difference, and below the last label
_WIDEST_LABEL = 0.32  # of the width of the axes


def difference_diagram(
    average_ranks: Sequence[float],
    critical_difference: float,
    names: Sequence[str],
    *,
    axes: Any = None,
) -> Any:
    """Draw the models by average rank, the best on the left, and join those within the critical difference.

    As in Demšar (2006, JMLR 7): models whose average ranks differ by less than the critical difference hang from one
    thick bar. The axes are returned; without ``axes``, a figure is made whose height fits the number of models.

    Parameters
    ----------
    average_ranks : the average rank of each model.
    critical_difference : models closer than this are joined.
    names : the names of the models.
    axes : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.

    >>> from matplotlib.figure import Figure
    >>> axes = difference_diagram([1.4, 2.1, 2.5], 0.9, ["forest", "k-NN", "Zero-R"], axes=Figure().add_subplot())
    >>> [text.get_text() for text in axes.texts if text.get_gid() == "name"]
    ['forest', 'k-NN', 'Zero-R']
    """
    ranks, labels = _check(average_ranks, critical_difference, names)
    bars = _stack(groups_within(ranks, critical_difference), ranks)
    left = (len(ranks) + 1) // 2
    rows = max(left, len(ranks) - left)
    deepest = _BAR * (1 + max((level for _, _, level in bars), default=-1)) + _ROW * rows
    if axes is None:
        from matplotlib import pyplot

        height = (_HEAD + deepest + _FOOT) * _FONT_SIZE / 72
        axes = pyplot.figure(figsize=(7, height)).add_axes((0.02, 0.0, 0.96, 1.0))
    size = _frame(axes, deepest)
    low, high = _ends(ranks)
    shown, (outer_left, outer_right) = _fit_labels(axes, labels, left, (low, high), size)
    _draw_axis(axes, low, high, size)
    _draw_difference(axes, critical_difference, low, size)
    for first, last, level in bars:
        y = _BAR * (level + 0.75)
        nudge = 0.012 * (high - low)
        axes.plot([ranks[first] - nudge, ranks[last] + nudge], [y, y], color="0.15", linewidth=3.2, zorder=3)
    top = deepest - _ROW * rows
    for i, rank in enumerate(ranks):
        on_left = i < left
        depth = top + _ROW * ((i if on_left else len(ranks) - 1 - i) + 0.5)
        edge = outer_left if on_left else outer_right
        axes.plot([rank, rank, edge], [0, depth, depth], color="0.45", linewidth=0.9, zorder=2)
        axes.plot(rank, 0, "o", color="C0", markersize=4, zorder=4, clip_on=False)
        _write(axes, shown[i], f"{rank:.2f}", edge, depth, on_left, size)
    return axes


def groups_within(ranks: Sequence[float] | np.ndarray, critical_difference: float) -> list[tuple[int, int]]:
    """The longest runs of models, first and last place, whose ranks all differ by less than the critical difference.

    >>> groups_within([1.0, 1.5, 2.2, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(j for j in range(first, len(ranks)) if j == first or ranks[j] - ranks[first] < critical_difference)
        if last > first and not (runs and runs[-1][1] >= last):
            runs.append((first, last))
    return runs


def _check(ranks: Sequence[float], difference: float, names: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    values = np.asarray(ranks, dtype=np.float64)
    if len(values) != len(names):
        raise DataError(f"{len(values)} average ranks and {len(names)} names.", "one name per rank")
    if len(values) < 2:
        raise DataError(f"{counted(len(values), 'average rank')}.", "at least two models")
    if not np.isfinite(values).all() or values.min() < 1:
        raise DataError("average ranks below 1 or not finite.", "ranks from 1, the best")
    if not 0 <= difference < np.inf:
        raise DataError(f"a critical difference of {difference}.", "a number from 0")
    order = np.argsort(values, kind="stable")
    return values[order], [str(names[i]) for i in order]


def _ends(ranks: np.ndarray) -> tuple[float, float]:
    """The axis runs over whole ranks, from 1 to the number of models or the largest rank."""
    return 1.0, float(max(len(ranks), np.ceil(ranks[-1])))


def _stack(groups: list[tuple[int, int]], ranks: np.ndarray) -> list[tuple[int, int, int]]:
    """Each group with the first level, counted from the axis, where its bar meets no other."""
    ends: list[float] = []
    placed = []
    gap = 0.04 * (len(ranks) - 1)
    for first, last in groups:
        free = [level for level, end in enumerate(ends) if ranks[first] > end + gap]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [float(ranks[last])]
        placed.append((first, last, level))
    return placed


def _frame(axes: Any, deepest: float) -> float:
    """Empty axes in units of font sizes, growing downwards; the font size that fits them."""
    axes.set_axis_off()
    axes.set_ylim(deepest + _FOOT, -_HEAD)
    figure = axes.figure
    tall = axes.get_position().height * figure.get_size_inches()[1] * 72
    return min(_FONT_SIZE, tall / (deepest + _FOOT + _HEAD))


def _fit_labels(
    axes: Any, labels: list[str], left: int, ends: tuple[float, float], size: float
) -> tuple[list[str], tuple[float, float]]:
    """Labels short enough for the axes, and limits of x that leave room for them on both sides."""
    wide = axes.get_position().width * axes.figure.get_size_inches()[0] * 72
    shown = [_beginning_that_fits(label, _WIDEST_LABEL * wide, size) for label in labels]
    elbow = 2.6 * size  # the least length of a horizontal line: the rank stands on it
    room = [max(_width(label, size) for label in side) + elbow + size for side in (shown[:left], shown[left:])]
    low, high = ends
    unit = (high - low) / (wide - sum(room))
    axes.set_xlim(low - room[0] * unit, high + room[1] * unit)
    return shown, (low - elbow * unit, high + elbow * unit)


def _beginning_that_fits(label: str, wide: float, size: float) -> str:
    """The label, or as much of it as is sure to fit, judged by its mean width per letter."""
    full = _width(label, size)
    while (share := wide / full if full else 1.0) < 1.0:
        label = label[: max(int(share * len(label)) - 2, 1)] + "…"
        full = _width(label, size)
        if len(label) <= 2:
            break
    return label


def _width(label: str, size: float) -> float:
    """How wide the label will be, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(label, FontProperties(size=size), ismath=False)
    return float(width)


def _write(axes: Any, label: str, rank: str, x: float, y: float, on_left: bool, size: float) -> None:
    """A name beyond the end of its line, and the average rank small above that end."""
    outwards, inwards = ("right", "left") if on_left else ("left", "right")
    pad = (-1 if on_left else 1) * 0.3 * size
    for text, where, how in (
        (label, (pad, 0), {"ha": outwards, "va": "center", "fontsize": size, "gid": "name"}),
        (rank, (0, 0.12 * size), {"ha": inwards, "va": "bottom", "fontsize": 0.75 * size, "color": "0.35"}),
    ):
        axes.annotate(text, (x, y), where, textcoords="offset points", parse_math=False, **how)


def _draw_axis(axes: Any, low: float, high: float, size: float) -> None:
    axes.plot([low, high], [0, 0], color="black", linewidth=1.2, solid_capstyle="projecting")
    step = max(1, round((high - low) / 12))
    for tick in np.arange(low, high + 0.01, step):
        axes.plot([tick, tick], [0, -0.45], color="black", linewidth=1.0)
        axes.text(tick, -0.65, f"{tick:g}", ha="center", va="bottom", fontsize=0.9 * size)
    for tick in np.arange(low + step / 2, high, step):
        axes.plot([tick, tick], [0, -0.25], color="black", linewidth=0.8)


def _draw_difference(axes: Any, difference: float, low: float, size: float) -> None:
    """The critical difference as a length at the scale of the ranks."""
    y = -2.6
    axes.plot([low, low + difference], [y, y], color="0.15", linewidth=1.4)
    for end in (low, low + difference):
        axes.plot([end, end], [y - 0.3, y + 0.3], color="0.15", linewidth=1.4)
    caption = f"critical difference {difference:.2f}   (average rank, 1 is best)"
    axes.text(low, y - 0.5, caption, ha="left", va="bottom", fontsize=0.9 * size, gid="difference")
