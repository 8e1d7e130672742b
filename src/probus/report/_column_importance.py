"""How much a model relies on each column: its score when the column is shuffled among the test rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.data import Table, Task
from probus.display import Cells, Result, counted, drawing, shortened
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome
from probus.model_selection import Splits, corrected_interval, difference_interval, tested_rows
from probus.model_selection.one_split import Labelled, attempt, outcome_of, work_clock
from probus.report._refits import Stopwatch

_MOST_ROWS = 2_000  # of a fold
_TIMED_ROWS = 1_000
_BATCH = 20_000  # rows predicted in one call
_FEWEST_ROWS = 40
_MOST_COLUMNS = 100
_SHOWN = 15


@dataclass(frozen=True, eq=False, repr=False)
class ColumnImportance(Result):
    """The loss of score when a column is shuffled, the largest first, with 95 % intervals paired by row.

    names : the columns. losses : by how much the score gets worse; around 0 for a column that the model does not need.
    measure : the score. rows : the test rows that were shuffled. fit_seconds : of one fit. left_out : columns beyond
    the first 100.
    """

    names: tuple[str, ...]
    losses: tuple[Estimate, ...]
    measure: Measure
    rows: int
    fit_seconds: float
    left_out: int = 0

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column."""
        return [
            {"column": name, "loss": loss.value, "low": loss.low, "high": loss.high}
            for name, loss in zip(self.names, self.losses, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"scoring": self.measure.name, "rows": self.rows, "columns": self._rows()}

    def _parts(self) -> list[Any]:
        lines = [[name, str(loss)] for name, loss in zip(self.names, self.losses, strict=True)]
        head = f"Loss of {self.measure.label} when a column is shuffled, {counted(self.rows, 'row')}"
        return [head, Cells([["column", "loss"], *lines], margin=2, most=_SHOWN)]

    def plot(self, ax: Any = None) -> Any:
        """A line for each of the most important columns, with its interval."""
        shown = min(len(self.names), _SHOWN)
        ax = drawing.new_axes(ax, 6.0, 1.2 + 0.28 * shown)
        value, low, high = np.array([(e.value, e.low, e.high) for e in self.losses[:shown]]).reshape(-1, 3).T
        spans = np.nan_to_num(np.abs(np.stack([low, high]) - value), posinf=0.0)
        ax.axvline(0.0, color=drawing.MUTED, linewidth=0.8)
        ax.errorbar(value, np.arange(shown), xerr=spans, fmt="o", color=drawing.BLUE, markersize=4.5, elinewidth=1.6)
        change = "loss" if self.measure.greater_is_better else "rise"
        drawing.tidy(ax, "Columns the model relies on", f"{change} of {self.measure.label} when shuffled", "")
        ax.set_yticks(np.arange(shown), [shortened(name, 24) for name in self.names[:shown]], parse_math=False)
        ax.set_ylim(shown - 0.5, -0.5)
        return ax


def column_importance(
    model: Any, task: Task, splits: Splits, measure: Measure, *, clock: Stopwatch, random_state: int = 0
) -> ColumnImportance:
    """Fit the model on the folds of the first repeat, and shuffle each column once among the test rows of each."""
    data, features = Labelled.of(task, task.X), task.features[:_MOST_COLUMNS]
    rng = np.random.default_rng(random_state)
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    bases: list[Outcome] = []
    seconds: list[float] = []
    shuffled: dict[str, list[Outcome]] = {name: [] for name in features}
    most = _MOST_ROWS
    folds = splits.folds
    for train, test in splits.pairs[: splits.folds]:
        if len(pairs) == folds:
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
        pairs.append((train, rows))
        bases.append(outcome_of(tried.kept, data, rows))
        for name, outcome in zip(features, _shuffle_each(tried.kept, data, rows, features, rng), strict=True):
            shuffled[name].append(outcome)
    drawn = Splits(tuple(pairs), len(pairs), 1, splits.how, splits.scheme)
    losses = {name: _loss(measure, bases, outcomes, drawn, splits.units(task)) for name, outcomes in shuffled.items()}
    order = sorted(features, key=lambda name: -losses[name].value)
    return ColumnImportance(
        tuple(order),
        tuple(losses[name] for name in order),
        measure,
        sum(len(rows) for _, rows in pairs),
        float(np.mean(seconds)),
        len(task.features) - len(features),
    )


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


def _shuffle_each(
    fitted: Any, data: Labelled, rows: np.ndarray, names: Sequence[str], rng: np.random.Generator
) -> Iterator[Outcome]:
    """The predictions with each column shuffled in turn; many columns in one call."""
    together = max(_BATCH // len(rows), 1)
    for start in range(0, len(names), together):
        part = names[start : start + together]
        where = np.tile(rows, len(part))
        moved = {
            name: np.concatenate([rng.permutation(rows) if each == name else rows for each in part]) for name in part
        }
        X = Table(column.take(moved.get(column.name, where)) for column in data.X)
        weights = None if data.weights is None else data.weights[where]
        stacked = replace(data, X=X, y=data.y[where], actual=data.actual[where], weights=weights)
        outcome = outcome_of(fitted, stacked, np.arange(len(where)))
        yield from (outcome.take(np.arange(len(rows)) + len(rows) * place) for place in range(len(part)))


def _loss(
    measure: Measure, bases: Sequence[Outcome], worse: Sequence[Outcome], splits: Splits, groups: np.ndarray | None
) -> Estimate:
    """How much better the score is without shuffling."""
    a, b = (tested_rows(measure, outcomes, splits, groups) for outcomes in (bases, worse))
    sign = measure.better(1)
    if a is not None and b is not None and len(a.moves) == len(b.moves):
        return difference_interval(a, b, times=sign)
    scores = [measure.compute(x) - measure.compute(y) for x, y in zip(bases, worse, strict=True)]
    return corrected_interval(sign * np.array(scores), splits.test_to_train)
