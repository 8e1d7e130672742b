"""Plots of Shapley values. Matplotlib loads on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display.drawing import BLUE, COLOURS, MUTED, ORANGE, ink, new_axes, tidy

if TYPE_CHECKING:
    from probus.ensemble.shap._values import ShapValues


_SLICES = 120  # of the axis, in which points that lie together are moved apart
_MISSING = "#aab4be"


def draw_bars(shap: ShapValues, ax: Any, n_columns: int) -> Any:
    """The mean size of the features' values, outputs one after the other."""
    columns = _greatest(shap, n_columns)
    ax = new_axes(ax, 6.0, 1.2 + 0.28 * len(columns))
    sizes = shap.importances.reshape(len(shap.feature_names), -1)[columns]
    start = np.cumsum(sizes, axis=1) - sizes
    for k in range(sizes.shape[1]):
        label = str(shap.outputs[k]) if shap.outputs else None
        colour = COLOURS[k % len(COLOURS)]
        ax.barh(np.arange(len(columns)), sizes[:, k], left=start[:, k], height=0.62, color=colour, label=label)
    _name_rows(shap, ax, columns, "mean size of what a column adds")
    if shap.outputs:
        legend = ax.legend(loc="lower right", frameon=False, fontsize=9, labelcolor=ink(ax))
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax


def draw_beeswarm(shap: ShapValues, ax: Any, n_columns: int) -> Any:
    """A point for each row and feature, moved apart where points overlap; low values blue, high ones orange."""
    from matplotlib.colors import LinearSegmentedColormap

    columns = _greatest(shap, n_columns)
    ax = new_axes(ax, 6.4, 1.4 + 0.36 * len(columns))
    between = LinearSegmentedColormap.from_list("probus", [BLUE, "#c9b8c4", ORANGE])
    slices = np.linspace(shap.values.min(), shap.values.max(), _SLICES)
    for place, j in enumerate(columns):
        x = shap.values[:, j]
        colour = np.tile(np.array(_rgba(MUTED if shap.nominal[j] else _MISSING)), (len(x), 1))
        if not shap.nominal[j]:
            known = ~np.isnan(shap.data[:, j])
            colour[known] = between(_height(shap.data[known, j]))
        ax.scatter(x, place + _apart(x, slices), s=11, c=colour, linewidths=0, alpha=0.9, zorder=3, rasterized=True)
    _name_rows(shap, ax, columns, "what a column adds to the prediction")
    ax.axvline(0.0, color=ink(ax), linewidth=0.8, zorder=2)
    _explain_colours(shap, ax, columns)
    return ax


def _greatest(shap: ShapValues, n_columns: int) -> np.ndarray:
    """The features to show, the largest first."""
    total = shap.importances.reshape(len(shap.feature_names), -1).sum(axis=1)
    return np.argsort(-total, kind="stable")[:n_columns]


def _height(x: np.ndarray) -> np.ndarray:
    """Where values lie among all, from 0 to 1; the ends are clipped, so that outliers do not leave the rest pale."""
    low, high = np.quantile(x, [0.05, 0.95]) if len(x) else (0.0, 0.0)
    return np.clip((x - low) / (high - low), 0, 1) if high > low else np.full(len(x), 0.5)


def _apart(x: np.ndarray, slices: np.ndarray) -> np.ndarray:
    """The offset of each point from its line: the points of one slice alternate, from the middle outwards."""
    which = np.searchsorted(slices, x)
    order = np.argsort(which, kind="stable")
    count = np.bincount(which, minlength=len(slices) + 1)
    rank = np.empty(len(x))
    rank[order] = np.arange(len(x)) - np.repeat(np.cumsum(count) - count, count)
    side = np.where(rank % 2 == 0, 1, -1) * np.ceil(rank / 2)
    return 0.8 * side / max(count.max(initial=1), 12)


def _rgba(colour: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgba

    return to_rgba(colour)


def _name_rows(shap: ShapValues, ax: Any, columns: np.ndarray, label: str) -> None:
    tidy(ax, "What columns add", label, "")
    ax.set_yticks(range(len(columns)), [shap.feature_names[j] for j in columns], color=ink(ax), parse_math=False)
    ax.set_ylim(len(columns) - 0.4, -0.6)
    ax.grid(False, axis="y")


def _explain_colours(shap: ShapValues, ax: Any, columns: np.ndarray) -> None:
    """A legend above the axes: words in their colours."""
    shown = shap.data[:, columns[~shap.nominal[columns]]]
    words = [("low", BLUE), ("high", ORANGE)] if shown.size else []
    words += [("missing", _MISSING)] if np.isnan(shown).any() else []
    words += [("nominal", MUTED)] if shap.nominal[columns].any() else []
    x = 1.0
    for word, colour in reversed(words):
        how: Any = {"ha": "right", "va": "bottom", "fontsize": 9, "color": colour}
        ax.text(x, 1.015, word, transform=ax.transAxes, **how)
        x -= 0.018 * len(word) + 0.03
