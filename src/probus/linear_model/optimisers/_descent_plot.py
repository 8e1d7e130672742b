"""Plots of traces: the path over contours, or the losses over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.display.drawing import COLOURS, INK, MUTED, new_axes, tidy
from probus.linear_model.optimisers._objective import Objective
from probus.linear_model.optimisers._trace import Trace

_GRID = 121  # points of the contours in each direction
_NOTE: Any = {"ha": "right", "va": "top", "color": MUTED, "fontsize": 8.5}
_MANY = 60  # steps above which single points are not drawn


def plot_descent(
    trace: Trace | Sequence[Trace], objective: Objective | None = None, *, ax: Any = None, names: Any = None
) -> Any:
    """Draw the way of an optimiser, or of several for comparison.

    Parameters
    ----------
    trace : Trace or list of them
    objective : Objective, optional
        Where it has two variables, paths are drawn over its contours. Otherwise, and without it, losses are drawn over
        the steps; the line is light where gradients of batches are mostly noise.
    ax : matplotlib axes, optional
    names : list of str, optional
        By default the names of the optimisers.

    Returns
    -------
    The matplotlib axes.

    Examples
    --------
    >>> from probus.linear_model.optimisers import Function, GradientDescent
    >>> bowl = Function(lambda w: w[0] ** 2 + 10 * w[1] ** 2)
    >>> ax = plot_descent(GradientDescent(0.04).minimise(bowl, [4.0, 1.0], max_epochs=200), bowl)
    >>> ax.get_title(loc="left")
    'GradientDescent'
    """
    traces = [trace] if isinstance(trace, Trace) else list(trace)
    names = [one.optimiser for one in traces] if names is None else list(names)
    if objective is not None and traces[0].path.shape[1] == 2:
        return _draw_paths(traces, names, objective, ax)
    return _draw_losses(traces, names, ax)


def _draw_paths(traces: Sequence[Trace], names: Sequence[str], objective: Objective, ax: Any) -> Any:
    ax = new_axes(ax, 6.0, 5.0)
    finite = [one.path[np.isfinite(one.path).all(axis=1)] for one in traces]
    low, high = _window(finite, objective)
    _draw_contours(ax, objective, low, high)
    for place, (path, name) in enumerate(zip(finite, names, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        marker = "o" if len(path) <= _MANY else None
        ax.plot(*path.T, color=colour, linewidth=1.6, marker=marker, markersize=3.2, label=name, zorder=3)
        ax.plot(*path[0], "o", color="white", markeredgecolor=INK, markersize=7, zorder=4)
        ax.plot(*path[-1], "*", color=colour, markeredgecolor="white", markersize=14, zorder=5)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    tidy(ax, names[0] if len(names) == 1 else "Paths from ○ to ★", "w₁", "w₂")
    ax.grid(False)
    if len(names) > 1:
        _add_legend(ax)
    return ax


def _window(paths: Sequence[np.ndarray], objective: Objective) -> tuple[np.ndarray, np.ndarray]:
    """The corners of a rectangle around the paths; a path that diverges is cut."""
    points = np.concatenate(paths)
    first = np.array([path[0] for path in paths])
    best = np.array([objective.value(w) for w in points])
    near = points[np.argmin(best)]
    reach = 3.0 * np.abs(first - near).max(axis=0)
    reach = np.maximum(reach, 0.2 * reach.max() or 1.0)
    inside = points[(np.abs(points - near) <= reach).all(axis=1)]
    low, high = np.vstack([inside, first]).min(axis=0), np.vstack([inside, first]).max(axis=0)
    margin = 0.15 * np.maximum(high - low, 0.4 * (high - low).max())
    return low - margin, high + margin


def _draw_contours(ax: Any, objective: Objective, low: np.ndarray, high: np.ndarray) -> None:
    x, y = (np.linspace(a, b, _GRID) for a, b in zip(low, high, strict=True))
    values = np.array([[objective.value(np.array([u, v])) for u in x] for v in y])
    finite = values[np.isfinite(values)]
    above = values - finite.min()
    # levels at equal distances of the root: those of a bowl are equally wide
    levels = np.linspace(0.0, np.sqrt(np.nanmax(np.where(np.isfinite(above), above, np.nan))), 16)[1:] ** 2
    ax.contourf(x, y, above, levels=np.concatenate([[0.0], levels]), cmap=_greys(), zorder=1)
    ax.contour(x, y, above, levels=levels, colors="white", linewidths=0.7, zorder=2)


def _greys() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("probus descent", ["#f7f9fb", "#ccd6df", "#9db0c0"])


def _draw_losses(traces: Sequence[Trace], names: Sequence[str], ax: Any) -> Any:
    ax = new_axes(ax, 6.4, 4.2)
    for place, (one, name) in enumerate(zip(traces, names, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        ax.plot(one.steps, one.losses, color=colour, linewidth=1.6, alpha=0.35, zorder=2)
        safe = np.where(one.challenging, np.nan, one.losses)
        ax.plot(one.steps, safe, color=colour, linewidth=2.2, label=name, zorder=3)
    losses = np.concatenate([one.losses for one in traces])
    losses = losses[np.isfinite(losses)]
    if len(losses) and losses.min() > 0.0 and losses.max() > 20.0 * losses.min():
        ax.set_yscale("log")
    tidy(ax, names[0] if len(names) == 1 else "Loss over steps", "step", "loss")
    if any(one.challenging.any() for one in traces):
        ax.text(0.99, 0.98, "light: the gradient of a batch is mostly noise", transform=ax.transAxes, **_NOTE)
    if len(names) > 1:
        _add_legend(ax)
    return ax


def _add_legend(ax: Any) -> None:
    ax.legend(frameon=True, framealpha=0.85, edgecolor="none", fontsize=9, labelcolor="linecolor", loc="best")
