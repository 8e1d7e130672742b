"""The study: from a table to a leaderboard and a fitted model."""

from __future__ import annotations

import os
import time as clock
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from probus.comparison import Comparison
from probus.comparison.compare_models import compared
from probus.compiling import compiling_beside
from probus.data import Table, Task
from probus.data.examine import examine
from probus.errors import DataError
from probus.lifecycle.ahead import fit_each, some_rows
from probus.lifecycle.candidates import candidates
from probus.lifecycle.features import choose_features
from probus.lifecycle.source import opened, required_column
from probus.lifecycle.study_result import Study
from probus.metrics import Measure, Outcome, Scoring
from probus.model_selection import Splits, splits_of
from probus.model_selection.many_models import Entry, resample_many
from probus.model_selection.progress import ProgressOption, shown
from probus.model_selection.resampling import checked_measures, reported_measures

__all__ = ["study"]

_COMPILING = 25  # seconds of the first study on a machine, on two cores


def study(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    read: Mapping[str, Any] | None = None,
    pos_label: Any = None,
    group: str | None = None,
    groups: Any = None,
    cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    random_state: int = 0,
    time: float | None = None,
    n_jobs: int | None = None,
    progress: ProgressOption = "auto",
) -> Study:
    """Compare models on a table by repeated cross-validation, and fit the best on all rows.

    All models are evaluated on the same splits, each wrapped by ``tabular``, which makes features of dates and text.
    Columns that identify rows or have no values are left out. Ctrl-C keeps the models that are finished.

    Parameters
    ----------
    X : a Task; anything ``Table.of`` takes, a path, or the name of a bundled data set, with ``target``; or features,
        with ``y``.
    y : the target of each row.
    target : the column to predict; rows without a label are dropped. A Task has its own roles.
    kinds : kinds to set, as in ``read``.
    read : options of ``probus.read`` for a path: ``{"skip": 2, "columns": ["age", "sex"]}``.
    pos_label : the positive class.
    group, groups : the column of groups, or, with ``y``, the group of each row; a group is never split between
        training and test rows.
    cv : as in ``resample``.
    scoring : as in ``resample``; the first orders the leaderboard, by default accuracy, or RMSE for numbers.
    random_state : determines the folds and every ``random_state`` of the models.
    time : seconds after which no further split is started; models that are finished by then are ranked.
    n_jobs : the number of splits run in parallel.
    progress : ``"auto"`` for a bar in terminals and notebooks, None, or a function of (done, total, name).

    >>> result = study("iris", target="species", cv=5, progress=None)
    >>> result.leaderboard.best.scores["accuracy"] > 0.9
    True
    """
    started = clock.perf_counter()
    given = _given(X, y, groups=groups, target=target, kinds=kinds, read=read, pos_label=pos_label, group=group)
    if y is not None:
        X = _labelled(X, y, target=target, group=group, kinds=kinds, groups=groups, pos_label=pos_label)
        target = kinds = pos_label = group = None
    elif groups is not None:
        raise DataError("groups without y.", "group=COLUMN for a column of the table")
    task, name, notes = _task(X, target, kinds, read, pos_label, group)
    findings = examine(task.table, target=task.target)
    features, left_out = choose_features(task, findings)
    measures = reported_measures(scoring, task)
    _check_possible(measures[0], task)
    learnt = _narrowed(task, features)
    splits = splits_of(cv, learnt, random_state=random_state)
    deadline = None if time is None else started + time
    how: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs, "deadline": deadline}
    comparison, model, stopped = _best_model(learnt, splits, measures, progress, how)
    chosen = [each.name for each in checked_measures(scoring, task) or ()]
    settings = {
        **given, "cv": cv if cv is None or isinstance(cv, int) else splits.how,
        "scoring": chosen[0] if len(chosen) == 1 else chosen or None, "random_state": random_state, "time": time,
    }  # fmt: skip
    return Study(
        name=name,
        source=str(X) if isinstance(X, (str, os.PathLike)) else None,
        task=task,
        features=features,
        left_out=left_out,
        findings=findings,
        comparison=comparison,
        model=model,
        settings=settings,
        seconds=clock.perf_counter() - started,
        notes=(*notes, *_small_classes(task, splits)),
        stopped=stopped,
    )


def _best_model(
    task: Task, splits: Splits, measures: tuple[Measure, ...], progress: ProgressOption, how: Mapping[str, Any]
) -> tuple[Comparison, Any, str]:
    """The comparison of the candidates, the best of them fitted on all rows, and why the study stopped early."""
    models = candidates(task.kind)
    entries = {name: Entry(name, model, task, splits) for name, model in models.items()}
    last_first = [*models.values()][::-1]
    with (
        shown(progress) as update,
        compiling_beside(fit_each, last_first, *some_rows(task.X, task.y), seconds=_COMPILING),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # the results hold what the models warn of

        def step(done: int, total: int, name: str) -> None:
            if done < total:
                update(done, total, name)

        found = resample_many(entries, scoring=measures, progress=step, **how)
        found.need(1)
        absent = {name: "not finished" for name in models if name not in found.results}
        comparison = compared(found.results, measures, found.note, absent, baseline=next(iter(models)))
        best, total = comparison.leaderboard.best.name, len(models) * len(splits)
        update(total, total, f"fitting {best} on all rows")
        return comparison, models[best].fit(task.X, task.y), found.note


def _given(X: Any, y: Any, *, groups: Any, kinds: Any, read: Any, **roles: Any) -> dict[str, Any]:
    """The data and its roles as they were given: what is in memory by the name of a variable."""
    if isinstance(X, (str, os.PathLike)):
        data = repr(str(X))
    elif y is None:
        data = "task" if isinstance(X, Task) else "table"
    else:
        data = "X, y" + ", groups=groups" * (groups is not None)
    return {"data": data, **roles, "kinds": dict(kinds or {}), "read": dict(read or {})}


def _labelled(X: Any, y: Any, *, target: Any, group: Any, kinds: Any, **roles: Any) -> Task:
    """The task of features and target."""
    if isinstance(y, str):
        raise DataError(f"y={y!r}.", "the target of each row", f"Pass target={y!r} for a column of the table.")
    if target is not None or group is not None:
        raise DataError("y together with the name of a column.", "either a table and target=…, or X, y and groups=…")
    return Task.of(Table.of(X, kinds, infer=False), y, **roles)


def _task(
    data: Any,
    target: str | None,
    kinds: Mapping[str, Any] | None,
    read: Mapping[str, Any] | None,
    pos_label: Any,
    group: str | None,
) -> tuple[Task, str, list[str]]:
    """The task, the name of the data, and what was done to get there."""
    if isinstance(data, Task):
        if target or kinds or read or pos_label is not None or group:
            raise DataError("a Task together with target, kinds, read, pos_label or group.", "roles in one place")
        if data.weight or data.time:
            raise DataError(
                f"a Task with a {'weight' if data.weight else 'time'} column.",
                "a Task without: a study neither weighs rows nor splits by time yet",
                "Drop the column from the table first.",
            )
        return data, "table", list(data.table.notes)
    table, name = opened(data, read)
    if kinds:
        table = table.with_kinds(**kinds)
    if target is None:
        raise DataError("no target.", "the name of the column to predict", f"One of {', '.join(table.names[:12])}.")
    required_column(table, target)
    notes = list(table.notes)
    unlabelled = table[target].missing
    if unlabelled.any() and not unlabelled.all():
        notes.append(f"{int(unlabelled.sum()):,} of {table.n_rows:,} rows have no {target} and were dropped")
        table = table.take(~unlabelled)
    return Task(table, target, group=group, pos_label=pos_label), name, notes


def _check_possible(first: Measure, task: Task) -> None:
    """Raise before any model is tried where even perfect predictions have no such score."""
    actual = task.table[task.target].values
    if not task.classes:
        return
    positive = None if task.pos_label is None else task.classes.index(task.pos_label)
    perfect = Outcome(actual, classes=task.classes, positive=positive).with_probabilities(
        np.eye(len(task.classes))[actual]
    )
    try:
        first.compute(perfect)
    except DataError as error:
        raise DataError(
            f"no score {first.name!r} for this target: {str(error).partition(chr(10))[0]}",
            "a measure that it has",
            "probus.metrics.measures() lists them; averages over classes end in _macro, _micro or _weighted.",
        ) from None


def _narrowed(task: Task, features: tuple[str, ...]) -> Task:
    """The task with only the columns to learn from, the target and the groups."""
    others = [name for name in (task.group, task.target) if name]
    return Task(task.table.select(*features, *others), task.target, group=task.group, pos_label=task.pos_label)


def _small_classes(task: Task, splits: Splits) -> list[str]:
    counts = np.bincount(task.table[task.target].values).tolist() if task.classes else []
    return [
        f"class {label} has {count} row{'s' * (count != 1)}, fewer than the {splits.folds} folds: "
        "some splits test or train without it"
        for label, count in zip(task.classes, counts, strict=True)
        if count < splits.folds
    ]
