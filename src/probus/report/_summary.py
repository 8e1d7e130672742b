"""The summary of a column: its distribution and statistics, by class if the target has few classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Column, Kind, level_key
from probus.data.large_numbers import moments
from probus.data.pictures import histogram_edges
from probus.display import figure, percent

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEVELS_SHOWN = 8
_CLASSES_SHOWN = 6


@dataclass(frozen=True)
class Classes:
    """The groups a picture is drawn by: one code per row, and the names of the codes."""

    codes: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def of(cls, target: Column | None, rows: int) -> Classes:
        """The classes of a target with few levels; one nameless group otherwise.

        Rows without a label, which no class can claim, are coded -1.
        """
        if target is None or not target.kind.has_levels or len(target.levels) > _CLASSES_SHOWN:
            return cls(np.zeros(rows, dtype=np.intp), ("",))
        return cls(target.values.astype(np.intp), tuple(level_key(level) for level in target.levels))

    def count(self, codes: np.ndarray, size: int) -> np.ndarray:
        """How often each code occurs in each class; negative codes and unlabelled rows do not count."""
        keep = (self.codes >= 0) & (codes >= 0)
        flat = self.codes[keep] * size + codes[keep]
        return np.bincount(flat, minlength=len(self.names) * size).reshape(len(self.names), size)


@dataclass(frozen=True)
class Histogram:
    """Counts of a numeric column, classes × bins, between ``edges``, and the smallest and largest value."""

    edges: np.ndarray
    counts: np.ndarray
    low: float
    high: float


@dataclass(frozen=True)
class LevelCounts:
    """Counts of the most frequent levels, classes × levels, and what the others hold together."""

    levels: tuple[str, ...]
    counts: np.ndarray
    other_levels: int = 0
    other_rows: int = 0


@dataclass(frozen=True)
class ColumnSummary:
    """A column as a reader wants to see it first.

    Attributes
    ----------
    name, kind, why : the name of the column, its kind, and why it has that kind.
    rows, missing, distinct : the number of rows, of missing and of distinct values.
    figures : statistics, as text.
    shape : the histogram of numbers, or the counts of levels.
    dates : whether its numbers count days since 1970-01-01.
    """

    name: str
    kind: Kind
    why: str
    rows: int
    missing: int
    distinct: int
    figures: dict[str, str]
    shape: Histogram | LevelCounts | None
    dates: bool = False

    @property
    def what(self) -> str:
        """The kind in words; dates are numbers that a reader wants to see as dates."""
        return "date" if self.dates else str(self.kind)

    @property
    def missing_share(self) -> float:
        """The part of the rows that is missing."""
        return self.missing / self.rows if self.rows else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = {name: value for name, value in vars(self).items() if name != "shape"}
        return {**plain, "kind": str(self.kind), "figures": dict(self.figures)}


def summarise(column: Column, classes: Classes) -> ColumnSummary:
    """The summary of one column.

    Parameters
    ----------
    column : the column.
    classes : the classes of a target, to describe the column by them.

    Returns
    -------
    The summary.

    >>> price = Column.numbers("price", [1.0, 2.0, 4.0, np.nan])
    >>> summarise(price, Classes.of(None, 4)).figures["median"]
    '2'
    """
    present = column.values[~column.missing]
    figures, shape = _DESCRIBE[column.kind](column, present, classes)
    return ColumnSummary(
        name=column.name,
        kind=column.kind,
        why=column.why,
        rows=len(column),
        missing=len(column) - len(present),
        distinct=len(set(present)) if column.kind is Kind.TEXT else len(np.unique(present)),
        figures=figures,
        shape=shape,
        dates=column.dates,
    )


def _numeric(column: Column, present: np.ndarray, classes: Classes) -> tuple[dict[str, str], Histogram | None]:
    finite = present[np.isfinite(present)]
    if not len(finite):
        return {}, None
    low, first, median, third, high = (figure(q, dates=column.dates) for q in np.quantile(finite, _QUARTERS))
    figures = {"median": median, "quartiles": f"{first} to {third}", "range": f"{low} to {high}"}
    if not column.dates:
        mean, spread = moments(finite)
        figures |= {"mean": figure(mean), "sd": figure(spread or 0.0)}
    return figures, _histogram(column.values, finite, classes)


def _histogram(values: np.ndarray, finite: np.ndarray, classes: Classes) -> Histogram:
    edges = histogram_edges(finite)
    codes = np.full(len(values), -1, dtype=np.intp)
    inside = np.isfinite(values)
    codes[inside] = np.clip(np.searchsorted(edges, values[inside], side="right") - 1, 0, len(edges) - 2)
    return Histogram(edges, classes.count(codes, len(edges) - 1), float(finite.min()), float(finite.max()))


def _levels(column: Column, present: np.ndarray, classes: Classes) -> tuple[dict[str, str], LevelCounts | None]:
    if not len(present):
        return {}, None
    totals = np.bincount(present, minlength=len(column.levels))
    used = int((totals > 0).sum())
    shown = np.argsort(-totals, kind="stable")[: min(_LEVELS_SHOWN, used)]
    if column.kind is Kind.ORDINAL:
        shown = np.sort(shown)
    recode = np.full(len(column.levels) + 1, -1, dtype=np.intp)
    recode[shown] = np.arange(len(shown))
    top = column.levels[int(totals.argmax())]
    return {"most frequent": f"{top} ({percent(totals.max() / len(present))})"}, LevelCounts(
        levels=tuple(level_key(column.levels[i]) for i in shown),
        counts=classes.count(recode[column.values], len(shown)),
        other_levels=used - len(shown),
        other_rows=int(len(present) - totals[shown].sum()),
    )


def _text(column: Column, present: np.ndarray, classes: Classes) -> tuple[dict[str, str], None]:
    if not len(present):
        return {}, None
    lengths = np.fromiter((len(cell) for cell in present), np.int64, len(present))
    return {"median length": f"{np.median(lengths):.0f} characters", "longest": f"{lengths.max():,}"}, None


_DESCRIBE: dict[Kind, Any] = {
    Kind.NUMERIC: _numeric,
    Kind.BINARY: _levels,
    Kind.NOMINAL: _levels,
    Kind.ORDINAL: _levels,
    Kind.TEXT: _text,
}
