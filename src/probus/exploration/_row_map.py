"""A map of rows: near on the map where they are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Kind, Table
from probus.decomposition import PCA
from probus.display import Result, counted, listed, percent, shortened
from probus.display.drawing import COLOURS, INK, new_axes, tidy
from probus.exploration._fair_distance import FairDistance
from probus.manifold import ClassicalMDS
from probus.report import correlation_ratio

_ROWS, _MOST_ODD = 1000, 100
_NAMED = 2  # columns that an axis is named by
_LEAST_LOADING = 0.3
_MARKERS = "osD^vP"


@dataclass(frozen=True, eq=False, repr=False)
class RowMap(Result):
    """Positions of rows in two dimensions.

    Attributes
    ----------
    rows : their numbers, from 0.
    positions : rows × 2.
    groups : the number of each row's group, 0 for none.
    odd : whether the row is odd.
    axes : what the dimensions are.
    method : how they were found, a sentence.
    table_rows : the number of rows of the table.
    """

    rows: np.ndarray
    positions: np.ndarray
    groups: np.ndarray
    odd: np.ndarray
    axes: tuple[str, str]
    method: str
    table_rows: int

    def sentence(self) -> str:
        """What the map shows."""
        if len(self.rows) == self.table_rows:
            return self.method
        return f"{self.method} {len(self.rows):,} of {self.table_rows:,} rows, drawn at random, and odd ones."

    def _rows(self) -> dict[str, Any]:
        return {
            "row": self.rows,
            "x": self.positions[:, 0],
            "y": self.positions[:, 1],
            "group": self.groups,
            "odd": self.odd,
        }

    def _parts(self) -> list[Any]:
        return [f"Map of {counted(len(self.rows), 'row')}"]

    def plot(self, ax: Any = None) -> Any:
        """The rows, coloured by group; odd rows are circled."""
        ax = new_axes(ax, 5.6, 5.0)
        size = float(np.clip(12_000 / max(len(self.rows), 1), 12, 36))
        for number in np.unique(self.groups):
            x, y = self.positions[self.groups == number].T
            marker = _MARKERS[max(number - 1, 0) % len(_MARKERS)]
            ax.scatter(x, y, s=size, marker=marker, color=_colour(number), alpha=0.65, linewidths=0, zorder=3)
        for number in np.unique(self.groups[self.groups > 0]):
            x, y = np.median(self.positions[self.groups == number], axis=0)
            box = {"boxstyle": "round,pad=0.25", "facecolor": "#ffffff", "edgecolor": _colour(number)}
            style = {"ha": "center", "va": "center", "fontsize": 10, "fontweight": "bold", "color": INK}
            ax.text(x, y, str(number), bbox=box, zorder=5, **style)
        x, y = self.positions[self.odd].T
        ax.scatter(x, y, s=70, facecolors="none", edgecolors=INK, linewidths=1.1, zorder=4)
        tidy(ax, "", *self.axes)
        ax.set_xticks([])
        ax.set_yticks([])
        return ax


def _colour(number: int) -> str:
    return COLOURS[max(number - 1, 0) % len(COLOURS)]


def draw_map(
    table: Table, distance: FairDistance, groups: np.ndarray, odd_rows: np.ndarray, seed: int
) -> RowMap | None:
    """The map of at most 1,000 rows, odd ones among them; None where two dimensions cannot be had."""
    if table.n_rows < 3 or not table.names:
        return None
    rows = _choose(table.n_rows, odd_rows, seed)
    sample = distance.clipped(table.take(rows))
    numbers = all(column.kind is Kind.NUMERIC and not column.missing.any() for column in sample)
    found = _components(sample) if numbers and len(sample.names) > 1 else _coordinates(sample, distance)
    if found is None:
        return None
    positions, axes, method = found
    return RowMap(rows, positions, groups[rows], np.isin(rows, odd_rows), axes, method, table.n_rows)


def _choose(n: int, odd_rows: np.ndarray, seed: int) -> np.ndarray:
    if n <= _ROWS:
        return np.arange(n)
    drawn = np.random.default_rng([seed, 2]).choice(n, _ROWS, replace=False)
    return np.union1d(drawn, odd_rows[:_MOST_ODD])


def _components(sample: Table) -> tuple[np.ndarray, tuple[str, str], str] | None:
    X = np.column_stack([column.values for column in sample])
    spread = X.std(axis=0)
    X, names = X[:, spread > 0], np.array(sample.names)[spread > 0]
    if X.shape[1] < 2:
        return None
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = PCA(2).fit(X)
    axes = [
        f"{_named(names, direction)} ({percent(share)} of the variance)"
        for direction, share in zip(model.components_, model.explained_variance_ratio_, strict=True)
    ]
    return model.transform(X), (axes[0], axes[1]), "Principal components of the standardised numbers."


def _named(names: np.ndarray, direction: np.ndarray) -> str:
    """The columns that a component is made of, those that count most first."""
    order = np.argsort(-np.abs(direction), kind="stable")[:_NAMED]
    order = order[np.abs(direction[order]) >= _LEAST_LOADING * np.abs(direction).max()]
    parts = [f"{'−' if direction[j] < 0 else '+'} {shortened(names[j], 18)}" for j in order]
    return " ".join(parts).removeprefix("+ ")


def _coordinates(sample: Table, distance: FairDistance) -> tuple[np.ndarray, tuple[str, str], str] | None:
    D = distance.matrix(sample)
    model = ClassicalMDS(2, metric="precomputed").fit(D)
    if not model.eigenvalues_[0] > 0:
        return None
    axes = [
        f"coordinate {place}: {listed(found)}" if found else f"coordinate {place}"
        for place, found in enumerate((_related_columns(sample, model.embedding_[:, j]) for j in range(2)), 1)
    ]
    return model.embedding_, (axes[0], axes[1]), "Principal coordinates of Gower's distances."


def _related_columns(sample: Table, position: np.ndarray) -> list[str]:
    """The columns that go most with a coordinate."""
    strengths = {}
    for column in sample:
        known = ~column.missing
        if column.kind in (Kind.NUMERIC, Kind.ORDINAL):
            strengths[column.name] = _correlation(column.numbers_array()[known], position[known])
        else:
            strengths[column.name] = correlation_ratio(column.values[known], position[known])
    order = sorted(strengths, key=lambda name: -strengths[name])[:_NAMED]
    return [shortened(name, 18) for name in order if strengths[name] > 0.5]


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    spread = x.std() * y.std() if len(x) else 0.0
    return abs(float(((x - x.mean()) * (y - y.mean())).mean() / spread)) if spread > 0 else 0.0
