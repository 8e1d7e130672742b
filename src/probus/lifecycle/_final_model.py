"""The model that a study saves: fitted on all rows, its predictions with their uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.calibration import FEW_ROWS, ConformalClassifier, ConformalRegressor, cost_matrix
from probus.data import Task
from probus.errors import DataError
from probus.metrics import Measure
from probus.model_selection import Resampled
from probus.wrapping import fit_weighted, takes_weights

_RARE = 0.4  # of an equal share of the rows, 20 % of them for two classes: a class with fewer is rare


def default_cost(task: Task, first: Measure) -> str | None:
    """Balanced errors where a class is rare, else none, so that the most probable class is predicted.

    A study that is ranked by the number of errors also decides by it. A class of a few rows, such as a mistyped label,
    is no reason to decide otherwise.
    """
    if not task.classes or first.name in ("accuracy", "error_rate"):
        return None
    counts = np.bincount(task.table[task.target].values, minlength=len(task.classes))
    counts = counts[counts >= FEW_ROWS]
    return "balanced" if len(counts) and counts.min() < _RARE * counts.mean() else None


def check_cost(cost: Any, task: Task) -> None:
    """Raise, before any model is tried, where the cost does not fit the classes."""
    if cost is None:
        return
    if not task.classes:
        raise DataError(f"cost={cost!r} for numbers.", "classes, whose mistakes have a cost")
    positive = len(task.classes) - 1 if task.pos_label is None else task.classes.index(task.pos_label)
    cost_matrix(cost, task.table[task.target].values, None, np.array(task.classes), positive)


def final_model(
    model: Any,
    task: Task,
    resampled: Resampled,
    cost: Any,
    calibration: str,
    rows: np.ndarray | None = None,
    *,
    scaled: bool | str = "auto",
) -> tuple[Any, str]:
    """The fitted model, with intervals or sets from its out-of-fold predictions, and a note if it has none.

    It is fitted on all rows, or on some; nothing else is fitted again. ``scaled`` is that of ``ConformalRegressor``.
    """
    part = task if rows is None else task.take(rows)
    fitted = fit_weighted(model, part.X, part.y, part.sample_weight if takes_weights(model) else None)
    try:
        if task.classes:
            # with sets of all rows together, a rare class that decisions give weight would be in few sets
            how = {"cost": cost, "calibration": calibration, "by_class": True if cost is not None else "auto"}
            return ConformalClassifier.from_resampled(fitted, resampled, **how), ""
        return ConformalRegressor.from_resampled(fitted, resampled, scaled=scaled), ""
    except DataError as error:
        return fitted, f"the model predicts without its uncertainty: {str(error).partition(chr(10))[0]}"


def decision_note(model: Any, task: Task) -> str:
    """How the saved model comes to its probabilities and decisions, which are those that the scores are of."""
    if not isinstance(model, ConformalClassifier):
        return ""
    method, threshold = model.calibration_.method, model.threshold
    parts = [] if method == "none" else [f"probabilities calibrated ({method})"]
    if model.cost is not None:
        rare = ", because an error counts more, the rarer its class is" if isinstance(model.cost, str) else ""
        decided = (
            "the class of least expected cost is predicted"
            if threshold is None
            else f"class {task.pos_label} is predicted where its probability is at least {threshold:.3g}"
        )
        parts.append(decided + rare)
    return "the model is scored as it is saved: " + "; ".join(parts) if parts else ""
