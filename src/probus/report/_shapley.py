"""What each column adds to a prediction: Shapley values of any model from as many sampled orders as the time allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Kind, Table
from probus.ensemble import ShapValues
from probus.errors import DataError
from probus.inspection import numbers_of, sample_orders
from probus.model_selection.one_split import work_clock
from probus.report._refits import Stopwatch

Predict = Callable[[Table], np.ndarray]

_TIMED_ROWS = 1_000
_FEWEST_ROWS = 20
_ORDERS = (4, 60)  # the least that is shown, and the most that is computed


def predicts_of(model: Any, classes: tuple[Any, ...], positive: int | None) -> tuple[Predict, tuple[Any, ...]]:
    """The numbers that are explained, and their names: the positive probability, all of them, or the prediction."""
    if not classes:
        return (lambda X: np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)), ()
    if not hasattr(model, "predict_proba"):
        raise DataError("a model without probabilities.", "predict_proba")
    if len(classes) == 2 and positive is not None:
        return (lambda X: np.asarray(model.predict_proba(X))[:, [positive]]), ()
    return (lambda X: np.asarray(model.predict_proba(X))), classes


def shapley_within(
    predict: Predict, X: Table, rows: np.ndarray, outputs: tuple[Any, ...], clock: Stopwatch, random_state: int = 0
) -> tuple[ShapValues, np.ndarray]:
    """The values of some rows from as many orders as the time allows, and their standard errors.

    Where the time is short, the last rows are left out.
    """
    cost = _seconds_per_row(predict, X, rows) * (len(X.names) + 1)
    least = min(_FEWEST_ROWS, len(rows))
    rows = rows[: max(int(clock.left / (cost * _ORDERS[0])), 0)]
    orders = int(min(clock.left / (cost * max(len(rows), 1)), _ORDERS[1])) // 2 * 2
    if len(rows) < least:
        needed = cost * least * _ORDERS[0]
        raise DataError(clock.shortage(needed), "more time")
    values, base, error = sampled_shapley(predict, X, rows, orders, random_state)
    one = not outputs
    return ShapValues(
        values[:, :, 0] if one else values,
        float(base[0]) if one else base,
        np.stack([numbers_of(column)[rows] for column in X], axis=1),
        X.names,
        np.array([column.kind in (Kind.NOMINAL, Kind.TEXT) for column in X]),
        outputs,
    ), error


def _seconds_per_row(predict: Predict, X: Table, rows: np.ndarray) -> float:
    """The time of a prediction, measured on many rows after a first call, which may compile."""
    predict(X.take(rows[:10]))
    sample = X.take(np.resize(rows, _TIMED_ROWS))
    started = work_clock()
    predict(sample)
    return max((work_clock() - started) / _TIMED_ROWS, 1e-9)


def sampled_shapley(
    predict: Predict, X: Table, rows: np.ndarray, orders: int, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values float64[n, d, K], the base float64[K], and the standard errors of the values.

    >>> table = Table.of({"a": [1.0, 2.0, 3.0], "b": [0.0, 5.0, 1.0]})
    >>> values, base, _ = sampled_shapley(lambda X: X.numbers() @ [[2.0], [1.0]], table, np.array([0, 1]), 6)
    >>> bool(np.allclose(values.sum(axis=1) + base, [[2.0], [9.0]]))
    True
    """
    pairs = max(orders // 2, 1)
    drawn = X.take(np.random.default_rng(random_state).integers(0, X.n_rows, pairs))
    found = sample_orders(predict, X.take(rows), drawn, most_draws=pairs, orders_each=1, random_state=random_state)
    assert found.errors is not None
    return found.values, found.base, found.errors
