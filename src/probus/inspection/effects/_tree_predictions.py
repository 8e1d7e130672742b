"""What models of trees predict for rows at all points of a grid, exactly, without predicting rows × points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table
from probus.inspection.column_importance._shuffled_outcomes import ensemble_of, predictions_of_sums
from probus.tree.prediction import sums_over_grid

_NUMBERS = 8_000_000  # that sums over a grid hold together

Pieces = Iterator[tuple[slice, np.ndarray]]


def predictions_over_grid(model: Any, table: Table, columns: Sequence[Column]) -> Pieces | None:
    """Numbers, or probabilities of all classes, where columns have the values of these columns; some rows at a time.

    Parameters
    ----------
    model : a fitted model of trees, or a pipeline that ends in one and makes each column from one.
    table : the rows.
    columns : the grid, one axis for each column.

    Returns
    -------
    Slices of rows with float64[m, G], or [m, G, H], and a last axis for classes or several outputs. None for other
    models.
    """
    ensemble = ensemble_of(model, table, [(column.name,) for column in columns], several_outputs=True)
    if ensemble is None or (ensemble.prepared and any(column.missing.any() for column in columns)):
        return None  # what a pipeline puts in place of a missing value may depend on the row
    return _pieces(ensemble, table, columns)


def with_values(table: Table, column: Column) -> Table:
    """The first row, once for each value of the column."""
    return Table(table.take(np.zeros(len(column), np.intp)).with_columns(column), origin=table.origin)


def _pieces(ensemble: Any, table: Table, columns: Sequence[Column]) -> Pieces:
    shape = tuple(len(column) for column in columns)
    grids, places = [], []
    for column in columns:
        # in rising order a split divides the points once
        order = np.argsort(column.values, kind="stable") if column.kind is Kind.NUMERIC else np.arange(len(column))
        grids.append(ensemble.coded(with_values(table, column.take(order))))
        places.append(np.argsort(order))
    sorted_already = all((np.diff(place) == 1).all() for place in places)
    follows = [np.flatnonzero(ensemble.set_of == k) for k in range(len(columns))]
    n_values = ensemble.n_groups * ensemble.values.shape[1]
    step = max(_NUMBERS // (int(np.prod(shape)) * n_values), 1)
    for start in range(0, len(ensemble.X), step):
        part = slice(start, min(start + step, len(ensemble.X)))
        sums = sums_over_grid(
            ensemble.trees, ensemble.X[part], follows, grids, ensemble.n_groups, values=ensemble.values,
            n_jobs=getattr(ensemble.model, "n_jobs", None),
        )  # fmt: skip
        if not sorted_already:
            sums = sums[np.ix_(np.arange(len(sums)), *places)]
        predicted = predictions_of_sums(ensemble.model, sums.reshape(-1, n_values), len(ensemble.trees))
        yield part, predicted.reshape(*sums.shape[:-1], *predicted.shape[1:])
