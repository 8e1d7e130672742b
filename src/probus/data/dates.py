"""Strings that are dates, as days since 1970-01-01."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

__all__ = ["days_of"]

_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_NAMED_MONTH = re.compile(r"(\d{1,2})[- /.]([A-Za-z]{3,9})[- /.,]+(\d{4})")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


def days_of(strings: Iterable[str]) -> list[float] | None:
    """Each string as days since 1970-01-01, or None where one of them is not a date that can be read in one way only.

    Those are ISO 8601 (``2024-03-01``, ``2024-03-01T12:00Z``) and months by name (``04-Jul-1997``). A time without a
    zone counts as UTC. ``03/04/2024`` is not read: which is the month cannot be told from one cell, and new data
    must be read as the old.

    >>> days_of(["1970-01-02", "1970-01-01 12:00", "2-Jan-1970"]), days_of(["03/04/2024"])
    ([1.0, 0.5, 1.0], None)
    """
    days = []
    for string in strings:
        moment = _moment(string.strip())
        if moment is None:
            return None
        days.append((moment - _EPOCH) / _DAY)
    return days


def _moment(string: str) -> datetime | None:
    try:
        if _ISO.match(string):
            moment = datetime.fromisoformat(string)
            return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
        named = _NAMED_MONTH.fullmatch(string)
        if named:
            day, name, year = named.groups()
            return datetime(int(year), _month(name), int(day))
    except ValueError:  # the 30th of February
        pass
    return None


def _month(name: str) -> int:
    """The number of a month by its name or the first letters of it."""
    beginning = [month for month in _MONTHS if month.startswith(name.lower())]
    if len(beginning) != 1:
        raise ValueError(name)
    return _MONTHS.index(beginning[0]) + 1
