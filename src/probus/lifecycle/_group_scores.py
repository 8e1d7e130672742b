"""Scores of a model by group of people: how well it predicts for each level of a sensitive column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from probus.data import Column, Kind, Task, level_key
from probus.display import Cells, Notes, Results, figure
from probus.errors import DataError
from probus.metrics import MEASURES, Estimate, Measure, Outcome
from probus.model_selection import Resampled, pooled_interval

_RANGES = 4  # of a numeric column with more values, by quantiles
_LEVELS = 12  # the most frequent ones are shown
_FEWEST = 10  # rows of a group that has scores
_MISSING = "missing"


@dataclass(frozen=True)
class GroupScore:
    """The scores for the rows of one group, with 95 % intervals, by the names of the measures."""

    column: str
    group: str
    rows: int
    scores: dict[str, Estimate]

    @property
    def name(self) -> str:
        """The column and the group."""
        return f"{self.column} = {self.group}"


class GroupScores(Results[GroupScore]):
    """The scores of each group, the columns in order; for two classes recall and specificity too.

    Each row is predicted once, by a model that was not trained on it. Groups of fewer than 10 rows have no scores.
    """

    def __init__(self, items: Iterable[GroupScore], measures: Sequence[Measure]):
        super().__init__(items)
        self.measures = tuple(measures)

    @classmethod
    def of(cls, resampled: Resampled, task: Task, main: Measure, others: Sequence[Measure]) -> GroupScores:
        """The scores of what was resampled by the sensitive columns of a task of the same rows.

        >>> from probus.model_selection import resample
        >>> from probus.naive_bayes import NaiveBayes
        >>> data = {"x": np.arange(40.0) % 7, "sex": ["f", "m", "m", "f"] * 10, "y": ["a", "b"] * 20}
        >>> task = Task(data, target="y", sensitive="sex")
        >>> GroupScores.of(resample(NaiveBayes(), task, cv=2), task, MEASURES["accuracy"], [])
        group    rows  accuracy           recall             specificity
        sex = f    20  0.35 [0.18, 0.57]  0.50 [0.24, 0.76]  0.20 [0.06, 0.51]
        sex = m    20  0.40 [0.22, 0.61]  0.30 [0.11, 0.60]  0.50 [0.24, 0.76]
        """
        two = [MEASURES[name] for name in ("recall", "specificity")] if len(task.classes) == 2 else list(others)
        measures = [main, *(each for each in two if each.name != main.name)]
        outcome, tested = resampled.pooled(), np.unique(np.concatenate(resampled.rows))
        items = []
        for name in task.sensitive:
            for label, inside in _groups(task.table[name]):
                rows = np.flatnonzero(inside[tested])
                scores = {each.name: _score(each, outcome.take(rows)) for each in measures}
                items.append(GroupScore(name, label, len(rows), scores))
        return cls(items, measures)

    def apart(self) -> list[str]:
        """For each column whose groups have main scores with intervals that do not overlap, the worst and the best."""
        main, found = self.measures[0], []
        for column in dict.fromkeys(each.column for each in self):
            scored = [s for s in self if s.column == column and not math.isnan(s.scores[main.name].value)]
            scored.sort(key=lambda each: main.better(each.scores[main.name].value))
            if len(scored) < 2:
                continue
            worst, best = scored[0], scored[-1]
            a, b = worst.scores[main.name], best.scores[main.name]
            if a.high < b.low or b.high < a.low:
                found.append(f"{main.label} differs by {column}: {a} for {worst.group}, {b} for {best.group}")
        return found

    def lines(self) -> list[list[str]]:
        """The table as text: a header, then a line for each group."""
        header = ["group", "rows", *(each.label for each in self.measures)]
        return [header, *([s.name, f"{s.rows:,}", *map(_text, s.scores.values())] for s in self)]

    def _parts(self) -> list[Any]:
        notes = [Notes(self.apart(), margin=0)] if self.apart() else []
        return [Cells(self.lines(), right=[1]), *notes]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each group, three columns for each measure."""
        return [
            {"column": each.column, "group": each.group, "rows": each.rows}
            | {
                name + end: getattr(score, part)
                for name, score in each.scores.items()
                for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            for each in self
        ]


def _groups(column: Column) -> list[tuple[str, np.ndarray]]:
    """The groups of a column: its levels, the most frequent ones, or ranges of a number; then the missing ones."""
    missing = np.asarray(column.missing)
    if column.kind is Kind.NUMERIC and len(np.unique(column.values[~missing])) > _RANGES:
        found = _ranges(column.values, missing)
    else:
        labels = np.array([level_key(each) for each in column.decoded().tolist()], dtype=object)
        names, counts = np.unique(labels[~missing], return_counts=True)
        frequent = set(names[np.argsort(-counts, kind="stable")[:_LEVELS]])
        found = [(str(name), (labels == name) & ~missing) for name in names if name in frequent]
    return [*found, (_MISSING, missing)] if missing.any() else found


def _ranges(values: np.ndarray, missing: np.ndarray) -> list[tuple[str, np.ndarray]]:
    edges = np.unique(np.quantile(values[~missing], np.linspace(0, 1, _RANGES + 1)))
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    names = [f"{figure(low)} to {figure(high)}" for low, high in pairwise(edges)]
    return [(name, (place == k) & ~missing) for k, name in enumerate(names)]


def _score(measure: Measure, outcome: Outcome) -> Estimate:
    nothing = Estimate(math.nan, math.nan, math.nan, method="too few rows", n=len(outcome))
    if len(outcome) < _FEWEST:
        return nothing
    try:
        return pooled_interval(measure, outcome)
    except DataError:  # one class only, for example
        return nothing


def _text(score: Estimate) -> str:
    return "–" if math.isnan(score.value) else str(score)
