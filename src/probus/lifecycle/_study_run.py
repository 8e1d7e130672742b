"""The study: from a table to a leaderboard and a fitted model."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.comparison import measures_to_compare
from probus.data import Task
from probus.display import counted
from probus.errors import DataError
from probus.lifecycle._conclusion import StudyLimits, concluded
from probus.lifecycle._families import families
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._final_model import check_cost, default_cost
from probus.lifecycle._former_study import starts_of, within
from probus.lifecycle._ranking import accuracy_last
from probus.lifecycle._split_scores import OtherSplit, SplitChoice
from probus.lifecycle._study_archive import stored_repeats
from probus.lifecycle._study_result import Study
from probus.lifecycle._study_split import is_number
from probus.lifecycle._study_task import Given, Prepared, check_possible
from probus.lifecycle._wrap_up import pace
from probus.metrics import Scoring
from probus.model_selection import (
    ProgressOption,
    Splits,
    SplitWords,
    checked_measures,
    copies_in,
    repeated_folds,
    splits_of,
)
from probus.spans import seconds_of

_DEFAULT_SECONDS = 300
_FOLDS = 5
_REPEATS = ((500, 3), (1_000, 2))  # up to so many rows, so often
_SHORT = 120  # seconds: a shorter study has one run of folds


@verb
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
    keep_sensitive: bool = False,
    drop: str | Sequence[str] | None = None,
    order: str | None = None,
    models: Iterable[str] | Mapping[str, Any] | None = None,
    cv: Any = None,
    split: str = "auto",
    start: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    random_state: int = 0,
    time: float | str | None = "auto",
    evaluations: int | None = None,
    cost: Any = "auto",
    allow_leaks: bool = False,
    archive: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: ProgressOption = "auto",
    executor: Any = None,
) -> Study:
    """Tune families of models on a table, compare them on rows that their tuning never used, and fit the best.

    Each family is wrapped by ``tabular``, which makes features of dates and text. It is tuned on the training rows of
    each outer split separately and evaluated on the test rows: the scores are those of the tuned family as a whole. The
    final model is tuned and fitted on all rows, and predicts with intervals (``predict_interval``) or sets of classes
    (``predict_set``). A column that certainly leaks the target is an error. Ctrl-C keeps what is finished.

    Parameters
    ----------
    X : a Task; anything ``Table.of`` takes, a path, or the name of a bundled data set, with ``target``; or features,
        with ``y``.
    y : the target of each row, or the name of the column, as ``target``.
    target : the column to predict; rows without a label are dropped. A Task has its own roles.
    kinds : kinds to set, as in ``read``.
    read : options of ``probus.read`` for a path: ``{"skip": 2, "columns": ["age", "sex"]}``.
    pos_label : the positive class.
    group, groups : the column of groups (patients, sites), or, with ``y``, the group of each row; none is
        split between training and test rows.
    weight, sample_weight : the column of row weights, or, with ``y``, the weight of each row; for models that take
        weights and for all scores.
    sensitive : a column or columns that describe groups of people: the scores of each group are reported, and the
        columns are not features unless ``keep_sensitive``.
    keep_sensitive : whether sensitive columns are features.
    drop : columns that are not features.
    order : the column, of dates or numbers, that orders the rows in time: models are tuned and scored on rows that are
        later than those they were fitted on, as a model that predicts the future will be. It remains a feature.
    models : the families to try: "bayes", "linear", "tree", "glass", "neighbors", "svm", "forest", "boosting",
        "context", "net"; or estimators, in a list or by name, to be tried instead. The baseline is always tried.
        Without names the network is tried where PyTorch is installed and ``time`` is 10 minutes or more, and a second
        for each row; the glass box where it is a minute or more, and a second for each hundred rows; the in-context
        network up to 1,250 rows where it is half a minute or more, and a second for each four rows.
    cv : the outer splits, as in ``resample``; by default 5 folds; in two minutes or more 3 times up
        to 500 rows and twice up to 1,000.
    split : which rows test a model: ``"random"`` ones; those of groups that it was not trained on, ``"group:patient"``,
        or ``"group:site+patient"`` for rows that agree in both; later ones, ``"time:date"``, or ``"time"`` for the
        order of the rows; later rows of new groups, ``"group:patient,time:date"``. ``"auto"`` is what ``group`` and
        ``order`` declare, else random unless groups or an order are near certain, which is reported above the score.
        Where folds are not random, or are and another split fits the data, ``split_scores`` has the score of both.
    start : what families try first, after their defaults: a configuration or several by the name of the family,
        ``{"forest": {"max_features": 0.5}}``; or a study of other rows or its archive, of which the best three of each
        family are tried. Of the same rows it is an error.
    scoring : as in ``resample``; the first orders the leaderboard, by default ROC AUC for two classes, log loss for
        more, and RMSE for numbers.
    random_state : determines the folds, the configurations that are tried, and every ``random_state`` of the models.
    time : seconds for the whole study, with its report where ``out`` is given, or a span such as "90s" or "5m"; 300 by
        default. Fits then run in other
        processes, and one that crashes or takes too long is recorded as failed. How many configurations are tried
        depends on the machine. None for no limit.
    evaluations : the most configurations of a family that are tried, 0 for defaults only. Then there is no limit of
        time unless one is given, and the result depends on ``random_state`` only.
    cost : as in ``probus.calibration.ConformalClassifier``: what the decisions of the models minimise. By default
        balanced errors where a class is rare, with fewer than 40 % of an equal share of the rows (20 % of them for two
        classes), else the number of errors, by which a study that is ranked by accuracy decides too.
    allow_leaks : whether columns that certainly leak the target may be used.
    archive : an SQLite file, or the URL of a PostgreSQL database, in which every finished fit is stored. The same study
        with the same archive goes on where it was stopped.
    out : the folder of the study's files. The archive stores it for ``probus resume``, which writes them there.
    n_jobs : the number of fits run in parallel; by default one for each core with a limit of time, else one.
    progress : ``"auto"`` for a live view in terminals and notebooks, None, or a function of (done, total, name).
    executor : where fits run, as in ``resample``. It cannot end a fit that takes too long; at the end of the time the
        study goes on without it.

    Returns
    -------
    The leaderboard, the final model and what was found on the way; it prints itself.

    >>> result = study("iris", target="species", cv=3, models=["bayes"], evaluations=0, progress=None)
    >>> result.best, result.score < 0.2
    ('Naive Bayes', True)
    """
    started, cpu = clock.perf_counter(), clock.process_time()
    time = time if isinstance(time, str) and time == "auto" else seconds_of(time, hint="None is no limit.")
    if isinstance(y, str) and target is None:
        y, target = None, y
    if y is None and isinstance(groups, str):
        group, groups = groups, None
    if isinstance(models, Iterator):
        models = list(models)
    given = Given.of(locals())
    data = Prepared.of(given)
    chosen = checked_measures(scoring, data.task) or ()
    measures = measures_to_compare(chosen or None, data.task)
    check_possible(measures[0], data.task)
    automatic = isinstance(cost, str) and cost == "auto"
    decided_by = default_cost(data.task, measures[0]) if automatic else cost
    check_cost(decided_by, data.task)
    if isinstance(decided_by, str) and decided_by == "balanced":
        measures = accuracy_last(measures, chosen)
    seconds = _seconds(time, evaluations)
    splits = _outer_splits(cv, data.task, random_state, seconds, stored_repeats(archive))
    known = families(data.task.kind, models, len(data.task), seconds)
    starts = within(starts_of(start, data.task), known, data.task.kind, given=isinstance(start, Mapping))
    given = given if start is None or isinstance(start, str) else replace(given, start=starts)
    fits = FamilyFits(known, data.task, splits, measures[0], random_state, decided_by, starts)
    slower = pace(clock.perf_counter() - started, clock.process_time() - cpu)
    repeated = replace(given, start=starts or None).stored()
    limits = StudyLimits(
        started, seconds, evaluations, n_jobs, archive, repeated, reported=out is not None, pace=slower,
        executor=executor,
    )  # fmt: skip
    other = _other_split(data, cv, random_state)
    conclusion = concluded(
        fits, measures, limits, decided_by, progress, automatic=automatic, words=data.words, other=other
    )
    return Study(
        name=data.name,
        source=given.source,
        task=data.whole,
        features=data.features,
        left_out=data.left_out,
        findings=data.findings,
        comparison=conclusion.comparison,
        model=conclusion.model,
        best=conclusion.best,
        settings=given.settings(splits, chosen),
        seconds=clock.perf_counter() - started,
        warnings=data.warnings,
        inner_scores=conclusion.inner_scores,
        tried=conclusion.tried,
        notes=(*data.notes, *_small_classes(data.task, splits), *conclusion.notes),
        stopped=conclusion.stopped,
        sampled_rows=conclusion.sampled_rows,
        limit=seconds,
        split=SplitChoice(data.words, data.automatic, data.proposal, conclusion.split_scores),
    )


def _seconds(time: Any, evaluations: int | None) -> float | None:
    if evaluations is not None and (isinstance(evaluations, bool) or evaluations < 0):
        raise DataError(f"evaluations={evaluations!r}.", "a number of configurations, 0 for the defaults only")
    if time == "auto":
        return _DEFAULT_SECONDS if evaluations is None else None
    return time


def _outer_splits(cv: Any, task: Task, random_state: int, seconds: float | None, planned: int | None) -> Splits:
    """The splits that models are scored on; repeated where rows are few, since repeats reveal how models vary.

    Rows that repeat each other are in one fold.

    A study that goes on has as many repeats as were ``planned``, whatever time it is given now.
    """
    number = isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    if task.times is not None or not (cv is None or number):
        return splits_of(_FOLDS if cv is None else cv, task, random_state=random_state)
    copies = copies_in(task)
    if number:
        return repeated_folds(task, int(cv), 1, random_state, copies)
    short = seconds is not None and seconds < _SHORT
    usual = 1 if short else next((times for rows, times in _REPEATS if len(task) <= rows), 1)
    return repeated_folds(task, _FOLDS, usual if planned is None else planned, random_state, copies)


def _other_split(data: Prepared, cv: Any, random_state: int) -> OtherSplit | None:
    """Random folds beside others; beside random ones those that fit the data, where they can be made."""
    words = SplitWords() if data.words.by_roles else data.proposal
    if words is None or not is_number(cv):
        return None
    with suppress(DataError):
        task = data.beside(words)
        return OtherSplit(words, task, _outer_splits(_FOLDS if cv is None else cv, task, random_state, None, None))
    return None


def _small_classes(task: Task, splits: Splits) -> list[str]:
    counts = np.bincount(task.table[task.target].values).tolist() if task.classes else []
    return [
        f"class {label} has {counted(count, 'row')}, fewer than the {splits.folds} folds: "
        "some splits test or train without it"
        for label, count in zip(task.classes, counts, strict=True)
        if count < splits.folds
    ]
