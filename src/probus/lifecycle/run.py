"""The study: from a table to a leaderboard and a fitted model."""

from __future__ import annotations

import os
import time as clock
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from probus.comparison import Leaderboard
from probus.data import Task
from probus.data.examine import examine
from probus.errors import DataError
from probus.lifecycle.candidates import candidates
from probus.lifecycle.features import choose_features
from probus.lifecycle.result import Study
from probus.lifecycle.source import opened, required_column
from probus.metrics import Measure, Outcome, measure, measures_for
from probus.model_selection import FailedSplitWarning, Resampled, Splits, repeated_folds, resample
from probus.model_selection.progress import Progress, ProgressOption, shown
from probus.model_selection.resampling import checked_measures

__all__ = ["study"]


def study(
    data: Any,
    target: str | None = None,
    *,
    kinds: Mapping[str, Any] | None = None,
    positive: Any = None,
    group: str | None = None,
    score: str | None = None,
    repeats: int = 2,
    folds: int = 5,
    seed: int = 0,
    time: float | None = None,
    progress: ProgressOption = "auto",
) -> Study:
    """Compare models on a table by repeated cross-validation, and fit the best on all of it.

    Every model meets the same splits and the table as it is, through ``tabular``. Columns that identify rows, hold
    prose or nothing are left out. Ctrl-C keeps the models that are finished.

    Parameters
    ----------
    data : a Task, anything ``Table.of`` takes, a path, or the name of a bundled data set.
    target : the column to predict; rows without a label are dropped. With a Task, the roles are the Task's.
    kinds : kinds to set, as in ``read``.
    positive : the class of interest, where there are two.
    group : column whose groups are never parted between training and test.
    score : the measure that orders the leaderboard, by any name in ``probus.metrics.measures()``; accuracy for
        classes and rmse for numbers unless given.
    repeats, folds, seed : how often, into how many parts and how the rows are drawn.
    time : seconds after which no further split is begun; models that are finished by then are ranked.
    progress : ``"auto"`` for a bar in terminals and notebooks, None, or a function of (done, total, name).

    >>> result = study("iris", target="species", repeats=1, progress=None)
    >>> result.leaderboard.best.scores["accuracy"] > 0.9
    True
    """
    started = clock.perf_counter()
    task, name, notes = _task(data, target, kinds, positive, group)
    findings = examine(task.table, target=task.target)
    features, left_out = choose_features(task, findings)
    measures = _ordered(measures_for(len(task.classes)), score, task)
    learnt = _narrowed(task, features)
    splits = repeated_folds(learnt, folds, repeats, random_state=seed)
    models = candidates(task.kind)
    with shown(progress) as tell:
        deadline = None if time is None else started + time
        results, stopped = _resampled(models, learnt, splits, measures, seed, tell, deadline)
        absent = {other: "not finished" for other in models if other not in results}
        leaderboard = Leaderboard.of(results, measures, absent=absent)
        best = leaderboard.best.name
        tell(len(models) * len(splits), len(models) * len(splits), f"fitting {best} on all rows")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the results have kept what this model warns of
            model = models[best].fit(learnt.X, learnt.y)
    settings = {
        "target": task.target, "kinds": dict(kinds or {}), "positive": positive, "group": task.group,
        "score": measures[0].name, "repeats": repeats, "folds": folds, "seed": seed, "time": time,
    }  # fmt: skip
    return Study(
        name=name,
        source=str(data) if isinstance(data, (str, os.PathLike)) else None,
        task=task,
        features=features,
        left_out=left_out,
        findings=findings,
        leaderboard=leaderboard,
        model=model,
        settings=settings,
        seconds=clock.perf_counter() - started,
        notes=(*notes, *_small_classes(task, splits)),
        stopped=stopped,
    )


def _task(
    data: Any, target: str | None, kinds: Mapping[str, Any] | None, positive: Any, group: str | None
) -> tuple[Task, str, list[str]]:
    """The task, the name of the data, and what was done to get there."""
    if isinstance(data, Task):
        if target or kinds or positive is not None or group:
            raise DataError("a Task together with target, kinds, positive or group.", "roles in one place")
        if data.weight or data.time:
            raise DataError(
                f"a Task with a {'weight' if data.weight else 'time'} column.",
                "a Task without: a study neither weighs rows nor splits by time yet",
                "Drop the column from the table first.",
            )
        return data, "table", list(data.table.notes)
    table, name = opened(data)
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
    return Task(table, target, group=group, positive=positive), name, notes


def _ordered(usual: tuple[Measure, ...], score: str | None, task: Task) -> tuple[Measure, ...]:
    """The measures with the one asked for in front."""
    if score is None:
        return usual
    first = measure(score)
    checked_measures([first], task)
    _check_possible(first, task)
    return (first, *(each for each in usual if each.name != first.name))


def _check_possible(first: Measure, task: Task) -> None:
    """Raise before any model is tried where even perfect predictions have no such score."""
    actual = task.table[task.target].values
    if not task.classes:
        return
    positive = None if task.positive is None else task.classes.index(task.positive)
    perfect = Outcome(actual, classes=task.classes, positive=positive).with_chances(np.eye(len(task.classes))[actual])
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
    return Task(task.table.select(*features, *others), task.target, group=task.group, positive=task.positive)


class _TimeUp(Exception):
    """No further split is to be begun."""


def _resampled(
    models: Mapping[str, Any],
    task: Task,
    splits: Splits,
    measures: tuple[Measure, ...],
    seed: int,
    tell: Progress,
    deadline: float | None,
) -> tuple[dict[str, Resampled], str]:
    """The result of every model that was finished, and in words why some were not; with none there is no study."""
    results: dict[str, Resampled] = {}
    stopped = ""

    def step(done: int, total: int, name: str) -> None:
        if done < total:
            tell(len(results) * total + done, len(models) * total, name)
            if deadline is not None and clock.perf_counter() >= deadline:
                raise _TimeUp

    try:
        for name, model in models.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FailedSplitWarning)  # the leaderboard says so
                results[name] = resample(model, task, splits, measures, random_state=seed, progress=step, name=name)
    except _TimeUp:
        stopped = "the time was up"
        if not results:
            raise DataError(f"{stopped} before any model was finished.", "one at least", "Allow more time.") from None
    except KeyboardInterrupt:
        stopped = "interrupted"
        if not results:
            raise
    return results, f"{stopped}: {len(results)} of {len(models)} models are finished and ranked" if stopped else ""


def _small_classes(task: Task, splits: Splits) -> list[str]:
    counts = np.bincount(task.table[task.target].values).tolist() if task.classes else []
    return [
        f"class {label} has {count} row{'s' * (count != 1)}, fewer than the {splits.folds} folds: "
        "some splits test or train without it"
        for label, count in zip(task.classes, counts, strict=True)
        if count < splits.folds
    ]
