"""Fitted models and the rows they are evaluated on: rows that are given, test rows of splits, or rows out of bag."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from probus.data import Level, Table, Task, level_key, quote_some
from probus.datasets.source import task_of
from probus.display import counted
from probus.errors import DataError
from probus.inspection._given_rows import model_of_tables
from probus.model_selection import Resampled, Splits, features_for, prepared, rows_for, splits_of
from probus.model_selection.one_split import Labelled, attempt
from probus.wrapping import name_of

_KNOWN = 0.01  # a share of training rows above which the rows are taken for them


@dataclass(frozen=True, eq=False)
class Part:
    """A fitted model, the numbers of the rows it is evaluated on, and of those it was fitted on, where known.

    Attributes
    ----------
    model : predicts tables.
    data : all rows, with ``X`` as a table.
    rows : the numbers of the rows that it is evaluated on.
    train : the numbers of the rows that it was fitted on; None where it is not known.
    """

    model: Any
    data: Labelled
    rows: np.ndarray
    train: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Source:
    """What importances are measured on.

    Attributes
    ----------
    task : the rows.
    ready : an unfitted model, for refits; None where there is none.
    parts : fitted models with the rows that each is evaluated on.
    splits : the test rows of each part.
    where : the rows, in words.
    notes : what is known about training rows, and which parts are missing.
    fitted : the model that was given fitted; None where models were fitted on splits.
    """

    task: Task
    ready: Any
    parts: tuple[Part, ...]
    splits: Splits
    where: str
    notes: tuple[str, ...] = ()
    fitted: Any = None

    @property
    def units(self) -> np.ndarray | None:
        """What rows belong to, as ``Splits.units``."""
        return self.splits.units(self.task)


def source_of(
    model: Any, X: Any, y: Any, *, cv: Any = None, random_state: Any = None, fit: bool = True, **roles: Any
) -> Source:
    """The source of a model, fitted or not, of a result of ``resample``, or of a study."""
    if isinstance(model, Resampled):
        _must_be_alone("a result of resample", X, y)
        return _of_resampled(model, fit)
    if hasattr(model, "results") and hasattr(model, "leaderboard"):
        if X is None and y is None:
            return _of_study(model, fit)
        model = model.model
    if is_fitted(model) and cv is None:
        return _of_fitted(model, X, y, roles)
    task = task_of(X, y, model=model, **roles)
    ready = prepared(unfitted_model(model), task)
    splits = splits_of(cv, task, random_state=random_state)
    return _refitted(task, ready, splits) if fit else Source(task, ready, (), splits, f"test rows, {splits.how}")


def unfitted_model(model: Any) -> Any:
    """A copy of the model inside wrappers that tune or calibrate, with the parameters that were chosen.

    Parameters
    ----------
    model : a model, fitted or not.

    Returns
    -------
    The copy.
    """
    while True:
        inner = next((getattr(model, name) for name in ("best_estimator_", "estimator_") if hasattr(model, name)), None)
        if inner is None or hasattr(model, "steps") or hasattr(model, "trees_"):
            return clone(model)
        model = inner


def is_fitted(model: Any) -> bool:
    """Whether a model is fitted."""
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return True


# -- kinds of sources --------------------------------------------------------------------------------------


def _of_fitted(model: Any, X: Any, y: Any, roles: Mapping[str, Any]) -> Source:
    task = task_of(X, y, model=model, **roles)
    known = getattr(model, "feature_names_in_", None)
    names = task.features if known is None else tuple(map(str, known))
    absent = [name for name in names if name not in task.features]
    if absent:
        raise DataError(f"no column {absent[0]!r}.", "the columns of the model", f"It has {quote_some(task.features)}.")
    data = _labelled(model, task, names)
    rows = np.arange(len(task))
    splits = Splits(((rows[:0], rows),), 1, 1, "given rows", "holdout")
    where = f"{counted(len(task), 'given row')}, taken as rows that the model was not fitted on"
    share = model.share_of_training_rows(task.X) if hasattr(model, "share_of_training_rows") else None
    notes: tuple[str, ...] = ()
    if share is not None:
        where = f"{counted(len(task), 'given row')}, none of them a training row"
        if share > _KNOWN:
            where = f"{counted(len(task), 'given row')}, about {100 * share:.0f} % of them training rows"
            notes = ("on training rows, importances show what the model has memorised too",)
    return Source(task, None, (Part(model_of_tables(model), data, rows),), splits, where, notes, model)


def _of_resampled(result: Resampled, fit: bool) -> Source:
    result.check_failures()
    task, splits = result.task, result.splits
    if not fit:
        return Source(task, None, (), splits, f"test rows, {splits.how}")
    if result.models is None:
        raise DataError(
            f"a result of {result.name} without its models.", "one that kept them",
            "Pass keep_models=True to resample, or the model itself, which is then fitted on the splits.",
        )  # fmt: skip
    parts, kept = [], []
    for pair, model in zip(splits.pairs, result.models, strict=True):
        if model is not None:
            data = _labelled(model, task, task.features)
            parts.append(Part(_of_tables(model, task), data, pair[1], pair[0]))
            kept.append(pair)
    notes = () if len(kept) == len(splits) else (f"without {counted(len(splits) - len(kept), 'split')} that failed",)
    splits = splits if not notes else replace(splits, pairs=tuple(kept), folds=1, repeats=len(kept))
    return Source(task, None, tuple(parts), splits, f"test rows, {splits.how}", notes)


def _of_study(study: Any, fit: bool) -> Source:
    """From the models of its splits, if they were kept, else from fits on them."""
    result = study.results[study.best]
    if result.models is not None or not fit:
        return _of_resampled(result, fit)
    roles = [name for name in (study.task.group, study.task.weight, study.task.time, study.task.target) if name]
    names = [name for name in study.features if name not in roles]
    task = study.task
    task = Task(
        task.table.select(*names, *roles), task.target, group=task.group, weight=task.weight, time=task.time,
        pos_label=task.pos_label, kind=task.kind,
    )  # fmt: skip
    first = study.splits.pairs[: study.splits.folds]
    splits = replace(study.splits, pairs=first, repeats=1)
    found = _refitted(task, prepared(unfitted_model(study.model), task), splits)
    note = f"a study keeps no model of its splits: {study.best} was fitted again on {counted(len(first), 'split')}"
    return replace(found, notes=(note, *found.notes))


def _refitted(task: Task, ready: Any, splits: Splits) -> Source:
    data, X = Labelled.of(task, rows_for(ready, task)), task.X
    parts, kept, errors = [], [], []
    for train, test in splits.pairs:
        tried = attempt(ready, data, (train, test[:1]), keep=_itself)
        if tried.error:
            errors.append(tried)
            continue
        parts.append(Part(_of_tables(tried.kept, task), replace(data, X=X), test, train))
        kept.append((train, test))
    if not parts:
        raise DataError(f"{name_of(ready)} failed on every split: {errors[0].error}.", "a model that can be fitted")
    notes = (f"{counted(len(errors), 'split')} failed and are left out: {errors[0].error}",) if errors else ()
    if errors:
        splits = replace(splits, pairs=tuple(kept), folds=1, repeats=len(kept))
    return Source(task, ready, tuple(parts), splits, f"test rows, {splits.how}", notes)


def _itself(model: Any) -> Any:
    return model


def _must_be_alone(what: str, X: Any, y: Any) -> None:
    if X is not None or y is not None:
        raise DataError(f"{what} together with rows.", "the result alone", "It has its own test rows.")


# -- predictions of tables ---------------------------------------------------------------------------------


class _OfPreparedRows:
    """A model that was fitted on the rows of ``rows_for``, and predicts tables."""

    def __init__(self, model: Any):
        self._model = model

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        if name not in ("predict", "predict_proba", "decision_function"):
            return found

        def predicted(table: Table) -> Any:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="X has feature names")
                return found(features_for(self._model, table))

        return predicted


def _of_tables(model: Any, task: Task) -> Any:
    takes = task.given is None or not isinstance(task.given, np.ndarray)
    return _OfPreparedRows(model) if takes else model_of_tables(model)


def _labelled(model: Any, task: Task, names: tuple[str, ...]) -> Labelled:
    """The task's rows with the classes of the task and of the model."""
    outputs = getattr(model, "n_outputs_", 1)
    if isinstance(outputs, int | np.integer) and outputs > 1:
        raise DataError(f"{name_of(model)} of {outputs} outputs.", "one output", "Fit a model for each.")
    if is_classifier(model) != bool(task.classes):
        what = f"the classes of {task.target!r}" if task.classes else f"the numbers {task.target!r}"
        raise DataError(f"{name_of(model)} is given {what}.", "a target that the model predicts")
    data = Labelled.of(task, task.X.select(*names))
    known: dict[Any, Level] = {level_key(label): label for label in task.classes}
    own = np.asarray(model.classes_).tolist() if task.classes else []
    if own and not {level_key(label) for label in own} & known.keys():
        raise DataError(
            f"{name_of(model)} predicts {quote_some(own)}, but {task.target!r} is {quote_some(task.classes)}.",
            f"rows with the classes of the model in {task.target!r}",
        )
    for label in own:
        known.setdefault(level_key(label), label)
    classes = tuple(known.values())
    positive = data.positive
    if len(classes) == 2 and positive is None:
        positive = 1
    return replace(data, classes=classes, positive=positive if len(classes) <= 2 else None)
