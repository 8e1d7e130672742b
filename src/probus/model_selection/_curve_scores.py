"""A model fitted at each of several settings, on every split, and scored on its training and its test rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from probus.errors import FailedModelError
from probus.metrics import Measure, Outcome, measures_for
from probus.model_selection._curve_setup import Scorer, Setup
from probus.model_selection._progress import ProgressOption
from probus.model_selection._resample_result import FailedSplitWarning, Failure, Resampled, score_of
from probus.model_selection._resampling import measurable
from probus.model_selection._split_scores import SplitScores
from probus.model_selection._splits import Splits
from probus.model_selection._training_intervals import TrainingScores
from probus.model_selection.engine import Engine
from probus.model_selection.one_split import Attempt, Labelled, constant_outcome, outcome_of
from probus.model_selection.splitters._units import Pair
from probus.wrapping import name_of


@dataclass(frozen=True)
class SettingFailure:
    """A setting and a split on which the model failed, the error in a line, and the error itself where it was kept.

    The constant predictor is scored instead, unless the model failed on every split of that setting: it has no score.
    """

    setting: Any
    split: int
    error: str
    cause: Exception | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of every setting on every split, by measure: [settings, splits]; Zero-R on the test rows: [splits].

    fit_times, score_times : seconds, [settings, splits]; None unless requested. error_score : what scikit-learn's
    tuple has where the model failed. results, zero_r : the predictions on the test rows at each setting, and those of
    Zero-R; none where only scores are known, as from a scorer of scikit-learn. training : by measure, what the
    training rows of each setting say about their scores; None where the measure has no derivatives.
    """

    measures: tuple[Measure, ...]
    train: Mapping[str, np.ndarray]
    test: Mapping[str, np.ndarray]
    baseline: Mapping[str, np.ndarray]
    failures: tuple[SettingFailure, ...]
    fit_times: np.ndarray | None = None
    score_times: np.ndarray | None = None
    error_score: float = np.nan
    training: Mapping[str, Sequence[TrainingScores | None]] = field(default_factory=dict)
    results: Sequence[Resampled] = ()
    zero_r: Resampled | None = None

    def on_train(self, chosen: Measure, place: int) -> SplitScores:
        """The scores on training rows at a setting."""
        rows = self.training[chosen.name][place] if self.training else None
        return SplitScores.of_training_rows(self.train[chosen.name][place], rows)

    def on_test(self, chosen: Measure, place: int) -> SplitScores:
        """The scores on test rows at a setting."""
        if self.results and not self.results[place].failed_everywhere:
            return SplitScores.of_test_rows(self.results[place], chosen)
        return SplitScores.without_rows(self.test[chosen.name][place])

    def of_zero_r(self, chosen: Measure) -> SplitScores:
        """The scores of Zero-R on test rows."""
        if self.zero_r is not None:
            return SplitScores.of_test_rows(self.zero_r, chosen)
        return SplitScores.without_rows(self.baseline[chosen.name])


@dataclass(frozen=True, eq=False)
class CurveJob:
    """A model to be fitted at one setting, on one split."""

    setting: Any
    split: int
    model: Any
    pair: Pair


def scores_along(
    jobs: Sequence[CurveJob],
    setup: Setup,
    *,
    error_score: Any = np.nan,
    return_times: bool = False,
    progress: ProgressOption = None,
    n_jobs: int | None = None,
    **parallel: Any,
) -> Scores:
    """Fit every job and score it on its training and its test rows; jobs come setting by setting, split by split."""
    data, n_splits = setup.data, len(setup.splits)
    engine = Engine(name_of(setup.model), n_jobs, progress=progress, parallel=parallel)
    attempts = engine.attempts(
        data,
        [
            (job.model, job.pair, setup.seeds[job.split], partial(_evaluate, job.pair, data, setup.scorer))
            for job in jobs
        ],
    )
    failures = tuple(
        SettingFailure(job.setting, job.split, each.error, each.cause)
        for job, each in zip(jobs, attempts, strict=True)
        if each.error
    )
    if failures:
        _report(failures, len(jobs), name_of(setup.model), error_score == "raise")
    kept = [
        (constant_outcome(data, job.pair[0], job.pair[0]), (np.nan, np.nan)) if each.error else each.kept
        for job, each in zip(jobs, attempts, strict=True)
    ]
    test = [each.outcome for each in attempts]
    zero_r = [constant_outcome(data, *job.pair) for job in jobs[-n_splits:]]
    predicted = next((each.outcome for each in attempts if each.error is None), test[0])
    chosen = setup.measures or measurable(measures_for(len(data.classes)), predicted)

    def by_measure(outcomes: Sequence[Outcome], shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        return {each.name: np.array([score_of(each, o) for o in outcomes]).reshape(shape) for each in chosen}

    grid = (-1, n_splits)
    on_train, on_test = by_measure([outcome for outcome, _ in kept], grid), by_measure(test, grid)
    if setup.scorer is not None:
        scored = np.array([values for _, values in kept])
        on_train[chosen[0].name], on_test[chosen[0].name] = (scored[:, part].reshape(grid) for part in (0, 1))
    lost = np.all(np.array([each.error is not None for each in attempts]).reshape(grid), axis=1)
    for scores in (*on_train.values(), *on_test.values()):
        scores[lost] = np.nan
    seconds = np.array([(each.fit_seconds, each.seconds - each.fit_seconds) for each in attempts])
    fit_times, score_times = (seconds[:, part].reshape(grid) if return_times else None for part in (0, 1))
    zero_r_scores = by_measure(zero_r, (n_splits,))
    found = Scores(chosen, on_train, on_test, zero_r_scores, failures, fit_times, score_times, error_score)
    if setup.scorer is not None:
        return found
    return replace(
        found,
        training=_training(jobs, [outcome for outcome, _ in kept], setup, chosen, lost.tolist()),
        results=_results(jobs, attempts, setup, chosen),
        zero_r=Resampled("Zero-R", setup.task, _splits_at(jobs[-n_splits:], setup), tuple(zero_r), chosen),
    )


def _training(
    jobs: Sequence[CurveJob],
    outcomes: Sequence[Outcome],
    setup: Setup,
    measures: Sequence[Measure],
    lost: Sequence[bool],
) -> dict[str, list[TrainingScores | None]]:
    """Estimates from the training rows of each setting, by measure; nothing where the model always failed."""
    n = len(setup.splits)
    settings = [(outcomes[i : i + n], [job.pair[0] for job in jobs[i : i + n]]) for i in range(0, len(jobs), n)]
    return {
        each.name: [
            None if failed else TrainingScores.of(each, *setting, setup.task)
            for setting, failed in zip(settings, lost, strict=True)
        ]
        for each in measures
    }


def _results(
    jobs: Sequence[CurveJob], attempts: Sequence[Attempt], setup: Setup, measures: tuple[Measure, ...]
) -> list[Resampled]:
    """The predictions on the test rows, as of a model resampled at each setting."""
    n, name, found = len(setup.splits), name_of(setup.model), []
    for i in range(0, len(jobs), n):
        tried = attempts[i : i + n]
        failures = tuple(Failure(s, each.error, each.cause) for s, each in enumerate(tried) if each.error)
        outcomes = tuple(each.outcome for each in tried)
        found.append(Resampled(name, setup.task, _splits_at(jobs[i : i + n], setup), outcomes, measures, failures))
    return found


def _splits_at(jobs: Sequence[CurveJob], setup: Setup) -> Splits:
    """The splits with the training rows of one setting."""
    return replace(setup.splits, pairs=tuple(job.pair for job in jobs), halved=None)


def _report(failures: Sequence[SettingFailure], n_fits: int, name: str, raise_: bool) -> None:
    first = failures[0]
    if raise_ or len(failures) == n_fits:
        where = f"all {n_fits}" if len(failures) == n_fits else f"{len(failures)} of {n_fits}"
        raise FailedModelError(
            f"{name} failed on {where} fits: {first.error}", "a model that can be fitted on the training rows"
        ) from first.cause
    text = f"{name} FAILED on {len(failures)} of {n_fits} fits: {first.error}"
    warnings.warn(text, FailedSplitWarning, stacklevel=4)


def _evaluate(pair: Pair, data: Labelled, scorer: Scorer | None, fitted: Any) -> tuple[Outcome, tuple[float, ...]]:
    """The outcome on the training rows, and what the scorer gives on training and test rows."""
    scores = () if scorer is None else tuple(scorer(fitted, data.features(rows), data.y[rows]) for rows in pair)
    return outcome_of(fitted, data, pair[0]), scores
