"""The strength of association of the columns of a table, two by two, whatever their kinds.

Every strength lies between 0 (none) and 1 (one column settles the other), so that pairs of different kinds can stand
in one picture; correlations keep their sign. Pairs are compared on the rows where both are present and finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from probus.data import Column, Kind, Table
from probus.data.large_numbers import within_range


@dataclass(frozen=True)
class Association:
    """The strength of one pair of columns.

    Attributes
    ----------
    first, second : the names of the columns.
    value : the strength, signed for correlations.
    measure : the name of the measure.
    rows : the number of rows where both have a value.
    """

    first: str
    second: str
    value: float
    measure: str
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return vars(self).copy()


def associations(table: Table) -> list[Association]:
    """Every pair of columns that can be compared, strongest first; text, constants and tiny overlaps are left out.

    Parameters
    ----------
    table : the table.

    Returns
    -------
    The associations.

    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.0, 6.0, 8.1]})
    >>> associations(table)
    [Association(first='x', second='y', value=1.0, measure="Spearman's ρ", rows=4)]
    """
    columns = [column for column in table if column.kind is not Kind.TEXT]
    ranks = {column.name: _ranks(column.numbers_array()) for column in columns if _has_order(column)}
    pairs = [_pair(first, second, ranks) for first, second in combinations(columns, 2)]
    return sorted((pair for pair in pairs if pair), key=lambda pair: -abs(pair.value))


def _has_order(column: Column) -> bool:
    return column.kind in (Kind.NUMERIC, Kind.ORDINAL)


def _pair(first: Column, second: Column, ranks: dict[str, np.ndarray]) -> Association | None:
    both = _present(first) & _present(second)
    rows = int(both.sum())
    if rows < 3 or _is_constant(first.values[both]) or _is_constant(second.values[both]):
        return None
    if _has_order(first) and _has_order(second):
        value, measure = _correlation(first, second, both, ranks)
    elif _has_order(first) or _has_order(second):
        named, ordered = (second, first) if _has_order(first) else (first, second)
        value = correlation_ratio(named.values[both], ordered.numbers_array()[both])
        measure = "correlation ratio η"
    else:
        value, measure = cramers_v(first.values[both], second.values[both]), "Cramér's V"
    return Association(first.name, second.name, value, measure, rows)


def _present(column: Column) -> np.ndarray:
    return np.isfinite(column.values) if column.kind is Kind.NUMERIC else ~column.missing


def _is_constant(values: np.ndarray) -> bool:
    return bool((values == values[0]).all())


def _correlation(first: Column, second: Column, both: np.ndarray, ranks: dict[str, np.ndarray]) -> tuple[float, str]:
    """Pearson's r or Spearman's ρ, whichever is the stronger; with ordinals only ρ means anything."""
    r1, r2 = ranks[first.name], ranks[second.name]
    if not both.all():
        r1, r2 = _ranks(r1[both]), _ranks(r2[both])
    rho = _pearson(r1, r2)
    if first.kind is Kind.NUMERIC and second.kind is Kind.NUMERIC:
        r = _pearson(first.values[both], second.values[both])
        if abs(r) > abs(rho):
            return r, "Pearson's r"
    return rho, "Spearman's ρ"


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, ties sharing their mean; missing stays missing."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True, equal_nan=True)
    last = np.cumsum(counts)
    return np.where(np.isnan(values), np.nan, (last - (counts - 1) / 2)[inverse])


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    (x, _), (y, _) = within_range(x), within_range(y)
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(np.clip((x @ y) / scale, -1, 1)) if scale > 0 and np.isfinite(scale) else 0.0


def correlation_ratio(codes: np.ndarray, values: np.ndarray) -> float:
    """The share of a number's spread that lies between groups, as a root: 1 − (1 − η²)(n − 1)/(n − k), floored at 0.

    The correction (Kelley 1935) keeps a column of many levels from being strong by chance.

    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 5.0, 5.0]))
    1.0
    """
    _, groups = np.unique(codes, return_inverse=True)
    sizes = np.bincount(groups)
    n, k = len(values), len(sizes)
    values, _ = within_range(values)
    centred = values - values.mean()
    between = float((np.bincount(groups, centred) ** 2 / sizes).sum())
    total = float(centred @ centred)
    if n == k or not 0 < total < np.inf:
        return 0.0
    return float(np.sqrt(np.clip(1 - (1 - between / total) * (n - 1) / (n - k), 0, 1)))


def cramers_v(first: np.ndarray, second: np.ndarray) -> float:
    """Cramér's V between two columns of codes, with Bergsma's (2013) correction for bias.

    >>> cramers_v(np.array([0, 1] * 50), np.array([0, 1] * 50))
    1.0
    """
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    n, rows, columns = len(a), int(a.max()) + 1, int(b.max()) + 1
    # only cells that occur count, so that a million levels need no million-by-million table
    cells, counts = np.unique(a.astype(np.int64) * columns + b, return_counts=True)
    expected = np.bincount(a)[cells // columns] * np.bincount(b)[cells % columns] / n
    phi2 = float((counts**2 / expected).sum()) / n - 1
    phi2 = max(phi2 - (rows - 1) * (columns - 1) / (n - 1), 0.0)
    rows_corrected = rows - (rows - 1) ** 2 / (n - 1)
    columns_corrected = columns - (columns - 1) ** 2 / (n - 1)
    largest = min(rows_corrected, columns_corrected) - 1
    return float(np.sqrt(min(phi2 / largest, 1.0))) if largest > 0 else 0.0
