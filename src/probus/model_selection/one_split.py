"""One model on one split: fitted on the training rows, evaluated on the test rows, its errors caught."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from probus.compiling import seconds_compiling
from probus.data import Level, Task
from probus.data.row_selection import take_rows
from probus.errors import DataError
from probus.held_out import predicting_held_out
from probus.metrics import Measure, Outcome, codes_of
from probus.model_selection.splitters._units import Pair
from probus.sklearn_seam import safe_indexing
from probus.wrapping import fit_weighted, groups_parameter, routing_enabled, set_random_states, takes_weights

__all__ = [
    "Attempt", "Labelled", "attempt", "constant_outcome", "error_line", "outcome_of", "perfect_outcome", "portable",
    "predicts_alike", "scored_outcome", "work_clock",
]  # fmt: skip


_TINY = 1e-12  # in place of a probability of 0


@dataclass(frozen=True, eq=False)
class Labelled:
    """A task as arrays, made once for all splits.

    y is what models are fitted to; actual is the same as codes into the classes, or as numbers. groups are for models
    that split their rows themselves. decisions is whether a measure needs what ``decision_function`` returns. params
    are further arguments of ``fit``, of which those with a value per row are split as the rows are.
    """

    X: Any
    y: np.ndarray
    actual: np.ndarray
    weights: np.ndarray | None
    classes: tuple[Level, ...]
    positive: int | None
    groups: np.ndarray | None = None
    decisions: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, task: Task, X: Any, params: Mapping[str, Any] | None = None, measures: Iterable[Measure] = ()
    ) -> Labelled:
        """The task's target and weights, and its features as the model takes them, to be scored by these measures."""
        actual = task.table[task.target].values
        return cls(
            X=X,
            y=task.y,
            actual=actual.astype(np.int64) if task.classes else actual,
            weights=task.sample_weight,
            classes=task.classes,
            positive=None if task.pos_label is None else task.classes.index(task.pos_label),
            groups=task.groups,
            params=params or {},
            decisions=any(each.needs == "decisions" for each in measures),
        )

    def features(self, rows: np.ndarray) -> Any:
        """Those rows of X."""
        return take_rows(self.X, rows)

    def fit_params(self, rows: np.ndarray) -> dict[str, Any]:
        """The further arguments of ``fit`` for those rows."""
        return {
            name: safe_indexing(value, rows) if np.ndim(value) and len(value) == len(self.y) else value
            for name, value in self.params.items()
        }

    def truth(self, rows: np.ndarray) -> Outcome:
        """The truth about those rows, without predictions yet."""
        weights = None if self.weights is None else self.weights[rows]
        return Outcome(self.actual[rows], classes=self.classes, positive=self.positive, weights=weights)


@dataclass(frozen=True, eq=False)
class Attempt:
    """The result of a split: the outcome on its test rows, what was kept of the model, and the error if it failed.

    seconds : of fitting and predicting, without compilation; fit_seconds : of fitting.
    error : the error in a line; cause : the error itself, where it can be passed between processes.
    """

    outcome: Outcome
    seconds: float
    fit_seconds: float
    kept: Any = None
    error: str | None = None
    cause: Exception | None = None


@predicting_held_out()
def attempt(
    model: Any, data: Labelled, pair: Pair, *, seed: int | None = None, keep: Callable[[Any], Any] | None = None
) -> Attempt:
    """Fit a clone of the model and predict; where either fails, the constant predictor predicts instead.

    ``seed`` sets every ``random_state`` of the clone; ``keep`` maps the fitted model to what is returned of it.
    """
    train, test = pair
    started = fitted_at = work_clock()
    try:
        fitted = _fit(model, data, train, seed)
        fitted_at = work_clock()
        outcome = outcome_of(fitted, data, test)
        done_at = work_clock()
        kept = keep(fitted) if keep else None
    except Exception as reason:  # the result reports whatever a model raises
        done_at = work_clock()
        outcome = constant_outcome(data, train, test)
        seconds = (done_at - started, fitted_at - started)
        return Attempt(outcome, *seconds, error=error_line(reason), cause=portable(reason))
    return Attempt(outcome, done_at - started, fitted_at - started, kept)


def work_clock() -> float:
    """Seconds, without those of compilation, which happens once and would be charged to the first model."""
    return time.perf_counter() - seconds_compiling()


def error_line(error: Exception) -> str:
    """The type of an error and the first line of its message."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def portable(error: Exception) -> Exception | None:
    """The error without the variables of its frames, which hold rows; None where it cannot be pickled."""
    link: BaseException | None = error
    while link is not None:
        traceback.clear_frames(link.__traceback__)
        link = link.__cause__ or link.__context__
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever the pickling of a foreign class raises
        return None
    return error


@predicting_held_out()
def outcome_of(fitted: Any, data: Labelled, rows: np.ndarray) -> Outcome:
    """The predictions of a fitted model for those rows, held out of data that it was fitted on."""
    return scored_outcome(fitted, data, rows)


def scored_outcome(fitted: Any, data: Labelled, rows: np.ndarray) -> Outcome:
    """The same for new data, about which models may warn."""
    X, truth = data.features(rows), data.truth(rows)
    if data.classes:
        found = _classify(fitted, X, truth)
        return replace(found, decisions=_decisions(fitted, X, truth)) if data.decisions else found
    return replace(truth, predicted=_finite(fitted.predict(X)).reshape(len(truth)))


def perfect_outcome(task: Task) -> Outcome:
    """The labels of a classification as predictions, for measures that this target does not have whatever the model."""
    data = Labelled.of(task, None)
    return data.truth(np.arange(len(task))).with_probabilities(np.eye(len(task.classes))[data.actual])


def constant_outcome(data: Labelled, train: np.ndarray, test: np.ndarray) -> Outcome:
    """The class frequencies, or the mean, of the training rows as predictions for the test rows."""
    weights = None if data.weights is None or not data.weights[train].any() else data.weights[train]
    truth = data.truth(test)
    if not data.classes:
        return replace(truth, predicted=np.full(len(test), np.average(data.actual[train], weights=weights)))
    counts = np.bincount(data.actual[train], weights, minlength=len(data.classes))
    found = truth.with_probabilities(np.tile(counts / counts.sum(), (len(test), 1)))
    if not data.decisions:
        return found
    logs = np.log(np.maximum(found.need("probabilities"), _TINY))
    return replace(found, decisions=logs if len(data.classes) > 2 else 2 * logs[:, _favour(truth)] - logs.sum(axis=1))


def _fit(model: Any, data: Labelled, train: np.ndarray, seed: int | None) -> Any:
    copy = clone(model)
    if seed is not None:
        set_random_states(copy, seed)
    params = data.fit_params(train)
    weights = params.pop("sample_weight", None)
    if data.weights is not None and takes_weights(copy):
        weights = data.weights[train]
    if data.groups is not None and (name := groups_parameter(copy)) is not None:
        params.setdefault(name, data.groups[train])
    return fit_weighted(copy, data.features(train), data.y[train], weights, **params)


# -- predictions -----------------------------------------------------------------------------------


def _classify(fitted: Any, X: Any, truth: Outcome) -> Outcome:
    if hasattr(fitted, "predict_proba"):
        predicted, given = _with_probabilities(fitted, X)
        known, given = _known(fitted, truth), _finite(given)
        probabilities = np.zeros((len(truth), len(truth.classes)))
        probabilities[:, known] = given
        likeliest = given.argmax(axis=1)
        same = np.array_equal(predicted, fitted.classes_[likeliest])  # far cheaper than looking up labels
        codes = known[likeliest] if same else _codes(predicted, truth)
        return replace(truth.with_probabilities(probabilities), predicted=codes)
    predicted, scores = _labels(fitted.predict(X)), None
    if hasattr(fitted, "decision_function") and len(truth.classes) == 2:
        sign = 1.0 if _known(fitted, truth)[-1] == truth.positive else -1.0
        scores = sign * _finite(fitted.decision_function(X))
    return replace(truth, predicted=_codes(predicted, truth), scores=scores)


def _with_probabilities(fitted: Any, X: Any) -> tuple[np.ndarray, Any]:
    """The predicted classes and the probabilities; rows are prepared, and neighbours found, once for both."""
    while _prepares_for_its_last_step(fitted):
        for _, _, step in fitted._iter(with_final=False):
            X = step.transform(X)
        fitted = fitted.steps[-1][1]
    if hasattr(fitted, "predict_with_proba") and _owner(fitted, "predict_with_proba") is not None:
        return fitted.predict_with_proba(X)
    return _labels(fitted.predict(X)), fitted.predict_proba(X)


def _labels(predicted: Any) -> np.ndarray:
    """Predicted labels, which CatBoost returns as a matrix of one column where there are several classes."""
    labels = np.asarray(predicted)
    return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels


def _prepares_for_its_last_step(fitted: Any) -> bool:
    """Whether a model predicts as scikit-learn's Pipeline does."""
    if not isinstance(fitted, Pipeline) or len(fitted.steps) == 1 or routing_enabled():
        return False
    return _owner(fitted) is Pipeline


def _owner(fitted: Any, *names: str) -> type | None:
    """The class that defines how it predicts classes and probabilities; None where several do."""
    owners = {
        next((each for each in type(fitted).__mro__ if name in vars(each)), None)
        for name in ("predict", "predict_proba", *names)
    }
    return owners.pop() if len(owners) == 1 else None


def predicts_alike(model: Any) -> bool:
    """Whether a model predicts the same for all rows, by its design."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    from probus.dummy import ZeroRClassifier, ZeroRRegressor

    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if isinstance(last, DummyClassifier):
        return last.strategy in ("prior", "most_frequent", "constant")
    return isinstance(last, ZeroRClassifier | ZeroRRegressor | DummyRegressor)


def _decisions(fitted: Any, X: Any, truth: Outcome) -> np.ndarray | None:
    """What ``decision_function`` returns, larger for the positive class, or one column for each of several classes.

    None where the model has no such function, or was not trained on all classes.
    """
    if not hasattr(fitted, "decision_function"):
        return None
    known, values = _known(fitted, truth), _finite(fitted.decision_function(X))
    if len(known) < len(truth.classes):
        return None
    if values.ndim == 1:
        return values if known[-1] == _favour(truth) else -values
    return values[:, np.argsort(known)] if values.shape[1] == len(known) else None


def _favour(truth: Outcome) -> int:
    """Of two classes the one whose decision values are larger: the positive one, or the last."""
    return len(truth.classes) - 1 if truth.positive is None else truth.positive


def _codes(predicted: np.ndarray, truth: Outcome) -> np.ndarray:
    return codes_of(predicted, truth.classes, "the predictions of the model")


def _known(fitted: Any, truth: Outcome) -> np.ndarray:
    """The classes that the model was trained on, which may not be all."""
    return codes_of(np.asarray(fitted.classes_), truth.classes, "the model's classes_")


def _finite(predicted: Any) -> np.ndarray:
    array = np.asarray(predicted, dtype=np.float64)
    if not np.isfinite(array).all():
        raise DataError("predictions that are NaN or infinite.", "finite numbers")
    return array
