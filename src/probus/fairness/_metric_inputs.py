"""What users pass to ``MetricFrame``: metrics with their parameters, and columns of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from probus.data import Column, Table, is_frame
from probus.errors import DataError
from probus.metrics import Measure, Outcome, measure

_OUR_RATES = "probus.fairness._overall_rates"


class Metric(NamedTuple):
    """A function of truth and predictions, with what else it is given of each row.

    name : its name. function : of (y_true, y_pred, **params). params : values of the rows, by parameter.
    classes : which labels there are, and which is positive, as parameters; none of functions that are not ours.
    """

    name: str
    function: Callable[..., Any]
    params: Mapping[str, np.ndarray]
    classes: Mapping[str, Any] = {}

    def of(self, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray) -> Any:
        """Its value on some rows."""
        of_rows = {name: each[rows] for name, each in self.params.items()}
        return self.function(y[rows], predicted[rows], **of_rows, **self.classes)

    def with_classes_of(self, y: np.ndarray, predicted: np.ndarray) -> Metric:
        """The metric with the positive one of two labels, since a group may have one label only."""
        inner: Any = self.function
        bound: Mapping[str, Any] = {}
        if isinstance(inner, partial):
            inner, bound = inner.func, inner.keywords
        is_rate = getattr(inner, "__module__", "") == _OUR_RATES and "pos_label" in signature(inner).parameters
        if "pos_label" in bound or not (is_rate or isinstance(inner, Measure)):
            return self
        try:
            found = Outcome.of(y, predicted, needs=inner.needs if isinstance(inner, Measure) else "labels")
        except DataError:  # of the metric itself, if it is one for it
            return self
        if found.positive is None:
            return self
        classes = {"pos_label": found.classes[found.positive]}
        return self._replace(classes=classes if is_rate else {**classes, "classes": found.classes})


def metrics_of(metrics: Any, params: Mapping[str, Any] | None, n: int) -> Iterator[Metric]:
    """The functions with their names and parameters."""
    if params is not None and not isinstance(params, Mapping):
        raise DataError(f"sample_params={params!r}.", "a dict of arrays, or of such dicts by the name of the metric")
    params = params or {}
    if not isinstance(metrics, Mapping):
        yield _metric(None, metrics, params, n)
        return
    if not metrics:
        raise DataError("no metrics.", "at least one function")
    if strange := set(params) - set(metrics):
        raise DataError(
            f"sample_params of {min(strange, key=str)!r}.", f"of the metrics {', '.join(map(str, metrics))}"
        )
    for name, function in metrics.items():
        yield _metric(name, function, params.get(name) or {}, n)


def _metric(name: Any, function: Any, params: Mapping[str, Any], n: int) -> Metric:
    if isinstance(function, str):
        name = function if name is None else name
        function = measure(function)
    if not callable(function):
        raise DataError(f"the metric {function!r}.", "a function of (y_true, y_pred), or the name of a measure")
    if not isinstance(params, Mapping):
        raise DataError(f"sample_params={params!r}.", "a dict of arrays, or of such dicts by the name of the metric")
    arrays = {key: np.asarray(value) for key, value in params.items() if value is not None}
    for key, value in arrays.items():
        if value.shape[:1] != (n,):
            raise DataError(
                f"sample_params {key!r} of shape {value.shape}.", f"a value for each of the {n:,} rows",
                "Bind what is no array with functools.partial(metric, …).",
            )  # fmt: skip
    inner = function.func if isinstance(function, partial) else function
    found = getattr(inner, "__name__", None) or getattr(inner, "name", None) or "metric"
    return Metric(str(found if name is None else name), function, arrays)


def features_of(prefix: str, given: Any, n: int) -> dict[str, np.ndarray]:
    """The values of sensitive or control features by name; missing ones as text."""
    what = "sensitive_features" if prefix.startswith("s") else "control_features"
    if given is None:
        raise DataError(f"no {what}.", "the group of each row")
    if isinstance(given, Column):
        columns = {given.name or f"{prefix}0": given.decoded()}
    elif isinstance(given, Table):
        columns = {column.name: column.decoded() for column in given}
    elif isinstance(given, Mapping):
        columns = {name: cells_of(values) for name, values in given.items()}
    elif is_frame(given):
        columns = {name: cells_of(given[name]) for name in given.columns}
    else:
        values, name = cells_of(given), getattr(given, "name", None)
        if values.ndim == 2:
            columns = {f"{prefix}{j}": values[:, j] for j in range(values.shape[1])}
        else:
            columns = {f"{prefix}0" if name is None else name: values}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise DataError(f"a column of {what} named {name!r}.", "names that are text")
        if values.shape != (n,):
            raise DataError(
                f"{what} {name!r} has the shape {values.shape} and y_true has {n:,} rows.", "a value per row"
            )
    if not columns:
        raise DataError(f"no column in {what}.", "at least one")
    return {name: _without_missing(values) for name, values in columns.items()}


def _without_missing(values: np.ndarray) -> np.ndarray:
    import pandas as pd

    gone = pd.isna(values)
    if not gone.any():
        return values
    filled = values.astype(object)
    filled[gone] = "missing"
    return filled


def levels_of(values: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """The distinct values in order, "missing" last, and the place of each."""
    try:
        known, codes = np.unique(values, return_inverse=True)
    except TypeError:  # numbers and "missing", for example
        order = sorted(set(values.tolist()), key=lambda each: (each == "missing", str(type(each)), each))
        place = {each: code for code, each in enumerate(order)}
        return order, np.array([place[each] for each in values.tolist()])
    return known.tolist(), codes.ravel()


def cells_of(values: Any) -> np.ndarray:
    """Truth, predictions or groups as an array; one column of several dimensions is flat."""
    if isinstance(values, Column):
        return values.decoded()
    array = np.asarray(values)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def check_one_of(name: str, given: str, allowed: Sequence[str]) -> str:
    if given not in allowed:
        raise DataError(f"{name}={given!r}.", "one of " + ", ".join(map(repr, allowed)))
    return given
