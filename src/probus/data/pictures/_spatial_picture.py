"""Three columns as points in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data.pictures._bins import drawn_rows
from probus.data.pictures._picture_grid import row_colours
from probus.data.pictures._target_picture import legend_of
from probus.display import drawing
from probus.errors import DataError


def plot_space(columns: Sequence[Column], target: Column | None, ax: Any = None) -> Any:
    """Three numeric columns as points in space, coloured by the classes of a target.

    Parameters
    ----------
    columns : three numeric columns.
    target : the column whose classes colour the points, or whose numbers shade them.
    ax : three-dimensional matplotlib axes; None makes new ones.

    Returns
    -------
    The matplotlib axes.
    """
    from matplotlib import pyplot

    numbers = [column for column in columns if column.kind is Kind.NUMERIC]
    if len(numbers) != 3 or len(columns) != 3:
        found = ", ".join(f"{column.name!r} ({column.kind})" for column in columns[:6])
        raise DataError(f"columns to draw in space: {found}.", "three numeric columns", "Name them.")
    if ax is None:
        figure = pyplot.figure(figsize=(6.0, 5.4), layout="constrained")
        ax = figure.add_subplot(projection="3d")
    elif not hasattr(ax, "set_zlabel"):
        raise DataError("axes of two dimensions.", "axes of figure.add_subplot(projection='3d')")
    points = np.stack([column.values for column in numbers])
    rows = drawn_rows(np.isfinite(points).all(axis=0))
    by_class = target is None or target.kind.has_levels
    colours: Any = row_colours(len(columns[0]), target) if by_class else target.values  # type: ignore[union-attr]
    shades = {} if by_class else {"cmap": "viridis"}
    drawn = ax.scatter(*points[:, rows], c=colours[rows], s=9, alpha=0.75, linewidths=0, **shades)
    for column, name in zip(numbers, "xyz", strict=True):
        getattr(ax, f"set_{name}label")(column.name, parse_math=False, color=drawing.MUTED)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor(drawing.SPINE)
    ax.tick_params(colors=drawing.MUTED, labelsize=8)
    if target is not None and by_class:
        legend_of(ax.figure, target, loc="outside upper right", ncols=6)
    elif target is not None:
        ax.figure.colorbar(drawn, ax=ax, shrink=0.6, label=target.name)
    return ax
