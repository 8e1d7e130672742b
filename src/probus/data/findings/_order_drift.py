"""PB410: a target that drifts along dates, counters or the rows of the file, so that folds should respect the order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._name_words import words_of
from probus.data._table import Table
from probus.data.findings._column_checks import identifying
from probus.data.findings._facts import facts, features, once_per_target
from probus.data.findings._finding import Finding
from probus.data.findings._group_leaks import probability
from probus.data.findings._leak_shares import labelled_rows
from probus.data.findings._target_sharing import sharing_of

FALSE_ALARMS = 0.01  # of tables whose rows are in no order, over all candidates and both scales
CORRELATED = 0.02  # within a tenth of the rows: less hardly changes a score
CORRELATED_NEXT = 0.05  # the same within a few rows
BLOCKS, NEXT = 10, 5  # blocks of all rows, and rows of a small block
FEWEST_ROWS, FEWEST_MOMENTS = 60, 10
MOST_ORDERS = 10
IN_ORDER = 0.98  # of the rows are not before the row above
SORTED = 3  # runs of a column per value, up to which the file is sorted by it

ROW_ORDER = ""  # in place of the name of a column: the order in which rows are given

_SORTED_ROWS = "If the rows were sorted by something else, random folds are right."

_MOMENTS = {"date", "datetime", "timestamp", "epoch", "datum"}
_EVENTS = words_of(
    "accident admission booking claim crash created event listing measurement measured observation order posted "
    "published purchase recorded record reporting sale sampling season session sold survey transaction trip updated "
    "visit"
)
_OTHER_DATES = words_of("birth birthday born built construction dob due expiry expiration expires renovated until")


@dataclass(frozen=True)
class Drift:
    """An order of the rows along which the target drifts.

    name : the column, or ROW_ORDER.
    correlation : the intraclass correlation of the target within tenths of the rows, or within a few neighbours.
    next_rows : whether it is that of a few neighbours: rows are alike, without a trend.
    p : the probability of so much where the rows are in no order, before the correction for several orders.
    in_file : whether the file is in this order.
    dated : whether the column holds dates or times.
    """

    name: str
    correlation: float
    next_rows: bool
    p: float
    in_file: bool
    dated: bool


def order_drifts(table: Table, target: str | None) -> Iterator[Finding]:
    """PB410: a target that drifts along a date, a counter or the order of the file.

    Random folds then test a model between rows that it was trained on, where later rows are to be predicted.
    """
    for found in drifts(table, target):
        timed = found.dated or "year" in words_of(found.name)
        where = f"{found.name!r}" if found.name else "the order of the rows in the file"
        how = "neighbouring rows" if found.next_rows else "rows of one time" if timed else "rows near each other"
        trained = "random folds test a model between rows that it was trained on, not on later ones."
        meaning = f"so {trained}" if timed else f"If this is the order of time, {trained} {_SORTED_ROWS}"
        evidence = (
            f"{target!r} drifts along {where}: {how} are alike (intraclass correlation {found.correlation:.2f}, "
            f"p {probability(found.p)}){', ' if timed else '. '}{meaning}"
        )
        words = f"time:{found.name}" if found.name else "time"
        advice = f"If later rows are to be predicted: split={words!r} (in resample cv={words!r}), or --split {words}"
        yield Finding("PB410", found.name or None, "warning", evidence, advice)


@once_per_target
def drifts(table: Table, target: str | None) -> list[Drift]:
    """The orders along which the target drifts, beyond chance and by enough to matter, the most certain first."""
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return []
    columns = features(table, target)
    orders = [c for c in columns if _orders_rows(c)]
    plain = [c for c in columns if not _orders_rows(c)]
    is_sorted = any(_is_sorted_by(c) for c in (table[target], *plain))
    kept = [c for c in orders if _is_dated(c) or not (is_sorted and _in_file_order(c))][:MOST_ORDERS]
    names = [c.name for c in kept]
    places = [facts(c).codes[rows].astype(np.int64) for c in kept]
    if not is_sorted and not any(map(_in_file_order, orders)):
        names.append(ROW_ORDER)
        places.append(np.arange(len(rows)))
    found = []
    for name, place in zip(names, places, strict=True):
        drift = _drift_along(table[target], rows[place >= 0], place[place >= 0], FALSE_ALARMS / (2 * len(names)))
        if drift is not None:
            in_file, dated = (
                (True, False) if name == ROW_ORDER else (_in_file_order(table[name]), _is_dated(table[name]))
            )
            found.append(Drift(name, *drift, in_file, dated))
    return sorted(found, key=lambda each: (not each.dated, each.p, -each.correlation))


def _drift_along(label: Column, rows: np.ndarray, place: np.ndarray, level: float) -> tuple[float, bool, float] | None:
    """The correlation within tenths of the rows, else within a few neighbours; which of the two; its probability."""
    for size, least in ((max(-(-len(rows) // BLOCKS), NEXT), CORRELATED), (NEXT, CORRELATED_NEXT)):
        sharing = sharing_of(label, rows, blocks_of(place, size))
        if sharing.p <= level and sharing.correlation >= least:
            return sharing.correlation, size == NEXT, sharing.p
    return None


def blocks_of(place: np.ndarray, size: int) -> np.ndarray:
    """Blocks of about so many rows that follow each other; rows in one place are in one block.

    >>> blocks_of(np.array([3, 1, 1, 2, 5, 4]), 2).tolist()
    [1, 0, 0, 1, 2, 2]
    """
    before = np.searchsorted(np.sort(place), place)
    return np.unique(before // size, return_inverse=True)[1]


# -- candidates ----------------------------------------------------------------------------------------


def _orders_rows(column: Column) -> bool:
    """Whether a column may say when a row was recorded: a date of an event, a time, or a number of rows.

    >>> [_orders_rows(Column.numbers(name, range(2000, 2040))) for name in ("sale_year", "year_built", "row_id")]
    [True, False, True]
    """
    words, seen = words_of(column.name), facts(column)
    if column.kind is not Kind.NUMERIC or seen.n_distinct < FEWEST_MOMENTS or words & _OTHER_DATES:
        return False
    if _is_dated(column) or bool(identifying(column)):
        return True
    return "year" in words and (words == {"year"} or bool(words & _EVENTS))


def _is_dated(column: Column) -> bool:
    return column.dates or bool(words_of(column.name) & _MOMENTS)


def _in_file_order(column: Column) -> bool:
    """Whether the rows of the file ascend or descend in a column."""
    steps = np.diff(column.values[~np.isnan(column.values)])
    return len(steps) > 0 and bool(max((steps >= 0).mean(), (steps <= 0).mean()) >= IN_ORDER)


def _is_sorted_by(column: Column) -> bool:
    """Whether the file is sorted by a column that is no time: its order then says nothing more than the column."""
    seen = facts(column)
    if seen.n_distinct < 2:
        return False
    if column.kind is Kind.NUMERIC and seen.n_distinct > FEWEST_MOMENTS:
        return _in_file_order(column)
    codes = seen.codes
    return 1 + int((np.diff(codes) != 0).sum()) <= min(SORTED * seen.n_distinct, len(codes) / 2)
