"""Any model as a simpler one: fitted to its predictions, with what that keeps and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from probus.data import Column, Table, Task
from probus.display import Cells, Notes, Picture, Result, drawing
from probus.ensemble import (
    ExplainableBoostingClassifier,
    ExplainableBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from probus.errors import DataError
from probus.inspection._given_rows import model_of_tables
from probus.inspection.effects._responses import table_of
from probus.metrics import Estimate, Measure, Outcome, measure, ranking_measures
from probus.model_selection import Resampled, Splits, difference_interval, features_for, prepared, splits_of
from probus.model_selection.one_split import Labelled, outcome_of
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.wrapping import fit_weighted, name_of, takes_weights

_LEAVES = 16
_NAMED: Mapping[str, tuple[tuple[Any, Any], dict[str, Any]]] = {  # of numbers and of classes, with their settings
    "tree": ((DecisionTreeRegressor, DecisionTreeClassifier), {"max_leaf_nodes": _LEAVES}),
    "glass": ((ExplainableBoostingRegressor, ExplainableBoostingClassifier), {}),
    "boosting": ((HistGradientBoostingRegressor, HistGradientBoostingClassifier), {}),
}
_LEAST = 0.02  # the smallest share of a class of which a row is a copy


@dataclass(frozen=True, eq=False, repr=False)
class Distilled(Result):
    """A model that was fitted to the predictions of another.

    Attributes
    ----------
    model : the simpler model, fitted on all rows.
    of : the name of the model that it stands for.
    fidelity : R² of its predictions of the other's, or the share of rows with the same class, on rows held out.
    lost : by how much its score is worse on rows held out; None where no target was given.
    scoring : the name of the measure of the score; empty where there is none.
    scores : the scores of both models on these rows: of the given one, and of the simpler one.
    predictions : float64[n, 2], the predictions of both for the rows held out: numbers, or probabilities of a class.
    notes : remarks.
    """

    model: Any
    of: str
    fidelity: Estimate
    lost: Estimate | None
    scoring: str
    scores: tuple[Estimate, ...]
    predictions: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def _kept(self) -> str:
        return "same class" if is_classifier(self.model) else "R² of the predictions"

    def _rows(self) -> list[dict[str, Any]]:
        """A row for the fidelity, and one for the lost score."""
        named = {f"fidelity: {self._kept}": self.fidelity, **({f"lost {self.scoring}": self.lost} if self.lost else {})}
        return [{"what": name, "value": e.value, "low": e.low, "high": e.high} for name, e in named.items() if e]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "model": repr(self.model), "of": self.of, "fidelity": self.fidelity.to_dict(),
            "lost": self.lost.to_dict() if self.lost else None, "scoring": self.scoring, "notes": list(self.notes),
        }  # fmt: skip

    def _parts(self) -> list[Any]:
        lines: list[list[Any]] = [[f"fidelity ({self._kept})", self.fidelity]]
        if self.lost is not None:
            lines += [
                [f"{self.scoring} of the model", self.scores[0]],
                [f"{self.scoring} as distilled", self.scores[1]],
            ]
            lines += [[f"lost {self.scoring}", self.lost]]
        head = f"{self.of} as {name_of(self.model)}, on rows held out"
        return [head, Cells(lines, margin=2, header=False), Picture(self.plot), Notes(self.notes)]

    def plot(self, ax: Any = None) -> Any:
        """The predictions of both models for rows held out, on matplotlib axes, which are returned."""
        ax = drawing.new_axes(ax, 4.4, 4.4)
        ends = [float(self.predictions.min()), float(self.predictions.max())]
        ax.plot(ends, ends, color=drawing.MUTED, linewidth=0.8)
        ax.plot(self.predictions[:, 0], self.predictions[:, 1], ".", color=drawing.BLUE, markersize=4, alpha=0.5)
        drawing.tidy(ax, "Predictions for rows held out", self.of, f"distilled: {name_of(self.model)}")
        return ax


def distil(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    into: Any = "tree",
    scoring: Any = None,
    cv: Any = 5,
    level: float = 0.95,
    random_state: int = 0,
) -> Distilled:
    """Fit a simpler or faster model to the predictions of a fitted one, and measure what is kept and what is lost.

    Classes are learnt from probabilities: each row counts for each class with the probability that the model gives it,
    where the new model takes weights. Fidelity and lost score are those of fits on other folds of the rows. The model
    in the result is fitted on all rows.

    Parameters
    ----------
    model : a fitted model or a study.
    X : rows, with or without labels; the more, the better. For a study by default its own.
    y : the target of these rows, for the lost score; by default none, and that of a study.
    into : "tree" of at most 16 leaves, "glass", an additive model of curves, "boosting", or an estimator.
    scoring : the measure of the score; by default ROC AUC for two classes, log loss for more, RMSE for numbers.
    cv : the folds, as in ``resample``.
    level : of the intervals.
    random_state : the seed of the folds.

    Returns
    -------
    The new model with its fidelity and its lost score.

    >>> from probus.datasets import mtcars
    >>> from probus.ensemble import RandomForestRegressor
    >>> cars = mtcars()
    >>> X = cars[["wt", "hp", "cyl", "disp"]]
    >>> forest = RandomForestRegressor(100, random_state=0).fit(X, cars["mpg"])
    >>> distil(forest, X).fidelity.value > 0.7
    True
    """
    own = getattr(model, "task", None)
    if X is None and y is None and isinstance(own, Task):
        y = own.y
    given, table = table_of(model, X)
    if isinstance(given, Resampled):
        raise DataError("a result of resample.", "a fitted model", "Pass one of its models: result.models[0].")
    classes = is_classifier(given)
    student = _student(into, classes)
    teacher = model_of_tables(given)
    labels = np.asarray(teacher.predict(table))
    if labels.ndim != 1:
        raise DataError(f"predictions of shape {labels.shape}.", "one for each row")
    if len(np.unique(labels)) < 2:
        raise DataError("the model predicts the same for all rows.", "rows of which predictions differ")
    p = _probabilities(teacher, table) if classes and hasattr(given, "predict_proba") else None
    name = "y" if "y" not in table else "prediction of the model"
    kind: Any = "classification" if classes else "regression"
    task = Task(table.with_columns(_target(name, labels, classes)), name, kind=kind)
    ready = prepared(student, task)
    splits = splits_of(cv, task, random_state=random_state)
    outcomes, fitted_scores, both = [], [], []
    truth = None if y is None else _true_task(table, y, given)
    for train, test in splits.pairs:
        fitted = _fit(ready, task, table, labels, p, train)
        outcomes.append(_outcome(fitted, Labelled.of(task, _rows(fitted, table)), test))
        if truth is not None:
            pair = [
                _outcome(each, _of_all_classes(Labelled.of(truth, rows), given), test)
                for each, rows in ((teacher, table), (fitted, _rows(fitted, table)))
            ]
            fitted_scores.append(pair)
        both.append(np.column_stack([_number(each, table.take(test), given) for each in (teacher, fitted)]))
    chosen = measure("accuracy" if classes else "r2")
    fidelity = Resampled(name_of(ready), task, splits, tuple(outcomes), (chosen,)).estimate(chosen, level)
    lost, scores, scored = _lost(truth, splits, fitted_scores, scoring, level)
    notes = ["the given model's own score is optimistic where it was fitted on these rows"] if lost else []
    if classes and p is None:
        notes.append(f"{name_of(given)} predicts no probabilities: its classes were learnt")
    final = _fit(ready, task, table, labels, p, np.arange(len(table)))
    return Distilled(final, name_of(given), fidelity, lost, scored, scores, np.concatenate(both), tuple(notes))


def surrogate_tree(model: Any, X: Any = None, y: Any = None, *, max_leaves: int = 8, **options: Any) -> Distilled:
    """A small tree that predicts what a model predicts, with how well it does so on rows held out.

    Parameters
    ----------
    model : a fitted model or a study.
    X, y : rows, and their target for the lost score; as in ``distil``.
    max_leaves : the largest number of leaves.
    options : as in ``distil``.

    Returns
    -------
    The tree as ``model`` of the result; ``probus.tree.export_rules`` and ``plot_tree`` show it.
    """
    given = model.model if not hasattr(model, "fit") and hasattr(model, "model") else model
    tree = DecisionTreeClassifier if is_classifier(given) else DecisionTreeRegressor
    return distil(model, X, y, into=tree(max_leaf_nodes=max_leaves, random_state=0), **options)


def _student(into: Any, classes: bool) -> Any:
    """An unfitted model of the kind."""
    if isinstance(into, str):
        if into not in _NAMED:
            raise DataError(f"into={into!r}.", "'tree', 'glass', 'boosting', or an estimator")
        kinds, settings = _NAMED[into]
        return kinds[classes](**settings, random_state=0)
    if not hasattr(into, "fit"):
        raise DataError(f"into={into!r}.", "'tree', 'glass', 'boosting', or an estimator")
    if is_regressor(into) == classes:
        raise DataError(
            f"{name_of(into)} for a model of {'classes' if classes else 'numbers'}.", "one of the same kind"
        )
    return into


def _target(name: str, labels: np.ndarray, classes: bool) -> Column:
    return Column.labels(name, labels) if classes else Column.numbers(name, labels.astype(np.float64))


def _true_task(table: Table, y: Any, model: Any) -> Task:
    name = "y" if "y" not in table else "target"
    values = y.decoded() if isinstance(y, Column) else np.asarray(y)
    if len(values) != len(table):
        raise DataError(f"y has {len(values)} values for {len(table)} rows.", "one for each row")
    kind: Any = "classification" if is_classifier(model) else "regression"
    return Task(table.with_columns(_target(name, values, kind == "classification")), name, kind=kind)


def _probabilities(model: Any, table: Table) -> np.ndarray:
    return np.asarray(model.predict_proba(table), np.float64)


def _rows(ready: Any, table: Table) -> Any:
    return features_for(ready, table)


def _fit(ready: Any, task: Task, table: Table, labels: np.ndarray, p: np.ndarray | None, train: np.ndarray) -> Any:
    """A clone fitted to predictions: of classes to copies of each row, weighted by their probabilities."""
    copy = clone(ready)
    if p is None or not takes_weights(copy):
        return fit_weighted(copy, features_for(copy, table.take(train)), labels[train], None)
    classes = np.array(task.classes, dtype=labels.dtype) if p.shape[1] == len(task.classes) else None
    if classes is None:  # a class that is never predicted
        return fit_weighted(copy, features_for(copy, table.take(train)), labels[train], None)
    rows, code = np.nonzero(p[train] >= _LEAST)
    weights = p[train][rows, code]
    return fit_weighted(copy, features_for(copy, table.take(train[rows])), classes[code], weights)


def _outcome(fitted: Any, data: Labelled, rows: np.ndarray) -> Outcome:
    return outcome_of(fitted, data, rows)


def _of_all_classes(data: Labelled, model: Any) -> Labelled:
    """With the classes of the model, which may be more than those of the rows."""
    if not data.classes:
        return data
    more = [label for label in np.asarray(model.classes_).tolist() if label not in data.classes]
    return replace(data, classes=(*data.classes, *more), positive=data.positive if not more else None)


def _number(model: Any, table: Table, given: Any) -> np.ndarray:
    """The prediction, or the probability of the last class."""
    if not is_classifier(given):
        return np.asarray(model.predict(table), np.float64)
    if not hasattr(model, "predict_proba"):
        return (np.asarray(model.predict(table)) == given.classes_[-1]).astype(np.float64)
    last = np.flatnonzero(np.asarray(model.classes_) == given.classes_[-1])
    return _probabilities(model, table)[:, last[0]] if len(last) else np.zeros(len(table))


def _lost(
    truth: Task | None, splits: Splits, outcomes: list[list[Outcome]], scoring: Any, level: float
) -> tuple[Estimate | None, tuple[Estimate, ...], str]:
    """By how much the second model is worse than the first, paired by row."""
    if truth is None:
        return None, (), ""
    chosen: Measure = measure(scoring) if scoring is not None else ranking_measures(len(truth.classes))[0]
    results = [
        Resampled(which, truth, splits, tuple(pair[k] for pair in outcomes), (chosen,))
        for k, which in ((0, "given"), (1, "distilled"))
    ]
    scores = tuple(each.estimate(chosen, level) for each in results)
    tested = [each.tested(chosen) for each in results]
    if tested[0] is None or tested[1] is None or len(tested[0].moves) != len(tested[1].moves):
        apart = chosen.better(scores[0].value - scores[1].value)
        return Estimate(apart, -np.inf, np.inf, level, "no interval for this measure"), scores, chosen.label
    return difference_interval(tested[0], tested[1], level=level, times=chosen.better(1.0)), scores, chosen.label
