"""How much the model of a study relies on each column, measured again on its splits within a time limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from probus.data import Task
from probus.errors import DataError
from probus.inspection import Importances, Part, Source, permute_columns
from probus.metrics import Measure
from probus.model_selection import Splits
from probus.model_selection.one_split import Labelled, attempt, outcome_of, work_clock
from probus.report._refits import Stopwatch

_MOST_ROWS = 2_000  # of a fold
_TIMED_ROWS = 1_000
_FEWEST_ROWS = 40
_MOST_COLUMNS = 100


class ColumnImportance(NamedTuple):
    """The importances, and the seconds of one fit."""

    found: Importances
    fit_seconds: float


def column_importance(
    model: Any, task: Task, splits: Splits, measure: Measure, *, clock: Stopwatch, random_state: int = 0
) -> ColumnImportance:
    """Fit the model on the folds of the first repeat, and shuffle each column once among the test rows of each.

    Of more than 100 columns, the first 100.
    """
    data, features = Labelled.of(task, task.X), task.features[:_MOST_COLUMNS]
    rng = np.random.default_rng(random_state)
    parts: list[Part] = []
    seconds: list[float] = []
    most = _MOST_ROWS
    folds = splits.folds
    for train, test in splits.pairs[: splits.folds]:
        if len(parts) == folds:
            break
        tried = attempt(model, data, (train, test[:1]), keep=_itself)
        if tried.error:
            raise DataError(f"the model failed: {tried.error}.", "a model that can be refitted")
        if not seconds:
            folds = _folds(tried.fit_seconds, splits.folds, clock.left)
            rest = Stopwatch(clock.left - (folds - 1) * tried.fit_seconds)
            most = min(most, _affordable(tried.kept, data, test, len(features) * folds, rest))
        rows = test if len(test) <= most else np.sort(rng.choice(test, most, replace=False))
        seconds.append(tried.fit_seconds)
        parts.append(Part(tried.kept, data, rows, train))
    pairs = tuple((train, part.rows) for (train, _), part in zip(splits.pairs, parts, strict=False))
    drawn = replace(splits, pairs=pairs, folds=len(pairs), repeats=1)
    rows_tested = sum(len(part.rows) for part in parts)
    source = Source(task, model, tuple(parts), drawn, f"{rows_tested:,} test rows")
    together = {name: (name,) for name in features}
    found = permute_columns(source, measure, together, n_repeats=1, random_state=random_state)
    return ColumnImportance(found, float(np.mean(seconds)))


def _itself(model: Any) -> Any:
    return model


def _folds(fit: float, most: int, left: float) -> int:
    """The number of folds, two at least, whose fits take no more than half of the time that is left."""
    return int(np.clip(1 + left / 2 // max(fit, 1e-9), min(2, most), most))


def _affordable(fitted: Any, data: Labelled, test: np.ndarray, times: int, clock: Stopwatch) -> int:
    """The number of test rows that can be predicted so many times in the time that is left."""
    sample = np.resize(test, _TIMED_ROWS)
    started = work_clock()
    outcome_of(fitted, data, sample)
    one = (work_clock() - started) / _TIMED_ROWS
    most = int(clock.left / (one * times))
    if most < min(_FEWEST_ROWS, len(test)):
        raise DataError(clock.shortage(one * times * _FEWEST_ROWS), "more time")
    return most
