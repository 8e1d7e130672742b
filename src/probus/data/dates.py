"""Conversion of date strings to days since 1970-01-01."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

__all__ = ["day_of"]

_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_NAMED_MONTH = re.compile(r"(\d{1,2})[- /.]([A-Za-z]{3,9})[- /.,]+(\d{4})")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


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
