"""A model fitted at each of a row of settings, on every split, and scored on its training and its test rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from probus.data import Task
from probus.metrics import Measure, Outcome, measures_for
from probus.model_selection.one_split import Attempt, Labelled, attempt, constant_outcome, outcome_of
from probus.model_selection.progress import ProgressOption, shown
from probus.model_selection.resample_result import FailedSplitWarning
from probus.model_selection.resampling import measurable
from probus.model_selection.splits import Splits, seeds
from probus.model_selection.splitters.units import Pair

__all__ = ["Job", "Scores", "SettingFailure", "scores_along", "seeds_of_splits"]


@dataclass(frozen=True)
class SettingFailure:
    """A setting and a split on which the model failed, in the error's own words; the constant predictor stood in."""

    setting: Any
    split: int
    error: str


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of every setting on every split, by measure: [settings, splits]; Zero-R on the test rows: [splits]."""

    measures: tuple[Measure, ...]
    train: Mapping[str, np.ndarray]
    test: Mapping[str, np.ndarray]
    baseline: Mapping[str, np.ndarray]
    failures: tuple[SettingFailure, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """A model to be fitted at one setting, on one split."""

    setting: Any
    split: int
    model: Any
    pair: Pair
    seed: int | None


def scores_along(
    jobs: Sequence[Job],
    task: Task,
    splits: Splits,
    measures: tuple[Measure, ...] | None,
    *,
    name: str,
    n_jobs: int | None,
    progress: ProgressOption,
) -> Scores:
    """Fit every job and score it on its training and its test rows; jobs come setting by setting, split by split."""
    data = Labelled.of(task)
    attempts = _attempts(jobs, data, name, n_jobs, progress)
    failures = tuple(
        SettingFailure(job.setting, job.split, each.error)
        for job, each in zip(jobs, attempts, strict=True)
        if each.error
    )
    if failures:
        told = f"{name} FAILED on {len(failures)} of {len(jobs)} fits and was scored there as the constant predictor"
        warnings.warn(f"{told}: {failures[0].error}", FailedSplitWarning, stacklevel=3)
    train = [
        constant_outcome(data, job.pair[0], job.pair[0]) if each.kept is None else each.kept
        for job, each in zip(jobs, attempts, strict=True)
    ]
    test = [each.outcome for each in attempts]
    zero_r = [constant_outcome(data, job.pair[0], job.pair[1]) for job in jobs[-len(splits) :]]
    said = next((each.outcome for each in attempts if each.error is None), test[0])
    chosen = measures or measurable(measures_for(len(data.classes)), said)

    def by_measure(outcomes: Sequence[Outcome], shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        return {each.name: np.array([_score(each, o) for o in outcomes]).reshape(shape) for each in chosen}

    grid = (-1, len(splits))
    return Scores(chosen, by_measure(train, grid), by_measure(test, grid), by_measure(zero_r, (len(splits),)), failures)


def seeds_of_splits(random_state: Any, splits: Splits) -> list[int | None]:
    """A seed for each split, the same at every setting; None leaves the model's own."""
    return [None] * len(splits) if random_state is None else list(seeds(random_state, len(splits)))


def _attempts(
    jobs: Sequence[Job], data: Labelled, name: str, n_jobs: int | None, progress: ProgressOption
) -> list[Attempt]:
    from joblib import Parallel, delayed

    done = []
    with shown(progress) as tell:
        tell(0, len(jobs), name)
        work = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_attempt)(job, data) for job in jobs)
        for each in work:
            done.append(each)
            tell(len(done), len(jobs), name)
    return done


def _attempt(job: Job, data: Labelled) -> Attempt:
    on_training_rows = partial(outcome_of, data=data, rows=job.pair[0])
    return attempt(job.model, data, job.pair, seed=job.seed, keep=on_training_rows)


def _score(chosen: Measure, outcome: Outcome) -> float:
    weightless = outcome.weights is not None and not outcome.weights.any()
    return np.nan if weightless else chosen.compute(outcome)
