"""A column against a target, both of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data.pictures._bins import drawn_rows, histogram_edges
from probus.data.pictures._column_picture import count_levels, draw_column, label_levels, shown_name, tick_dates
from probus.display import drawing

_TENTHS = 10
_LEAST_IN_BIN = 8
_FEW = 6  # numbers that are drawn as levels


def draw_against(column: Column, target: Column, ax: Any = None, *, legend: bool = True) -> Any:
    """A column against a target, on matplotlib axes.

    Classes as target: histograms or bars, stacked by class. Numbers as target: points with the mean of each tenth of a
    number, or the mean of each level; both with 95 % intervals.

    Parameters
    ----------
    column : the column.
    target : the column to predict.
    ax : matplotlib axes to draw on; None makes new ones.
    legend : whether classes have a legend.

    Returns
    -------
    The matplotlib axes.
    """
    ax = drawing.new_axes(ax, 4.2, 3.0)
    if column.kind is Kind.TEXT or target.kind is Kind.TEXT:
        return draw_column(column, ax)
    if target.kind.has_levels:
        _stack(column, target, ax, legend)
    elif column.kind.has_levels:
        _means_of_levels(column, target, ax)
    else:
        _points(column, target, ax)
    return ax


def _stack(column: Column, target: Column, ax: Any, legend: bool) -> None:
    """Rows of each bin or level, stacked by class."""
    names = class_names(target)
    classes = np.minimum(count_levels(target)[0], len(names) - 1)
    if column.kind.has_levels:
        codes, labels = count_levels(column)
        edges = None
    else:
        finite = column.values[np.isfinite(column.values)]
        if not len(finite):
            draw_column(column, ax)
            return
        edges = histogram_edges(finite)
        labels = [""] * (len(edges) - 1)
        codes = np.clip(np.searchsorted(edges, column.values, side="right") - 1, 0, len(labels) - 1)
        codes[~np.isfinite(column.values)] = -1
    both = (codes >= 0) & (classes >= 0)
    counts = np.bincount(classes[both] * len(labels) + codes[both], minlength=len(names) * len(labels))
    tops = np.cumsum(counts.reshape(len(names), len(labels)), axis=0)
    for k in reversed(range(len(names))):
        if edges is None:
            ax.barh(np.arange(len(labels)), tops[k], height=0.68, color=drawing.COLOURS[k])
        else:
            ax.stairs(tops[k], edges, fill=True, color=drawing.COLOURS[k])
    if edges is None:
        drawing.tidy(ax, shown_name(column), "rows", "")
        label_levels(ax, labels)
    else:
        drawing.tidy(ax, shown_name(column), "", "rows")
        tick_dates(ax, column)
    if legend:
        legend_of(ax, target)


def _means_of_levels(column: Column, target: Column, ax: Any) -> None:
    codes, names = count_levels(column)
    usable = (codes >= 0) & np.isfinite(target.values)
    mean, low, high = mean_intervals(codes[usable], target.values[usable], len(names))
    rows = drawn_rows(usable)
    jitter = np.random.default_rng(0).uniform(-0.22, 0.22, len(rows))
    style: Any = {"s": 7, "color": drawing.BLUE, "alpha": 0.25, "linewidths": 0, "rasterized": True}
    ax.scatter(target.values[rows], codes[rows] + jitter, **style)
    spans = np.stack([mean - low, high - mean])
    bars: Any = {"fmt": "o", "color": drawing.ORANGE, "markersize": 4.5, "elinewidth": 1.5, "zorder": 4}
    ax.errorbar(mean, np.arange(len(names)), xerr=spans, **bars)
    drawing.tidy(ax, shown_name(column), target.name, "")
    label_levels(ax, names)
    tick_dates(ax, target)


def _points(column: Column, target: Column, ax: Any) -> None:
    usable = np.isfinite(column.values) & np.isfinite(target.values)
    rows = drawn_rows(usable)
    faint = float(np.clip(8 / np.sqrt(max(len(rows), 1)), 0.12, 0.6))
    style: Any = {"s": 8, "color": drawing.BLUE, "alpha": faint, "linewidths": 0, "rasterized": True}
    ax.scatter(column.values[rows], target.values[rows], **style)
    x, y = column.values[usable], target.values[usable]
    if len(x) >= 2 * _LEAST_IN_BIN:
        bins = _tenths(x)
        mean, low, high = mean_intervals(bins, y, int(bins.max()) + 1)
        centre = np.bincount(bins, x) / np.bincount(bins)
        bars: Any = {"fmt": "o", "color": drawing.ORANGE, "markersize": 4, "elinewidth": 1.4, "zorder": 4}
        ax.errorbar(centre, mean, np.stack([mean - low, high - mean]), **bars)
    drawing.tidy(ax, shown_name(column), "", target.name)
    tick_dates(ax, column)


def _tenths(x: np.ndarray) -> np.ndarray:
    """The bin of each row: about a tenth of the rows, equal numbers together."""
    values, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) <= _FEW:
        return codes
    bins = min(_TENTHS, len(x) // _LEAST_IN_BIN)
    place = ((np.cumsum(counts) - counts) * bins) // len(x)
    return np.unique(place[codes], return_inverse=True)[1]


def mean_intervals(groups: np.ndarray, y: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of each group with the ends of its 95 % t interval; equal to the mean where a group has one row.

    >>> mean, low, high = mean_intervals(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 5.0]), 2)
    >>> mean, low.round(2)
    (array([2., 5.]), array([-0.48,  5.  ]))
    """
    from scipy.stats import t

    n = np.bincount(groups, minlength=n_groups)
    mean = np.bincount(groups, y, n_groups) / np.maximum(n, 1)
    variance = np.bincount(groups, (y - mean[groups]) ** 2, n_groups) / np.maximum(n - 1, 1)
    half = np.where(n > 1, t.ppf(0.975, np.maximum(n - 1, 1)) * np.sqrt(variance / np.maximum(n, 1)), 0.0)
    return mean, mean - half, mean + half


def class_names(target: Column) -> list[str]:
    """The classes that have a colour of their own, in the order of the colours."""
    names = count_levels(target)[1]
    most = len(drawing.COLOURS)
    return names if len(names) <= most else [*names[: most - 1], "others"]


def legend_of(place: Any, target: Column, **how: Any) -> None:
    """The names of the classes in their colours, on axes or on a figure."""
    from matplotlib.patches import Patch

    named = zip(class_names(target), drawing.COLOURS, strict=False)
    shown = [Patch(color=colour, label=name) for name, colour in named]
    legend = place.legend(handles=shown, fontsize=8, labelcolor=drawing.INK, handlelength=1, edgecolor="none", **how)
    for text in legend.get_texts():
        text.set_parse_math(False)
