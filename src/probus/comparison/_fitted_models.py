"""The comparison of models that are fitted already, on rows held out: ``compare_fitted``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.base import Model
from probus.comparison._compare_models import comparison_of
from probus.comparison._comparison_result import Comparison
from probus.comparison._default_measures import measures_to_compare
from probus.data import Level, Task, level_key, quote_some
from probus.datasets.source import task_of
from probus.errors import DataError
from probus.metrics import Outcome, Scoring
from probus.model_selection import Resampled, Splits, measurable, rows_for
from probus.model_selection.one_split import Labelled, scored_outcome
from probus.pipeline import TabularPipeline
from probus.wrapping import named_models

_KNOWN = 0.05  # the share of rows above which a note says so; a few may be equal by chance


def compare_fitted(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    level: float = 0.95,
    alpha: float = 0.05,
    margin: float | None = None,
) -> Comparison:
    """Compare fitted models on rows that none of them was fitted on, row by row, and report the conclusion.

    The verdict is about these models, not about others fitted in the same way: McNemar's test for accuracy, a bootstrap
    of the rows for other measures. A note is added if a model recognises rows that it was fitted on, as those of
    ``probus.calibration`` can.

    Parameters
    ----------
    models : fitted models by name, or a list of them.
    X, y, target : a Task, features and target, or a table and the name of its ``target``.
    scoring : the verdict is by the first measure; by default ROC AUC for two classes, log loss for more, RMSE for
        numbers, or accuracy where a model does not predict probabilities.
    groups, sample_weight, pos_label, level, alpha, margin : as in ``compare``.

    Returns
    -------
    The leaderboard and the verdict on each pair.

    >>> from probus import datasets
    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.naive_bayes import NaiveBayes
    >>> iris = Task(datasets.load("iris"), target="species")
    >>> train, test = iris.take(slice(0, None, 2)), iris.take(slice(1, None, 2))
    >>> fitted = {"zero-r": ZeroRClassifier().fit(train.X, train.y), "Bayes": NaiveBayes().fit(train.X, train.y)}
    >>> print(compare_fitted(fitted, test).sentence)
    Bayes beats zero-r on 75 rows by log loss (difference -0.98 [-1.28, -0.69], p < 0.001).
    """
    named = named_models(models)
    if len(named) < 2:
        raise DataError(f"{len(named)} model to compare.", "at least two")
    for model in named.values():
        check_is_fitted(model)
    first = next(iter(named.values()))
    task = task_of(X, y, target=target, model=first, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    outcomes = outcomes_of_fitted(named, task)
    rows = np.arange(len(task))
    splits = Splits(((rows[:0], rows),), 1, 1, "rows held out", "holdout")
    measures = measures_to_compare(scoring, task, n_classes=len(next(iter(outcomes.values())).classes))
    results = {
        name: Resampled(name, task, splits, (outcome,), measurable(measures, outcome))
        for name, outcome in outcomes.items()
    }
    possible = tuple(each for each in measures if all(each in result.measures for result in results.values()))
    if not possible:
        raise DataError(f"no model predicts what {measures[0].name} needs.", "a measure of what all models predict")
    results = {name: replace(result, measures=possible) for name, result in results.items()}
    found = comparison_of(results, possible, level=level, alpha=alpha, margin=margin)
    where = f"{found.where} by {possible[0].label}"
    return replace(found, where=where, notes=(*notes_on_training_rows(named, task), *found.notes))


def outcomes_of_fitted(models: Mapping[str, Any], task: Task) -> dict[str, Outcome]:
    """What fitted models predict for the rows of a task, all with the same classes.

    Parameters
    ----------
    models : fitted models by name.
    task : the rows, with their target.

    Returns
    -------
    Truth and predictions by the names of the models.
    """
    classes, rows, outcomes = _classes(task, models), np.arange(len(task)), {}
    for name, model in models.items():
        data = Labelled.of(task, _rows_for(model, task))
        positive = data.positive if len(classes) <= 2 else None
        outcomes[name] = scored_outcome(model, replace(data, classes=classes, positive=positive), rows)
    return outcomes


def _rows_for(model: Any, task: Task) -> Any:
    return task.X if isinstance(model, (Model, TabularPipeline)) else rows_for(model, task)


def _classes(task: Task, models: Mapping[str, Any]) -> tuple[Level, ...]:
    """The classes of the task, then those of the models that these rows lack."""
    known = {level_key(label): label for label in task.classes}
    for name, model in models.items():
        if is_classifier(model) != bool(task.classes):
            what = f"the classes of {task.target!r}" if task.classes else f"the numbers {task.target!r}"
            raise DataError(f"{name} is a {type(model).__name__}.", f"models that predict {what}")
        own = np.asarray(model.classes_).tolist() if task.classes else []
        if own and not {level_key(label) for label in own} & {level_key(label) for label in task.classes}:
            raise DataError(
                f"{name} predicts {quote_some(own)}, but {task.target!r} is {quote_some(task.classes)}.",
                f"models that predict the classes of {task.target!r}",
            )
        for label in own:
            known.setdefault(level_key(label), label)
    return tuple(known.values())


def notes_on_training_rows(models: Mapping[str, Any], task: Task) -> list[str]:
    """Which models were perhaps fitted on these rows, and of which that is not known."""
    notes: dict[str, list[str]] = {}
    for name, model in models.items():
        share = model.share_of_training_rows(task.X) if hasattr(model, "share_of_training_rows") else None
        if share is None:
            notes.setdefault("it is not known if some of these rows were training rows of {}", []).append(name)
        elif share > _KNOWN:
            equal = f"{100 * share:.0f} % of these rows equal training rows of {{}}"
            notes.setdefault(f"{equal}: the score is optimistic if they are the same", []).append(name)
    return [note.format(" and ".join(names)) for note, names in notes.items()]
