"""Gower's distance in which wild values do not squeeze a column and each column counts about as much."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probus.data import Column, Kind, Table
from probus.data.large_numbers import within_range
from probus.distances import Gower

_FENCE = 3.0  # quartile ranges beyond the quartiles: Tukey's outer fences
_LEAST = 0.2  # a column whose values hardly differ gains no more weight than this mean difference gives


@dataclass(frozen=True, eq=False)
class FairDistance:
    """Gower's distance of the rows of a table.

    The range of a number is taken between Tukey's outer fences, so that one wild value does not make all others equal.
    A column's weight is the inverse of the mean difference of two rows in it. Otherwise levels, which differ by 0 or 1,
    outweigh numbers, which differ by about a fifth of their range.

    low, high : the fences of each column, infinite for levels. weights : of the columns, by name.

    >>> rows = Table.of({"x": [1.0, 2.0, 3.0, 4.0, 900.0], "y": ["a", "a", "b", "b", "b"]})
    >>> FairDistance.of(rows).clipped(rows)["x"].values
    array([ 1.,  2.,  3.,  4., 10.])
    """

    low: dict[str, float]
    high: dict[str, float]
    weights: dict[str, float]

    @classmethod
    def of(cls, table: Table) -> FairDistance:
        """The distance of a table's rows."""
        low, high = {}, {}
        for column in table:
            low[column.name], high[column.name] = _fences(column)
        clipped = cls(low, high, {}).clipped(table)
        return cls(low, high, {column.name: 1 / max(_mean_difference(column), _LEAST) for column in clipped})

    @property
    def params(self) -> dict[str, dict[str, float]]:
        """For models that take ``metric="gower"``."""
        return {"weights": self.weights}

    def clipped(self, table: Table) -> Table:
        """The rows with numbers beyond the fences at the fences."""
        return Table([self._clip(column) for column in table])

    def _clip(self, column: Column) -> Column:
        if column.kind is not Kind.NUMERIC:
            return column
        return replace(column, values=np.clip(column.values, self.low[column.name], self.high[column.name]))

    def matrix(self, table: Table) -> np.ndarray:
        """All distances between clipped rows; rows that are not comparable are as far apart as any are."""
        distances = Gower(table, self.weights).distances(table)
        unknown = np.isnan(distances)
        if unknown.any():
            distances[unknown] = np.nanmax(distances, initial=0.0)
            np.fill_diagonal(distances, 0.0)  # of rows without any value
        return distances


def _fences(column: Column) -> tuple[float, float]:
    if column.kind is not Kind.NUMERIC or column.missing.all():
        return -np.inf, np.inf
    first, third = np.nanquantile(column.values, [0.25, 0.75])
    if first == third:  # most values are equal; all others are beyond any fence
        return -np.inf, np.inf
    return float(first - _FENCE * (third - first)), float(third + _FENCE * (third - first))


def _mean_difference(column: Column) -> float:
    """The mean of what two rows differ by: of numbers and ranks by the range, of levels 0 or 1."""
    if column.kind in (Kind.NUMERIC, Kind.ORDINAL):
        values, _ = within_range(np.sort(column.numbers_array()[~column.missing]))
        span, n = np.ptp(values) if len(values) else 0.0, len(values)
        if span == 0:
            return 0.0
        return float(2 * ((2 * np.arange(n) - n + 1) * values).sum() / n**2 / span)
    shares = np.bincount(column.values[~column.missing]) / max((~column.missing).sum(), 1)
    return float(1 - (shares**2).sum())
