"""Inference of the kind of a column from its values."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._coded_strings import CodedStrings
from probus.data._column import Column, as_missing, natural_order, quote_some
from probus.data._dates import COMPACT, are_compact_dates
from probus.data._kind import Kind
from probus.data._level_order import LevelOrder, order_of
from probus.data._name_words import words_of
from probus.data._written_formats import ISO, FormatFit, fit_format, is_date_format
from probus.errors import Advice

if TYPE_CHECKING:
    import polars as pl

STRINGS = "strings"  # why a column of strings that were not examined has levels
FEW_NUMBERS = 30  # at most so many distinct integers, written as strings, may be labels
LONGEST_NUMBER = 15  # digits that float64 represents exactly
MOST_ORDERED = 60  # levels of an ordered scale
_SHOWN = 5
_FEW = 200  # strings that Python examines before polars has started
_PART = 1 << 14  # values whose intermediate results stay in the cache
FREE_TEXT_WORDS = 6  # per cell; names of people, cars and films have about four

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NOT_IN_NUMBERS = r"[^\d.eE+\-\s]"
_LED_BY_ZERO = r"^\s*0\d"
_DIGITS = r"^[\d\s+-]*$"
_WORD = r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S+"  # Chinese and Japanese put no spaces between words
_UNKNOWN = {"", "?", "-", ".", "unknown", "unk", "n/a", "na", "other", "missing", "not available", "don't know"}
_UNKNOWN |= {"not sure", "no answer", "refused", "not applicable", "unspecified", "not stated", "none", "null"}
_IDENTIFIER = {"id", "ids", "identifier", "uuid", "key", "zip", "zipcode", "postcode", "postal", "code", "phone"}
_IDENTIFIER |= {"ssn", "isbn", "ean", "iban", "serial", "index"}
_NUMBERED = {"number", "no", "nr", "num"}  # PassengerNumber is an identifier if unique, NumberOfRooms is not


def infer_column(name: str, values: Any, *, quoted: bool | None = None) -> Column:
    """A column with the kind inferred from the values; its ``why`` gives the reason and how to set another kind.

    * Booleans, and unquoted numbers that are only 0 and 1, are **binary**. Other unquoted numbers are **numeric**, even
      if few are distinct: 4, 6 and 8 may be counts, and labels would lose their order. So are dates such as 20240131.
    * Strings that are all numbers are labels where the file quotes them and leaves other numbers unquoted. Where
      quotes carry no information they are numeric if they have decimals, or more than 30 are distinct, or more than 10
      and most of them; but labels if the column's name is that of an identifier, or they begin with a zero or have more
      than 15 digits.
    * Dates are **numeric**, as days since 1970-01-01, and so are numbers with separators, currencies or percent signs,
      if all strings have one format (``written_formats``). The column keeps the strings.
    * Levels whose names imply an order (``level_order``) are **ordinal**, in that order. Months and weekdays
      are **nominal** in calendar order, because they are cyclic.
    * Free text is **text**: at least half of the cells are distinct, with at least six words on average.
    * Other strings are **binary** if there are two levels, **nominal** otherwise.

    Parameters
    ----------
    values
        float64 with NaN for missing; bool; or strings with None for missing, also as a polars series.
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
    if isinstance(values, np.ndarray) and values.dtype.kind == "b":
        return Column(name, Kind.BINARY, values.astype(np.int32), (False, True), why="true or false")
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return _from_numbers(name, values)
    return infer_strings(CodedStrings.of(name, values), quoted=quoted)


def warn_of_numbers(columns: Iterable[Column]) -> None:
    """Warn of columns whose strings are levels by their dtype, although they all are numbers or dates."""
    strings = [c for c in columns if c.why == STRINGS and any(cell.isdigit() for cell in str(c.levels[0]))]
    strings = [c for c in strings if infer_column(c.name, c.levels).kind is Kind.NUMERIC]  # there are few of them
    inferred = [infer_column(column.name, column.decoded()) for column in strings]
    found = [(c.name, s.levels[0], c.dates) for c, s in zip(inferred, strings, strict=True) if c.kind is Kind.NUMERIC]
    if found:
        shown = ", ".join(
            f"{name!r} ({'dates' if dates else 'numbers'}, {level!r})" for name, level, dates in found[:5]
        )
        warnings.warn(
            f"strings that are numbers or dates are used as levels: {shown}{', …' if len(found) > 5 else ''}. "
            "Pass probus.Table(X) to use their values, or a categorical dtype if they are labels.",
            stacklevel=5,
        )


def infer_strings(strings: CodedStrings, *, quoted: bool | None = None, formats: bool = True) -> Column:
    """A column of strings with the kind inferred from them, as ``infer_column`` does; not by ``formats`` if False."""
    if not len(strings.seen):
        return Column.numbers(strings.name, np.full(len(strings.codes), np.nan), why="all values are missing")
    numbers = _all_numbers(strings.seen)
    if numbers is not None:
        return _from_digits(strings, numbers, quoted)
    fit = fit_format(strings.seen) if formats else None
    if fit is not None and not fit.values.null_count() and not is_identifier(strings, fit.format):
        return from_format(strings, fit)
    column = _from_words(strings)
    if fit is None or column.kind is not Kind.NOMINAL or not _is_mixed(strings.seen, fit):
        return column
    return replace(column, why=f"{why_mixed(strings, fit)}; {column.why}")


def from_format(strings: CodedStrings, fit: FormatFit) -> Column:
    """A numeric column of strings that all have one format; it keeps the strings."""
    dates = is_date_format(fit.format)
    why = _why_format(strings, fit) if fit.format not in ISO else f"dates, as days since 1970-01-01{_zone(strings)}"
    values = strings.looked_up(fit.values)
    return Column.numbers(strings.name, values, dates=dates, why=why, format=fit.format, written=strings.cells())


def _zone(strings: CodedStrings) -> str:
    """That times are now in UTC, if a string has the offset of another zone."""
    offsets = strings.seen.str.extract(r":\d\d(?:\.\d+)?([+-]\d\d(?::?\d\d)?)\s*$").drop_nulls()
    others = offsets.filter(offsets.str.contains("[1-9]"))
    return f", in UTC (written with {others[0]})" if len(others) else ""


def _is_mixed(seen: pl.Series, fit: FormatFit) -> bool:
    """Whether most strings have the format, and more than are plain numbers."""
    import polars as pl

    return fit.values.count() > max(seen.cast(pl.Float64, strict=False).count(), len(seen) / 2)


def why_mixed(strings: CodedStrings, fit: FormatFit) -> str:
    """How many strings do not have the format that most of them have."""
    odd = fit.values.is_null().to_numpy()
    what = "dates" if is_date_format(fit.format) else "numbers"
    shown = quote_some(sorted(strings.seen.filter(odd).head(_SHOWN).to_list()))
    return f"{strings.counts[odd].sum():,} of {strings.present:,} values are not {what} written {fit.format}: {shown}"


def _why_format(strings: CodedStrings, fit: FormatFit) -> str:
    """What the strings were read as, with an example, and how to read them otherwise."""
    name = strings.name
    example = int(strings.seen.str.len_chars().arg_max() or 0)
    value = fit.values[example]
    if is_date_format(fit.format):
        shown = np.datetime64(round(value * 86_400), "s").item().isoformat(" ").removesuffix(" 00:00:00")
        what = f"dates written {fit.format}"
    else:
        shown = f"{value:.15g}"
        what = f"{'percentages' if '%' in fit.format else 'numbers'} written {fit.format}"
    ambiguous = f"; ambiguous: for {fit.other}, {_otherwise(name, fit.other)}" if fit.other else ""
    return f"{what}: {strings.seen[example]!r} is {shown}{ambiguous}; for the strings, {_otherwise(name, 'text')}"


def is_identifier(strings: CodedStrings, format: str) -> bool:
    """Whether digits in groups are a telephone number or another code, judging by the name of the column."""
    in_groups = format.startswith(("1 ", "1\u00a0", "1\u202f")) or "%y" in format
    return in_groups and _named_identifier(strings.name, 0.0)


def _otherwise(name: str, kind: str) -> str:
    return str(Advice("kinds", {name: kind}))


# -- numbers -------------------------------------------------------------------------------------------


def _from_numbers(name: str, values: np.ndarray) -> Column:
    present = values if _all_finite(values) else values[~np.isnan(values)]
    if not len(present):
        return Column.numbers(name, values, why="all values are missing")
    low, high = present.min(), present.max()
    if np.isinf(low) or np.isinf(high):
        return Column.numbers(name, values, why="numbers, some of them infinite")
    if not _whole(present):
        return Column.numbers(name, values, why="decimal numbers")
    if low == 0 and high == 1:
        codes = (values if present is values else np.nan_to_num(values, nan=-1)).astype(np.int32)
        return Column(name, Kind.BINARY, codes, (0, 1), why="only 0 and 1")
    return Column.numbers(name, values, why=_why_whole_numbers(name, present, low, high))


def _all_finite(numbers: np.ndarray) -> bool:
    """Whether no number is missing or infinite; False too if their sum is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def _parts(numbers: np.ndarray) -> Iterator[np.ndarray]:
    return (numbers[start : start + _PART] for start in range(0, len(numbers), _PART))


def _whole(numbers: np.ndarray) -> bool:
    return all(np.array_equal(part, np.floor(part)) for part in _parts(numbers))


def _distinct(integers: np.ndarray, low: float, high: float) -> np.ndarray:
    """The distinct integers in order; marked if they are dense, because that is faster than sorting."""
    if high / 4 - low / 4 > len(integers):  # the difference itself may not be finite
        return np.unique(integers)
    seen = np.zeros(int(high - low) + 1, dtype=bool)
    for part in _parts(integers):
        seen[(part - low).astype(np.intp)] = True
        if len(seen) < _PART and seen.all():
            break
    return np.flatnonzero(seen) + low


def _why_whole_numbers(name: str, integers: np.ndarray, low: float, high: float) -> str:
    present, from_to = len(integers), f"integers from {low + 0.0:.0f} to {high + 0.0:.0f}"  # −0 is 0
    many = len(np.unique(integers[:_FEW])) > FEW_NUMBERS and not _named_identifier(name, 1.0)
    if many and not are_compact_dates("date", integers[:_FEW]):
        return from_to
    seen = _distinct(integers, low, high)
    if are_compact_dates(name, seen):
        example = f"{seen[-1]:.0f} is {seen[-1] // 1e4:.0f}-{seen[-1] // 100 % 100:02.0f}-{seen[-1] % 100:02.0f}"
        return f"{from_to} that are all dates: treated as numbers; if {example}, {_otherwise(name, COMPACT)}"
    if many:
        return from_to
    if len(seen) == 1:
        return f"constant: {seen[0]:.0f}"
    names = f"if they are labels, {_otherwise(name, 'nominal')}"
    if _named_identifier(name, len(seen) / present):
        return f"integers in a column called {name!r}: treated as numbers; {names}, or leave it out"
    if len(seen) <= FEW_NUMBERS and len(seen) < present:
        shown = ", ".join(f"{value:.0f}" for value in seen[:6]) + (", …" if len(seen) > 6 else "")
        return f"integers with {len(seen)} values ({shown}): treated as numbers; {names}"
    return from_to


def _all_numbers(seen: pl.Series) -> np.ndarray | None:
    """The strings as numbers, or None unless all are; nan and inf, which polars accepts, are not."""
    import polars as pl

    if not _NUMBER.fullmatch(seen[0]) or seen.str.contains(_NOT_IN_NUMBERS).any():
        return None
    numbers = seen.str.strip_chars().cast(pl.Float64, strict=False)
    return None if numbers.null_count() else numbers.to_numpy()


def _from_digits(strings: CodedStrings, numbers: np.ndarray, quoted: bool | None) -> Column:
    """A column of strings that are all numbers: numeric, or labels."""
    name, seen = strings.name, strings.seen
    names = _why_labels(strings, quoted)
    if not names:
        why = f"strings that are all numbers, {len(seen):,} distinct; if they are labels, {_otherwise(name, 'nominal')}"
        return Column.numbers(name, strings.looked_up(numbers), why=why)
    why = f"{names}; if not, {_otherwise(name, 'numeric')}"
    by_letter = strings.alphabetical()
    order = by_letter[np.argsort(numbers[by_letter], kind="stable")]
    if len(seen) == 2:
        return strings.ranked(order, Kind.BINARY, why)
    few = " or 'ordinal'" if 2 < len(seen) <= FEW_NUMBERS else ""
    return strings.ranked(order, Kind.NOMINAL, why + few)


def _why_labels(strings: CodedStrings, quoted: bool | None) -> str:
    """Why strings of digits are labels; empty if they are numbers."""
    different, share = len(strings.seen), len(strings.seen) / strings.present
    if strings.seen.str.contains(_LED_BY_ZERO).any():
        return "digits that begin with a zero: treated as labels"
    whole = quoted is not False and strings.seen.str.contains(_DIGITS).all()
    if whole and (strings.seen.str.len_chars() > LONGEST_NUMBER).any():
        return "more digits than float64 can represent: treated as labels"
    if quoted:
        return f"{different:,} distinct numbers in quotes, where others are unquoted: treated as labels"
    if not whole:
        return ""
    if _named_identifier(strings.name, share):
        return f"digits in a column called {strings.name!r}: treated as labels"
    if different > FEW_NUMBERS or (different > 10 and share > 0.5):
        return ""
    return f"strings of digits, {different} distinct: treated as labels"


def _named_identifier(name: str, share: float) -> bool:
    """Whether the name of a column is that of an identifier; ``share`` of its cells are distinct."""
    words = words_of(name)
    return bool(words & _IDENTIFIER) or (share > 0.9 and bool(words & _NUMBERED))


# -- words ---------------------------------------------------------------------------------------------


def _from_words(strings: CodedStrings) -> Column:
    name, n_seen = strings.name, len(strings.seen)
    order = order_of(strings.listed) if 2 <= n_seen <= MOST_ORDERED else None
    if order and n_seen > 2:
        return _from_order(strings, order)
    words, share = _mean_words(strings.seen), n_seen / strings.present
    if share >= 0.5 and words >= FREE_TEXT_WORDS:
        why = f"free text: {words:.0f} words on average, {n_seen:,} of {strings.present:,} distinct"
        return Column.text(
            name, strings.cells().to_list(), why=f"{why}; if they are labels, {_otherwise(name, 'nominal')}"
        )
    if n_seen == 2:
        levels = order.levels if order else natural_order(strings.listed)
        return strings.coded_by(levels, Kind.BINARY, f"two levels, {quote_some(levels)}")
    return strings.ranked(strings.alphabetical(), Kind.NOMINAL, _why_nominal(strings, words, share))


def _from_order(strings: CodedStrings, order: LevelOrder) -> Column:
    if order.cyclic:
        other = _otherwise(strings.name, "ordinal")
        why = f"{order.source}, which are cyclic: treated as unordered; to order them, {other}"
        return strings.coded_by(order.levels, Kind.NOMINAL, why)
    other = _otherwise(strings.name, "nominal")
    why = f"levels whose names imply an order ({order.source}); if there is none, {other}"
    return strings.coded_by(order.levels, Kind.ORDINAL, why)


def _mean_words(seen: pl.Series) -> float:
    import polars as pl

    if len(seen) < _FEW:
        return _count_words(seen) / len(seen)
    cells = pl.first().str
    facts = seen.to_frame().select(
        spaces=cells.count_matches(" ", literal=True).sum(), ascii=(cells.len_bytes() == cells.len_chars()).all()
    )
    spaces, ascii_only = facts.row(0)
    return spaces / len(seen) + 1 if ascii_only else _count_words(seen) / len(seen)


def _count_words(seen: pl.Series) -> int:
    return sum(s.count(" ") + 1 if s.isascii() else len(re.findall(_WORD, s)) for s in seen.to_list())


def _why_nominal(strings: CodedStrings, words: float, share: float) -> str:
    name, seen = strings.name, strings.listed
    if len(seen) == 1:
        return f"constant: {quote_some(seen)}"
    strange = sorted(islice((level for level in seen if not _NUMBER.fullmatch(level)), 6))
    if len(strange) <= 5 and len(strange) < 0.1 * len(seen):
        return f"numbers except {quote_some(strange)}: {_labels_unless_missing(strange)}"
    if len(seen) <= MOST_ORDERED:
        known = [level for level in seen if level.strip().lower() not in _UNKNOWN]
        if 2 < len(known) < len(seen) and order_of(known):
            strange = sorted(set(seen) - set(known))
            return f"ordered levels except {quote_some(strange)}: {_labels_unless_missing(strange)}"
    if share > 0.5 and len(seen) > 10:
        if words >= 2.5:
            return f"short phrases, {len(seen):,} distinct; if they are free text, {_otherwise(name, 'text')}"
        return f"labels, {len(seen):,} distinct in {strings.present:,} rows"
    return f"labels, {len(seen):,} distinct"


def _labels_unless_missing(strange: list[str]) -> str:
    return f"treated as labels; if they mean missing, {as_missing(strange)}"
