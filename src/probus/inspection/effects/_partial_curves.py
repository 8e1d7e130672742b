"""Partial dependence: the mean prediction where a column has each of its values in all rows, and single rows (ICE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data import Kind, Table
from probus.errors import DataError
from probus.inspection.effects._effect import OF_ROWS, OF_TRAINING, Effect
from probus.inspection.effects._responses import (
    Response,
    checked_column,
    jackknife,
    over_models,
    points_of,
    table_of,
    texts_of,
)
from probus.metrics.curves import quantile
from probus.model_selection import Resampled


def partial_effect(
    model: Any,
    X: Any = None,
    columns: str | Sequence[str] = "",
    *,
    label: Any = None,
    output: str | None = None,
    individual: bool = False,
    centred: bool = False,
    grid_size: int = 40,
    max_rows: int = 2_000,
    level: float = 0.95,
    random_state: int = 0,
) -> Effect:
    """Partial dependence of predictions on one column or two, with a band, and with the curve of each row.

    The mean prediction over rows in all of which the column has the same value (Friedman 2001). Rows keep their other
    columns, also where these never occur with that value: of correlated columns use ``accumulated_local_effects``. For
    trees, forests and boosting it takes no predictions of rows × points.

    Parameters
    ----------
    model : a fitted model or a study. A result of ``resample(..., keep_models=True)`` gives bands over training rows.
    X : rows; for a result or a study by default its own.
    columns : the name of a column, or of two.
    label : the class whose probability is predicted; by default the last of two.
    output : "margin" for log odds in place of probabilities.
    individual : whether to keep the curve of each row (individual conditional expectation, ICE).
    centred : whether to subtract the mean over the points, row by row. The band is then that of the shape.
    grid_size : the number of points of numbers, at quantiles; of two columns the root of its square is used for each.
    max_rows : the number of rows, drawn at random, that curves are computed for.
    level : of the band at each point.
    random_state : the seed of the rows.

    Returns
    -------
    The effect.

    >>> from probus.datasets import mtcars
    >>> from probus.ensemble import RandomForestRegressor
    >>> cars = mtcars()
    >>> forest = RandomForestRegressor(50, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> found = partial_effect(forest, cars, "wt", grid_size=5)
    >>> bool(found.values[0] > found.values[-1])
    True
    """
    model, table = table_of(model, X)
    names = [columns] if isinstance(columns, str) else list(columns)
    if not 1 <= len(names) <= 2:
        raise DataError(f"{len(names)} columns.", "one or two")
    if individual and len(names) == 2:
        raise DataError("curves of rows over two columns.", "one column")
    if len(table) > max_rows:
        table = Table(
            table.take(np.sort(np.random.default_rng(random_state).permutation(len(table))[:max_rows])),
            origin=table.origin,
        )
        if isinstance(model, Resampled):
            raise DataError(f"max_rows={max_rows} of a result of resample.", "at least as many as it has rows")
    each = [checked_column(table, name) for name in names]
    size = grid_size if len(each) == 1 else max(int(np.sqrt(grid_size)) * 2, 4)
    grid = [points_of(column, size) for column in each]
    n, curves = len(table), []
    for fitted, rows in over_models(model, table):
        response = Response.of(fitted, rows, label, output)
        found = response.curves(rows, grid)
        curves.append(_without_mean(found) if centred else found)
    values = np.mean([curve.mean(axis=0) for curve in curves], axis=0)
    if len(curves) == 1:
        variance = curves[0].var(axis=0, ddof=1) / n if n > 1 else np.full(values.shape, np.inf)
        df, covers = max(n - 1.0, 1.0), OF_ROWS
    else:
        variance = jackknife(np.stack([curve.mean(axis=0) for curve in curves]), model.splits.folds)
        df, covers = len(curves) - 1.0, OF_TRAINING
    half = quantile(level, df) * np.sqrt(variance)
    return Effect(
        tuple(column.name for column in each), tuple(map(texts_of, grid)), values, values - half, values + half, level,
        "partial dependence", response.unit, covers, n,
        curves[0] if individual and len(curves) == 1 else None,
        tuple(column.kind is Kind.NOMINAL or column.kind is Kind.BINARY for column in each),
    )  # fmt: skip


def _without_mean(curves: np.ndarray) -> np.ndarray:
    axes = tuple(range(1, curves.ndim))
    return np.asarray(curves - curves.mean(axis=axes, keepdims=True))
