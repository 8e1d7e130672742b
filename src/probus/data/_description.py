"""Statistics of the columns of a table, and the frequencies of the values of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data._column import Column, Level, level_key
from probus.data._kind import Kind
from probus.data._preview import cell_text, one_line
from probus.data._table import Table
from probus.data.findings._facts import facts
from probus.data.large_numbers import moments
from probus.display import Cells, Result, Results, counted, figure, percent

_TOP = 3  # levels named in a description
_QUANTILES = ("min", "q25", "median", "q75", "max")
_MOST = 20  # values printed by ``value_counts``


@dataclass(frozen=True)
class ColumnStatistics:
    """A column in numbers: moments and quantiles of numbers (dates: days since 1970-01-01), the commonest labels."""

    name: str
    kind: Kind
    missing: int
    unique: int
    mean: float | None = None
    std: float | None = None
    quantiles: tuple[float, ...] = ()
    top: tuple[tuple[Level, int], ...] = ()
    dates: bool = False

    @classmethod
    def of(cls, column: Column) -> ColumnStatistics:
        """Compute them; infinite values are not part of the moments and quantiles."""
        seen = facts(column)
        numbers: dict[str, Any] = {}
        if column.kind is Kind.NUMERIC:
            finite = column.values[np.isfinite(column.values)]
            if len(finite):
                mean, std = moments(finite)
                quantiles = tuple(float(q) for q in np.quantile(finite, [0, 0.25, 0.5, 0.75, 1]))
                numbers = {"mean": mean, "std": std, "quantiles": quantiles}
        else:
            common = np.argsort(-seen.counts, kind="stable")[:_TOP]
            numbers = {"top": tuple((seen.values[i], int(seen.counts[i])) for i in common)}
        missing = len(column) - seen.n_present
        return cls(column.name, column.kind, missing, seen.n_distinct, dates=column.dates, **numbers)

    def figures(self) -> list[str]:
        """Mean, standard deviation and quantiles as text."""
        if self.mean is None:
            return []
        spread = "" if self.std is None else figure(self.std) + " days" * self.dates
        mean, *quantiles = (figure(value, dates=self.dates) for value in (self.mean, *self.quantiles))
        return [mean, spread, *quantiles]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON and frames."""
        quantiles = dict.fromkeys(_QUANTILES) | dict(zip(_QUANTILES, self.quantiles, strict=False))
        top = ", ".join(f"{level} ({count})" for level, count in self.top)
        counts = {"name": self.name, "kind": str(self.kind), "missing": self.missing, "unique": self.unique}
        return {**counts, "mean": self.mean, "std": self.std, **quantiles, "top": top or None}


class Description(Results[ColumnStatistics]):
    """The statistics of every column: ``table.describe()``.

    >>> Table.of({"age": [22, 38, 4, None], "sex": ["m", "f", "f", "m"]}).describe()
    Description: 4 rows × 2 columns
           missing   unique   mean    std  min  25 %  median  75 %  max
      age  1 (25 %)       3  21.33  17.01    4    13      22    30   38
    <BLANKLINE>
           missing  unique  kind    most frequent
      sex                2  binary  f: 2 (50 %), m: 2 (50 %)
    """

    def __init__(self, table: Table):
        super().__init__(ColumnStatistics.of(column) for column in table)
        self.shape = table.shape

    def _parts(self) -> Iterator[Any]:
        yield f"Description: {counted(self.shape[0], 'row')} × {counted(self.shape[1], 'column')}"
        numeric = [each for each in self.items if each.kind is Kind.NUMERIC]
        others = [each for each in self.items if each.kind is not Kind.NUMERIC]
        if numeric:
            head = ("", "missing", "unique", "mean", "std", "min", "25 %", "median", "75 %", "max")
            rows = [(*self._counts(each), *each.figures()) for each in numeric]
            yield Cells([head, *((*row, *[""] * (len(head) - len(row))) for row in rows)], right=range(2, 10), margin=2)
        if numeric and others:
            yield ""
        if others:
            titles = ("", "missing", "unique", "kind", "most frequent")
            rest = [(*self._counts(each), str(each.kind), self._top(each)) for each in others]
            yield Cells([titles, *rest], right=[2], margin=2)

    def _counts(self, each: ColumnStatistics) -> tuple[str, str, str]:
        share = f"{each.missing:,} ({percent(each.missing / self.shape[0])})" if each.missing else ""
        return each.name, share, f"{each.unique:,}"

    def _top(self, each: ColumnStatistics) -> str:
        present = self.shape[0] - each.missing
        if each.top and each.top[0][1] == 1:
            return f"each once, such as {one_line(str(each.top[0][0]))}"
        shown = [f"{one_line(level_key(level))}: {count:,} ({percent(count / present)})" for level, count in each.top]
        return ", ".join(shown) + ", …" * (each.unique > len(shown))

    def _rows(self) -> list[dict[str, Any]]:
        return [each.to_dict() for each in self.items]

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data for JSON, a dict for each column."""
        return self._rows()


@dataclass(frozen=True, eq=False, repr=False)
class Frequencies(Result):
    """How often each value of a column occurs: ``table.value_counts(column)``; the most frequent first.

    >>> Table.of({"size": ["S", "L", "S", None]}).value_counts("size")
    size: 3 values, 2 distinct, 1 missing
      S  2  67 %
      L  1  33 %
    """

    column: str
    values: tuple[Any, ...]
    counts: np.ndarray
    missing: int
    texts: tuple[str, ...]

    @classmethod
    def of(cls, column: Column) -> Frequencies:
        """Count the values of a column; equally frequent ones are in the order of the levels or numbers."""
        seen = facts(column)
        order = np.argsort(-seen.counts, kind="stable")
        values = tuple(seen.values[order].tolist())
        texts = tuple(one_line(cell_text(column, value), 60) for value in values)
        return cls(column.name, values, seen.counts[order], len(column) - seen.n_present, texts)

    def _parts(self) -> Iterator[Any]:
        present = int(self.counts.sum())
        gone = f", {self.missing:,} missing" if self.missing else ""
        yield f"{self.column}: {counted(present, 'value')}, {len(self.values):,} distinct{gone}"
        rows = [(text, f"{n:,}", percent(n / present)) for text, n in zip(self.texts, self.counts, strict=True)]
        if rows:
            yield Cells(rows, right=[1, 2], margin=2, header=False, most=_MOST)

    def _rows(self) -> dict[str, list[Any]]:
        shares = self.counts / max(int(self.counts.sum()), 1)
        return {"value": list(self.values), "count": self.counts.tolist(), "share": shares.tolist()}
