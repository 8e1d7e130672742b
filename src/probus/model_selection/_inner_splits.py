"""The inner splits of a tuner within the training rows of an outer split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Task
from probus.errors import DataError
from probus.model_selection._splits import Splits, splits_of
from probus.model_selection.splitters import TimeOrderedSplit
from probus.sklearn_seam import BaseSearchCV
from probus.wrapping import name_of

_FOLDS = 5


def inside(model: Any) -> Any:
    """The tuner at the end of a pipeline."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def cv_parameter(model: Any) -> str:
    """The name of the parameter that has the inner splits."""
    name = f"{model.steps[-1][0]}__cv" if hasattr(model, "steps") else "cv"
    if name in model.get_params():
        return name
    raise DataError(
        f"{name_of(model)} has no parameter cv.",
        "a search such as GridSearchCV, or candidates to choose from",
        "Use resample for a model that does not choose; probus.tuning.Tuned(model) is a search of its own space.",
    )


def in_time_order(models: Sequence[Any], task: Task, splits: Splits) -> list[Any]:
    """The models of the splits; where rows are in time order, tuners with time-ordered inner splits.

    A tuner whose ``cv`` is None or a number would shuffle the rows, and choose by what was known later. One with a
    splitter or splits of its own keeps them.
    """
    if task.times is None and not splits.forward:
        return list(models)
    return [
        _time_ordered(model, task.take(train)) if _shuffles(model) else model
        for model, (train, _) in zip(models, splits.pairs, strict=True)
    ]


def _shuffles(model: Any) -> bool:
    tuner = inside(model)
    chooses = isinstance(tuner, BaseSearchCV) or hasattr(tuner, "measure_for")
    return chooses and (tuner.cv is None or isinstance(tuner.cv, (int, np.integer)))


def _time_ordered(model: Any, task: Task) -> Any:
    moments = len(task) if task.times is None else len(np.unique(task.times))
    folds = min(inside(model).cv or _FOLDS, max(moments - 1, 1))
    pairs = list(splits_of(TimeOrderedSplit(folds) if task.times is None else folds, task).pairs)
    return clone(model).set_params(**{cv_parameter(model): pairs})
