"""Edits of a curve: new values for the bins of a column, refused where they are no function of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from probus.display import counted, listed
from probus.ensemble.glass_box._column_view import ColumnView
from probus.errors import DataError

_NO_FUNCTION = "One value of the column must have one value of the curve."


def edited_values(view: ColumnView, before: np.ndarray, curve: Any, missing: float | None) -> np.ndarray:
    """The values of the bins after an edit, those of missing values last: float64[bins + 1].

    Parameters
    ----------
    view : the column.
    before : its values before.
    curve : a number; a function of the values of the column; a dict of levels or values; a pair of arrays; or one value
        for each bin.
    missing : the value of missing values; None keeps it.
    """
    after = before.copy()
    n = len(before) - 1
    if callable(curve):
        after[:n] = _by_function(view, curve)
    elif isinstance(curve, Mapping):
        after[:n] = _by_level(view, before[:n], curve) if view.labels else _by_points(view, list(curve.items()))
    elif isinstance(curve, tuple) and len(curve) == 2 and np.ndim(curve[0]) == 1:
        x, y = (np.asarray(each, dtype=object) for each in curve)
        if x.shape != y.shape:
            raise DataError(f"{len(x)} places and {len(y)} values for {view.name!r}.", "one value for each place")
        points = list(zip(x.tolist(), y.tolist(), strict=True))
        after[:n] = _by_level(view, before[:n], _as_dict(view, points)) if view.labels else _by_points(view, points)
    elif isinstance(curve, Real):
        after[:n] = _number(curve, view)
    else:
        given = _numbers(curve, view)
        if given.shape not in ((n,), (n + 1,)):
            raise DataError(
                f"values of shape {given.shape} for {view.name!r}.",
                f"one for each of its {n} bins, and perhaps one for missing values",
                f"model.curve({view.name!r}).to_frame() lists them.",
            )
        after[: len(given)] = given
    if missing is not None:
        after[n] = _number(missing, view)
    return after


def _by_function(view: ColumnView, curve: Callable[[Any], Any]) -> np.ndarray:
    """The values of a function, which is called twice, the second time with the values in reverse order."""
    places = view.places

    def call(values: np.ndarray) -> np.ndarray:
        try:
            found = curve(values)
        except Exception as error:
            raise DataError(
                f"the function for {view.name!r} fails on its values: {type(error).__name__}: {error}",
                "a function of an array of values of this column alone",
                _NO_FUNCTION,
            ) from error
        found = _numbers(found, view)
        if found.ndim == 0:
            found = np.full(len(values), float(found))
        if found.shape != (len(values),):
            raise DataError(
                f"the function for {view.name!r} returns an array of shape {found.shape} for {len(values)} values.",
                "a number for each",
                _NO_FUNCTION,
            )
        return found

    first, again = call(places.copy()), call(places[::-1].copy())[::-1]
    if not np.array_equal(first, again):
        at = int(np.argmax(first != again))
        value = places.tolist()[at]
        raise DataError(
            f"the function for {view.name!r} returns {first[at]:g} and {again[at]:g} for one value, {value!r}.",
            "the same number each time",
            _NO_FUNCTION,
        )
    return first


def _as_dict(view: ColumnView, points: list[tuple[Any, Any]]) -> dict[Any, float]:
    """Points as a dict; an error where one place has two values."""
    found: dict[Any, float] = {}
    for place, value in points:
        number = _number(value, view)
        if found.setdefault(place, number) != number:
            raise DataError(
                f"{view.name!r} = {place!r} has the values {found[place]:g} and {number:g}.", "one", _NO_FUNCTION
            )
    return found


def _by_points(view: ColumnView, points: list[tuple[Any, Any]]) -> np.ndarray:
    """Lines between points; constant beyond the first and the last."""
    if not points:
        raise DataError(f"no points for {view.name!r}.", "at least one")
    found = _as_dict(view, [(_number(place, view), value) for place, value in points])
    x = np.array(sorted(found))
    return np.interp(view.places, x, np.array([found[each] for each in x.tolist()]))


def _by_level(view: ColumnView, before: np.ndarray, values: Mapping[Any, Any]) -> np.ndarray:
    """New values of some levels."""
    after, known = before.copy(), {str(label): place for place, label in enumerate(view.labels)}
    for level, value in values.items():
        if str(level) not in known:
            raise DataError(f"{view.name!r} has no level {level!r}.", listed(list(map(repr, known))[:12], "or"))
        after[known[str(level)]] = _number(value, view)
    return after


def _numbers(values: Any, view: ColumnView) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{str(values)[:60]!r} as values of the curve of {view.name!r}.", "numbers") from None
    lost = found.size - int(np.isfinite(found).sum())
    if lost:
        raise DataError(f"{counted(lost, 'value')} of the curve of {view.name!r} not finite.", "a number everywhere")
    return found


def _number(value: Any, view: ColumnView) -> float:
    found = _numbers(value, view)
    if found.ndim:
        raise DataError(f"an array of {found.size} numbers in place of one, for {view.name!r}.", "a number")
    return float(found)


def smoothed(values: np.ndarray, rows: np.ndarray, degrees: float) -> np.ndarray:
    """A curve over neighbouring bins with so many effective degrees of freedom: penalised second differences.

    Minimises Σ rows (f - values)² + λ Σ (f_{b-1} - 2 f_b + f_{b+1})², λ such that ``degrees`` is the trace of the
    smoother.
    """
    n = len(values)
    if n <= 2 or degrees >= n:
        return values.copy()
    weight = np.diag(np.maximum(rows, 1e-3 * max(rows.max(), 1e-300)))
    bend = np.diff(np.eye(n), 2, axis=0)
    low, high = -9.0, 9.0
    scale = weight.trace() / n
    for _ in range(60):
        middle = 0.5 * (low + high)
        trace = np.linalg.solve(weight + scale * 10.0**middle * bend.T @ bend, weight).trace()
        low, high = (middle, high) if trace > degrees else (low, middle)
    return np.linalg.solve(weight + scale * 10.0**high * bend.T @ bend, weight @ values)
