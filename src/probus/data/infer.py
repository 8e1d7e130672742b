"""Which kind a column seems to be, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from probus.data.column import Column, Level, natural_order, quote_some
from probus.data.dates import days_of
from probus.data.kind import Kind
from probus.data.levels import Order, order_of

__all__ = ["suggest"]

FEW_NUMBERS = 30  # as many different whole numbers, written as strings, may be names
LONGEST_NUMBER = 15  # digits that a float64 holds
MOST_ORDERED = 60  # levels; no scale has more
PROSE_WORDS = 6  # names of people, cars and films have about four

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NOT_IN_NUMBERS = r"[^\d.eE+\-\s]"
_LED_BY_ZERO = r"(?m)^\s*0\d"
_DIGITS = r"[\d\s+-]*"
_WORD = r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S+"  # Chinese and Japanese put no spaces between words
_UNKNOWN = {"", "?", "-", ".", "unknown", "unk", "n/a", "na", "other", "missing", "not available", "don't know"}
_UNKNOWN |= {"not sure", "no answer", "refused", "not applicable", "unspecified", "not stated", "none", "null"}
_IDENTIFIER = {"id", "ids", "identifier", "uuid", "key", "zip", "zipcode", "postcode", "postal", "code", "phone"}
_IDENTIFIER |= {"ssn", "isbn", "ean", "iban", "serial", "index"}
_NUMBERED = {"number", "no", "nr", "num"}  # PassengerNumber names a row, NumberOfRooms counts: being unique decides


def suggest(name: str, values: np.ndarray, *, quoted: bool | None = None) -> Column:
    """The column that these values suggest; its ``why`` says what was chosen, and how to choose otherwise.

    * Booleans, and bare numbers that are only 0 and 1, are **binary**. Other bare numbers are **numeric**, however
      few: whether 4, 6 and 8 count something cannot be seen, and turning them into names loses their order.
    * Strings that are all numbers are names where the file puts them in quotes and leaves others bare. Where quotes
      tell nothing they are numeric if they have decimals, or more than 30 are different, or more than 10 and most of
      them; but names if the column is called an identifier, or they begin with a zero or have more than 15 digits.
    * Dates that can be read in one way only are **numeric**, as days since 1970-01-01.
    * Levels whose names say their order (`probus.data.levels`) are **ordinal**, in that order. Months and weekdays are
      **nominal** in calendar order: they come round again.
    * Prose is **text**: half of the cells or more are different, and they have six words or more on average.
    * Other strings are **binary** if they are two, **nominal** if not.

    Parameters
    ----------
    values
        float64 with NaN for missing; bool; or ``str`` objects with None for missing.
    quoted
        True where the file has these in quotes and leaves numbers bare, so that digits are names; False where they
        are bare; None where quotes tell nothing.

    Examples
    --------
    >>> sizes = suggest("size", np.array(["L", "S", None, "M"], dtype=object))
    >>> sizes.kind, sizes.levels
    (<Kind.ORDINAL: 'ordinal'>, ('S', 'M', 'L'))
    >>> suggest("cyl", np.array([4.0, 6.0, 8.0, 4.0])).why
    "integers with 3 values (4, 6, 8): taken as numbers; if they are names, kinds={'cyl': 'nominal'}"
    """
    if values.dtype.kind == "b":
        return Column(name, Kind.BINARY, values.astype(np.int32), (False, True), why="true or false")
    if values.dtype.kind == "f":
        return _from_numbers(name, values)
    strings = _Strings.of(name, values)
    if not strings.seen:
        return Column.numbers(name, np.full(len(values), np.nan), why="nothing but missing values")
    numbers = _all_numbers(strings.seen)
    if numbers is not None:
        return _from_digits(strings, numbers, quoted)
    days = days_of(strings.seen)
    if days is not None:
        return Column.numbers(name, strings.looked_up(days), dates=True, why="dates, as days since 1970-01-01")
    return _from_words(strings)


class _Strings(NamedTuple):
    """A column of strings, coded once: the different strings in order of appearance, and which each cell is."""

    name: str
    seen: list[str]
    codes: np.ndarray

    @classmethod
    def of(cls, name: str, values: np.ndarray) -> _Strings:
        cells = values.tolist()
        seen = [cell for cell in dict.fromkeys(cells) if cell is not None]
        if len(seen) == len(cells):
            return cls(name, seen, np.arange(len(cells), dtype=np.int32))
        code: dict[str | None, int] = dict(zip(seen, range(len(seen)), strict=True))
        code[None] = -1
        return cls(name, seen, np.fromiter(map(code.__getitem__, cells), np.int32, len(cells)))

    @property
    def present(self) -> int:
        """How many cells are not missing."""
        return int(np.count_nonzero(self.codes >= 0))

    def looked_up(self, numbers: list[float]) -> np.ndarray:
        """The number of each cell, given that of each different string."""
        return np.append(np.asarray(numbers, dtype=np.float64), np.nan)[self.codes]

    def alphabetical(self) -> np.ndarray:
        """Which string comes first, second, …, by letter."""
        return np.array(sorted(range(len(self.seen)), key=self.seen.__getitem__), dtype=np.intp)

    def coded_by(self, levels: Sequence[Level], kind: Kind, why: str) -> Column:
        """The column with those levels: the few strings seen, in another order."""
        return self.ranked([self.seen.index(str(level)) for level in levels], kind, why)

    def ranked(self, order: Sequence[int] | np.ndarray, kind: Kind, why: str) -> Column:
        """The column whose first level is the string ``order[0]``, and so on."""
        order = np.asarray(order, dtype=np.intp)
        place = np.full(len(self.seen) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order))
        levels = tuple(self.seen[i] for i in order.tolist())
        return Column(self.name, kind, place[self.codes], levels, why=why)


def _otherwise(name: str, kind: str) -> str:
    return f"kinds={{{name!r}: {kind!r}}}"


# -- numbers -------------------------------------------------------------------------------------------


def _from_numbers(name: str, values: np.ndarray) -> Column:
    present = values[~np.isnan(values)]
    if not len(present):
        return Column.numbers(name, values, why="nothing but missing values")
    if np.isinf(present).any():
        return Column.numbers(name, values, why="numbers, some of them infinite")
    if not np.array_equal(present, np.floor(present)):
        return Column.numbers(name, values, why="decimal numbers")
    seen = np.unique(present)
    if seen.tolist() == [0, 1]:
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        return Column(name, Kind.BINARY, codes, (0, 1), why="only 0 and 1")
    return Column.numbers(name, values, why=_why_whole_numbers(name, seen, len(present)))


def _why_whole_numbers(name: str, seen: np.ndarray, present: int) -> str:
    if len(seen) == 1:
        return f"the same number everywhere: {seen[0]:.0f}"
    names = f"if they are names, {_otherwise(name, 'nominal')}"
    if _says_identifier(name, len(seen) / present):
        return f"integers in a column called {name!r}: taken as numbers; {names}, or leave it out"
    if len(seen) <= FEW_NUMBERS and len(seen) < present:
        shown = ", ".join(f"{value:.0f}" for value in seen[:6]) + (", …" if len(seen) > 6 else "")
        return f"integers with {len(seen)} values ({shown}): taken as numbers; {names}"
    return f"integers from {seen[0]:.0f} to {seen[-1]:.0f}"


def _all_numbers(seen: list[str]) -> list[float] | None:
    """The strings as numbers, if all are; 1_000, nan and inf, which Python takes for numbers, are not."""
    if not _NUMBER.fullmatch(seen[0]) or re.search(_NOT_IN_NUMBERS, "\n".join(seen)):
        return None
    try:
        return [float(cell) for cell in seen]
    except ValueError:
        return None


def _from_digits(strings: _Strings, numbers: list[float], quoted: bool | None) -> Column:
    """Strings that are all numbers: names or numbers."""
    name, seen = strings.name, strings.seen
    names = _why_names(strings, quoted)
    if not names:
        why = f"strings that are all numbers, {len(seen):,} different; if they are names, {_otherwise(name, 'nominal')}"
        return Column.numbers(name, strings.looked_up(numbers), why=why)
    why = f"{names}; if not, {_otherwise(name, 'numeric')}"
    by_letter = strings.alphabetical()
    order = by_letter[np.argsort(np.array(numbers)[by_letter], kind="stable")]
    if len(seen) == 2:
        return strings.ranked(order, Kind.BINARY, why)
    few = " or 'ordinal'" if 2 < len(seen) <= FEW_NUMBERS else ""
    return strings.ranked(order, Kind.NOMINAL, why + few)


def _why_names(strings: _Strings, quoted: bool | None) -> str:
    """Why strings of digits are names; empty where they are numbers."""
    different, share = len(strings.seen), len(strings.seen) / strings.present
    lines = "\n".join(strings.seen)
    if quoted:
        return f"{different:,} different numbers in quotes, where others are bare: taken as names"
    if re.search(_LED_BY_ZERO, lines):
        return "digits that begin with a zero: taken as names"
    if quoted is False or not re.fullmatch(_DIGITS, lines):
        return ""
    if max(map(len, strings.seen)) > LONGEST_NUMBER:
        return "more digits than a number can hold: taken as names"
    if _says_identifier(strings.name, share):
        return f"digits in a column called {strings.name!r}: taken as names"
    if different > FEW_NUMBERS or (different > 10 and share > 0.5):
        return ""
    return f"strings of digits, {different} different: taken as names"


def _says_identifier(name: str, share: float) -> bool:
    """Whether the name of a column says that it identifies; ``share`` of its cells are different."""
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return bool(words & _IDENTIFIER) or (share > 0.9 and bool(words & _NUMBERED))


# -- words ---------------------------------------------------------------------------------------------


def _from_words(strings: _Strings) -> Column:
    name, seen = strings.name, strings.seen
    order = order_of(seen) if 2 <= len(seen) <= MOST_ORDERED else None
    if order and len(seen) > 2:
        return _from_order(strings, order)
    words, share = _mean_words(seen), len(seen) / strings.present
    if share >= 0.5 and words >= PROSE_WORDS:
        cells = np.array([*seen, None], dtype=object)[strings.codes]
        why = f"prose: {words:.0f} words on average, {len(seen):,} of {strings.present:,} different"
        return Column.prose(name, cells, why=f"{why}; if they are names, {_otherwise(name, 'nominal')}")
    if len(seen) == 2:
        levels = order.levels if order else natural_order(seen)
        return strings.coded_by(levels, Kind.BINARY, f"two levels, {quote_some(levels)}")
    return strings.ranked(strings.alphabetical(), Kind.NOMINAL, _why_nominal(strings, words, share))


def _from_order(strings: _Strings, order: Order) -> Column:
    if order.cyclic:
        other = _otherwise(strings.name, "ordinal")
        why = f"{order.told_by}, which come round again: no order; to have one, {other}"
        return strings.coded_by(order.levels, Kind.NOMINAL, why)
    other = _otherwise(strings.name, "nominal")
    why = f"levels that say their order ({order.told_by}); if there is none, {other}"
    return strings.coded_by(order.levels, Kind.ORDINAL, why)


def _mean_words(seen: list[str]) -> float:
    return sum(s.count(" ") + 1 if s.isascii() else len(re.findall(_WORD, s)) for s in seen) / len(seen)


def _why_nominal(strings: _Strings, words: float, share: float) -> str:
    name, seen = strings.name, strings.seen
    if len(seen) == 1:
        return f"the same everywhere: {quote_some(seen)}"
    strange = sorted(islice((level for level in seen if not _NUMBER.fullmatch(level)), 6))
    if len(strange) <= 5 and len(strange) < 0.1 * len(seen):
        told = quote_some(strange)
        return f"numbers but for {told}: taken as names; if that means missing, missing=[{told}]"
    if len(seen) <= MOST_ORDERED:
        known = [level for level in seen if level.strip().lower() not in _UNKNOWN]
        if 2 < len(known) < len(seen) and order_of(known):
            told = quote_some(sorted(set(seen) - set(known)))
            return f"levels in order but for {told}: taken as names; if that means missing, missing=[{told}]"
    if share > 0.5 and len(seen) > 10:
        if words >= 2.5:
            return f"short phrases, {len(seen):,} different; if they are prose, {_otherwise(name, 'text')}"
        return f"names, {len(seen):,} different on {strings.present:,} rows"
    return f"names, {len(seen):,} different"
