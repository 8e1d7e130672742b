"""Spans of time as users write them: seconds, or "90s", "5m" and "1.5h"."""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import Any

from probus.errors import DataError

__all__ = ["seconds_of"]

_UNITS = {
    **dict.fromkeys(("", "s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
}


def seconds_of(time: Any, name: str = "time", *, hint: str = "") -> float | None:
    """Seconds from a number or a span such as "90s", "5m" or "1.5h"; None stays None. ``name`` is for errors.

    >>> seconds_of(120), seconds_of("5m"), seconds_of("1.5 hours")
    (120.0, 300.0, 5400.0)
    """
    if time is None:
        return None
    seconds = 0.0
    if isinstance(time, str):
        found = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*([a-z]*)\s*", time.lower())
        seconds = float(found[1]) * _UNITS.get(found[2], 0.0) if found else 0.0
    elif isinstance(time, Real) and not isinstance(time, bool):
        seconds = float(time)
    if not 0.0 < seconds < math.inf:
        raise DataError(f"{name}={time!r}.", "seconds, or a span such as '90s', '5m' or '1h'", hint)
    return seconds
