"""The model that a study saves: fitted on all rows, its predictions with their uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.data import Task
from probus.errors import DataError
from probus.model_selection import Resampled
from probus.wrapping import fit_weighted, takes_weights

__all__ = ["default_cost", "final_model"]

_RARE = 0.2  # of the rows: a class with fewer is rare


def default_cost(task: Task) -> str | None:
    """Balanced errors where a class is rare, else none: the most probable class is predicted."""
    if not task.classes:
        return None
    counts = np.bincount(task.table[task.target].values, minlength=len(task.classes))
    return "balanced" if 0 < counts.min() < _RARE * counts.sum() else None


def final_model(model: Any, task: Task, resampled: Resampled, cost: Any) -> tuple[Any, str]:
    """The model fitted on all rows, with intervals or sets from its out-of-fold predictions, and a note if it has none.

    Nothing but the model itself is fitted again.
    """
    weights = task.sample_weight if takes_weights(model) else None
    fitted = fit_weighted(model, task.X, task.y, weights)
    try:
        if task.classes:
            return ConformalClassifier.from_resampled(fitted, resampled, cost=cost), ""
        return ConformalRegressor.from_resampled(fitted, resampled), ""
    except DataError as error:
        return fitted, f"the model predicts without its uncertainty: {str(error).partition(chr(10))[0]}"
