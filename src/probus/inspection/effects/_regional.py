"""Regional effects: the few groups of rows in each of which one curve holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Kind, Table
from probus.display import Notes, Picture, Result, drawing, rounded, shortened
from probus.errors import DataError
from probus.inspection.effects._effect import Effect
from probus.inspection.effects._responses import Response, checked_column, over_models, points_of, table_of, texts_of
from probus.metrics.curves import quantile
from probus.model_selection import Resampled
from probus.tree import DecisionTreeRegressor, export_rules

_SMALLEST = 0.05  # of the rows of a group
_FEWEST = 10
_GAIN = 0.05  # of the variance of the curves, for one group more
_COVERS = "over samples of rows, for this model, on rows that did not choose the groups"


@dataclass(frozen=True, eq=False, repr=False)
class RegionalEffects(Result):
    """The effect of a column in groups of rows, the largest group first.

    Attributes
    ----------
    column : the name of the column.
    regions : a condition for each group, in words; one without words where a single curve holds for all rows.
    effects : the centred partial dependence in each group.
    shares : the share of the rows in each.
    explained : the share of the variation of the curves of rows that the groups explain, on rows that did not choose
        them.
    variation : how much curves of rows differ from their mean, as a share of the variation of the mean curve.
    tree : the small tree of the groups; None for a single one.
    """

    column: str
    regions: tuple[str, ...]
    effects: tuple[Effect, ...]
    shares: tuple[float, ...]
    explained: float
    variation: float
    tree: Any = None

    def __len__(self) -> int:
        return len(self.regions)

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each point of each group."""
        return [
            {"region": region, **row}
            for region, effect in zip(self.regions, self.effects, strict=True)
            for row in effect._rows()
        ]

    def _parts(self) -> list[Any]:
        if len(self) == 1:
            head = f"The effect of {self.column}: one curve holds for all rows"
        else:
            head = (
                f"The effect of {self.column} in {len(self)} groups of rows, which explain {100 * self.explained:.0f} %"
            )
            head += " of how the curves of rows differ"
        lines = [
            f"{region or 'all rows'}: {100 * share:.0f} % of the rows, "
            f"from {rounded(float(effect.values.min()), 3)} to {rounded(float(effect.values.max()), 3)}"
            for region, share, effect in zip(self.regions, self.shares, self.effects, strict=True)
        ]
        notes = [f"bands of {100 * self.effects[0].level:g} % at each point: {self.effects[0].covers}"]
        return [head, Picture(self.plot), Notes(lines), Notes(notes)]

    def plot(self, axes: Any = None) -> Any:
        """The curve of each group with its band, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 6.0, 4.2)
        for place, (region, effect) in enumerate(zip(self.regions, self.effects, strict=True)):
            colour = drawing.COLOURS[place % len(drawing.COLOURS)]
            label = shortened(region or "all rows", 60)
            if effect.nominal[0] or not all(isinstance(each, int | float) for each in effect.grid[0]):
                x = np.arange(len(effect.grid[0]))
                beside = 0.5 * ((place + 0.5) / len(self.effects) - 0.5)
                spans = np.abs(np.stack([effect.low, effect.high]) - effect.values)
                axes.errorbar(x + beside, effect.values, spans, fmt="o", color=colour, markersize=4, label=label)
                axes.set_xticks(x, [shortened(str(each), 14) for each in effect.grid[0]], parse_math=False)
                continue
            x = np.array(effect.grid[0], np.float64)
            axes.fill_between(x, effect.low, effect.high, color=colour, alpha=0.16, linewidth=0)
            axes.plot(x, effect.values, color=colour, label=label)
        drawing.tidy(axes, "Regional effects", self.column, f"{self.effects[0].unit}, centred")
        axes.legend(frameon=False, fontsize=8, loc="best")
        return axes


def regional_effects(
    model: Any,
    X: Any = None,
    column: str = "",
    *,
    label: Any = None,
    output: str | None = None,
    most_regions: int = 4,
    grid_size: int = 20,
    max_rows: int = 2_000,
    level: float = 0.95,
    random_state: int = 0,
) -> RegionalEffects:
    """Where one curve would mislead: the groups of rows in which a column has the same effect.

    The curve of each row (ICE), less its mean, is what the column does there; curves that differ are interactions. A
    small tree splits the rows by the other columns such that curves within a group are alike (Herbinger, Bischl and
    Casalicchio 2022). Half of the rows grow the tree, and the other half decide how many groups are worth it, and show
    the curves.

    Parameters
    ----------
    model : a fitted model or a study.
    X : rows; for a study by default its own.
    column : the column.
    label : the class whose probability is predicted; by default the last of two.
    output : "margin" for log odds in place of probabilities.
    most_regions : the largest number of groups.
    grid_size : the number of points of numbers.
    max_rows : how many rows are drawn.
    level : of the bands at each point.
    random_state : the seed of the rows and the halves.

    Returns
    -------
    The groups and their effects, which have ``plot`` and ``to_frame``.

    >>> from probus.ensemble import RandomForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> forest = RandomForestRegressor(30, random_state=0).fit(X, np.where(X[:, 1] > 0, X[:, 0], -X[:, 0]))
    >>> len(regional_effects(forest, X, "x0", most_regions=2))
    2
    """
    model, table = table_of(model, X)
    if isinstance(model, Resampled):
        raise DataError("a result of resample.", "a fitted model", "Pass one of its models: result.models[0].")
    if most_regions < 1:
        raise DataError(f"most_regions={most_regions!r}.", "at least 1")
    fitted, table = over_models(model, table)[0]
    response = Response.of(fitted, table, label, output)
    table = Table(table.select(*response.names), origin=table.origin)
    given = checked_column(table, column)
    rng = np.random.default_rng(random_state)
    rows = rng.permutation(len(table))[:max_rows]
    if len(rows) < 4 * _FEWEST:
        raise DataError(f"{len(rows)} rows.", f"at least {4 * _FEWEST}: half of them find the groups")
    table = Table(table.take(rows), origin=table.origin)
    points = points_of(given, grid_size)
    curves = response.curves(table, [points])
    curves = curves - curves.mean(axis=1, keepdims=True)
    half = len(rows) // 2
    grown, shown = np.arange(half), np.arange(half, len(rows))
    others = Table(each for each in table if each.name != given.name and each.kind is not Kind.TEXT)
    tree, groups, explained = _groups(others, curves, grown, shown, most_regions)
    effects, regions, shares = [], [], []
    of_rule = {0: ""} if tree is None else {rule.leaf: rule.condition for rule in export_rules(tree)}
    for leaf, condition in of_rule.items():
        mine = curves[shown][groups == leaf]
        if not len(mine):
            continue
        values = mine.mean(axis=0)
        error = (
            quantile(level, max(len(mine) - 1, 1)) * mine.std(axis=0, ddof=1) / np.sqrt(len(mine))
            if len(mine) > 1
            else np.full(len(values), np.inf)
        )
        effects.append(
            Effect(
                (given.name,), (texts_of(points),), values, values - error, values + error, level,
                "partial dependence", response.unit, _COVERS, len(mine), None,
                (given.kind in (Kind.NOMINAL, Kind.BINARY),),
            )
        )  # fmt: skip
        regions.append(condition)
        shares.append(len(mine) / len(shown))
    order = np.argsort(-np.array(shares), kind="stable")
    mean = curves[shown].mean(axis=0)
    apart = float(np.mean((curves[shown] - mean) ** 2))
    return RegionalEffects(
        given.name, tuple(regions[k] for k in order), tuple(effects[k] for k in order),
        tuple(shares[k] for k in order), explained, apart / max(float(np.mean(mean**2)), 1e-300), tree,
    )  # fmt: skip


def _groups(
    others: Table, curves: np.ndarray, grown: np.ndarray, shown: np.ndarray, most: int
) -> tuple[Any, np.ndarray, float]:
    """The smallest tree of which one more group explains hardly more; the leaf of each row shown."""
    one = np.zeros(len(shown), np.int64)
    if not others.names or most < 2:
        return None, one, 0.0
    least = max(_FEWEST, int(_SMALLEST * len(grown)))
    mean = curves[grown].mean(axis=0)
    total = float(np.sum((curves[shown] - mean) ** 2))
    scale = float(np.sum(curves[shown] ** 2))
    chosen, leaves, best = None, one, 0.0
    if total <= 1e-12 * max(scale, 1e-300):
        return None, one, 0.0
    for n_groups in range(2, most + 1):
        tree = DecisionTreeRegressor(max_leaf_nodes=n_groups, min_samples_leaf=least, random_state=0)
        tree.fit(others.take(grown), curves[grown])
        rest = float(np.sum((curves[shown] - tree.predict(others.take(shown))) ** 2))
        if 1 - rest / total >= best + _GAIN * (n_groups - 1 if chosen is None else 1):
            chosen, best = tree, 1 - rest / total
            leaves = np.asarray(tree.apply(others.take(shown)))
    return chosen, leaves, best
