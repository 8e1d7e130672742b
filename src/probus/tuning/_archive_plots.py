"""Plots of an archive: scores over time, effects of parameters, and all parameters side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import counted, drawing
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.tuning._archive import Archive


_WIDE = 100.0  # the ratio of the largest to the smallest value from which the scale is logarithmic
_POINTS, _TREES, _FEWEST = 40, 100, 6
_AVERAGED = 300  # evaluations over which an effect is averaged, evenly spread over the search
_SHOWN = 0.25  # the quantile of the scores whose distance from the best, twice, is shown; bad ones may be far outside
_INACTIVE = -0.14  # the height of parameters that are not active


# -- over time -----------------------------------------------------------------------------------------


def draw_history(archive: Archive, axes: Any = None) -> Any:
    """Each evaluation as a point, the best so far as a line; failures, and scores far off, at the edge."""
    ax = drawing.new_axes(axes, 6.4, 3.8)
    scores, full, number = archive.main, archive.full, np.array([each.number for each in archive])
    known = full & ~np.isnan(scores)
    sign = 1.0 if archive.greater_is_better else -1.0
    best = sign * np.maximum.accumulate(sign * scores[known])
    if known.any():
        ends = np.append(number[known], number[-1])
        ax.step(ends, np.append(best, best[-1]), where="post", color=drawing.ORANGE, linewidth=1.8, zorder=4)
    far = _points(ax, number[~full], scores[~full], scores[known], archive, drawing.MUTED)
    far += _points(ax, number[full], scores[full], scores[known], archive, drawing.BLUE)
    edge = ax.get_ylim()[0 if archive.greater_is_better else 1]
    failed = np.isnan(scores)
    ax.plot(number[failed], np.full(failed.sum(), edge), "x", color=drawing.MUTED, markersize=5, clip_on=False)
    drawing.tidy(ax, "Best score so far", "evaluation", archive.label)
    lines = [("best so far", drawing.ORANGE), ("evaluation", drawing.BLUE)]
    notes = [("with less effort", (~full).any()), (f"{_arrow(archive)} far off", far), ("× failed", failed.any())]
    drawing.caption(ax, lines + [(text, drawing.MUTED) for text, there in notes if there], _corner(archive))
    return ax


def _points(ax: Any, x: np.ndarray, scores: np.ndarray, full: np.ndarray, archive: Archive, colour: str) -> int:
    """Draw scores, those that are far off as arrows at the edge of the axes; returns how many of them there are."""
    worst = _worst_shown(full, archive.greater_is_better)
    sign = 1.0 if archive.greater_is_better else -1.0
    far = sign * scores < sign * worst
    ax.plot(x[~far], scores[~far], "o", color=colour, alpha=0.5, markersize=4, markeredgewidth=0)
    if np.isfinite(worst):
        best = np.nanmax(full) if archive.greater_is_better else np.nanmin(full)
        ax.set_ylim(*sorted((worst, best + 0.06 * (best - worst))))
    style = {"color": colour, "alpha": 0.6, "markersize": 4, "markeredgewidth": 0, "clip_on": False}
    ax.plot(x[far], np.full(far.sum(), worst), "v" if archive.greater_is_better else "^", **style)
    return int(far.sum())


def _worst_shown(scores: np.ndarray, greater_is_better: bool) -> float:
    """The score at the edge of the axes, where single ones far off would hide the differences of the others."""
    sign = 1.0 if greater_is_better else -1.0
    turned = sign * scores[~np.isnan(scores)]
    if len(turned) < _FEWEST:
        return -sign * np.inf
    best = turned.max()
    edge = best - 2.0 * (best - np.quantile(turned, _SHOWN))
    return sign * edge if turned.min() < edge < best else -sign * np.inf


def _arrow(archive: Archive) -> str:
    return "▼" if archive.greater_is_better else "▲"


def _corner(archive: Archive) -> str:
    return "lower right" if archive.greater_is_better else "upper right"


# -- several objectives --------------------------------------------------------------------------------


def draw_front(archive: Archive, axes: Any = None) -> Any:
    """The first two objectives of each full evaluation, and the configurations that no other beats as a line."""
    from probus.tuning._archive import label_of

    ax = drawing.new_axes(axes, 5.2, 4.2)
    names = list(archive.objectives)[:2]
    points = np.array([[each.mean(name) for name in names] for each in archive])[archive.full]
    ax.plot(*points.T, "o", color=drawing.BLUE, alpha=0.5, markersize=4, markeredgewidth=0)
    front = np.array([[each.mean(name) for name in names] for each in archive.front])
    line = "-" if len(archive.objectives) == 2 else ""  # of more, two show no line
    ax.plot(*front.T, f"o{line}", color=drawing.ORANGE, markersize=5, linewidth=1.4, zorder=4)
    drawing.tidy(ax, "Configurations that no other beats", *(label_of(name) for name in names))
    drawing.caption(ax, [("not beaten", drawing.ORANGE), ("evaluation", drawing.BLUE)], "lower left")
    return ax


# -- effects -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ParameterAxis:
    """A parameter on an axis: the places of its values, and whether it is a number and its scale logarithmic."""

    name: str
    values: tuple[Any, ...]
    numeric: bool
    logarithmic: bool

    @classmethod
    def of(cls, archive: Archive, name: str) -> _ParameterAxis:
        found = [each.config[name] for each in archive if name in each.config]
        numeric = all(map(_is_number, found))
        values: tuple[Any, ...] = tuple(sorted(set(found)) if numeric else dict.fromkeys(map(str, _in_order(found))))
        wide = numeric and values[0] > 0 and values[-1] / values[0] >= _WIDE
        return cls(name, values, numeric, wide)

    def place(self, value: Any) -> float:
        """Where a value is."""
        if not self.numeric:
            return float(self.values.index(str(value)))
        return float(np.log10(value)) if self.logarithmic else float(value)

    def place_in(self, config: Mapping[str, Any]) -> float:
        """Where the value of a configuration is; NaN where the parameter is not active."""
        return self.place(config[self.name]) if self.name in config else np.nan

    def grid(self) -> np.ndarray:
        """Places at which an effect is shown."""
        if not self.numeric:
            return np.arange(len(self.values), dtype=np.float64)
        return np.linspace(self.place(self.values[0]), self.place(self.values[-1]), _POINTS)

    def shown(self, places: np.ndarray) -> np.ndarray:
        """Places in the units of the axis."""
        return 10.0**places if self.logarithmic else places

    def label(self, ax: Any, which: str) -> None:
        """Set the scale and the ticks of one axis."""
        if self.logarithmic:
            getattr(ax, f"set_{which}scale")("log")
            getattr(ax, f"{which}axis").set_minor_locator(_no_ticks())
        if not self.numeric:
            getattr(ax, f"set_{which}ticks")(range(len(self.values)), self.values)


def draw_effect(archive: Archive, name: str, axes: Any = None) -> Any:
    """The evaluations against one parameter, and the mean prediction of a forest over the other parameters."""
    ax = drawing.new_axes(axes, 5.2, 3.8)
    surrogate, axis = _ScoreForest(archive), _ParameterAxis.of(archive, name)
    column = surrogate.names.index(name)
    places, scores = surrogate.X[:, column], surrogate.y
    grid = axis.grid()
    mean = np.array([surrogate.mean_with({column: place}) for place in grid])
    offset = 0.0 if axis.numeric else np.random.default_rng(0).uniform(-0.15, 0.15, len(places))
    axis.label(ax, "x")
    far = _points(ax, axis.shown(places + offset), scores, scores, archive, drawing.BLUE)
    marker = "-" if axis.numeric else "D"
    ax.plot(axis.shown(grid), mean, marker, color=drawing.ORANGE, linewidth=2.0, markersize=6, zorder=4)
    drawing.tidy(ax, f"Effect of {name}", name, archive.label)
    lines = [("mean over the other parameters", drawing.ORANGE), ("evaluation", drawing.BLUE)]
    drawing.caption(ax, lines + [(f"{_arrow(archive)} far off", drawing.BLUE)] * bool(far), _corner(archive))
    return ax


def draw_effects(archive: Archive, first: str, second: str, axes: Any = None) -> Any:
    """The mean prediction of a forest for pairs of values of two parameters, and the evaluations."""
    ax = drawing.new_axes(axes, 5.6, 4.4)
    surrogate = _ScoreForest(archive)
    across, up = _ParameterAxis.of(archive, first), _ParameterAxis.of(archive, second)
    i, j = surrogate.names.index(first), surrogate.names.index(second)
    x, y = across.grid(), up.grid()
    mean = np.array([[surrogate.mean_with({i: a, j: b}) for a in x] for b in y])
    colours = drawing.blues() if archive.greater_is_better else drawing.blues().reversed()
    mesh = ax.pcolormesh(across.shown(x), up.shown(y), mean, cmap=colours, shading="nearest", rasterized=True)
    ax.plot(
        across.shown(surrogate.X[:, i]), up.shown(surrogate.X[:, j]), "o", markersize=3.5, markerfacecolor="white",
        markeredgecolor=drawing.INK, markeredgewidth=0.7,
    )  # fmt: skip
    best = archive.best.config
    if first in best and second in best:
        places = (across.shown(np.array([across.place(best[first])])), up.shown(np.array([up.place(best[second])])))
        ax.plot(*places, "*", color=drawing.ORANGE, markersize=15, markeredgecolor="white")
    across.label(ax, "x")
    up.label(ax, "y")
    drawing.tidy(ax, f"Effect of {first} and {second}", first, second)
    ax.grid(False)
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label(archive.label, color=drawing.MUTED)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, colors=drawing.MUTED, labelsize=9)
    return ax


class _ScoreForest:
    """A forest that predicts the score of a configuration; a parameter that is not active is a value of its own."""

    def __init__(self, archive: Archive):
        from probus.ensemble import RandomForestRegressor

        self.names = archive.parameters
        known = archive.full & ~np.isnan(archive.main) & np.array([bool(each.config) for each in archive])
        chosen = [each for each, use in zip(archive, known, strict=True) if use]
        if len(chosen) < _FEWEST:
            raise DataError(f"{counted(len(chosen), 'full evaluation')}.", f"at least {_FEWEST} to show effects")
        axes = [_ParameterAxis.of(archive, name) for name in self.names]
        self.X = np.array([[axis.place_in(each.config) for axis in axes] for each in chosen])
        self.y = archive.main[known]
        self._filled = np.where(np.isnan(self.X), np.nanmin(self.X, axis=0) - 1.0, self.X)
        self._levels = {j for j, axis in enumerate(axes) if not axis.numeric}
        self._forest = RandomForestRegressor(_TREES, min_samples_leaf=2, max_features=None, random_state=0)
        # one configuration that learnt nothing would otherwise decide all splits
        worst = _worst_shown(self.y, archive.greater_is_better)
        self._forest.fit(self._filled, (np.maximum if archive.greater_is_better else np.minimum)(self.y, worst))

    def mean_with(self, fixed: dict[int, float]) -> float:
        """The mean prediction over the evaluations with some parameters fixed; NaN where there is none to average.

        Only those count in which the same parameters are active as in some evaluation with the fixed levels.
        """
        use = ~np.isnan(self.X[:, list(fixed)]).any(axis=1)
        levels = self._levels & fixed.keys()
        if levels:
            alike = np.all([self.X[:, column] == fixed[column] for column in levels], axis=0)
            patterns = {row.tobytes() for row in np.isnan(self.X[alike])}
            use &= np.array([row.tobytes() in patterns for row in np.isnan(self.X)])
        rows = self._filled[use]
        rows = rows[:: math.ceil(len(rows) / _AVERAGED) or 1]
        for column, place in fixed.items():
            rows[:, column] = place
        return float(self._forest.predict(rows).mean()) if len(rows) else np.nan


# -- all parameters ------------------------------------------------------------------------------------


def draw_parallel(archive: Archive, axes: Any = None) -> Any:
    """A line for each full evaluation across the parameters and the score; the best ones last and dark."""
    names = archive.parameters
    ax = drawing.new_axes(axes, max(5.0, 1.5 * (len(names) + 1)), 3.8)
    lanes = [_ParameterAxis.of(archive, name) for name in names]
    chosen = [i for i in np.argsort(np.nan_to_num(archive.turned, nan=-np.inf)) if archive.full[i]]
    chosen = [i for i in chosen if not np.isnan(archive.main[i]) and archive[i].config]
    heights = np.array([[_height(lane, lane.place_in(archive[i].config)) for lane in lanes] for i in chosen])
    ranks = np.arange(len(chosen)) / max(len(chosen) - 1, 1)
    lines = np.column_stack([heights.reshape(len(chosen), len(lanes)), ranks])
    colours = drawing.blues()
    for line, rank in zip(lines, ranks, strict=True):
        ax.plot(line, color=colours(0.15 + 0.8 * rank**2), linewidth=0.8 + 1.2 * rank**4, alpha=0.35 + 0.6 * rank**2)
    if len(lines):
        ax.plot(lines[-1], color=drawing.ORANGE, linewidth=2.2)
    drawing.tidy(ax, "Configurations, the best in orange", "", "")
    lines_of = [name.replace("__", "__\n") for name in names]  # a long name would cover the next one
    ax.set_xticks(range(len(lanes) + 1), [*lines_of, f"rank by {archive.label}"])
    ax.set_yticks([])
    ax.grid(False)
    for place, lane in enumerate(lanes):
        ax.axvline(place, color="#b8c0c8", linewidth=0.8, zorder=1)
        _name_values(ax, place, lane)
    ax.axvline(len(lanes), color="#b8c0c8", linewidth=0.8, zorder=1)
    ax.text(len(lanes) + 0.04, 1.0, "best", color=drawing.MUTED, fontsize=8, va="center")
    ax.text(len(lanes) + 0.04, 0.0, "worst", color=drawing.MUTED, fontsize=8, va="center")
    if (lines == _INACTIVE).any():
        ax.text(-0.08, _INACTIVE, "not active", color=drawing.MUTED, fontsize=8, va="center", ha="right")
        ax.axhline(_INACTIVE, color="#b8c0c8", linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    ax.set_xlim(-0.75 if (lines == _INACTIVE).any() else -0.35, len(lanes) + 0.4)
    ax.spines[["left", "bottom"]].set_visible(False)
    return ax


def _height(lane: _ParameterAxis, place: float) -> float:
    grid = lane.grid()
    width = grid[-1] - grid[0]
    if np.isnan(place):
        return _INACTIVE
    return (place - grid[0]) / width if width > 0.0 else 0.5


def _name_values(ax: Any, place: int, lane: _ParameterAxis) -> None:
    grid = lane.grid()
    ends = [lane.values[0], lane.values[-1]] if lane.numeric else list(lane.values)
    texts = [f"{value:.3g}" for value in ends] if lane.numeric else ends
    heights = [_height(lane, lane.place(value)) for value in ends] if len(grid) else []
    for height, text in zip(heights, texts, strict=True):
        box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8}
        ax.text(place + 0.04, height, text, color=drawing.INK, fontsize=8, va="center", bbox=box, parse_math=False)


def _in_order(values: list[Any]) -> list[Any]:
    """Numbers first, in their order, then the other values as they come."""
    return sorted(values, key=lambda value: (0, value) if _is_number(value) else (1, 0))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()
