"""Pictures of curves and of the parts of a loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from probus.display import drawing
from probus.metrics import Measure

if TYPE_CHECKING:
    from probus.model_selection._expected_loss import BiasVariance
    from probus.model_selection._train_test_curve import Curve

Part = Literal["train", "test"]


_TRAIN, _TEST, _QUIET = drawing.MUTED, drawing.BLUE, drawing.SPINE
_PARTS: tuple[tuple[Part, str], ...] = (("train", _TRAIN), ("test", _TEST))
_COLOURS = {"noise": _QUIET, "bias": drawing.ORANGE, "variance": _TEST, "total": _TRAIN}


def draw_curve(curve: Curve, measure: Measure, axes: Any = None) -> Any:
    """Training and test scores with bands, named at their ends; Zero-R as a dashed line, or in words if it is far off.

    Settings without an order of their own are not joined by lines.
    """
    axes = axes if axes is not None else _new_axes(6.4, 4.2)
    ordered = all(isinstance(setting, (int, float)) for setting in curve.settings)
    x = np.array(curve.settings, dtype=np.float64) if ordered else np.arange(len(curve.settings), dtype=np.float64)
    if curve.logarithmic:
        axes.set_xscale("log")
    ends: list[tuple[float, str, str]] = []
    for part, colour in _PARTS:
        estimates = [curve.estimate(setting, measure, part) for setting in curve.settings]
        value, low, high = np.array([(e.value, e.low, e.high) for e in estimates]).T
        known = np.isfinite(low) & np.isfinite(high)
        places = x if ordered else x + (0.04 if part == "test" else -0.04)
        if ordered:
            axes.fill_between(places[known], low[known], high[known], color=colour, alpha=0.18, linewidth=0)
        else:
            axes.vlines(places[known], low[known], high[known], color=colour, linewidth=1.6)
        axes.plot(places, value, "o-" if ordered else "o", color=colour, markersize=3.5, linewidth=1.6)
        if np.isfinite(value).any():
            ends.append((float(value[np.isfinite(value)][-1]), part, colour))
    title = f"{curve.name}, intervals of 95 %"
    zero_r = curve.baseline(measure)
    bottom, top = axes.get_ylim()
    if bottom - (top - bottom) / 2 < zero_r.value < top + (top - bottom) / 2:
        axes.axhline(zero_r.value, color=_QUIET, linewidth=1, linestyle=(0, (4, 3)))
        ends.append((zero_r.value, "Zero-R", _TRAIN))
    elif np.isfinite(zero_r.value):
        title += f"; Zero-R {zero_r.value:.3g}"
    _name_ends(axes, ends)
    _tick_settings(axes, curve.settings, x, ordered)
    axes.set(xlabel=curve.axis, ylabel=measure.label)
    axes.set_title(title, loc="left", fontsize="medium")
    return axes


def draw_parts(result: BiasVariance, axes: Any = None) -> Any:
    """The parts stacked to the total, each on a line of its own; one that is below zero goes back."""
    axes = axes if axes is not None else _new_axes(6.4, 2.4)
    end, lines = 0.0, [*result.parts.items(), ("total", result.total)]
    for place, (name, part) in enumerate(lines):
        start = 0.0 if name == "total" else end
        axes.barh(place, part.value, left=start, height=0.62, color=_COLOURS[name])
        end = start + part.value
        axes.plot([start + part.low, start + part.high], [place, place], color="black", linewidth=1.1)
        axes.annotate(
            f"{part.value:.{result.total.decimals}f}",
            (max(start, end, start + part.high), place),
            (6, 0),
            textcoords="offset points",
            va="center",
        )
        if name != "total":
            axes.plot([end, end], [place, place + 1], color="0.6", linewidth=0.8, zorder=0)
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.set_yticks(range(len(lines)), [result.named(name) for name, _ in lines])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel(f"expected {result.loss_in_words}; Zero-R: {result.baseline}")
    return axes


def _new_axes(width: float, height: float) -> Any:
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _name_ends(axes: Any, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names right of the axes at the height where each line ends, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    apart = 0.055 * (high - low)
    height = -np.inf
    for value, name, colour in sorted(ends):
        height = max(value, height + apart)
        axes.annotate(
            name,
            (1, height),
            (6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            color=colour,
            va="center",
            annotation_clip=False,
        )


def _tick_settings(axes: Any, settings: tuple[Any, ...], x: np.ndarray, ordered: bool) -> None:
    """A tick at every setting where they are few enough to be read."""
    if len(settings) > 12:
        return
    names = [f"{setting:g}" if ordered else str(setting) for setting in settings]
    axes.set_xticks(x, names, minor=False)
    axes.minorticks_off()
    if not ordered:
        axes.margins(x=0.2)
