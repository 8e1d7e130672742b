"""What a curve fits and scores: a Task as ``resample`` does, X and y as scikit-learn's functions do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from probus.data import Table, Task, collect
from probus.errors import DataError
from probus.metrics import Measure, Scoring, is_scorer, measure
from probus.model_selection._model_input import prepared, rows_for, selects_columns
from probus.model_selection._resampling import checked_measures
from probus.model_selection._splits import Splits, seeds, splits_of
from probus.model_selection.one_split import Labelled
from probus.pipeline import named_frame

Scorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True, eq=False)
class Setup:
    """The model, the data and the splits of a curve.

    measures : those to report, the main one first; None for the default ones that the model allows.
    scorer : scikit-learn's scorer that computes the first measure, where it is not one of Probus.
    seeds : of each split, the same at every setting; None leaves the ``random_state`` of the model unchanged.
    """

    model: Any
    task: Task
    data: Labelled
    splits: Splits
    measures: tuple[Measure, ...] | None
    seeds: list[int | None]
    scorer: Scorer | None = None

    @classmethod
    def of_task(cls, model: Any, task: Task, cv: Any, scoring: Any, random_state: Any) -> Setup:
        """The model wrapped by ``tabular``, as in ``resample``."""
        ready = prepared(model, task)
        measures = checked_measures(scoring, task)
        splits = splits_of(cv, task, random_state=random_state)
        states: list[int | None] = [None] * len(splits)
        if random_state is not None:
            states = [*seeds(random_state, len(splits))]
        return cls(ready, task, Labelled.of(task, rows_for(ready, task)), splits, measures, states)

    @classmethod
    def as_in_scikit_learn(cls, model: Any, X: Any, task: Task, cv: Any, scoring: Any, params: Any) -> Setup:
        """The model fitted on rows of X unchanged, on scikit-learn's folds, with its own ``random_state``.

        With groups, a number of folds gives grouped folds, as in ``resample``.
        """
        from sklearn.model_selection import check_cv

        if cv is None or isinstance(cv, (int, np.integer)):
            # scikit-learn's folds would split the groups
            cv = (5 if cv is None else cv) if task.group else check_cv(cv, task.y, classifier=is_classifier(model))
        splits = splits_of(cv, task)
        X = collect(X)
        read = isinstance(X, (Table, Mapping, str, os.PathLike))
        if read:
            X = named_frame(task.X) if selects_columns(model, task.features) else task.X
        data = Labelled.of(task, X, params or {})
        measures, scorer = _measures(scoring, task)
        return cls(model, task, data, splits, measures, [None] * len(splits), scorer)


def _measures(scoring: Scoring | Iterable[Scoring] | None, task: Task) -> tuple[tuple[Measure, ...], Scorer | None]:
    """The measures that scikit-learn means by ``scoring``, and its scorer where we do not have the first of them."""
    if scoring is None:  # what an estimator's score() returns
        return (measure("accuracy" if task.classes else "r2"),), None
    scorer: Any = scoring if callable(scoring) and is_scorer(scoring) else None
    if isinstance(scoring, str):
        try:
            measure(scoring)
        except DataError:
            from sklearn.metrics import get_scorer, get_scorer_names

            if scoring not in get_scorer_names():
                raise
            scorer = get_scorer(scoring)
    if scorer is None:
        return checked_measures(scoring, task) or (), None
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    return (Measure(name, name.replace("_", " "), _not_an_outcome, "predictions"),), scorer


def _not_an_outcome(outcome: Any) -> float:
    """A scorer needs the model, so it has no value for predictions alone."""
    return float("nan")
