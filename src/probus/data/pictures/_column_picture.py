"""One column as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data._column import Column, level_key
from probus.data._kind import Kind
from probus.data.pictures._bins import histogram_edges
from probus.display import counted, drawing, figure, shortened

_LEVELS = 12


def draw_column(column: Column, ax: Any = None) -> Any:
    """A histogram of numbers or dates, bars of levels, or the lengths of texts, on matplotlib axes.

    Parameters
    ----------
    column : the column.
    ax : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.
    """
    ax = drawing.new_axes(ax, 4.2, 3.0)
    if column.kind.has_levels:
        codes, names = count_levels(column)
        counts = np.bincount(codes[codes >= 0], minlength=len(names))
        ax.barh(np.arange(len(names)), counts, height=0.68, color=drawing.BLUE)
        drawing.tidy(ax, shown_name(column), "rows", "")
        label_levels(ax, names)
        return ax
    lengths = column.kind is Kind.TEXT
    values = np.array([len(cell) for cell in column.values[~column.missing]], float) if lengths else column.values
    finite = values[np.isfinite(values)]
    if len(finite):
        edges = histogram_edges(finite)
        ax.stairs(np.histogram(finite, edges)[0], edges, fill=True, color=drawing.BLUE)
    drawing.tidy(ax, shown_name(column), "characters" if lengths else "", "rows")
    tick_dates(ax, column)
    return ax


def shown_name(column: Column) -> str:
    """The name as a title, with the number of missing values."""
    missing = int(column.missing.sum())
    name = shortened(column.name, 32)
    return f"{name} ({counted(missing, 'missing', 'missing')})" if missing else name


def count_levels(column: Column) -> tuple[np.ndarray, list[str]]:
    """The code of each row among the levels shown, -1 where missing, and their names; rare levels are one, the last."""
    totals = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
    used = np.flatnonzero(totals)
    order = used if column.kind is Kind.ORDINAL else used[np.argsort(-totals[used], kind="stable")]
    kept = order if len(order) <= _LEVELS else np.sort(order[np.argsort(-totals[order], kind="stable")][: _LEVELS - 1])
    kept = kept if column.kind is Kind.ORDINAL else kept[np.argsort(-totals[kept], kind="stable")]
    recode = np.full(len(column.levels) + 1, len(kept))
    recode[kept], recode[-1] = np.arange(len(kept)), -1
    names = [level_key(column.levels[i]) for i in kept]
    if len(kept) < len(order):
        names.append(counted(len(order) - len(kept), "other"))
    return recode[column.values], names


def label_levels(ax: Any, names: list[str]) -> None:
    """The names of levels down the left side, the first at the top."""
    ax.set_yticks(np.arange(len(names)), [shortened(name, 18) for name in names], parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)


def tick_dates(ax: Any, column: Column) -> None:
    """Few ticks on the horizontal axis, as dates where the column holds dates."""
    ax.locator_params(axis="x", nbins=5)
    if column.dates:
        ax.locator_params(axis="x", nbins=3)
        ax.xaxis.set_major_formatter(lambda value, _: figure(value, dates=True))
