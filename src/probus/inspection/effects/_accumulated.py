"""Accumulated local effects (Apley and Zhu 2020): changes of predictions between neighbouring values, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table
from probus.errors import DataError
from probus.inspection.effects._effect import OF_ROWS, OF_TRAINING, Effect
from probus.inspection.effects._level_order import similar_order
from probus.inspection.effects._responses import Response, checked_column, jackknife, over_models, table_of, texts_of
from probus.metrics.curves import quantile

_CELLS = 10  # intervals of each of two columns


def accumulated_local_effects(
    model: Any,
    X: Any = None,
    columns: str | Sequence[str] = "",
    *,
    label: Any = None,
    output: str | None = None,
    n_intervals: int = 40,
    level: float = 0.95,
) -> Effect:
    """How predictions change with a column where its values occur: local changes, accumulated and centred.

    Numbers are cut at quantiles. In each interval the prediction at its upper end less that at its lower end is
    averaged over the rows of the interval, which keep their other columns: rows are hardly moved, so that correlated
    columns do no harm. Ordinal levels are taken in their order, and nominal ones in an order in which neighbours are
    alike in the other columns. Of two columns it is the effect of both together, less the effect of each: 0 where they
    do not interact.

    Parameters
    ----------
    model : a fitted model or a study. A result of ``resample(..., keep_models=True)`` gives bands over training rows.
    X : rows; for a result or a study by default its own.
    columns : the name of a column, or of two columns of numbers or ordered levels.
    label : the class whose probability is predicted; by default the last of two.
    output : "margin" for log odds in place of probabilities.
    n_intervals : the number of intervals of a column of numbers; of two columns at most 10 each.
    level : of the band at each point.

    Returns
    -------
    The effect.

    >>> from probus.linear_model import LinearRegression
    >>> X = Table.of({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0]})
    >>> found = accumulated_local_effects(LinearRegression().fit(X, [0.0, 2.0, 4.0, 6.0]), X, "a")
    >>> found.values.round(2).tolist()
    [-2.5, -0.5, 1.5, 3.5]
    """
    model, table = table_of(model, X)
    names = [columns] if isinstance(columns, str) else list(columns)
    if not 1 <= len(names) <= 2:
        raise DataError(f"{len(names)} columns.", "one or two")
    if n_intervals < 1:
        raise DataError(f"n_intervals={n_intervals!r}.", "at least 1")
    each = [checked_column(table, name) for name in names]
    if len(each) == 2 and any(column.kind is Kind.NOMINAL for column in each):
        raise DataError(
            "accumulated effects of two columns, one of them nominal.", "numbers or ordered levels",
            "partial_effect takes two columns of any kind.",
        )  # fmt: skip
    points = [_points(column, table, n_intervals if len(each) == 1 else min(n_intervals, _CELLS)) for column in each]
    found = []
    for fitted, rows in over_models(model, table):
        response = Response.of(fitted, rows, label, output)
        if len(each) == 1:
            found.append(_of_one(response, rows, rows[each[0].name], points[0]))
        else:
            found.append(_of_two(response, rows, [rows[column.name] for column in each], points))
    values, variance, counts = found[0]
    n, covers, df = len(table), OF_ROWS, max(len(table) - 1.0, 1.0)
    if len(found) > 1:
        several = np.stack([one[0] for one in found])
        values, variance = several.mean(axis=0), jackknife(several, model.splits.folds)
        covers, df = OF_TRAINING, len(found) - 1.0
    half = quantile(level, df) * np.sqrt(variance)
    return Effect(
        tuple(column.name for column in each), tuple(map(texts_of, points)), values, values - half, values + half,
        level, "accumulated local effects", response.unit, covers, n, None,
        tuple(column.kind in (Kind.NOMINAL, Kind.BINARY) for column in each), counts,
    )  # fmt: skip


def _points(column: Column, table: Table, n_intervals: int) -> Column:
    """The ends of the intervals, or the levels in order."""
    if column.kind.has_levels:
        codes = np.unique(column.values[~column.missing])
        if column.kind is Kind.NOMINAL and len(codes) > 2:
            codes = codes[similar_order(column, codes, table)]
        return replace(column, values=codes.astype(column.values.dtype), written=None)
    x = column.values[np.isfinite(column.values)]
    ends = np.quantile(x, np.linspace(0, 1, n_intervals + 1), method="inverted_cdf")
    return replace(column, values=np.unique(ends), written=None)


# -- one column --------------------------------------------------------------------------------------------


def _of_one(response: Response, table: Table, column: Column, points: Column) -> tuple[np.ndarray, np.ndarray, Any]:
    """The effect at each point, its variance over rows, and the number of rows of each."""
    G = len(points)
    known = np.flatnonzero(~column.missing)
    if G < 2:
        return np.zeros(G), np.zeros(G), np.array([len(known)])
    if column.kind is Kind.NUMERIC:
        place = np.clip(np.searchsorted(points.values, column.values[known], side="left"), 1, G - 1)
        rows, steps = known, place  # each row belongs to the interval that ends at its place
        share = np.bincount(place, minlength=G)
    else:
        order = np.empty(int(points.values.max()) + 1, np.int64)
        order[points.values] = np.arange(G)
        codes = column.values[known]
        inside = np.isin(codes, points.values)
        known, at = known[inside], order[codes[inside]]
        rows = np.concatenate([known[at < G - 1], known[at > 0]])  # up from each level, and down to the one below
        steps = np.concatenate([at[at < G - 1] + 1, at[at > 0]])
        share = np.bincount(at, minlength=G)
    changes = _changes(response, table, rows, column, points, steps)
    size = np.bincount(steps, minlength=G)
    means = np.bincount(steps, changes, minlength=G) / np.maximum(size, 1)
    curve = np.cumsum(means)
    weight = share / share.sum()
    if column.kind is Kind.NUMERIC:  # the mean over rows, each between the ends of its interval
        centre = (weight[1:] * (curve[:-1] + curve[1:]) / 2).sum()
        at_row = (curve[place - 1] + curve[place]) / 2
    else:
        centre = (weight * curve).sum()
        at_row = curve[at]
    moves = _moves(changes - means[steps], rows, steps, size, weight, column.kind is Kind.NUMERIC, len(table))
    moves[known] -= ((at_row - centre) / len(known))[:, None]
    n = len(known)
    return curve - centre, (moves**2).sum(axis=0) * n / max(n - 1, 1), share


def _changes(
    response: Response, table: Table, rows: np.ndarray, column: Column, points: Column, steps: np.ndarray
) -> np.ndarray:
    """The prediction of each row at the point of its step, less that at the point before."""
    taken = table.take(rows)
    ends = [
        response.predict(Table(taken.with_columns(points.take(at)), origin=table.origin)) for at in (steps, steps - 1)
    ]
    return ends[0] - ends[1]


def _moves(
    residual: np.ndarray, rows: np.ndarray, steps: np.ndarray, size: np.ndarray, weight: np.ndarray, between: bool,
    n: int,
) -> np.ndarray:  # fmt: skip
    """float64[n, G]: by how much each row moves the centred curve through the mean change of its interval."""
    G = len(size)
    after = np.arange(G)[None, :] >= np.arange(G)[:, None]  # step k moves the points from k on
    share = after.astype(np.float64)
    if between:
        lost = (weight[None, 1:] * (share[:, :-1] + share[:, 1:]) / 2).sum(axis=1)
    else:
        lost = (weight[None, :] * share).sum(axis=1)
    out = np.zeros((n, G))
    np.add.at(out, rows, (residual / size[steps])[:, None] * (share - lost[:, None])[steps])
    return out


# -- two columns -------------------------------------------------------------------------------------------


def _of_two(
    response: Response, table: Table, columns: Sequence[Column], points: Sequence[Column]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The second-order effect at each point, without the effects of single columns; its variance by blocks of rows."""
    known = np.flatnonzero(~columns[0].missing & ~columns[1].missing)
    G, H = map(len, points)
    if G < 2 or H < 2:
        raise DataError("a constant column among two.", "two columns of several values")
    cells = [
        np.clip(np.searchsorted(each.values, column.values[known], side="left"), 1, len(each) - 1)
        for column, each in zip(columns, points, strict=True)
    ]
    taken, corners = table.take(known), {}
    for up in (0, 1):
        for across in (0, 1):
            new = [points[0].take(cells[0] - 1 + up), points[1].take(cells[1] - 1 + across)]
            corners[up, across] = response.predict(Table(taken.with_columns(*new), origin=table.origin))
    changes = corners[1, 1] - corners[1, 0] - corners[0, 1] + corners[0, 0]
    block = np.random.default_rng(0).permutation(len(known)) % min(20, len(known))
    whole, counts = _surface(changes, cells, (G, H))
    left = [_surface(changes[block != b], [c[block != b] for c in cells], (G, H))[0] for b in np.unique(block)]
    return whole, jackknife(np.stack(left), len(left)), counts


def _surface(changes: np.ndarray, cells: Sequence[np.ndarray], shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean changes accumulated both ways; cells without rows take the mean of the nearest cell that has some."""
    G, H = shape
    flat = cells[0] * H + cells[1]
    size = np.bincount(flat, minlength=G * H).reshape(G, H)
    means = np.bincount(flat, changes, minlength=G * H).reshape(G, H) / np.maximum(size, 1)
    inner, filled = size[1:, 1:], means[1:, 1:]
    if (inner == 0).any():
        full = np.argwhere(inner > 0)
        empty = np.argwhere(inner == 0)
        apart = ((empty[:, None] - full[None]) / np.array([G, H])) ** 2
        nearest = full[apart.sum(axis=2).argmin(axis=1)]
        filled[tuple(empty.T)] = filled[tuple(nearest.T)]
    surface = np.zeros((G, H))
    surface[1:, 1:] = filled.cumsum(axis=0).cumsum(axis=1)
    # the accumulated effect of each column alone, by the rows of its intervals
    for axis in (0, 1):
        step = np.diff(surface, axis=axis)
        between = (step[:, :-1] + step[:, 1:]) / 2 if axis == 0 else (step[:-1] + step[1:]) / 2
        total = inner.sum(axis=1 - axis)
        main = (between * inner).sum(axis=1 - axis) / np.maximum(total, 1)
        curve = np.concatenate([[0.0], np.cumsum(main)])
        surface = surface - (curve[:, None] if axis == 0 else curve[None, :])
    quarters = (surface[:-1, :-1] + surface[1:, :-1] + surface[:-1, 1:] + surface[1:, 1:]) / 4
    return surface - (quarters * inner).sum() / inner.sum(), size
