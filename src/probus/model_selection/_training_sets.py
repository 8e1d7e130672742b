"""Many training sets, the same test rows: what ``bias_variance`` measures on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from probus.data import Task
from probus.errors import DataError, FailedModelError
from probus.held_out import predicting_held_out
from probus.model_selection._model_input import prepared, rows_for
from probus.model_selection._splits import seeds, splits_of
from probus.model_selection.engine import Engine, run_jobs
from probus.model_selection.one_split import Labelled, constant_outcome, error_line, portable
from probus.model_selection.splitters._three_way import TrainValidationTest
from probus.model_selection.splitters._units import units_of
from probus.wrapping import set_random_states

Draw = Callable[[np.random.Generator], tuple[Any, Any]]
_Error = tuple[str | None, Exception | None]


@dataclass(frozen=True, eq=False)
class RoundPredictions:
    """Predictions of the test rows by the model of each round, as numbers or as codes of classes.

    predictions : [rounds, rows]. constants : [rounds], the prediction of Zero-R after the same training.
    actual, truth : [rows]; truth is None where it is unknown. n_classes : 0 for numbers.
    weights : float64[rows], summing to one. units : [rows], the group of each row as a code.
    """

    predictions: np.ndarray
    constants: np.ndarray
    actual: np.ndarray
    truth: np.ndarray | None
    n_classes: int
    weights: np.ndarray
    units: np.ndarray
    how: str
    failures: tuple[str, ...]


def rounds_of_task(
    model: Any, task: Task, n_rounds: int, test_size: float, random_state: Any, n_jobs: int | None
) -> RoundPredictions:
    """Hold some rows out and draw the others with replacement in each round; groups stay whole."""
    ready = prepared(model, task)
    data = Labelled.of(task, rows_for(ready, task))
    states = seeds(0 if random_state is None else random_state, n_rounds + 1)
    train, test = _held_out(task, test_size, states.pop())
    units = units_of(train, None if task.groups is None else task.groups[train])
    pairs = [(train[_bootstrap(units, state)], test) for state in states]
    jobs = [
        (ready, pair, None if random_state is None else state, None) for pair, state in zip(pairs, states, strict=True)
    ]
    attempts = Engine(n_jobs=n_jobs).attempts(data, jobs)
    predictions: list[Any] = [each.outcome.predicted for each in attempts]
    zero_r: list[Any] = [constant_outcome(data, drawn, test[:1]).predicted for drawn, _ in pairs]
    weights = np.ones(len(test)) if data.weights is None else data.weights[test]
    groups = np.arange(len(test)) if task.groups is None else task.groups[test]
    return RoundPredictions(
        predictions=np.stack(predictions),
        constants=np.ravel(zero_r),
        actual=data.actual[test],
        truth=None,
        n_classes=len(data.classes),
        weights=weights / weights.sum(),
        units=np.unique(groups, return_inverse=True)[1],
        how=f"bootstrap samples of {len(train):,} rows, {len(test):,} rows held out",
        failures=_failures([(each.error, each.cause) for each in attempts]),
    )


def rounds_of_generator(
    model: Any,
    draw: Draw,
    truth: Callable[[Any], Any] | None,
    loss: str,
    n_rounds: int,
    test_size: float,
    random_state: Any,
    n_jobs: int | None,
) -> RoundPredictions:
    """Draw a new training set in each round; test rows are drawn until there are at least ``test_size``."""
    states = seeds(0 if random_state is None else random_state, n_rounds + 1)
    X, actual, n_drawn = _test_rows(draw, test_size, states.pop())
    jobs = [(model, draw, X, loss, state, random_state is not None) for state in states]
    predictions, constants, errors = zip(*run_jobs(_one_round, jobs, n_jobs), strict=True)
    sides = [np.stack(predictions), np.array(constants), actual]
    if truth is not None:
        sides.append(_align(truth(X), len(actual), "the truth"))
    n_classes = 0
    if loss == "zero_one":
        labels = np.unique(np.concatenate([np.ravel(side) for side in sides]))
        sides, n_classes = [np.searchsorted(labels, side) for side in sides], len(labels)
    return RoundPredictions(
        predictions=sides[0],
        constants=sides[1],
        actual=sides[2],
        truth=None if truth is None else sides[3],
        n_classes=n_classes,
        weights=np.full(len(actual), 1 / len(actual)),
        units=np.arange(len(actual)),
        how=f"training sets of {n_drawn:,} rows drawn anew, {len(actual):,} test rows",
        failures=_failures(errors),
    )


# -- a task --------------------------------------------------------------------------------------------


def _held_out(task: Task, test_size: float, state: int) -> tuple[np.ndarray, np.ndarray]:
    share = test_size / len(task) if test_size >= 1 else test_size
    if not 0 < share < 1:
        raise DataError(
            f"test_size={test_size:g} of {len(task):,} rows.", "a share, or a number of rows that leaves some"
        )
    return splits_of(_one_split(task, share, state), task).pairs[0]


def _one_split(task: Task, share: float, state: int) -> Any:
    """A splitter that keeps the roles of the task; classes of one row cannot be shared out."""
    if task.times is not None:
        # of its three parts it joins the first two
        return TrainValidationTest(validation=(1 - share) / 2, test=share)
    if task.groups is not None:
        return GroupShuffleSplit(1, test_size=share, random_state=state)
    counts = np.bincount(task.table[task.target].values) if task.classes else np.zeros(1)
    shared = counts.min() >= 2 and min(share, 1 - share) * len(task) >= len(counts)
    return (StratifiedShuffleSplit if shared else ShuffleSplit)(1, test_size=share, random_state=state)


def _bootstrap(units: list[np.ndarray], state: int) -> np.ndarray:
    drawn = np.random.default_rng(state).integers(len(units), size=len(units))
    return np.concatenate([units[unit] for unit in drawn])


# -- a generator ---------------------------------------------------------------------------------------


def _test_rows(draw: Draw, test_size: float, state: int) -> tuple[Any, np.ndarray, int]:
    """At least so many rows to test on, their targets, and how many rows came with one draw."""
    if test_size < 1:
        raise DataError(f"test_size={test_size:g} of rows that are drawn.", "a number of rows, at least 1")
    rng = np.random.default_rng(state)
    X, y = _check(draw(rng))
    blocks, targets, n_drawn = [X], [y], len(y)
    while sum(map(len, targets)) < test_size:
        X, y = _check(draw(rng))
        blocks.append(X)
        targets.append(y)
    return np.concatenate(blocks), np.concatenate(targets), n_drawn


@predicting_held_out()
def _one_round(
    model: Any, draw: Draw, X_test: np.ndarray, loss: str, state: int, seeded: bool
) -> tuple[np.ndarray, Any, _Error]:
    """Predictions of the test rows by a model trained on one draw, Zero-R's constant, and what went wrong."""
    X, y = _check(draw(np.random.default_rng(state)))
    labels, counts = np.unique(y, return_counts=True)
    constant = y.mean() if loss == "squared" else labels[counts.argmax()]
    copy = clone(model)
    if seeded:
        set_random_states(copy, state)
    try:
        return _align(copy.fit(X, y).predict(X_test), len(X_test), "predictions"), constant, (None, None)
    except Exception as error:  # a draw can lack a class; the result reports what the model raises
        return np.full(len(X_test), constant), constant, (error_line(error), portable(error))


def _check(drawn: Any) -> tuple[np.ndarray, np.ndarray]:
    if not (isinstance(drawn, tuple) and len(drawn) == 2):
        raise DataError(f"the function drew {type(drawn).__name__}.", "a pair (X, y)")
    X, y = (np.asarray(side) for side in drawn)
    if X.ndim != 2 or y.shape != (len(X),) or len(y) == 0:
        raise DataError(
            f"the function drew X of shape {X.shape} and y of shape {y.shape}.", "rows × columns, and one y a row"
        )
    return X, y


def _align(values: Any, n: int, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != (n,):
        raise DataError(f"{what} of shape {array.shape} for {n} rows.", "one value per row")
    return array


def _failures(errors: Sequence[_Error]) -> tuple[str, ...]:
    messages = tuple(line for line, _ in errors if line)
    if len(messages) == len(errors):
        raise FailedModelError(
            f"the model failed in all {len(errors)} rounds: {messages[0]}", "a model that can be fitted"
        ) from errors[0][1]
    return messages
