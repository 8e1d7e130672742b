"""Inference of the kind of a column from its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from probus.data.column import Column, Level, natural_order, quote_some
from probus.data.dates import days_of
from probus.data.kind import Kind
from probus.data.level_order import Order, order_of

__all__ = ["infer_column"]

FEW_NUMBERS = 30  # at most so many distinct integers, written as strings, may be labels
LONGEST_NUMBER = 15  # digits that float64 represents exactly
MOST_ORDERED = 60  # levels of an ordered scale
FREE_TEXT_WORDS = 6  # per cell; names of people, cars and films have about four

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NOT_IN_NUMBERS = r"[^\d.eE+\-\s]"
_LED_BY_ZERO = r"(?m)^\s*0\d"
_DIGITS = r"[\d\s+-]*"
_WORD = r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S+"  # Chinese and Japanese put no spaces between words
_UNKNOWN = {"", "?", "-", ".", "unknown", "unk", "n/a", "na", "other", "missing", "not available", "don't know"}
_UNKNOWN |= {"not sure", "no answer", "refused", "not applicable", "unspecified", "not stated", "none", "null"}
_IDENTIFIER = {"id", "ids", "identifier", "uuid", "key", "zip", "zipcode", "postcode", "postal", "code", "phone"}
_IDENTIFIER |= {"ssn", "isbn", "ean", "iban", "serial", "index"}
_NUMBERED = {"number", "no", "nr", "num"}  # PassengerNumber is an identifier if unique, NumberOfRooms is not


def infer_column(name: str, values: np.ndarray, *, quoted: bool | None = None) -> Column:
    """A column with the kind inferred from the values; its ``why`` gives the reason and how to set another kind.

    * Booleans, and unquoted numbers that are only 0 and 1, are **binary**. Other unquoted numbers are **numeric**, even
      if few are distinct: 4, 6 and 8 may be counts, and labels would lose their order.
    * Strings that are all numbers are labels where the file quotes them and leaves other numbers unquoted. Where
      quotes carry no information they are numeric if they have decimals, or more than 30 are distinct, or more than
      10 and most of them; but labels if the column's name says identifier, or they begin with a zero or have more
      than 15 digits.
    * Unambiguous dates are **numeric**, as days since 1970-01-01.
    * Levels whose names imply an order (`probus.data.level_order`) are **ordinal**, in that order. Months and weekdays
      are **nominal** in calendar order, because they are cyclic.
    * Free text is **text**: at least half of the cells are distinct, with at least six words on average.
    * Other strings are **binary** if there are two levels, **nominal** otherwise.

    Parameters
    ----------
    values
        float64 with NaN for missing; bool; or ``str`` objects with None for missing.
    quoted
        True if the file quotes these and leaves numbers unquoted, so that digits are labels; False if they are
        unquoted; None if quotes carry no information.

    Examples
    --------
    >>> sizes = infer_column("size", np.array(["L", "S", None, "M"], dtype=object))
    >>> sizes.kind, sizes.levels
    (<Kind.ORDINAL: 'ordinal'>, ('S', 'M', 'L'))
    >>> infer_column("cyl", np.array([4.0, 6.0, 8.0, 4.0])).why
    "integers with 3 values (4, 6, 8): treated as numbers; if they are labels, kinds={'cyl': 'nominal'}"
    """
    if values.dtype.kind == "b":
        return Column(name, Kind.BINARY, values.astype(np.int32), (False, True), why="true or false")
    if values.dtype.kind == "f":
        return _from_numbers(name, values)
    strings = _Strings.of(name, values)
    if not strings.seen:
        return Column.numbers(name, np.full(len(values), np.nan), why="all values are missing")
    numbers = _all_numbers(strings.seen)
    if numbers is not None:
        return _from_digits(strings, numbers, quoted)
    days = days_of(strings.seen)
    if days is not None:
        return Column.numbers(name, strings.looked_up(days), dates=True, why="dates, as days since 1970-01-01")
    return _from_words(strings)


class _Strings(NamedTuple):
    """A column of strings, coded once: the distinct strings in order of appearance, and the code of each cell."""

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
        """The number of each cell, given the number of each distinct string."""
        return np.append(np.asarray(numbers, dtype=np.float64), np.nan)[self.codes]

    def alphabetical(self) -> np.ndarray:
        """The codes in alphabetical order of the strings."""
        return np.array(sorted(range(len(self.seen)), key=self.seen.__getitem__), dtype=np.intp)

    def coded_by(self, levels: Sequence[Level], kind: Kind, why: str) -> Column:
        """The column with those levels: the distinct strings in another order."""
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
        return Column.numbers(name, values, why="all values are missing")
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
        return f"constant: {seen[0]:.0f}"
    names = f"if they are labels, {_otherwise(name, 'nominal')}"
    if _named_identifier(name, len(seen) / present):
        return f"integers in a column called {name!r}: treated as numbers; {names}, or leave it out"
    if len(seen) <= FEW_NUMBERS and len(seen) < present:
        shown = ", ".join(f"{value:.0f}" for value in seen[:6]) + (", …" if len(seen) > 6 else "")
        return f"integers with {len(seen)} values ({shown}): treated as numbers; {names}"
    return f"integers from {seen[0]:.0f} to {seen[-1]:.0f}"


def _all_numbers(seen: list[str]) -> list[float] | None:
    """The strings as numbers, or None unless all are; 1_000, nan and inf, which ``float`` accepts, are not."""
    if not _NUMBER.fullmatch(seen[0]) or re.search(_NOT_IN_NUMBERS, "\n".join(seen)):
        return None
    try:
        return [float(cell) for cell in seen]
    except ValueError:
        return None


def _from_digits(strings: _Strings, numbers: list[float], quoted: bool | None) -> Column:
    """A column of strings that are all numbers: numeric, or labels."""
    name, seen = strings.name, strings.seen
    names = _why_labels(strings, quoted)
    if not names:
        why = f"strings that are all numbers, {len(seen):,} distinct; if they are labels, {_otherwise(name, 'nominal')}"
        return Column.numbers(name, strings.looked_up(numbers), why=why)
    why = f"{names}; if not, {_otherwise(name, 'numeric')}"
    by_letter = strings.alphabetical()
    order = by_letter[np.argsort(np.array(numbers)[by_letter], kind="stable")]
    if len(seen) == 2:
        return strings.ranked(order, Kind.BINARY, why)
    few = " or 'ordinal'" if 2 < len(seen) <= FEW_NUMBERS else ""
    return strings.ranked(order, Kind.NOMINAL, why + few)


def _why_labels(strings: _Strings, quoted: bool | None) -> str:
    """Why strings of digits are labels; empty if they are numbers."""
    different, share = len(strings.seen), len(strings.seen) / strings.present
    lines = "\n".join(strings.seen)
    if re.search(_LED_BY_ZERO, lines):
        return "digits that begin with a zero: treated as labels"
    whole = re.fullmatch(_DIGITS, lines)
    if quoted is not False and whole and max(map(len, strings.seen)) > LONGEST_NUMBER:
        return "more digits than float64 can represent: treated as labels"
    if quoted:
        return f"{different:,} distinct numbers in quotes, where others are unquoted: treated as labels"
    if quoted is False or not whole:
        return ""
    if _named_identifier(strings.name, share):
        return f"digits in a column called {strings.name!r}: treated as labels"
    if different > FEW_NUMBERS or (different > 10 and share > 0.5):
        return ""
    return f"strings of digits, {different} distinct: treated as labels"


def _named_identifier(name: str, share: float) -> bool:
    """Whether the name of a column says identifier; ``share`` of its cells are distinct."""
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return bool(words & _IDENTIFIER) or (share > 0.9 and bool(words & _NUMBERED))


# -- words ---------------------------------------------------------------------------------------------


def _from_words(strings: _Strings) -> Column:
    name, seen = strings.name, strings.seen
    order = order_of(seen) if 2 <= len(seen) <= MOST_ORDERED else None
    if order and len(seen) > 2:
        return _from_order(strings, order)
    words, share = _mean_words(seen), len(seen) / strings.present
    if share >= 0.5 and words >= FREE_TEXT_WORDS:
        cells = np.array([*seen, None], dtype=object)[strings.codes]
        why = f"free text: {words:.0f} words on average, {len(seen):,} of {strings.present:,} distinct"
        return Column.text(name, cells, why=f"{why}; if they are labels, {_otherwise(name, 'nominal')}")
    if len(seen) == 2:
        levels = order.levels if order else natural_order(seen)
        return strings.coded_by(levels, Kind.BINARY, f"two levels, {quote_some(levels)}")
    return strings.ranked(strings.alphabetical(), Kind.NOMINAL, _why_nominal(strings, words, share))


def _from_order(strings: _Strings, order: Order) -> Column:
    if order.cyclic:
        other = _otherwise(strings.name, "ordinal")
        why = f"{order.source}, which are cyclic: treated as unordered; to order them, {other}"
        return strings.coded_by(order.levels, Kind.NOMINAL, why)
    other = _otherwise(strings.name, "nominal")
    why = f"levels whose names imply an order ({order.source}); if there is none, {other}"
    return strings.coded_by(order.levels, Kind.ORDINAL, why)


def _mean_words(seen: list[str]) -> float:
    return sum(s.count(" ") + 1 if s.isascii() else len(re.findall(_WORD, s)) for s in seen) / len(seen)


def _why_nominal(strings: _Strings, words: float, share: float) -> str:
    name, seen = strings.name, strings.seen
    if len(seen) == 1:
        return f"constant: {quote_some(seen)}"
    strange = sorted(islice((level for level in seen if not _NUMBER.fullmatch(level)), 6))
    if len(strange) <= 5 and len(strange) < 0.1 * len(seen):
        shown = quote_some(strange)
        return f"numbers except {shown}: treated as labels; if they mean missing, missing=[{shown}]"
    if len(seen) <= MOST_ORDERED:
        known = [level for level in seen if level.strip().lower() not in _UNKNOWN]
        if 2 < len(known) < len(seen) and order_of(known):
            shown = quote_some(sorted(set(seen) - set(known)))
            return f"ordered levels except {shown}: treated as labels; if they mean missing, missing=[{shown}]"
    if share > 0.5 and len(seen) > 10:
        if words >= 2.5:
            return f"short phrases, {len(seen):,} distinct; if they are free text, {_otherwise(name, 'text')}"
        return f"labels, {len(seen):,} distinct in {strings.present:,} rows"
    return f"labels, {len(seen):,} distinct"
