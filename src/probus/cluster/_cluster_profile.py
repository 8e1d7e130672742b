"""What sets each cluster apart: the columns in which its rows differ most from all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.cluster._fresh_fits import last_step
from probus.data import Column, Kind, Table
from probus.display import Cells, Picture, Result, counted, figure, percent
from probus.display.drawing import INK, new_axes, tidy
from probus.errors import DataError


@dataclass(frozen=True)
class Difference:
    """How a cluster differs from all other rows in a column, or in a level of one.

    Attributes
    ----------
    cluster : the label of the cluster.
    column : the name of the column.
    level : the level; None where the column is numeric.
    inside, outside : the means, or the shares of the level.
    effect : cohen's d for numbers, (mean − mean of the others) / standard deviation within; Cohen's h for levels, 2
        arcsin √share − 2 arcsin √(share of the others).
    low, high : its 95 % interval.
    dates : whether they are days since 1970-01-01.
    """

    cluster: Any
    column: str
    level: Any
    inside: float
    outside: float
    effect: float
    low: float
    high: float
    dates: bool = False

    def __str__(self) -> str:
        if self.level is None:
            inside, outside = (
                figure(mean, dates=True) if self.dates else f"{mean:.4g}" for mean in (self.inside, self.outside)
            )
            return f"{self.column} {inside}, others {outside}"
        return f"{self.column} = {self.level}: {percent(self.inside)}, others {percent(self.outside)}"


@dataclass(frozen=True, repr=False)
class ClusterProfiles(Result):
    """The differences of each cluster, the largest first.

    Attributes
    ----------
    clusters, sizes : the labels of the clusters, and their numbers of rows.
    differences : the differences of all clusters.
    noise : the number of rows in no cluster.
    """

    clusters: tuple[Any, ...]
    sizes: tuple[int, ...]
    differences: tuple[Difference, ...]
    noise: int = 0

    def of(self, cluster: Any) -> tuple[Difference, ...]:
        """The differences of one cluster."""
        return tuple(found for found in self.differences if found.cluster == cluster)

    def _rows(self) -> list[dict[str, Any]]:
        rows = [{name: value for name, value in vars(found).items() if name != "dates"} for found in self.differences]
        return [{**row, "level": None if row["level"] is None else str(row["level"])} for row in rows]

    def _parts(self) -> Iterable[Any]:
        total = sum(self.sizes) + self.noise
        without = f", {self.noise:,} of them in none" if self.noise else ""
        yield f"{counted(len(self.clusters), 'cluster')} of {total:,} rows{without}, and what sets each apart:"
        rows = [
            [str(cluster), f"{size:,} ({percent(size / total)})", str(found), f"{found.effect:+.2f}"]
            for cluster, size in zip(self.clusters, self.sizes, strict=True)
            for found in self.of(cluster)[:3]
        ]
        yield Cells([["cluster", "rows", "differs in", "effect"], *rows], right=(3,))
        yield Picture(self.plot)

    def plot(self, ax: Any = None) -> Any:
        """The effect of each column in each cluster: orange above the others, blue below."""
        largest: dict[str, float] = {}
        for found in self.differences:
            largest[_name(found)] = max(largest.get(_name(found), 0.0), abs(found.effect))
        names = sorted(largest, key=lambda name: -largest[name])[:20]
        grid = np.zeros((len(names), len(self.clusters)))
        for found in self.differences:
            if _name(found) in names:
                grid[names.index(_name(found)), self.clusters.index(found.cluster)] = found.effect
        ax = new_axes(ax, 2.6 + 0.8 * len(self.clusters), 1.4 + 0.34 * len(names))
        most = max(1.0, float(np.abs(grid[np.isfinite(grid)]).max(initial=0.0)))
        ax.imshow(np.clip(grid, -most, most), cmap=_diverging(), vmin=-most, vmax=most, aspect="auto")
        for (i, j), value in np.ndenumerate(grid):
            colour = "white" if abs(value) > 0.6 * most else INK
            ax.text(j, i, f"{value:+.1f}".replace("inf", "∞"), ha="center", va="center", color=colour, fontsize=9)
        tidy(ax, "What sets clusters apart (effect sizes)", "cluster", "")
        ax.grid(False)
        ax.set_xticks(range(len(self.clusters)), [str(cluster) for cluster in self.clusters])
        ax.set_yticks(range(len(names)), names, parse_math=False)
        return ax


def describe_clusters(labels: Any, table: Any) -> ClusterProfiles:
    """Which columns set each cluster apart from all other rows, by standardised effect sizes.

    Parameters
    ----------
    labels : the cluster of each row; noise (a negative number) counts among the others only. Or a fitted clustering of
        these rows, or a pipeline that ends with one, such as ``tabular(KMeans(3)).fit(table)``
    table : the rows, with columns of any kind; missing values are left out column by column

    Returns
    -------
    The columns of each cluster, with their effects.

    >>> described = describe_clusters([0, 0, 1, 1], {"size": [1.0, 2.0, 8.0, 9.0], "colour": ["r", "r", "b", "b"]})
    >>> print(described.of(0)[0], round(described.of(0)[0].effect, 1))
    size 1.5, others 8.5 -9.9
    """
    table = Table.of(table, infer=False)
    labels = np.asarray(_labels_of(labels, table) if hasattr(labels, "get_params") else labels)
    if labels.shape != (table.n_rows,):
        raise DataError(f"{labels.size} labels of {table.n_rows} rows.", "a label for each row")
    missing = int(sum(label is None or label != label for label in labels.tolist()))
    if missing:
        raise DataError(f"{missing} of {labels.size} labels are missing.", "a label for each row", "Noise is -1.")
    names = np.unique(labels)
    noise = labels < 0 if labels.dtype.kind in "if" else np.zeros(len(labels), dtype=bool)  # HDBSCAN has -2 and -3 too
    clusters = np.unique(labels[~noise]).tolist()
    if len(names) < 2:
        raise DataError(f"{len(names)} cluster: there are no other rows to differ from.", "at least two clusters")
    found = []
    for cluster in clusters:
        inside = labels == cluster
        found += sorted(
            (difference for column in table for difference in _differences(cluster, column, inside)),
            key=lambda difference: (-abs(difference.effect), difference.effect < 0),
        )
    sizes = tuple(int((labels == cluster).sum()) for cluster in clusters)
    return ClusterProfiles(tuple(clusters), sizes, tuple(found), int(noise.sum()))


def _labels_of(model: Any, table: Table) -> Any:
    """The labels of the training rows, or else those that the model predicts."""
    last = last_step(model)
    check_is_fitted(last)
    return last.labels_ if hasattr(last, "labels_") else model.predict(table)


def _differences(cluster: Any, column: Column, inside: np.ndarray) -> Iterable[Difference]:
    """That of the numbers of a column, or of each of its levels; none where a side has no values."""
    known = ~column.missing
    here, there = inside & known, ~inside & known
    if not here.any() or not there.any():
        return
    if column.kind is Kind.NUMERIC:
        yield replace(_of_means(cluster, column.name, column.values[here], column.values[there]), dates=column.dates)
    elif column.kind.has_levels:
        n, m = int(here.sum()), int(there.sum())
        shown = range(len(column.levels) == 2, len(column.levels))  # one of two levels says all of the other
        for code, level in ((code, column.levels[code]) for code in shown):
            p, q = (column.values[here] == code).mean(), (column.values[there] == code).mean()
            h = 2 * (np.arcsin(np.sqrt(p)) - np.arcsin(np.sqrt(q)))
            half = 1.96 * np.sqrt(1 / n + 1 / m)
            yield Difference(
                cluster, column.name, level, float(p), float(q), float(h), float(h - half), float(h + half)
            )


def _of_means(cluster: Any, name: str, a: np.ndarray, b: np.ndarray) -> Difference:
    n, m = len(a), len(b)
    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    spread = np.sqrt(squares / max(n + m - 2, 1))
    gap = a.mean() - b.mean()
    if spread <= 1e-12 * max(abs(a.mean()), abs(b.mean())):
        effect = 0.0 if abs(gap) <= 1e-12 * max(abs(a.mean()), abs(b.mean())) else np.sign(gap) * np.inf
    else:
        effect = gap / spread
    half = 1.96 * np.sqrt((n + m) / (n * m) + effect**2 / (2 * (n + m))) if np.isfinite(effect) else 0.0
    return Difference(
        cluster, name, None, float(a.mean()), float(b.mean()), float(effect), float(effect - half), float(effect + half)
    )


def _name(found: Difference) -> str:
    return found.column if found.level is None else f"{found.column} = {found.level}"


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("probus-effects", ["#003e66", "#6da3c9", "#ffffff", "#e89a6a", "#8a3400"])
