"""The rows that a model gets most wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import cell_text as text_of_cell
from probus.data import level_key
from probus.display import Cells, Result, counted, decimals_for, figure, shortened
from probus.lifecycle import Study
from probus.metrics import Outcome

_ROWS = 10
_COLUMNS = 8
_LARGEST_WHOLE = 1e15  # beyond, doubles are not exact
_TINY = 0.001  # probabilities below are all the same to a reader
_LONGEST_NAME = 20


@dataclass(frozen=True, eq=False, repr=False)
class WorstRows(Result):
    """The rows with the largest losses, the worst first: predicted by a model that was not trained on them.

    rows : their numbers in the table, from 0. actual, predicted : in words. surprise : the probability that the model
    gave the actual class, or the residual. columns : some of the features, by name, as text.
    """

    rows: np.ndarray
    actual: tuple[str, ...]
    predicted: tuple[str, ...]
    surprise: np.ndarray
    columns: dict[str, tuple[str, ...]]
    classes: bool

    @classmethod
    def of(cls, study: Study, outcome: Outcome, features: tuple[str, ...] | None = None) -> WorstRows:
        """The worst rows of the best model; ``features`` are the columns to show, the most important ones."""
        table = study.task.table
        loss, surprise = _losses(outcome)
        worst = np.argsort(-loss, kind="stable")[:_ROWS]
        worst = worst[loss[worst] > 0]
        rows = tested_rows_of(study)[worst]
        shown = (features or study.features)[:_COLUMNS]
        return cls(
            rows=rows,
            actual=tuple(_words(outcome.actual[worst], outcome, figure)),
            predicted=tuple(_words(outcome.need("predicted")[worst], outcome, _numbers_like(surprise[worst]))),
            surprise=surprise[worst],
            columns={name: tuple(cell_text(table[name], row) for row in rows) for name in shown},
            classes=bool(outcome.classes),
        )

    @property
    def measure(self) -> str:
        """What ``surprise`` is."""
        return "probability of the actual class" if self.classes else "observed − predicted"

    def _rows(self) -> dict[str, Any]:
        """A line for each row."""
        of_rows = {"row": self.rows, "actual": self.actual, "predicted": self.predicted, "surprise": self.surprise}
        return {**of_rows, **{f"column {name}": values for name, values in self.columns.items()}}

    def lines(self) -> list[list[str]]:
        """The header and a line for each row, as text."""
        head = ["row", "actual", "predicted", self.measure, *(shortened(name, _LONGEST_NAME) for name in self.columns)]
        kept = zip(self.rows, self.actual, self.predicted, self.surprise, *self.columns.values(), strict=True)
        shown = _probability if self.classes else _numbers_like(self.surprise)
        return [head, *([f"{r:,}", a, p, shown(s), *rest] for r, a, p, s, *rest in kept)]

    def _parts(self) -> list[Any]:
        return [f"The {counted(len(self.rows), 'row')} with the largest errors", Cells(self.lines(), margin=2)]


def _probability(value: float) -> str:
    return f"{value:.3f}" if value >= _TINY else f"< {_TINY:.3f}"


def _numbers_like(residuals: np.ndarray) -> Callable[[float], str]:
    """Writes numbers with the decimals that the largest of the residuals needs."""
    decimals = decimals_for(float(np.abs(residuals).max(initial=0.0)))
    return lambda value: f"{value:,.{decimals}f}"


def tested_rows_of(study: Study) -> np.ndarray:
    """The rows of the task that were tested, in order: those of ``pooled``."""
    return np.unique(np.concatenate([test for _, test in study.splits.pairs]))


def _losses(outcome: Outcome) -> tuple[np.ndarray, np.ndarray]:
    """How wrong each row is, and what is shown of it."""
    predicted = outcome.need("predicted")
    if not outcome.classes:
        residual = outcome.actual - predicted
        return np.abs(residual), residual
    if outcome.probabilities is None:
        wrong = (predicted != outcome.actual).astype(np.float64)
        return wrong, 1 - wrong
    given = outcome.probabilities[np.arange(len(outcome)), outcome.actual]
    return np.where(predicted != outcome.actual, -np.log(np.maximum(given, 1e-300)), 0.0), given


def _words(values: np.ndarray, outcome: Outcome, written: Callable[[float], str]) -> list[str]:
    return [str(outcome.classes[value]) if outcome.classes else written(value) for value in values]


def cell_text(column: Any, row: int) -> str:
    """A value of a column as text; – where it is missing."""
    if column.missing[row]:
        return "–"
    if column.kind.has_levels:
        return level_key(column.levels[column.values[row]])
    value = column.values[row]
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:59] + "…"
    if column.dates:
        return text_of_cell(column, value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < _LARGEST_WHOLE else f"{value:.10g}"
