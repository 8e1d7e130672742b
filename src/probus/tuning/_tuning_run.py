"""A search from beginning to end: input validation, the archive, the loop, and what was found."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from probus.data import Task
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Measure, measure, measures_for
from probus.model_selection import Splits, checked_measures, folds_of, prepared, seeds, shown, splits_of
from probus.model_selection.engine import jobs_at_once
from probus.model_selection.one_split import perfect_outcome
from probus.pipeline import tabular
from probus.spaces import Space, search_space
from probus.spans import seconds_of
from probus.tuning._archive import Archive
from probus.tuning._archive_header import header_of
from probus.tuning._archive_run import opened_run
from probus.tuning._auto_tuner import auto_tuner, tuner_named
from probus.tuning._budget import Budget
from probus.tuning._evaluate import Evaluator
from probus.tuning._evaluation import Evaluation
from probus.tuning._fidelity import fidelity_of
from probus.tuning._search_loop import INTERRUPTED, TunerSearch
from probus.tuning._tuner import Proposer, Tuner
from probus.tuning._warm_start import first_configs
from probus.tuning._workers import executor_of

_FOLDS, _EVALUATIONS = 5, 50


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found, and how: the evaluations, what evaluated them, the space and the seed."""

    archive: Archive
    evaluator: Evaluator
    space: Space
    seed: int


def run_search(
    tuned: Any,
    task: Any,
    archive: Any = None,
    name: str = "tuning",
    executor: Any = None,
    *,
    splits: Splits | None = None,
    measures: tuple[Measure, ...] | None = None,
    evaluates: Callable[..., Any] = Evaluator,
) -> SearchResult:
    """Search the space of a model on a task, as the parameters of ``tuned`` say.

    Models whose data are not rows and a target have ``splits``, ``measures`` and an evaluator of their own.
    """
    model = tuned.model
    if tuned.time is not None and tuned.budget is not None:
        raise DataError("time together with budget.", "time alone: budget is its former name")
    budget = Budget.of(tuned.time if tuned.budget is None else tuned.budget, tuned.evaluations)
    limit = seconds_of(tuned.limit, "limit")
    if executor is not None and limit is not None:
        raise DataError("limit together with executor.", "limit with n_jobs, whose processes can be stopped")
    n_jobs = jobs_at_once(tuned.n_jobs, executor)
    space = _checked_space(tuned.space, model)
    seed = _seed(tuned.random_state)
    own = tuned.cv is None
    if splits is None:
        splits = folds_of(task, _FOLDS, seed) if own else splits_of(tuned.cv, task, random_state=seed)
    measures = measures or tuning_measures(tuned.scoring, model, task)
    several = _checked_objectives(tuned.objectives, measures) > 1
    first = first_configs(tuned.start, space, task)
    tuner = _checked_tuner(tuned.tuner, space, model, task, budget, partial=not several and not first)
    if first and not isinstance(tuner, Proposer):
        raise DataError(
            f"start with {type(tuner).__name__}.",
            "a tuner that proposes one configuration after the other",
            "Use tuner='bayesian'.",
        )
    fidelity = fidelity_of(model, getattr(tuner, "fidelity", "auto"))
    if splits.forward:  # the first splits have few rows
        fidelity = replace(fidelity, splits_first=False)
    if hasattr(tuner, "on_splits"):
        tuner.on_splits(len(splits))
    evaluator = evaluates(model, task, splits, measures, tuple(seeds(seed, len(splits))), fidelity)
    if budget.seconds is None and budget.evaluations is None and not tuner.ends:
        budget = replace(budget, evaluations=_EVALUATIONS)
    header = header_of(evaluator, space, tuner, seed, tuned.objectives, first)
    run = opened_run(archive, name, header)
    try:
        tuner.start(space, random_state=seed, n_objectives=tuned.objectives)
        if isinstance(tuner, Proposer):
            tuner.begin_with(first)
        jobs = executor_of(executor, n_jobs, limit)
        with shown(tuned.progress) as update:
            search = TunerSearch(evaluator, tuner, run, jobs, budget, update, n_jobs, tuned.objectives)
            stopped = search.go()
    finally:
        run.close()
    found = tuple(search.done[number] for number in sorted(search.done))
    _check_found(found, stopped, budget)
    tried = Archive(found, tuple(each.name for each in measures), measures[0].greater_is_better, header, stopped)
    tried.best_index  # an error where every evaluation failed  # noqa: B018
    _warn_of_empty_space(found)
    return SearchResult(tried, evaluator, space, seed)


# -- input validation ----------------------------------------------------------------------------------


def checked_model(model: Any) -> Any:
    """The model; an error where it is a class, or no estimator."""
    tabular(model)
    return model


def _checked_space(space: Any, model: Any) -> Space:
    if space is None:
        space = search_space(model)
    elif not isinstance(space, Space):
        space = Space(space)
    space.check_model(model)
    return space if space.default is not None else space.with_default(model)


def _checked_objectives(objectives: Any, measures: tuple[Measure, ...]) -> int:
    whole = isinstance(objectives, int) and not isinstance(objectives, bool)
    if not whole or not 1 <= objectives <= len(measures):
        names = ", ".join(each.name for each in measures)
        raise DataError(
            f"objectives={objectives!r} with {counted(len(measures), 'measure')}: {names}.",
            "how many of them are optimised together, 1 for the first alone",
            "Name the measures: scoring=['recall', 'specificity'].",
        )
    return objectives


def _checked_tuner(tuner: Any, space: Space, model: Any, task: Task, budget: Budget, *, partial: bool) -> Tuner:
    if isinstance(tuner, str) and tuner == "auto":
        ends = budget.seconds is not None or budget.evaluations is not None
        return auto_tuner(space, model, task, partial=partial, endless=ends)
    if isinstance(tuner, str):
        return tuner_named(tuner)
    if not isinstance(tuner, Tuner):
        raise DataError(f"tuner={tuner!r}.", "a tuner such as Random() or Bayesian(), or a name such as 'random'")
    return copy(tuner)  # without the state of an earlier search


def _seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def tuning_measures(scoring: Any, model: Any, task: Task) -> tuple[Measure, ...]:
    """The measure that chooses, then others that the model's predictions allow."""
    given = checked_measures(scoring, task)
    if given:
        if len(task.classes) > 2 and task.pos_label is None:
            _check_possible(given, task)
        if given[0].caution:
            warnings.warn(given[0].caution, UserWarning, stacklevel=2)
        return given
    ready = prepared(clone(model), task)
    if not task.classes:
        main = "rmse"
    elif len(task.classes) == 2 and (hasattr(ready, "predict_proba") or hasattr(ready, "decision_function")):
        main = "roc_auc"
    else:
        main = "log_loss" if hasattr(ready, "predict_proba") else "balanced_accuracy"
    others = [each for each in measures_for(len(task.classes)) if each.name != main]
    if not hasattr(ready, "predict_proba"):
        others = [each for each in others if each.needs not in ("probabilities", "scores")]
    return (measure(main), *others)


def _check_possible(measures: tuple[Measure, ...], task: Task) -> None:
    """Raise, before any fit, where a measure is of a positive class, and there is none."""
    perfect = perfect_outcome(task)
    for each in measures:
        if each.needs in ("labels", "scores", "probabilities"):
            each.compute(perfect)


def _warn_of_empty_space(found: tuple[Evaluation, ...]) -> None:
    """Warn where all configurations failed but that of the model as it was given."""
    proposed = [each for each in found if each.config]
    if proposed and all(each.error for each in proposed) and len(proposed) < len(found):
        warnings.warn(
            f"{'every configuration' if len(proposed) > 1 else 'the only configuration'} of the space failed: "
            f"{proposed[0].error}. The result is the model as it was given.",
            UserWarning,
            stacklevel=2,
        )


def _check_found(found: tuple[Any, ...], stopped: str, budget: Budget) -> None:
    if found or not stopped:
        return
    if stopped == INTERRUPTED:
        raise KeyboardInterrupt
    raise DataError(
        f"the time of {budget} was over before one configuration was evaluated.",
        "time for at least one fit on every split",
        "Allow more time, fewer splits (cv=3) or fewer rows.",
    )
