"""Resampling a model that itself chooses by resampling: the honest score of a tuned model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.errors import DataError
from probus.metrics import Measure, Scoring, measure, measures_for
from probus.model_selection._best_of import BestOf, BestOfClassifier, BestOfRegressor
from probus.model_selection._inner_splits import cv_parameter, inside
from probus.model_selection._model_input import prepared
from probus.model_selection._nested_result import Choice, Nested
from probus.model_selection._progress import ProgressOption
from probus.model_selection._resampling import Plan, checked_measures, run
from probus.model_selection._splits import Splits, folds_of, seeds, splits_of
from probus.wrapping import name_of

_INNER_FOLDS = 5


@verb
def nested(
    tuner: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    cv: Any = None,
    inner_cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    name: str | None = None,
) -> Nested:
    """Resample a tuner: within the training rows of each outer split it chooses by inner splits of those rows.

    The outer test rows are not used to choose, so the outer estimate is unbiased by the choice; the inner estimate, on
    the splits that chose, is optimistic. The result shows both.

    Parameters
    ----------
    tuner : a search of scikit-learn (``GridSearchCV``, ``RandomizedSearchCV``, …), a ``BestOfClassifier`` or
        ``BestOfRegressor``, or the candidates to choose from, in a list or by name.
    cv : the outer splits, see ``splits_of``.
    inner_cv : the inner splits, see ``splits_of``; by default the tuner's own, or 5 folds that respect the groups and
        the time of the task where it has them.
    X, y, target, scoring, groups, sample_weight, pos_label, n_jobs, random_state, progress, name : as in ``resample``.
        The measure that the tuner chooses by comes first; for a list of candidates it is the first of ``scoring``.

    Returns
    -------
    The outer and the inner estimate, and what was chosen on each split.

    >>> import probus
    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> result = nested([ZeroRClassifier(), GaussianNB()], iris, cv=5)
    >>> [choice.what for choice in result.choices]
    ['GaussianNB', 'GaussianNB', 'GaussianNB', 'GaussianNB', 'GaussianNB']
    """
    several = not hasattr(tuner, "fit") and isinstance(tuner, (Mapping, list, tuple))
    first = next(iter(tuner.values() if isinstance(tuner, Mapping) else tuner), None) if several else tuner
    task = task_of(X, y, target=target, model=first, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    measures = checked_measures(scoring, task)
    if several:
        best_of = BestOfClassifier if task.kind == "classification" else BestOfRegressor
        tuner = best_of(tuner, scoring=measures[0] if measures else None)
    model = prepared(tuner, task)
    splits = _without_repeated_rows(splits_of(cv, task, random_state=random_state))
    tuned_by = _tuned_by(inside(model), task)
    measures = measures or measures_for(len(task.classes))
    if tuned_by is not None:
        measures = (tuned_by, *(each for each in measures if each.name != tuned_by.name))
    plan = Plan(task, splits, measures, name or name_of(model), n_jobs, random_state, progress)
    result = run(plan, _with_inner_splits(model, inner_cv, task, splits, random_state), keep=_choice)
    return Nested(replace(result, models=None), result.models or (), tuned_by)


def _without_repeated_rows(splits: Splits) -> Splits:
    if splits.scheme in ("bootstrap", "out-of-bag"):
        raise DataError(
            f"{splits.how} as the outer splits.",
            "training rows that occur once",
            "A row drawn twice would be on both sides of an inner split. Use folds or a hold-out.",
        )
    return splits


# -- the inner splits ----------------------------------------------------------------------------------


def _with_inner_splits(model: Any, inner: Any, task: Task, splits: Splits, random_state: Any) -> list[Any]:
    """A copy of the tuner for each outer split, with inner splits of its training rows."""
    parameter = cv_parameter(model)
    if inner is None and task.group is None and task.time is None:
        return [model] * len(splits)
    states = seeds(0 if random_state is None else random_state, len(splits))
    tuners = []
    for (train, _), state in zip(splits.pairs, states, strict=True):
        part = task.take(train)
        own = inner is None
        chosen = folds_of(part, _INNER_FOLDS, state) if own else splits_of(inner, part, random_state=state)
        given: Any = chosen if isinstance(inside(model), BestOf) else list(chosen.pairs)
        tuners.append(clone(model).set_params(**{parameter: given}))
    return tuners


# -- what was chosen -----------------------------------------------------------------------------------


def _choice(fitted: Any) -> Choice:
    """What a fitted tuner chose, and its score while choosing, as the measure has it."""
    tuner = inside(fitted)
    if isinstance(tuner, BestOf):
        return Choice(tuner.best_name_, tuner.best_score_)
    if not hasattr(tuner, "best_params_"):
        return Choice("", float("nan"))
    what = ", ".join(f"{key.rpartition('__')[2]}={value}" for key, value in tuner.best_params_.items())
    sign = -1.0 if isinstance(tuner.scoring, str) and tuner.scoring.startswith("neg_") else 1.0
    return Choice(what, sign * float(getattr(tuner, "best_score_", float("nan"))))


def _tuned_by(tuner: Any, task: Task) -> Measure | None:
    """The measure that a tuner chooses by; None where it is one that we do not know by name."""
    if hasattr(tuner, "measure_for"):
        return tuner.measure_for(task)
    scoring = getattr(tuner, "scoring", None)
    if scoring is None and hasattr(tuner, "scoring"):
        return measure("accuracy" if task.classes else "r2")
    try:
        return measure(scoring) if isinstance(scoring, str) else None
    except DataError:
        return None
