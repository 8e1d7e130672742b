"""Drop importance: how much worse a model is that was fitted without a column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Task
from probus.display import counted
from probus.errors import DataError
from probus.inspection.column_importance._importances import Importances
from probus.inspection.column_importance._related_columns import Related
from probus.metrics import Measure
from probus.model_selection import Splits, corrected_interval, resample


def drop_columns(
    model: Any,
    task: Task,
    splits: Splits,
    measure: Measure,
    together: dict[str, tuple[str, ...]],
    *,
    notes: tuple[str, ...] = (),
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Importances:
    """The loss of score of a model that is fitted on the same splits without each set of columns."""
    splits = replace(splits, halved=None)
    how: dict[str, Any] = {"cv": splits, "scoring": measure, "n_jobs": n_jobs, "random_state": random_state}
    whole = resample(model, task, **how).scores(measure)
    changes = {}
    for name, columns in together.items():
        left = tuple(each for each in task.features if each not in columns)
        if not left:
            raise DataError(
                f"no column is left without {name!r}.", "at least one to predict from", "Leave it out of columns."
            )
        scores = resample(model, _without(task, left), **how).scores(measure)
        changes[name] = np.array([measure.better(a - b) for a, b in zip(whole, scores, strict=True)])
    if all(np.isnan(each).all() for each in changes.values()):
        raise DataError(
            f"{measure.label} is undefined on all splits.", "splits on which it can be computed, or another measure"
        )
    undefined = int(np.isnan(whole).sum())
    if undefined:
        text = f"{measure.label} is undefined on {undefined} of {counted(len(splits), 'split')}, which are left out"
        notes = (*notes, text)
    estimates = [corrected_interval(each, splits.test_to_train, level=level) for each in changes.values()]
    used = ~np.isnan(np.stack(list(changes.values()))).any(axis=0)
    spread = np.stack(list(changes.values()))[:, used]
    covariance = None
    if used.sum() > 1:
        covariance = np.atleast_2d(np.cov(spread)) * (1 / used.sum() + splits.test_to_train)
    change = "loss" if measure.greater_is_better else "rise"
    return Importances.of(
        tuple(changes), estimates, method="drop",
        quantity=f"{change} of {measure.label} when the model is fitted without a column",
        where=f"test rows, {splits.how}", rows_kind="test", notes=notes, covariance=covariance,
        related=Related.of(task.X).nearest(together), scoring=measure.name,
    )  # fmt: skip


def _without(task: Task, features: tuple[str, ...]) -> Task:
    """The task with only these features."""
    roles = [name for name in (task.group, task.weight, task.time) if name]
    return Task(
        task.table.select(*features, *roles, task.target), task.target, group=task.group, weight=task.weight,
        time=task.time, pos_label=task.pos_label, kind=task.kind,
    )  # fmt: skip
