"""Plots of curves, pairs and sizes of terms. Matplotlib loads on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import drawing, shortened

if TYPE_CHECKING:
    from probus.ensemble.glass_box._term_results import Curve, PairTable, TermSizes

_NORMAL, _LONGEST, _BARS, _LEVELS = 1.959964, 28, 15, 24
_DENSE = 40  # places along the axis at which rows are counted
_RUG_SHARE = 0.08  # of the height of the axes


def draw_curve(curve: Curve, ax: Any) -> Any:
    """Steps over the bins with a band, or a point for each level; the share of rows below."""
    ax = drawing.new_axes(ax, 4.8, 3.4)
    (_draw_levels if curve.view.labels else _draw_steps)(curve, ax)
    ax.axhline(0.0, color=drawing.ink(ax), linewidth=0.8, zorder=1.5)
    of = "" if curve.output is None else f" of {shortened(str(curve.output), 18)}"
    title = f"{shortened(curve.view.name, _LONGEST)}{', edited' if curve.edited else ''}"
    drawing.tidy(ax, title, "" if curve.view.labels else curve.view.name, f"added to the {curve.unit}{of}")
    return ax


def _draw_steps(curve: Curve, ax: Any) -> None:
    n = len(curve.view.centres)
    finite = curve.view.centres[np.isfinite(curve.view.centres)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    span = (high - low) or 1.0
    x = np.concatenate([[low - 0.01 * span], np.clip(curve.view.edges, low, high), [high + 0.01 * span]])
    value, error = curve.values[:n], _NORMAL * curve.errors[:n]
    steps = np.append(value, value[-1])
    known = np.isfinite(error)
    if known.any():
        below, above = np.where(known, value - error, value), np.where(known, value + error, value)
        ax.fill_between(x, np.append(below, below[-1]), np.append(above, above[-1]), step="post", color=drawing.BLUE,
                        alpha=0.16, linewidth=0, zorder=2)  # fmt: skip
    ax.plot(x, steps, color=drawing.BLUE, linewidth=1.7, drawstyle="steps-post", zorder=3)
    _draw_density(curve, x, ax)
    if curve.rows[n] > 0:
        at = low - 0.09 * span
        bar = _NORMAL * curve.errors[n] if np.isfinite(curve.errors[n]) else 0.0
        ax.errorbar([at], [curve.values[n]], yerr=[bar], fmt="o", color=drawing.ORANGE, markersize=5, zorder=3)
        ax.annotate("missing", (at, 0.98), xycoords=("data", "axes fraction"), rotation=90, fontsize=8, ha="center",
                    va="top", color=drawing.MUTED)  # fmt: skip


def _draw_density(curve: Curve, x: np.ndarray, ax: Any) -> None:
    """How many rows there are along the axis, as a low histogram at its bottom."""
    centres = np.nan_to_num(curve.view.centres, posinf=x[-1], neginf=x[0])
    weights = curve.rows[: len(centres)]
    count, places = np.histogram(centres, bins=_DENSE, range=(x[0], x[-1]), weights=weights)
    if not count.max():
        return
    height = _RUG_SHARE * count / count.max()
    ax.bar(places[:-1], height, np.diff(places), align="edge", color=drawing.SPINE, linewidth=0, zorder=1,
           transform=ax.get_xaxis_transform())  # fmt: skip


def _draw_levels(curve: Curve, ax: Any) -> None:
    n = len(curve.view.centres)
    shown = [b for b in range(n + 1) if curve.rows[b] > 0]
    if not curve.view.ordered:
        shown.sort(key=lambda b: curve.values[b])
        if len(shown) > _LEVELS:
            most = set(sorted(shown, key=lambda b: -curve.rows[b])[:_LEVELS])
            shown = [b for b in shown if b in most]
    place = np.arange(len(shown))
    error = np.nan_to_num(_NORMAL * curve.errors[shown])
    colours = [drawing.ORANGE if b == n else drawing.BLUE for b in shown]
    ax.errorbar(
        place, curve.values[shown], yerr=error, fmt="none", ecolor=drawing.BLUE, elinewidth=1.4, alpha=0.55, zorder=2
    )
    ax.scatter(place, curve.values[shown], s=26, c=colours, zorder=3)
    texts = [shortened(curve.view.text(b), 14) for b in shown]
    long = sum(map(len, texts)) > 40
    ax.set_xticks(place, texts, rotation=35 if long else 0, ha="right" if long else "center", parse_math=False)
    height = _RUG_SHARE * curve.rows[shown] / max(curve.rows[shown].max(), 1e-300)
    ax.bar(place, height, 0.5, color=drawing.SPINE, linewidth=0, zorder=1, transform=ax.get_xaxis_transform())


def draw_table(table: PairTable, ax: Any) -> Any:
    """A heat map: blue lowers, orange raises; cells without rows are left white."""
    from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

    ax = drawing.new_axes(ax, 5.2, 4.2)
    there = [np.flatnonzero(table.rows.sum(axis=1 - side) > 0) for side in (0, 1)]
    values = np.where(table.rows > 0, table.values, np.nan)[np.ix_(*there)]
    most = float(np.nanmax(np.abs(values), initial=1e-12))
    colours = LinearSegmentedColormap.from_list("probus_pairs", [drawing.BLUE, "#f6f3f1", drawing.ORANGE])
    edges = [np.arange(len(bins) + 1) - 0.5 for bins in there]
    image = ax.pcolormesh(*edges, values.T, cmap=colours, norm=TwoSlopeNorm(0.0, -most, most))
    for side, (axis, bins) in enumerate(zip((ax.xaxis, ax.yaxis), there, strict=True)):
        every = max(1, -(-len(bins) // 8))
        texts = [shortened(table.labels[side][b], 16) for b in bins[::every].tolist()]
        axis.set_ticks(np.arange(len(bins))[::every], texts, parse_math=False)
    ax.tick_params(axis="x", rotation=30)
    for label in ax.get_xticklabels():
        label.set_ha("right")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30)
    of = "" if table.output is None else f" of {shortened(str(table.output), 18)}"
    bar.set_label(f"added to the {table.unit}{of}", color=drawing.MUTED, fontsize=9)
    bar.ax.tick_params(length=0, colors=drawing.MUTED, labelsize=8)
    bar.outline.set_visible(False)
    title = " × ".join(shortened(name, _LONGEST // 2) for name in table.names)
    drawing.tidy(ax, title, *table.names)
    ax.grid(False)
    return ax


def draw_sizes(found: TermSizes, ax: Any) -> Any:
    """A bar for each of the largest terms."""
    order = found.order[:_BARS]
    ax = drawing.new_axes(ax, 5.6, 1.2 + 0.28 * len(order))
    ax.barh(range(len(order)), found.sizes[order], height=0.62, color=drawing.BLUE)
    drawing.tidy(ax, "Mean size of the terms", f"added to the {found.unit}", "")
    names = [shortened(found.terms[t], _LONGEST) for t in order.tolist()]
    ax.set_yticks(range(len(order)), names, parse_math=False)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(False, axis="y")
    return ax
