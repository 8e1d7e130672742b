"""How much a fitted model uses each column of a table, by its own account or by permutation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Table
from probus.errors import DataError
from probus.inspection import Part, losses_of_shuffling, own_importances
from probus.metrics import Measure
from probus.model_selection.one_split import Labelled

_ROWS = 2_000  # at most, of which the parts of linear predictors are computed
_PERMUTATIONS = 5


def own_importance(fitted: Any, table: Table) -> np.ndarray | None:
    """The importance of each column, of a pipeline whose first step selects columns; None where the model has none.

    Parameters
    ----------
    fitted : the pipeline.
    table : training rows.
    """
    return own_importances(fitted.steps[-1][1], fitted[:-1].transform(table.take(slice(0, _ROWS))))


def importance_of(fitted: Any, data: Labelled, rows: np.ndarray, chosen: Measure, method: str) -> np.ndarray:
    """The importance of each selected column, as ``method`` says: "auto" is that of the model, if it has one.

    Parameters
    ----------
    fitted : a pipeline whose first step selects columns.
    data : the task.
    rows : the training rows.
    chosen : the measure.
    method : "auto" or "permutation", the loss of score on training rows.
    """
    if method == "auto":
        found = own_importance(fitted, data.features(rows))
        if found is not None:
            if np.isfinite(found).all():
                return found
            raise DataError("an importance that is NaN or infinite.", "finite numbers", 'Use importance="permutation".')
    selected = replace(data, X=fitted[:-1].transform(data.X))
    part = Part(fitted.steps[-1][1], selected, rows[:_ROWS])
    return losses_of_shuffling(part, selected.X.names, chosen, n_repeats=_PERMUTATIONS)
