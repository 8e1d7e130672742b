"""Conversion of date strings to days since 1970-01-01, and dates written as integers."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np

from probus.data._name_words import words_of

COMPACT = "%Y%m%d"  # the format of 20240131

_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_NAMED_MONTH = re.compile(r"(\d{1,2})[- /.]([A-Za-z]{3,9})[- /.,]+(\d{4})")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_FIRST, _LAST = 19000101, 21001231
_DATE_WORDS = {"date", "day", "dob", "birthday", "datum", "time", "timestamp"}
_ENOUGH, _ENOUGH_NAMED = 10, 3  # distinct dates; by chance, one in 27 such integers is a date


def day_of(string: str) -> float | None:
    """A date or time as days since 1970-01-01; None if the string is not an unambiguous date.

    Unambiguous dates are ISO 8601 (``2024-03-01``, ``2024-03-01T12:00Z``) and months by name (``04-Jul-1997``). A
    time without a zone is UTC. ``03/04/2024`` is ambiguous: day and month cannot be distinguished from one cell, and
    new data must be read like the training data.

    >>> day_of("2-Jan-1970"), day_of("03/04/2024")
    (1.0, None)
    """
    string = string.strip()
    try:
        if _ISO.match(string):
            moment = datetime.fromisoformat(string)
            moment = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
        elif named := _NAMED_MONTH.fullmatch(string):
            moment = datetime(int(named[3]), _month(named[2]), int(named[1]))
        else:
            return None
    except (ValueError, OverflowError):  # the 30th of February, the year 0
        return None
    return (moment - _EPOCH) / _DAY


def _month(name: str) -> int:
    """The number of a month, given its name or the first letters of it."""
    beginning = [month for month in _MONTHS if month.startswith(name.lower())]
    if len(beginning) != 1:
        raise ValueError(name)
    return _MONTHS.index(beginning[0]) + 1


def are_compact_dates(name: str, integers: np.ndarray) -> bool:
    """Whether the distinct integers of a column are dates such as 20240131, from 1900 to 2100, beyond doubt.

    They are at least ten from several months, because numbers that count rows do not stop at the end of a month. If the
    name of the column has a word such as date or day, three are enough.

    >>> days = np.array([20240130.0, 20240131.0, 20240201.0])
    >>> are_compact_dates("order_date", days), are_compact_dates("x", days), are_compact_dates("date", days + 1)
    (True, False, False)
    """
    if not len(integers) or integers.min() < _FIRST or integers.max() > _LAST:
        return False
    whole = integers.astype(np.int64)
    months, days = whole // 100, whole % 100
    if not ((months % 100 >= 1) & (months % 100 <= 12) & (days >= 1)).all():
        return False
    month = ((months // 100 - 1970) * 12 + months % 100 - 1).astype("datetime64[M]")
    length = ((month + 1).astype("datetime64[D]") - month.astype("datetime64[D]")).astype(np.int64)
    named = words_of(name) & _DATE_WORDS
    enough = len(whole) >= _ENOUGH_NAMED if named else len(whole) >= _ENOUGH and months.min() < months.max()
    return enough and bool((days <= length).all())
