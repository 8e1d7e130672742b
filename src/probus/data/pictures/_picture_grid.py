"""Several columns as one figure: each alone or against a target, and in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data.pictures._bins import drawn_rows
from probus.data.pictures._column_picture import count_levels, draw_column
from probus.data.pictures._target_picture import draw_against, legend_of
from probus.display import drawing
from probus.errors import DataError

_MOST = 60  # pictures
_ACROSS = 4
_MOST_PAIRED = 8  # columns


def plot_columns(columns: Sequence[Column], target: Column | None) -> Any:
    """A picture of each column, in a grid; the axes as a flat array.

    Parameters
    ----------
    columns : the columns.
    target : the column to predict; pictures are then drawn against it.

    Returns
    -------
    The matplotlib axes.
    """
    from matplotlib import pyplot

    shown = [column for column in columns if target is None or column.name != target.name]
    if not 1 <= len(shown) <= _MOST:
        raise DataError(f"{len(shown)} columns to draw.", f"1 to {_MOST}", "Name those to draw: table.plot('age', …).")
    across = min(_ACROSS, len(shown))
    down = -(-len(shown) // across)
    grid = pyplot.subplots(down, across, figsize=(3.7 * across, 2.7 * down), layout="constrained", squeeze=False)[1]
    for place, ax in enumerate(grid.flat):
        if place >= len(shown):
            ax.set_visible(False)
        elif target is None:
            draw_column(shown[place], ax)
        else:
            draw_against(shown[place], target, ax, legend=False)
    if target is not None and target.kind.has_levels:
        legend_of(grid[0, 0].figure, target, loc="outside upper right", ncols=6)
    return grid.ravel()[: len(shown)]


def plot_pairs(columns: Sequence[Column], target: Column | None) -> Any:
    """Every pair of numeric columns as points, coloured by the classes of a target; the axes as a square array.

    Parameters
    ----------
    columns : the columns.
    target : the column whose classes colour the points.

    Returns
    -------
    The matplotlib axes.
    """
    from matplotlib import pyplot

    shown = [c for c in columns if c.kind is Kind.NUMERIC and (target is None or c.name != target.name)]
    if not 2 <= len(shown) <= _MOST_PAIRED:
        hint = "Name those to draw: table.plot_pairs('age', 'fare')."
        raise DataError(f"{len(shown)} numeric columns to draw in pairs.", f"2 to {_MOST_PAIRED}", hint)
    if target is not None and not target.kind.has_levels:
        raise DataError(f"a target of numbers, {target.name!r}, to colour by.", "classes", "Pass it as a column.")
    colours = row_colours(len(shown[0]), target)
    side = len(shown)
    grid = pyplot.subplots(side, side, figsize=(2.1 * side, 2.1 * side), layout="constrained", squeeze=False)[1]
    for (i, j), ax in np.ndenumerate(grid):
        if i == j:
            draw_column(shown[i], ax) if target is None else draw_against(shown[i], target, ax, legend=False)
            ax.set_title("", loc="left")
        else:
            x, y = shown[j].values, shown[i].values
            rows = drawn_rows(np.isfinite(x) & np.isfinite(y))
            ax.scatter(x[rows], y[rows], s=5, c=colours[rows], alpha=0.5, linewidths=0, rasterized=True)
            drawing.tidy(ax, "", "", "")
        ax.set_xlabel(shown[j].name if i == side - 1 else "", parse_math=False)
        ax.set_ylabel(shown[i].name if j == 0 else "", parse_math=False)
    if target is not None:
        legend_of(grid[0, 0].figure, target, loc="outside upper right", ncols=6)
    return grid


def row_colours(rows: int, target: Column | None) -> np.ndarray:
    """The colour of each row; rows without a class are grey."""
    if target is None:
        return np.full(rows, drawing.BLUE)
    codes = np.minimum(count_levels(target)[0], len(drawing.COLOURS) - 1)
    return np.array([*drawing.COLOURS, drawing.MUTED])[codes]
