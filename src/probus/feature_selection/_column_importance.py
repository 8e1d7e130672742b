"""How much a fitted model uses each column of a table, by its own account or by permutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Table
from probus.errors import DataError
from probus.inspection import sources_of
from probus.metrics import Measure
from probus.model_selection.one_split import Labelled, scored_outcome

_ROWS = 2_000  # at most, of which the parts of linear predictors are computed
_PERMUTATIONS = 5


def own_importance(fitted: Any, table: Table) -> np.ndarray | None:
    """The importance of each column, of a pipeline whose first step selects columns; None where the model has none.

    That of trees is the sum over the prepared columns of a column, its levels for example. That of linear models is the
    standard deviation of the part of the prediction which the column makes up.

    Parameters
    ----------
    fitted : the pipeline.
    table : training rows.
    """
    pipeline, rows = fitted.steps[-1][1], fitted[:-1].transform(table.take(slice(0, _ROWS)))
    model = pipeline.steps[-1][1]
    trees, coefficients = (getattr(model, name, None) for name in ("feature_importances_", "coef_"))
    if trees is None and coefficients is None:
        return None
    prepared = pipeline[:-1].transform(rows) if len(pipeline.steps) > 1 else rows
    width = np.shape(prepared)[1]
    sources = list(rows.names) if len(pipeline.steps) == 1 else sources_of(pipeline, rows)
    if len(sources) != width:
        return None
    places = {name: [j for j, source in enumerate(sources) if source == name] for name in rows.names}
    if trees is not None:
        values = np.asarray(trees, dtype=np.float64)
        return np.array([values[own].sum() for own in places.values()])
    weights, matrix = np.atleast_2d(_dense(coefficients)), _dense(prepared)
    parts = (matrix[:, own] @ weights[:, own].T for own in places.values())
    return np.array([float(np.sqrt(part.var(axis=0).sum())) for part in parts])


def _dense(prepared: Any) -> np.ndarray:
    if hasattr(prepared, "toarray"):
        return prepared.toarray()
    return prepared.numbers() if isinstance(prepared, Table) else np.asarray(prepared, dtype=np.float64)


def permutation_importance(fitted: Any, data: Labelled, rows: np.ndarray, chosen: Measure) -> np.ndarray:
    """By how much the score on training rows falls where the values of a column are in random order.

    Parameters
    ----------
    fitted : a pipeline whose first step selects columns.
    data : the task.
    rows : the training rows.
    chosen : the measure.
    """
    part, rng = rows[:_ROWS], np.random.default_rng(0)
    table, truth = data.features(part), Labelled(**{**vars(data), **_rows_of(data, part)})
    every = np.arange(len(part))

    def score(X: Table) -> float:
        return chosen.better(chosen.compute(scored_outcome(fitted, Labelled(**{**vars(truth), "X": X}), every)))

    whole, names = score(table), fitted.steps[0][1].columns
    falls = np.zeros(len(names))
    for place, name in enumerate(names):
        for _ in range(_PERMUTATIONS):
            moved = table[name].take(rng.permutation(len(part)))
            falls[place] += (whole - score(table.with_columns(moved))) / _PERMUTATIONS
    return falls


def _rows_of(data: Labelled, rows: np.ndarray) -> dict[str, Any]:
    """The arrays of the data for some rows."""
    arrays = {"X": data.features(rows), "y": data.y[rows], "actual": data.actual[rows]}
    weights, groups = (None if each is None else each[rows] for each in (data.weights, data.groups))
    return {**arrays, "weights": weights, "groups": groups}


def importance_of(fitted: Any, data: Labelled, rows: np.ndarray, chosen: Measure, method: str) -> np.ndarray:
    """The importance of each selected column, as ``method`` says: "auto" is that of the model, if it has one."""
    if method == "auto":
        found = own_importance(fitted, data.features(rows))
        if found is not None:
            if np.isfinite(found).all():
                return found
            raise DataError("an importance that is NaN or infinite.", "finite numbers", 'Use importance="permutation".')
    return permutation_importance(fitted, data, rows, chosen)
