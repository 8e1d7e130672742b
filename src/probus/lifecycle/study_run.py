"""The study: from a table to a leaderboard and a fitted model."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from probus.comparison import Comparison, Leaderboard
from probus.comparison.compare_models import compared
from probus.compiling import compiling_beside
from probus.data import Task
from probus.lifecycle.ahead import fit_each, some_rows
from probus.lifecycle.families import BASELINE, families, strong_first
from probus.lifecycle.ranking import chosen_model, ranking_measures
from probus.lifecycle.study_result import Study
from probus.lifecycle.study_task import Given, Prepared, check_possible
from probus.metrics import Measure, Scoring
from probus.model_selection import Splits, splits_of
from probus.model_selection.many_models import Entry, resample_many
from probus.model_selection.progress import ProgressOption, shown
from probus.model_selection.resampling import checked_measures
from probus.wrapping import fit_weighted, takes_weights

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
    weight: str | None = None,
    sample_weight: Any = None,
    sensitive: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    models: Iterable[str] | Mapping[str, Any] | None = None,
    cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    random_state: int = 0,
    time: float | None = None,
    allow_leaks: bool = False,
    n_jobs: int | None = None,
    progress: ProgressOption = "auto",
) -> Study:
    """Compare families of models on a table by repeated cross-validation, and fit the best on all rows.

    All models are evaluated on the same splits, each wrapped by ``tabular``, which makes features of dates and text.
    Columns that identify rows or have no values are left out. A column that certainly leaks the target is an error.
    Ctrl-C keeps the models that are finished.

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
    weight, sample_weight : the column of row weights, or, with ``y``, the weight of each row; for models that take
        weights and for all scores.
    sensitive : a column or columns that describe groups of people; they are not features.
    drop : columns that are not features.
    models : the families to try: "bayes", "linear", "tree", "neighbors", "svm", "forest", "boosting"; or estimators
        by name, to be tried instead. The baseline is always tried.
    cv : as in ``resample``.
    scoring : as in ``resample``; the first orders the leaderboard, by default ROC AUC for two classes, log loss for
        more, and RMSE for numbers.
    random_state : determines the folds and every ``random_state`` of the models.
    time : seconds after which no further split is started; models that are finished by then are ranked.
    allow_leaks : whether columns that certainly leak the target may be used.
    n_jobs : the number of splits run in parallel.
    progress : ``"auto"`` for a bar in terminals and notebooks, None, or a function of (done, total, name).

    >>> result = study("iris", target="species", cv=3, models=["bayes"], progress=None)
    >>> result.best, result.score < 0.2
    ('Naive Bayes', True)
    """
    started = clock.perf_counter()
    given = Given(
        X, y, target=target, kinds=kinds, read=read, pos_label=pos_label, group=group, groups=groups, weight=weight,
        sample_weight=sample_weight, sensitive=sensitive, drop=drop,
    )  # fmt: skip
    data = Prepared.of(given, allow_leaks=allow_leaks)
    measures = ranking_measures(scoring, data.task)
    check_possible(measures[0], data.task)
    tried = families(data.task.kind, models)
    splits = splits_of(cv, data.task, random_state=random_state)
    deadline = None if time is None else started + time
    how: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs, "deadline": deadline}
    comparison, best, model, stopped = _best_model(tried, data.task, splits, measures, progress, how)
    chosen = [each.name for each in checked_measures(scoring, data.task) or ()]
    settings = {
        **given.settings, "models": list(models) if models is not None else None,
        "cv": cv if cv is None or isinstance(cv, int) else splits.how,
        "scoring": chosen[0] if len(chosen) == 1 else chosen or None, "random_state": random_state, "time": time,
        "allow_leaks": allow_leaks,
    }  # fmt: skip
    return Study(
        name=data.name,
        source=given.source,
        task=data.whole,
        features=data.features,
        left_out=data.left_out,
        findings=data.findings,
        comparison=comparison,
        model=model,
        best=best,
        settings=settings,
        seconds=clock.perf_counter() - started,
        warnings=data.warnings,
        tried=tuple(_tried(comparison, measures[0])),
        notes=(*data.notes, *_small_classes(data.task, splits)),
        stopped=stopped,
    )


def _best_model(
    models: Mapping[str, Any],
    task: Task,
    splits: Splits,
    measures: tuple[Measure, ...],
    progress: ProgressOption,
    how: Mapping[str, Any],
) -> tuple[Comparison, str, Any, str]:
    """The comparison of the models, the one to save, fitted on all rows, and why the study stopped early."""
    entries = {name: Entry(name, models[name], task, splits) for name in strong_first(models)}
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
        results = {name: found.results[name] for name in models if name in found.results}
        absent = {name: "not finished" for name in models if name not in found.results}
        comparison = compared(results, measures, found.note, absent, baseline=BASELINE)
        assert isinstance(comparison.leaderboard, Leaderboard)
        best, total = chosen_model(comparison.leaderboard, BASELINE), len(models) * len(splits)
        update(total, total, f"fitting {best} on all rows")
        weights = task.sample_weight if takes_weights(models[best]) else None
        return comparison, best, fit_weighted(models[best], task.X, task.y, weights), found.note


def _tried(comparison: Comparison, main: Measure) -> Iterable[dict[str, Any]]:
    for name, result in comparison.results.items():
        score = None if result.failed_everywhere else comparison.leaderboard[name].scores[main.name].value
        yield {
            "model": name, "configuration": {}, "score": score, "seconds": float(result.seconds.sum()),
            "error": result.failure or None,
        }  # fmt: skip


def _small_classes(task: Task, splits: Splits) -> list[str]:
    counts = np.bincount(task.table[task.target].values).tolist() if task.classes else []
    return [
        f"class {label} has {count} row{'s' * (count != 1)}, fewer than the {splits.folds} folds: "
        "some splits test or train without it"
        for label, count in zip(task.classes, counts, strict=True)
        if count < splits.folds
    ]
