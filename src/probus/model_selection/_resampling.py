"""Fitting a model once per split, and keeping its predictions for the test rows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Measure, Outcome, Scoring, measures_for
from probus.model_selection._inner_splits import in_time_order
from probus.model_selection._model_input import prepared, rows_for
from probus.model_selection._progress import ProgressOption
from probus.model_selection._resample_result import FailedSplitWarning, Failure, Resampled, checked_measure
from probus.model_selection._score_variance import is_unstable
from probus.model_selection._split_words import task_by_words
from probus.model_selection._splits import Splits, halves, seeds, splits_of
from probus.model_selection._tested_rows import Halves
from probus.model_selection.engine import Engine, Job
from probus.model_selection.one_split import Labelled, predicts_alike
from probus.wrapping import name_of, takes_weights

_RARE, _NAMED = 10, 3  # rows of a class, fewer than which its scores rest on; classes that are named


@verb
def resample(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    keep_models: bool = False,
    name: str | None = None,
    executor: Any = None,
) -> Resampled:
    """Fit a model once per split and keep its predictions on the test rows, for any measure, test or curve.

    The model is cloned, and wrapped by ``tabular`` unless it already is or has its own preparation: a model that
    selects columns, such as a pipeline with a ``ColumnTransformer``, is fitted on rows of the frame as it was given.
    Weights are passed to models that take ``sample_weight``, and to the measures.

    With the default splits of up to 2,000 rows, a model whose predictions depend much on its training rows, such as a
    deep tree, is also fitted on both halves of the rows, ten times: scores of disjoint training sets show how much the
    score varies with them, for its interval. They do not count for the score itself.

    On a split where the model fails, the constant predictor is scored instead, and the result reports it. A model that
    fails on every split is a ``FailedModelError``, whose cause is the first error.

    Parameters
    ----------
    model : an estimator of Probus or any that follows scikit-learn. A tuner whose ``cv`` is None or a number is given
        time-ordered inner splits where the task has a time, or where every split tests rows after its training rows.
    X, y : a Task, whose groups, time and weights are respected; or features and target.
    target : the column to predict, where X is a table with that column, a path, or the name of a bundled data set.
        Rows without a label are left out.
    cv : the number of folds, a splitter, or splits, see ``splits_of``; by default stratified 5-fold cross-validation,
        5 times up to 2,000 rows, twice up to 50,000 and once beyond, with rows that repeat each other in one fold.
        Or words: ``"group:COLUMN"`` keeps groups whole, ``"time:COLUMN"`` tests later rows, ``"group:…,time:…"`` later
        rows of new groups; ``"random"`` ignores groups and times, ``"auto"`` finds them where they are near certain.
    scoring : measures, their names or functions of (y_true, y_pred), the main one first; by default those of
        ``probus.metrics.measures_for``.
    groups, sample_weight, pos_label : a group and a weight for each row, or, with ``target``, the names of columns;
        and the positive class. A Task has its own.
    n_jobs : the number of splits run in parallel, as in joblib; it does not change the result.
    random_state : determines the folds where ``cv`` is a number or None, and sets every ``random_state`` of the model,
        differently for each split; None leaves those of the model unchanged.
    progress : ``"auto"`` for a bar in terminals and notebooks, None, or a function of (done, total, name).
    keep_models : whether the result keeps the fitted models.
    name : of the model in the result; by default its class.
    executor : where the splits run: an executor with the interface of ``concurrent.futures``, such as a
        ``ThreadPoolExecutor``, or loky's. It stays open. By default joblib's workers.

    Returns
    -------
    The predictions on the test rows of every split, with scores and their intervals; it prints itself.

    >>> import probus
    >>> from probus.naive_bayes import GaussianNB
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> result = resample(GaussianNB(), iris, scoring=["accuracy", "log_loss"], random_state=0)
    >>> result
    GaussianNB: stratified 5-fold cross-validation, 5 times, 150 rows
    accuracy 0.955 [0.900, 0.980] · log_loss 0.13 [0.06, 0.32]
      intervals of 95 %: variance of rows and of training sets
      log_loss: 100 rows have a probability of setosa below 0.001, and none of them is setosa: ...
    >>> result.estimate("f1_macro")
    0.955 [0.901, 0.980]
    """
    task = task_of(X, y, target=target, model=model, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    task, cv = task_by_words(cv, task)
    ready = prepared(model, task)
    measures = checked_measures(scoring, task)
    splits = splits_of(cv, task, random_state=random_state)
    return run(
        Plan(task, splits, measures, name or name_of(ready), n_jobs, random_state, progress, executor=executor),
        [ready] * len(splits),
        keep=_itself if keep_models else None,
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """What is resampled and how.

    deadline : a time of ``perf_counter`` after which no split is started.
    compared_by : measures of a comparison, which the result need not report.
    """

    task: Task
    splits: Splits
    measures: tuple[Measure, ...] | None
    name: str
    n_jobs: int | None = None
    random_state: Any = None
    progress: ProgressOption = None
    deadline: float | None = None
    compared_by: tuple[Measure, ...] = ()
    executor: Any = None

    @property
    def engine(self) -> Engine:
        """What fits the models."""
        return Engine(self.name, self.n_jobs, self.executor, self.progress, self.deadline)


def run(plan: Plan, models: Sequence[Any], keep: Callable[[Any], Any] | None = None) -> Resampled:
    """Resample with a model for each split, which may differ; ``keep`` maps a fitted model to what is stored of it."""
    result = _resample(plan, models, keep)
    assert result is not None
    result.check_failures()
    _warn_of_failures(result)
    return result


def run_until(plan: Plan, models: Sequence[Any], keep: Callable[[Any], Any] | None = None) -> Resampled | None:
    """As ``run``, also for a model that fails on every split; None where the deadline came before the last split."""
    result = _resample(plan, models, keep)
    if result is not None:
        _warn_of_failures(result)
    return result


def _warn_of_failures(result: Resampled) -> None:
    if result.failures:
        text = result.failure.replace("failed", "FAILED", 1)
        warnings.warn(f"{result.name} {text}", FailedSplitWarning, stacklevel=4)


def _resample(plan: Plan, models: Sequence[Any], keep: Callable[[Any], Any] | None) -> Resampled | None:
    measures, splits = plan.measures or plan.compared_by, plan.splits
    data = Labelled.of(plan.task, rows_for(models[0], plan.task), measures=measures)
    pairs = list(splits.pairs)
    states = _states(plan, len(pairs) + 1)
    models = in_time_order(models, plan.task, splits)
    if splits.scheme == "out-of-bag":
        everything = np.arange(len(plan.task))
        pairs.append((everything, everything))
        models.append(models[0])
    jobs: list[Job] = [(model, pair, state, keep) for model, pair, state in zip(models, pairs, states, strict=False)]
    warned: Counter[str] = Counter()
    attempts = plan.engine.attempts(data, jobs, warned=warned)
    if len(attempts) < len(jobs):
        return None
    apparent = attempts.pop() if splits.scheme == "out-of-bag" else None
    failures = tuple(Failure(i, each.error, each.cause) for i, each in enumerate(attempts) if each.error)
    outcomes = tuple(each.outcome for each in attempts)
    measures = _report(plan, outcomes)
    return Resampled(
        name=plan.name,
        task=plan.task,
        splits=splits,
        outcomes=outcomes,
        measures=measures,
        failures=failures,
        warnings=dict(warned),
        notes=tuple(_notes(plan, data, models[0], outcomes)),
        seconds=np.array([each.seconds for each in attempts]),
        models=tuple(each.kept for each in attempts) if keep else None,
        apparent=apparent.outcome if apparent and not apparent.error else None,
        halves=None if failures else _of_halves(plan, data, models, outcomes),
        constant=all(predicts_alike(model) for model in models),
    )


def _states(plan: Plan, n: int) -> list[int | None]:
    """A random state for each of n fits, the first of which do not depend on n."""
    return [None] * n if plan.random_state is None else [*seeds(plan.random_state, n)]


def _of_halves(plan: Plan, data: Labelled, models: Sequence[Any], outcomes: Sequence[Outcome]) -> Halves | None:
    """An unstable model fitted on halves of the rows; None where it is stable, or where a half or the time is short."""
    splits = halves(plan.task, plan.splits)
    same = all(model is models[0] for model in models)
    if splits is None or not same or not is_unstable(outcomes, plan.splits, plan.splits.units(plan.task)):
        return None
    states = _states(plan, len(models) + 1 + len(splits))[len(models) + 1 :]
    jobs: list[Job] = [(models[0], pair, state, None) for pair, state in zip(splits.pairs, states, strict=True)]
    attempts = plan.engine.attempts(data, jobs, before=len(models), warned=Counter())
    if len(attempts) < len(jobs) or any(each.error for each in attempts):
        return None
    return Halves(splits, tuple(each.outcome for each in attempts))


# -- input validation ---------------------------------------------------------------------------------------


def checked_measures(scoring: Scoring | Iterable[Scoring] | None, task: Task) -> tuple[Measure, ...] | None:
    """The measures given by ``scoring``, checked against the kind of the task; None where none are given."""
    if scoring is None:
        return None
    if isinstance(scoring, (str, Measure)) or callable(scoring):
        return (checked_measure(scoring, task),)
    if not isinstance(scoring, Iterable):
        expected = "a measure, its name, a function of (y_true, y_pred), or a list of them"
        raise DataError(f"scoring={scoring!r}.", expected)
    listed = list(scoring)
    if not listed:
        raise DataError("an empty list for scoring.", "at least one measure, or None for the default ones")
    return tuple(checked_measure(each, task) for each in listed)


def _itself(fitted: Any) -> Any:
    return fitted


# -- results ----------------------------------------------------------------------------------------


def _report(plan: Plan, outcomes: Sequence[Outcome]) -> tuple[Measure, ...]:
    """The given or default measures, without those that need what the model does not predict."""
    wanted = plan.measures or measures_for(len(plan.task.classes))
    possible = tuple(each for each in wanted if all(measurable([each], outcome) for outcome in outcomes))
    if not possible:
        named = [each for each in wanted if each.needs == "scores" and len(plan.task.classes) > 2]
        if named and all(outcome.probabilities is not None for outcome in outcomes):
            raise DataError(
                f"{named[0].name} of {len(plan.task.classes)} classes.", "a positive class: pos_label=…",
                "roc_auc_ovr averages over the classes.",
            )  # fmt: skip
        needs = ", ".join(f"{each.name} ({each.needs})" for each in wanted)
        raise DataError(f"{plan.name} does not predict what these need: {needs}.", "a measure of what it predicts")
    return possible


def measurable(measures: Sequence[Measure], outcome: Outcome) -> tuple[Measure, ...]:
    """The measures that can be computed from the outcome."""
    parts = {"probabilities": outcome.probabilities, "scores": outcome.scores, "decisions": outcome.decisions}
    return tuple(each for each in measures if parts.get(each.needs, outcome.predicted) is not None)


def _notes(plan: Plan, data: Labelled, model: Any, outcomes: Sequence[Outcome]) -> Iterator[str]:
    if data.weights is not None and not takes_weights(model):
        yield f"{plan.name} takes no sample weights: it was fitted without and scored with them"
    if plan.splits.scheme == "bootstrap":
        yield "tested on rows that it was trained on: the scores are optimistic"
    if data.classes:
        if any(outcome.probabilities is None for outcome in outcomes):
            yield f"{plan.name} predicts no probabilities: measures that need them are not available"
        yield from _of_rare_classes(plan, data)
        counts = [np.bincount(data.actual[train], minlength=len(data.classes)) for train, _ in plan.splits.pairs]
        absent = (np.array(counts) == 0).sum(axis=0)
        if (rare := np.flatnonzero(absent)).size > 3:
            yield f"{rare.size} classes are not among the training rows of up to {absent.max()} of {len(counts)} splits"
        else:
            for k in rare:
                yield f"class {data.classes[k]} is not among the training rows of {absent[k]} of {len(counts)} splits"


def _of_rare_classes(plan: Plan, data: Labelled) -> Iterator[str]:
    """The classes that scores cannot speak for, since they have no row or hardly any."""
    k, pairs = len(data.classes), plan.splits.pairs
    rows = np.bincount(data.actual, minlength=k)
    untested = sum((np.bincount(data.actual[test], minlength=k) == 0).astype(np.int64) for _, test in pairs)
    rare = np.flatnonzero(rows < _RARE)
    for c in rare[:_NAMED]:
        found = f"class {data.classes[c]} has {counted(int(rows[c]), 'row')}"
        if rows[c] == 0:
            found = f"class {data.classes[c]} has no row: all scores are those of the other classes"
        elif untested[c]:
            found += f", and {untested[c]} of {counted(len(pairs), 'split')} test none of them: averages over classes "
            found += "leave it out there, or rest on these rows"
        else:
            found += ": its own scores, and averages over classes, rest on them"
        yield f"{found}. Expected {_RARE} rows or more of each class. Add rows of it, or join it with another class."
    if len(rare) > _NAMED:
        yield f"{len(rare) - _NAMED} more classes have fewer than {_RARE} rows"
