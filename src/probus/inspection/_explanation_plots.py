"""Plots of explanations. Matplotlib loads on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data import Column, Kind
from probus.display import drawing, shortened
from probus.ensemble import ShapValues

if TYPE_CHECKING:
    from probus.inspection._row_reasons import Explanations


_SHOWN, _LONGEST = 10, 28
_NORMAL = 1.96  # standard errors on either side of a 95 % interval
_BINS = 8  # of a column, within which others may explain the spread
_MISSING = "#aab4be"


def numbers_of(column: Column) -> np.ndarray:
    """The values as numbers, codes of levels; NaN where there is none."""
    if column.kind is Kind.TEXT:
        return np.full(len(column), np.nan)
    return np.where(column.missing, np.nan, column.values.astype(np.float64))


def draw_beeswarm(found: Explanations, axes: Any) -> Any:
    """A point for each row and column."""
    names = tuple(shortened(name, _LONGEST) for name in found.columns)
    axes = ShapValues(found.values, 0.0, found.data, names, found.nominal).plot(axes, kind="beeswarm", n_columns=_SHOWN)
    axes.set_xlabel(f"added to the {found.unit}", color=drawing.MUTED, parse_math=False)
    return axes


def draw_bars(found: Explanations, row: int | None, axes: Any) -> Any:
    """What columns add to the prediction of a row, or the mean size of it."""
    sizes = np.abs(found.values).mean(axis=0) if row is None else found.values[row]
    order = np.argsort(-np.abs(sizes), kind="stable")[:_SHOWN]
    axes = drawing.new_axes(axes, 6.0, 1.2 + 0.28 * len(order))
    colours = [drawing.BLUE if sizes[j] >= 0 else drawing.ORANGE for j in order]
    axes.barh(range(len(order)), sizes[order], height=0.62, color=colours)
    if row is not None and found.standard_errors is not None:
        half = _NORMAL * found.standard_errors[row, order]
        axes.errorbar(sizes[order], range(len(order)), xerr=half, fmt="none", ecolor=drawing.ink(axes), elinewidth=1)
    title = "Mean size of what columns add" if row is None else f"Row {row}: {found.predictions[row]}"
    drawing.tidy(axes, title, f"added to the {found.unit}", "")
    names = [found.columns[j] if row is None else f"{found.columns[j]} = {found.cells[row][j]}" for j in order]
    axes.set_yticks(range(len(order)), [shortened(name, _LONGEST) for name in names], parse_math=False)
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.grid(False, axis="y")
    return axes


def draw_dependence(found: Explanations, column: str, colour: str | None, axes: Any) -> Any:
    """A point for each row: what the column adds, by its value, coloured by another column."""
    j = found.columns.index(column)
    k = _strongest_with(found, j) if colour is None else found.columns.index(colour)
    axes = drawing.new_axes(axes, 5.4, 4.0)
    x, y = _places(found, j, axes), found.values[:, j]
    if k is None:
        axes.scatter(x, y, s=14, c=drawing.BLUE, linewidths=0, alpha=0.8, zorder=3)
    else:
        _scatter_coloured(found, k, x, y, axes)
    axes.axhline(0.0, color=drawing.ink(axes), linewidth=0.8, zorder=2)
    drawing.tidy(axes, f"What {shortened(column, _LONGEST)} adds", column, f"added to the {found.unit}")
    return axes


def _levels_of(found: Explanations, j: int) -> dict[float, str]:
    """The codes that occur and their texts; none for a column of numbers."""
    codes = np.unique(found.data[:, j])
    return {code: found.levels[j][int(code)] for code in codes[~np.isnan(codes)].tolist()} if found.levels[j] else {}


def _places(found: Explanations, j: int, axes: Any) -> np.ndarray:
    """Where points lie on the x-axis: levels side by side, spread a little; missing values left of all."""
    x, levels = found.data[:, j].copy(), _levels_of(found, j)
    if levels:
        place = {code: i for i, code in enumerate(levels)}
        x = np.array([place.get(code, np.nan) for code in x.tolist()])
        axes.set_xticks(range(len(levels)), [shortened(cell, 12) for cell in levels.values()], parse_math=False)
        spread = np.random.default_rng(0).uniform(-0.18, 0.18, len(x))
        x = x + spread
    known = x[np.isfinite(x)]
    low, span = (known.min(), np.ptp(known) or 1.0) if len(known) else (0.0, 1.0)
    if np.isnan(x).any():
        left = low - 0.12 * span
        x = np.where(np.isnan(x), left, x)
        axes.axvspan(left - 0.04 * span, left + 0.04 * span, color=drawing.GRID, zorder=1)
        axes.annotate("missing", (left, 0.98), xycoords=("data", "axes fraction"), rotation=90, fontsize=8,
                      color=drawing.MUTED, ha="center", va="top")  # fmt: skip
    return x


def _scatter_coloured(found: Explanations, k: int, x: np.ndarray, y: np.ndarray, axes: Any) -> None:
    """Points in the colours of a column, with a legend of its levels or a bar of its values."""
    from matplotlib.colors import LinearSegmentedColormap

    how: dict[str, Any] = {"s": 14, "linewidths": 0, "alpha": 0.85, "zorder": 3}
    values, levels, name = found.data[:, k], _levels_of(found, k), shortened(found.columns[k], _LONGEST)
    missing = np.isnan(values)
    axes.scatter(x[missing], y[missing], c=_MISSING, label="missing" if missing.any() else None, **how)
    if levels:
        for place, (code, cell) in enumerate(list(levels.items())[: len(drawing.COLOURS)]):
            mine = values == code
            axes.scatter(x[mine], y[mine], color=drawing.COLOURS[place], label=shortened(cell, 18), **how)
        others = ~missing & ~np.isin(values, list(levels)[: len(drawing.COLOURS)])
        axes.scatter(x[others], y[others], c=drawing.MUTED, label="others" if others.any() else None, **how)
        axes.legend(title=name, frameon=False, fontsize=8, title_fontsize=8)
        return
    low, high = np.nanquantile(values, [0.05, 0.95])
    colours = LinearSegmentedColormap.from_list("probus", [drawing.BLUE, "#c9b8c4", drawing.ORANGE])
    order = np.flatnonzero(~missing)
    points = axes.scatter(x[order], y[order], c=values[order], cmap=colours, vmin=low, vmax=max(high, low), **how)
    bar = axes.figure.colorbar(points, ax=axes, pad=0.02, aspect=30)
    bar.set_label(name, color=drawing.MUTED, fontsize=9)
    bar.ax.tick_params(length=0, colors=drawing.MUTED, labelsize=8)
    bar.outline.set_visible(False)


def _strongest_with(found: Explanations, j: int) -> int | None:
    """The column that interacts most with another one: by its interactions, else by the spread that it explains."""
    d = len(found.columns)
    if found.interactions is not None:
        sizes = np.abs(found.interactions[:, j]).mean(axis=0)
        sizes[j] = 0.0
    else:
        sizes = np.array([0.0 if k == j else _explained_within(found, j, k) for k in range(d)])
    return int(sizes.argmax()) if sizes.max(initial=0.0) > 0 else None


def _explained_within(found: Explanations, j: int, k: int) -> float:
    """How much of the variance of what column j adds column k explains, among rows with similar values of j."""
    x, y, z = found.data[:, j], found.values[:, j], found.data[:, k]
    total = 0.0
    for rows in np.array_split(np.argsort(x, kind="stable"), min(_BINS, max(len(x) // 5, 1))):
        known = rows[~np.isnan(z[rows])]
        if len(known) < 3 or np.ptp(z[known]) == 0 or np.ptp(y[known]) == 0:
            continue
        if found.nominal[k]:
            _, level = np.unique(z[known], return_inverse=True)
            means = np.bincount(level, y[known]) / np.bincount(level)
            total += len(known) * float(np.var(means[level]))
        else:
            total += len(known) * float(np.var(y[known]) * np.corrcoef(z[known], y[known])[0, 1] ** 2)
    return total
