"""Estimates under each other as points with their intervals, and what they are in print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probus.metrics import Estimate

_TOLD_APART, _TIED = "0.55", "C0"


@dataclass(frozen=True)
class Line:
    """A name, its estimate, whether it is highlighted, and the text to its right."""

    name: str
    estimate: Estimate
    marked: bool
    text: str


def interval_plot(lines: Sequence[Line], label: str, *, zero: bool = False, axes: Any = None) -> Any:
    """Draw the lines from the top, a reference at zero if ``zero``, on matplotlib axes, which are returned."""
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(figsize=(7.5, 0.36 * len(lines) + 0.9), layout="constrained")
    if zero:
        axes.axvline(0, color="0.3", linewidth=0.8, zorder=1)
    _set_limits(axes, [line.estimate for line in lines], zero)
    low, high = axes.get_xlim()
    for place, line in enumerate(lines):
        colour, estimate = _TIED if line.marked else _TOLD_APART, line.estimate
        axes.plot([max(estimate.low, low), min(estimate.high, high)], [place, place], color=colour, linewidth=2)
        axes.plot(estimate.value, place, "o", color=colour, markersize=6)
        where = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        how = {"va": "center", "ha": "left", "fontsize": "small", "parse_math": False, "annotation_clip": False}
        axes.annotate(line.text, (1, place), (6, 0), **where, **how)
    axes.set_yticks(range(len(lines)), [line.name for line in lines], parse_math=False)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlabel(label)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return axes


def _set_limits(axes: Any, estimates: Sequence[Estimate], zero: bool) -> None:
    """Limits over all finite ends, so that an unbounded interval runs to the edge."""
    ends = [end for e in estimates for end in (e.low, e.high, e.value) if math.isfinite(end)] + [0.0] * zero
    pad = 0.05 * (max(ends) - min(ends)) or 0.05
    axes.set_xlim(min(ends) - pad, max(ends) + pad)
