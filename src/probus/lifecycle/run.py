"""The study: from a table to a leaderboard and a fitted model."""

from __future__ import annotations

import os
import time as clock
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from probus.data import Task
from probus.data.examine import examine
from probus.errors import DataError
from probus.lifecycle.candidates import candidates
from probus.lifecycle.features import choose_features
from probus.lifecycle.leaderboard import Leaderboard
from probus.lifecycle.measures import Measure, measures_for
from probus.lifecycle.progress import Progress, ProgressOption, shown
from probus.lifecycle.result import Study
from probus.lifecycle.source import opened, required_column
from probus.lifecycle.splits import Splits, repeated_splits
from probus.lifecycle.trial import Trial, attempt

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
    score : the measure that orders the leaderboard: accuracy (the default), balanced_accuracy, log_loss or roc_auc
        for classes; rmse (the default), mae or r2 for numbers.
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
    measures = _ordered(measures_for(len(task.classes)), score)
    y = task.table[task.target].values
    splits = repeated_splits(
        y, classify=bool(task.classes), groups=task.groups, folds=folds, repeats=repeats, seed=seed
    )
    notes += _small_classes(task, splits)
    X = task.table.select(*features)
    models = candidates(task.kind)
    trials = [Trial.planned(label, model, task, splits, measures) for label, model in models.items()]
    with shown(progress) as tell:
        stopped = _run(trials, task, X, splits, measures, tell, deadline=None if time is None else started + time)
        leaderboard = Leaderboard.of(trials, measures, splits.test_to_train)
        best = leaderboard.best.name
        tell(len(trials) * len(splits), len(trials) * len(splits), f"fitting {best} on all rows")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trials have kept what this model warns of
            model = models[best].fit(X, task.y)
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
        splits=splits,
        measures=measures,
        trials=tuple(trials),
        leaderboard=leaderboard,
        model=model,
        settings=settings,
        seconds=clock.perf_counter() - started,
        notes=tuple(notes),
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


def _ordered(measures: tuple[Measure, ...], score: str | None) -> tuple[Measure, ...]:
    """The measures with the one asked for in front."""
    if score is None:
        return measures
    names = [measure.name for measure in measures]
    if score not in names:
        raise DataError(f"no score {score!r} for this target.", "one of " + ", ".join(names))
    return tuple(sorted(measures, key=lambda measure: measure.name != score))


def _run(
    trials: list[Trial],
    task: Task,
    X: Any,
    splits: Splits,
    measures: tuple[Measure, ...],
    tell: Progress,
    deadline: float | None,
) -> str:
    """Try every model on every split; the reason for stopping early, or nothing.

    A study with no finished model has no result: it raises.
    """

    def go_on(name: str) -> bool:
        tell(sum(trial.done for trial in trials), len(trials) * len(splits), name)
        return deadline is None or clock.perf_counter() < deadline

    stopped = ""
    try:
        for trial in trials:
            attempt(trial, task, X, splits, measures, go_on)
        if any(trial.done < len(splits) for trial in trials):
            stopped = "the time was up"
    except KeyboardInterrupt:
        stopped = "interrupted"
        if not any(trial.complete for trial in trials):
            raise
    finished = sum(trial.complete for trial in trials)
    if finished == 0 and stopped:
        raise DataError(f"{stopped} before any model was finished.", "one at least", "Allow more time.")
    if finished == 0:
        told = "; ".join(f"{trial.name} {trial.status}" for trial in trials)
        raise DataError(f"every model failed: {told}.", "one at least that can be fitted")
    return f"{stopped}: {finished} of {len(trials)} models are finished and ranked" if stopped else ""


def _small_classes(task: Task, splits: Splits) -> list[str]:
    counts = np.bincount(task.table[task.target].values).tolist() if task.classes else []
    return [
        f"class {label} has {count} row{'s' * (count != 1)}, fewer than the {splits.folds} folds: "
        "some splits test or train without it"
        for label, count in zip(task.classes, counts, strict=True)
        if count < splits.folds
    ]
