"""2xx: impossible numbers and outliers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probus.data._column import Column, row_list
from probus.data._dates import COMPACT, are_compact_dates
from probus.data._kind import Kind
from probus.data._name_words import words_of
from probus.data._table import Table
from probus.data.findings._column_checks import identifying
from probus.data.findings._facts import facts, number, with_kind, without_values
from probus.data.findings._finding import Finding
from probus.data.findings._missing_checks import sentinels
from probus.display import counted, exact_percent

_INFINITY = float("inf")
_AMOUNTS = (
    "price", "count", "weight", "height", "width", "length", "quantity", "population", "area", "fare", "salary",
    "wage", "mass", "size", "hours", "volume", "distance", "duration",
)  # fmt: skip
BOUNDS = {
    **dict.fromkeys(_AMOUNTS, (0.0, _INFINITY)),
    "age": (0.0, 130.0),
    "latitude": (-90.0, 90.0),
    "longitude": (-180.0, 360.0),
    "month": (0.0, 12.0),
    "hour": (0.0, 24.0),
}  # the range implied by a word in the name of a column
RARE = 0.05  # of the values: if more are out of range, the name means something else (age in months, a scaled price)

FAR = 10.0  # robust standard deviations from the median: 1 in 10²³ for a Gaussian
FAR_IN_LOGS = 6.0  # a product of many factors, such as a fare or a population, is Gaussian in logs: 1 in 10⁹
FEW = 0.005  # of the values: if there are more, it is a tail, not an error
ENOUGH_VALUES = 20  # distinct values needed to estimate the spread


def infinite_values(table: Table, target: str | None) -> Iterator[Finding]:
    """PB205: infinite values, which few models accept."""
    for column in table.of_kind(Kind.NUMERIC):
        infinite = np.isinf(column.values)
        if infinite.any():
            count = int(infinite.sum())
            evidence = f"{counted(count, 'infinite value')} ({row_list(infinite)})."
            yield Finding("PB205", column.name, "error", evidence, without_values(column.name, "np.isinf(v)"))


def dates_as_numbers(table: Table, target: str | None) -> Iterator[Finding]:
    """PB215: integers that are dates, such as 20240131: differences between them are not days."""
    for column in table.of_kind(Kind.NUMERIC):
        seen = facts(column)
        whole = not column.dates and bool((seen.values == np.floor(seen.values)).all())
        if whole and are_compact_dates(column.name, seen.values):
            evidence = f"{seen.n_distinct:,} integers that are all dates, such as {number(seen.values[-1])}."
            yield Finding("PB215", column.name, "note", evidence, str(with_kind(column.name, COMPACT)))


def impossible_values(table: Table, target: str | None) -> Iterator[Finding]:
    """PB206: values outside the range that the column's name implies, such as a negative age or month 13."""
    for column in table.of_kind(Kind.NUMERIC):
        for word in words_of(column.name) & BOUNDS.keys():
            low, high = BOUNDS[word]
            values = _without_sentinels(column)
            outside = (values < low) | (values > high)
            count = int(outside.sum())
            if not column.dates and 0 < count <= RARE * facts(column).n_present:
                expected = f"{low:g} to {high:g}" if high < _INFINITY else f"at least {low:g}"
                worst = values[outside][np.argmax(np.abs(values[outside]))]
                found = f"{counted(count, 'value,', 'values such as')} {number(worst)}"
                yield Finding(
                    "PB206",
                    column.name,
                    "warning",
                    f"{found}; the name implies {expected} ({row_list(outside)}).",
                    "Correct them, or: " + without_values(column.name, _condition(low, high)),
                )


def _condition(low: float, high: float) -> str:
    return f"(v < {low:g}) | (v > {high:g})" if high < _INFINITY else f"v < {low:g}"


def outliers(table: Table, target: str | None) -> Iterator[Finding]:
    """PB207: a few values far from all others, on the scale of the values and on that of their logarithms."""
    for column in table.of_kind(Kind.NUMERIC):
        seen = facts(column)
        if seen.n_distinct < ENOUGH_VALUES or column.dates or identifying(column):
            continue
        values = _without_sentinels(column)
        far = _robust_distance(values) > FAR
        if seen.values[0] >= 0:
            far &= _robust_distance(np.log(values)) > FAR_IN_LOGS
        count = int(far.sum())
        if 0 < count <= FEW * seen.n_present:
            worst = values[far][np.argmax(np.abs(values[far] - np.nanmedian(values)))]
            typical = np.nanpercentile(values, [5, 95])
            evidence = (
                f"{number(worst)} {f'and {count - 1} more lie' if count > 1 else 'lies'} far outside the central "
                f"{exact_percent(0.9)} of the values ({typical[0]:.4g} to {typical[1]:.4g}; {row_list(far)})."
            )
            yield Finding("PB207", column.name, "note", evidence, "Check those rows; correct data errors")


def _without_sentinels(column: Column) -> np.ndarray:
    """The values with NaN for infinities and codes for missing."""
    gone = np.isinf(column.values) | np.isin(column.values, sentinels(column))
    return np.where(gone, np.nan, column.values)


def _robust_distance(values: np.ndarray) -> np.ndarray:
    """Distance from the median in robust standard deviations; 0 if the spread is zero."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return np.zeros(len(values))
    quartiles = np.percentile(finite, [25, 50, 75])
    deviation = (quartiles[2] - quartiles[0]) / 1.349  # of a Gaussian
    distance = np.abs(values - quartiles[1]) / deviation if deviation > 0 else np.zeros(len(values))
    return np.where(np.isfinite(distance), distance, 0.0)
