"""Numeric order of levels that are intervals, bounds or quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

_LONGEST = 60  # characters; longer levels are free text


class Interval(NamedTuple):
    """The interval from ``low`` to ``high``.

    ``family`` is the kind of unit: time (then in seconds), thousands (in ones), another unit as written, or nothing;
    ``units`` are the sizes of the units as written. ``dressed`` marks a level that is more than a plain number: "2nd",
    "two", "2 years", "grade 2".
    """

    low: float
    high: float
    family: str = ""
    units: frozenset[float] = frozenset()
    dressed: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it is a single number."""
        return self.low == self.high


def in_numeric_order(levels: Sequence[str]) -> tuple[str, ...] | None:
    """The levels in numeric order if each is an interval, a bound or a quantity and none overlap, else None.

    A comma separates thousands, or a full stop where the comma is not valid. All levels must share a unit; a level
    without one takes the unit of the others. Levels that are all plain numbers are not intervals.

    >>> in_numeric_order(["65+", "<18", "18-64"]), in_numeric_order(["10-19", "0-100"])
    (('<18', '18-64', '65+'), None)
    >>> in_numeric_order(["1-2 years", "6 months to 1 year", "under 6 months"])
    ('under 6 months', '6 months to 1 year', '1-2 years')
    """
    for thousands in ",.":
        parsed = [interval for level in levels if (interval := interval_of(level, thousands)) is not None]
        order = _order(levels, parsed) if len(parsed) == len(levels) else None
        if order is not None:
            return order
    return None


def _order(levels: Sequence[str], parsed: list[Interval]) -> tuple[str, ...] | None:
    if all(interval.is_point for interval in parsed) and not all(interval.dressed for interval in parsed):
        return None
    spans = _in_one_unit(parsed)
    if spans is None:
        return None
    ranked = sorted(zip(spans, levels, strict=True))
    overlap = any(right[0] < left[1] or left == right for (left, _), (right, _) in pairwise(ranked))
    return None if overlap else tuple(level for _, level in ranked)


def _in_one_unit(parsed: list[Interval]) -> list[tuple[float, float]] | None:
    """Low and high of each interval in one unit, or None where the units do not agree."""
    families = {interval.family for interval in parsed if interval.family}
    if len(families) > 1:
        return None
    units = {unit for interval in parsed for unit in interval.units}
    timed = families == {"time"}
    unclear = timed and len(units) > 1
    if unclear and any(not interval.family and (interval.low, interval.high) != (0, 0) for interval in parsed):
        return None
    shared = max(units) if timed else 1.0
    return [(i.low, i.high) if i.family else (i.low * shared, i.high * shared) for i in parsed]


# -- one level -----------------------------------------------------------------------------------------

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_WORDS)}
_NOTHING = {"none", "never", "no", "nil", "nothing"}
_NUMBER_WORD = r"\b(?:" + "|".join(_NUMBER_WORDS) + r")\b"
_PLACES = {"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th"}
_PLACE = r"(?<=\d)(?:st|nd|rd|th)\b"
_COUNTED = r"^(?:ages?|aged|grades?|stages?|levels?|tiers?|phases?|steps?|years?|degrees?)\s+(?=[\divx<>])"
_ROMAN = {roman: str(i) for i, roman in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}

_TIME = {"second": 1.0, "sec": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0, "hr": 3600.0, "h": 3600.0}
_TIME |= {"day": 86400.0, "week": 604800.0, "wk": 604800.0, "month": 2629800.0, "mo": 2629800.0}
_TIME |= {"year": 31557600.0, "yr": 31557600.0}
_THOUSANDS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}

_AMOUNT = r"(?P<{0}>-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?|-?inf)(?P<{0}_unit>\s*[a-z%°][a-z%°/.²³]*(?:\s[a-z/]+){{0,2}})?"
_LOW, _HIGH = _AMOUNT.format("low"), _AMOUNT.format("high")
_UP_TO = r"(?:<=?|-|(?:under|below|up to|at most|until|no more than|(?:less|fewer|younger|lower) than)\s)"
_AND_LESS = r"(?:or|and) (?:less|fewer|below|under|younger|lower)"
_MORE_THAN = r"(?:>=?|(?:over|above|at least|from|(?:more|older|greater|higher) than)\s)"
_AND_MORE = r"(?:\+|plus\b|more\b|(?:or|and) (?:more|over|above|older|greater|higher|up)\b)"
_FORMS = (
    rf"[\[(]\s*{_LOW}\s*[,;]\s*{_HIGH}\s*[\])]",
    rf"[\[(]?(?:from |between )?{_LOW}\s*(?:-|to|and|or|until|, |\.\.+)\s*{_HIGH}\s*[\])]?",
    rf"{_LOW}\s*<=?\s*[a-z]+\s*<=?\s*{_HIGH}",
    rf"{_UP_TO}\s*{_HIGH}[\])]?",
    rf"{_HIGH}\s*{_AND_LESS}",
    rf"{_MORE_THAN}\s*{_LOW}",
    rf"{_LOW}\s*{_AND_MORE}(?P<unit_after>\s*[a-z /]+)?",
    rf"[\[(]?{_LOW}\s*-",
)


def interval_of(level: str, thousands: str = ",") -> Interval | None:
    """The interval that a level denotes, or None.

    >>> interval_of("7-10")[:2], interval_of("Nine or more")[:2], interval_of("[10.000-15.000)", ".")[:2]
    ((7.0, 10.0), (9.0, inf), (10000.0, 15000.0))
    """
    if len(level) > _LONGEST:
        return None
    text, dressed = _plain(level)
    for form in _FORMS:
        found = re.fullmatch(form, text)
        if found:
            return _read(found.groupdict(), thousands, dressed)
    found = re.fullmatch(_LOW, text)
    if found is None:
        return None
    parts = found.groupdict()
    return _read({**parts, "high": parts["low"], "high_unit": parts["low_unit"]}, thousands, dressed)


def _plain(level: str) -> tuple[str, bool]:
    """The level in lower case with digits in place of words, and whether any word was replaced."""
    text = re.sub(r"[$€£]", "", level.strip().rstrip(" .").lower().replace("≤", "<=").replace("≥", ">="))
    text = re.sub(r"\s*[–—−]\s*", "-", text)
    if text in _NOTHING:
        return "0", True
    bare = re.sub(_COUNTED, "", text)
    if bare != text:
        bare = _ROMAN.get(bare, bare)
    digits = re.sub(_NUMBER_WORD, lambda word: _NUMBER_WORDS[word[0]], _PLACES.get(bare, bare))
    digits = re.sub(_PLACE, "", digits)
    return digits, digits != text


def _read(parts: dict[str, str | None], thousands: str, dressed: bool) -> Interval | None:
    low = _number(parts.get("low"), thousands, -inf)
    high = _number(parts.get("high"), thousands, inf)
    if low is None or high is None:
        return None
    after = parts.get("unit_after") or parts.get("high_unit") or parts.get("low_unit")
    family, unit = _unit(after)
    low_family, low_unit = _unit(parts.get("low_unit") or after)
    low, high = low * low_unit, high * unit
    if low > high or low_family != family:
        return None
    return Interval(low, high, family, frozenset([low_unit, unit]) if family else frozenset(), dressed or bool(family))


def _number(text: str | None, thousands: str, default: float) -> float | None:
    if text is None:
        return default
    if text.endswith("inf"):
        return float(text)
    point = "." if thousands == "," else ","
    if not re.fullmatch(rf"-?(?:\d+|\d{{1,3}}(?:[{thousands}]\d{{3}})+)(?:[{point}]\d+)?(?:e[+-]?\d+)?", text):
        return None
    return float(text.replace(thousands, "").replace(point, "."))


def _unit(text: str | None) -> tuple[str, float]:
    """The family of a unit and its size in the family's smallest unit."""
    if not text or not text.strip(" ."):
        return "", 1.0
    unit = text.strip(" .")
    first = unit.split()[0].rstrip(".")
    for word in (first, first.removesuffix("s")):
        if word in _TIME:
            return "time", _TIME[word]
        if word in _THOUSANDS:
            return "thousands", _THOUSANDS[word]
    return unit.removesuffix("s") or unit, 1.0
