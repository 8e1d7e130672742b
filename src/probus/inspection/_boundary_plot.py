"""The decision boundaries of a classifier over two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from probus.base import encoded_classes
from probus.data import Column, Table
from probus.display.drawing import INK, MUTED, new_axes, tidy
from probus.errors import DataError
from probus.tree.export import class_colours
from probus.wrapping import name_of

_PIXELS = 240  # of the shading, in each direction
_PALEST, _DEEPEST = 0.10, 0.55  # opacity of a class that is undecided, and of one that is certain
_JITTER = 0.22  # how far points of a level are spread, so that they do not lie on each other
_MOST_POINTS = 3000


def plot_boundary(
    model: Any, X: Any, y: Any, *, columns: Sequence[str | int] | None = None, ax: Any = None, random_state: int = 0
) -> Any:
    """Draw the predictions of a classifier over two columns, and the rows that it was trained on.

    The colour is that of the predicted class, the deeper the more probable; lines are the boundaries. Rows that the
    model gets wrong have a dark edge.

    Parameters
    ----------
    model : classifier or pipeline
        Fitted, or not: then a clone is fitted to X and y.
    X : Table, frame or array
        Two columns, or more where ``columns`` chooses two; the others are then held at their median or their most
        frequent level.
    y : labels
    columns : two names or numbers of columns, optional
    ax : matplotlib axes, optional
    random_state : int
        For the points that are drawn where there are many, and for their places among the points of a level.

    Returns
    -------
    The matplotlib axes.

    Examples
    --------
    >>> import probus
    >>> from probus.discriminant_analysis import LinearDiscriminantAnalysis
    >>> flowers = probus.datasets.iris()
    >>> X, y = flowers.select("petal_length", "sepal_width"), flowers["species"]
    >>> ax = plot_boundary(LinearDiscriminantAnalysis(), X, y)
    >>> ax.get_title(loc="left")
    'LinearDiscriminantAnalysis: 7 of 150 rows wrong'
    """
    table = Table.of(X, infer=False)
    chosen = _chosen(table, columns)
    _, codes = encoded_classes(y, len(table))
    model = _fitted(model, X, y)
    ax = new_axes(ax, 6.2, 4.8)
    axes = [_ColumnAxis(table[name]) for name in chosen]
    shares = _on_grid(model, X, table, axes)
    classes = [str(name) for name in model.classes_]
    colours = class_colours(len(classes))
    _shade(ax, axes, shares, colours)
    wrong = _draw_points(ax, axes, model, X, codes, colours, classes, random_state)
    tidy(ax, f"{name_of(model)}: {wrong:,} of {len(table):,} rows wrong", *chosen)
    ax.grid(False)
    ax.set(xlim=axes[0].ends, ylim=axes[1].ends)
    for axis, side in zip(axes, (ax.xaxis, ax.yaxis), strict=True):
        axis.label(side)
    return ax


def _chosen(table: Table, columns: Sequence[str | int] | None) -> tuple[str, str]:
    """The names of the two columns that are drawn."""
    names = list(table.names) if columns is None else [_name(table, column) for column in columns]
    if len(names) != 2:
        raise DataError(
            f"{len(names)} columns to draw.", "two", "Select two, or pass columns=('a', 'b') and a model of all."
        )
    text = [name for name in names if not (table[name].is_number_like or table[name].levels)]
    if text:
        raise DataError(f"column {text[0]!r} is text.", "numbers or levels")
    return names[0], names[1]


def _name(table: Table, column: str | int) -> str:
    return column if isinstance(column, str) else table.names[column]


def _fitted(model: Any, X: Any, y: Any) -> Any:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return clone(model).fit(X, y)
    return model


@dataclass(frozen=True)
class _ColumnAxis:
    """One column as an axis: numbers with a margin, or levels side by side."""

    column: Column

    @property
    def has_levels(self) -> bool:
        return bool(self.column.levels) and not self.column.is_number_like

    @property
    def numbers(self) -> np.ndarray:
        """Where each row lies; NaN for a missing value."""
        if self.has_levels:
            return np.where(self.column.missing, np.nan, self.column.values)
        return np.where(self.column.missing, np.nan, self.column.numbers_array())

    @property
    def ends(self) -> tuple[float, float]:
        if self.has_levels:
            return -0.5, len(self.column.levels) - 0.5
        low, high = np.nanmin(self.numbers), np.nanmax(self.numbers)
        margin = 0.06 * (high - low) or 0.5
        return float(low - margin), float(high + margin)

    @property
    def grid(self) -> np.ndarray:
        """The places of the pixels, each in its middle; one for each level."""
        if self.has_levels:
            return np.arange(len(self.column.levels), dtype=np.float64)
        low, high = self.ends
        return low + (np.arange(_PIXELS) + 0.5) * (high - low) / _PIXELS

    def at(self, places: np.ndarray) -> Column:
        """A column that has these places as values."""
        column = self.column
        if self.has_levels:
            return Column(column.name, column.kind, places.astype(np.int32), column.levels)
        return Column.numbers(column.name, places)

    def label(self, side: Any) -> None:
        if self.has_levels:
            side.set_ticks(range(len(self.column.levels)), [str(level) for level in self.column.levels])


def _on_grid(model: Any, X: Any, table: Table, axes: Sequence[_ColumnAxis]) -> np.ndarray:
    """The probabilities of the classes at every pixel: float64[rows, columns, K].

    1 for the predicted class of a model that has none.
    """
    x, y = axes[0].grid, axes[1].grid
    places = {axes[0].column.name: np.tile(x, len(y)), axes[1].column.name: np.repeat(y, len(x))}
    drawn = dict(zip(places, axes, strict=True))
    cells = Table(
        drawn[column.name].at(places[column.name]) if column.name in places else _held(column, len(x) * len(y))
        for column in table
    )
    rows = cells.numbers() if isinstance(X, (np.ndarray, list)) else cells
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(rows)
    else:
        shares = (model.predict(rows)[:, None] == model.classes_).astype(np.float64)
    return shares.reshape(len(y), len(x), -1)


def _held(column: Column, n: int) -> Column:
    """The column at its median, or its most frequent level."""
    known = np.flatnonzero(~column.missing)
    if column.is_number_like:
        return Column.numbers(column.name, np.full(n, np.median(column.numbers_array()[known])))
    values, counts = np.unique(column.values[known], return_counts=True)
    usual = known[np.flatnonzero(column.values[known] == values[counts.argmax()])[0]]
    return column.take(np.full(n, usual))


def _shade(ax: Any, axes: Sequence[_ColumnAxis], shares: np.ndarray, colours: Sequence[Any]) -> None:
    """Colour every pixel, and draw the lines between classes."""
    from matplotlib.colors import to_rgb

    n_classes = shares.shape[2]
    best, certain = shares.argmax(axis=2), shares.max(axis=2)
    certain = np.clip((certain - 1.0 / n_classes) / max(1.0 - 1.0 / n_classes, 1e-9), 0.0, 1.0)
    opacity = (_PALEST + (_DEEPEST - _PALEST) * certain)[:, :, None]
    image = 1.0 - opacity * (1.0 - np.array([to_rgb(colour) for colour in colours])[best])
    extent = (*axes[0].ends, *axes[1].ends)
    ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="nearest", zorder=0)
    if min(shares.shape[:2]) < 2 or any(axis.has_levels for axis in axes):
        return
    for k in range(n_classes if n_classes > 2 else 1):
        others = np.delete(shares, k, axis=2)
        lead = shares[:, :, k] - (others.max(axis=2) if others.shape[2] else 0.0)
        if lead.min() < 0.0 < lead.max():
            ax.contour(axes[0].grid, axes[1].grid, lead, levels=[0.0], colors=[INK], linewidths=0.9, zorder=1)


def _draw_points(
    ax: Any, axes: Sequence[_ColumnAxis], model: Any, X: Any, codes: np.ndarray, colours: Sequence[Any],
    classes: Sequence[str], random_state: int,
) -> int:  # fmt: skip
    """Draw the rows by their class; the number of those that the model gets wrong."""
    rng = np.random.default_rng(random_state)
    wrong = np.searchsorted(model.classes_, model.predict(X)) != codes
    places = [axis.numbers + (rng.uniform(-_JITTER, _JITTER, len(codes)) if axis.has_levels else 0.0) for axis in axes]
    shown = np.isfinite(places[0]) & np.isfinite(places[1])
    if shown.sum() > _MOST_POINTS:
        shown &= np.isin(np.arange(len(codes)), rng.choice(np.flatnonzero(shown), _MOST_POINTS, replace=False))
    size = 26.0 if shown.sum() <= 500 else 12.0
    for k in range(len(classes)):
        for part, edge, width in ((~wrong, "white", 0.6), (wrong, INK, 1.2)):
            rows = shown & (codes == k) & part
            at = places[0][rows], places[1][rows]
            ax.scatter(*at, s=size, color=colours[k], edgecolors=edge, linewidths=width, zorder=3)
    _add_legend(ax, classes, colours, bool((wrong & shown).any()))
    return int(wrong.sum())


def _add_legend(ax: Any, classes: Sequence[str], colours: Sequence[Any], any_wrong: bool) -> None:
    """The classes beside the axes, and what a dark edge means."""
    from matplotlib.lines import Line2D

    dot: Any = {"marker": "o", "linestyle": "", "markersize": 6}
    handles = [Line2D([], [], color=colour, label=name, **dot) for name, colour in zip(classes, colours, strict=True)]
    if any_wrong:
        handles.append(Line2D([], [], color="white", markeredgecolor=INK, markeredgewidth=1.2, label="wrong", **dot))
    legend = ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    for text in legend.get_texts():
        text.set_color(MUTED)
        text.set_parse_math(False)
