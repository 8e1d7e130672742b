"""Formats in which people write numbers and dates: ``1,097,769``, ``$105``, ``0,5%``, ``31.01.2024``, ``31-Jan-24``.

A format is a string. That of a number shows how 1234.5 is written: ``"$1,234.5"``, ``"1.234,5 €"``, ``"1,234.5%"``.
That of a date is in the directives of ``strftime``: ``"%d.%m.%Y"``. ``UNAMBIGUOUS`` means ISO 8601 and months
by name, mixed perhaps (``dates``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probus.data._dates import day_of

if TYPE_CHECKING:
    import polars as pl


UNAMBIGUOUS = "ISO 8601"
ISO = frozenset(
    {UNAMBIGUOUS} | {f"%Y-%m-%d{time}" for time in ("", *(f"{t}%H:%M{s}" for t in "T " for s in ("", ":%S%.f")))}
)
_SAMPLE = 200  # distinct strings from which the formats to try are derived
_MICROSECONDS_A_DAY = 86_400_000_000

_SIGN = "[+\\-−]?"
_CURRENCY = "[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL"
_GROUPS = {",": ".", ".": ",", " ": ".,", "\u00a0": ".,", "\u202f": ".,", "'": ".", "’": "."}  # and their decimal signs
_NUMBER = re.compile(
    rf"{_SIGN}\s?(?P<before>{_CURRENCY})?\s?{_SIGN}(?P<digits>\d(?:[\d.,'’ \u00a0\u202f]*[\d.,])?|[.,]\d+)"
    rf"\s?(?P<after>%|{_CURRENCY})?"
)
_GROUPED = r"[+\-−]?(?:0|[1-9]\d{{0,2}}(?:{0}\d{{3}})?)"  # one sign at most; without it, less than 1000
_NUMBER_FORMAT = re.compile(
    rf"(?P<before>{_CURRENCY})? ?1(?P<group>.?)234(?P<decimal>[.,])5 ?(?P<after>%|{_CURRENCY})?"
)

_TIME = r"(?P<gap>[T ])(?P<clock>\d{1,2}:\d\d(?P<seconds>:\d\d(?:\.\d+)?)?)(?P<half> ?[AaPp]\.?[Mm]\.?)?"
_IN_DIGITS = re.compile(rf"(\d{{4}}|\d{{1,2}})([./-])\d{{1,2}}\2(\d{{4}}|\d{{1,2}})(?:{_TIME})?")
_DAY_NAMED_MONTH = re.compile(rf"\d{{1,2}}(\.? |[-/.])[A-Za-z]{{3,9}}(\.?,? |[-/.])(\d{{4}}|\d\d)(?:{_TIME})?")
_NAMED_MONTH_DAY = re.compile(rf"[A-Za-z]{{3,9}}(\.? |[-/.])\d{{1,2}}(,? |[-/.])(\d{{4}}|\d\d)(?:{_TIME})?")
_DIRECTIVES = {
    "%d": r"\d{1,2}", "%m": r"\d{1,2}", "%Y": r"\d{4}", "%y": r"\d\d", "%B": "[A-Za-z]{3,9}", "%b": "[A-Za-z]{3}",
    "%H": r"\d{1,2}", "%I": r"\d{1,2}", "%M": r"\d\d", "%S": r"\d\d", "%.f": r"(?:\.\d+)?", "%p": "[AaPp][Mm]",
}  # fmt: skip
_DIRECTIVE = re.compile(r"%\.?[A-Za-z]")


@dataclass(frozen=True)
class FormatFit:
    """The format that most strings have, their values (null for the others), and another format they all have too.

    Dates are days since 1970-01-01.
    """

    format: str
    values: pl.Series
    other: str = ""


def fit_format(words: pl.Series, decimal: str = ".") -> FormatFit | None:
    """The format of most of the distinct strings, or None if fewer than half of them have one.

    ``decimal`` is the decimal sign of the rest of the file; it decides where ``1,097`` may be 1097 or 1.097.

    >>> import polars as pl
    >>> fit_format(pl.Series(["1,097", "12,500.5"])).values.to_list()
    [1097.0, 12500.5]
    >>> fit_format(pl.Series(["31.01.2024", "soon"])).format, fit_format(pl.Series(["red", "1 dog"]))
    ('%d.%m.%Y', None)
    """
    sample = words.head(_SAMPLE).to_list()
    best: FormatFit | None = None
    for format in _candidates(sample, decimal):
        if format == UNAMBIGUOUS and best is not None and not best.values.null_count():
            break
        fit = FormatFit(format, parse(words, format))
        if best is None or fit.values.null_count() < best.values.null_count():
            best = fit
        elif not fit.values.null_count() and not fit.values.equals(best.values):
            return FormatFit(best.format, best.values, other="" if _surely_thousands(words, best, fit) else format)
    return best if best is not None and 2 * best.values.null_count() <= len(words) else None


def _surely_thousands(words: pl.Series, best: FormatFit, other: FormatFit) -> bool:
    """Whether signs that separate thousands cannot be decimal signs: numbers below 1000 have none.

    As decimals, they would always have three digits or none.
    """
    if is_date_format(best.format) or (best.values.abs() < other.values.abs()).any():
        return False
    return bool(words.str.contains(r"^\D*\d{1,3}\D*$").any())


def perhaps_thousands(words: pl.Series, values: pl.Series, decimal: str) -> FormatFit | None:
    """How numbers were read that may as well have thousands: of 1.250, 12.300 and 850, three digits follow every point.

    None if a number shows that the sign is the decimal one, or none has the sign.

    >>> import polars as pl
    >>> words = pl.Series(["1.250", "12.300", "850"])
    >>> perhaps_thousands(words, words.cast(float), ".").other, perhaps_thousands(words + "5", words.cast(float), ".")
    ('1.234,5', None)
    """
    sign = re.escape(decimal)
    if not words.str.contains(sign).any() or not words.str.contains(rf"^{_GROUPED.format(sign)}$").all():
        return None
    point, comma = "1,234.5", "1.234,5"
    return FormatFit(comma, values, point) if decimal == "," else FormatFit(point, values, comma)


def shows_decimal(number: str, decimal: str) -> bool:
    """Whether a number shows which sign is the decimal one: not three digits after it, or 0 or many before it.

    >>> [shows_decimal(number, ".") for number in ("1.250", "12.5", "0.125", "1234.125", "850")]
    [False, True, True, True, False]
    """
    return decimal in number and re.fullmatch(_GROUPED.format(re.escape(decimal)), number) is None


def is_format(text: str) -> bool:
    """Whether a string is a format of numbers or dates.

    >>> [is_format(text) for text in ("1.234,5", "%d/%m/%Y", "nominal", "%Q")]
    [True, True, False, False]
    """
    return is_date_format(text) or _NUMBER_FORMAT.fullmatch(text) is not None


def is_date_format(format: str) -> bool:
    """Whether a format is one of dates."""
    directives = _DIRECTIVE.findall(format)
    return format == UNAMBIGUOUS or (bool(directives) and all(each in _DIRECTIVES for each in directives))


def parse(words: pl.Series, format: str) -> pl.Series:
    """The strings as float64, numbers or days since 1970-01-01, null where a string does not have the format.

    >>> import polars as pl
    >>> parse(pl.Series(["1.055.847,19 €", "−3€", "$5"]), "1.234,5 €").to_list()
    [1055847.19, -3.0, None]
    """
    import polars as pl

    words = words.str.strip_chars()
    if format == UNAMBIGUOUS:
        return pl.Series([None if word is None else day_of(word) for word in words.to_list()], dtype=pl.Float64)
    return _parsed_dates(words, format) if is_date_format(format) else _parsed_numbers(words, format)


# -- numbers -------------------------------------------------------------------------------------------


def _parsed_numbers(words: pl.Series, format: str) -> pl.Series:
    import polars as pl

    found = _NUMBER_FORMAT.fullmatch(format)
    assert found is not None
    before, group, point, after = (found[part] or "" for part in ("before", "group", "decimal", "after"))
    whole = rf"(?:[1-9]\d{{0,2}}(?:{re.escape(group)}\d{{3}})+|\d+)" if group else r"\d+"
    digits = rf"(?:{whole}(?:{re.escape(point)}\d*)?|{re.escape(point)}\d+)"
    shape = rf"^{_SIGN}\s?{re.escape(before)}\s?{_SIGN}{digits}\s?{re.escape(after)}$"
    fits = words.str.contains(shape)
    for mark in (before, after, group):
        if mark:
            words = words.str.replace_all(mark, "", literal=True)
    if point != ".":
        words = words.str.replace(point, ".", literal=True)
    numbers = words.str.replace("−", "-", literal=True).str.replace_all(r"\s", "").cast(pl.Float64, strict=False)
    return numbers.set(~fits, None)


def _number_candidates(sample: list[str], decimal: str) -> Iterator[str]:
    """The formats of the numbers in a sample, the likeliest first, for the commonest signs around them."""
    shapes = [found for word in sample if (found := _NUMBER.fullmatch(word.strip()))]
    if 2 * len(shapes) < len(sample):
        return
    (before, after), _ = Counter((found["before"] or "", found["after"] or "") for found in shapes).most_common(1)[0]
    digits = [found["digits"] for found in shapes]
    marks = set("".join(digits)) & _GROUPS.keys()
    pairs = [(group, point) for group, points in _GROUPS.items() for point in points if not marks - {group, point}]
    comma_first = _comma_is_decimal(
        digits, currency=bool((before + after).strip("%")), percent=after == "%", file=decimal
    )
    for group, point in sorted(pairs, key=lambda pair: (pair[1] == ",") != comma_first):
        if group in marks or group in ",.":
            space = " " if after and after != "%" else ""
            yield f"{before}{' ' if len(before) > 1 else ''}1{group}234{point}5{space}{after}"


def _comma_is_decimal(digits: list[str], *, currency: bool, percent: bool, file: str) -> bool:
    """Whether the comma is more probably the decimal sign, where digits alone do not decide it.

    Of amounts of money, three digits behind every sign are thousands; of percentages, they are decimals; else the
    decimal sign of the file decides, or a comma separates thousands.
    """
    commas, points = (any(sign in number for number in digits) for sign in ",.")
    if commas == points:
        return file == ","
    if percent:
        return commas
    if currency and points:
        return all(re.fullmatch(r"\d{1,3}(\.\d{3})+", number) for number in digits if "." in number)
    return file == ","


# -- dates ---------------------------------------------------------------------------------------------


def _parsed_dates(words: pl.Series, format: str) -> pl.Series:
    import polars as pl

    parts = re.split(r"(%\.?[A-Za-z])", format)
    shape = "".join(_DIRECTIVES.get(part, re.escape(part)) for part in parts)
    if re.search(r"%[A-Za-z]%[A-Za-z]", format):  # nothing but their widths separates the parts of 20240131
        shape = shape.replace(r"\d{1,2}", r"\d\d")
    moments = words.str.to_datetime(format, strict=False, time_unit="us")
    return (moments.to_physical() / _MICROSECONDS_A_DAY).cast(pl.Float64).set(~words.str.contains(f"^{shape}$"), None)


def _candidates(sample: list[str], decimal: str) -> Iterator[str]:
    yield from _number_candidates(sample, decimal)
    formats = Counter(format for word in sample for format in _date_formats(word.strip()))
    if 2 * max(formats.values(), default=0) >= len(sample):
        yield from (format for format, times in formats.most_common() if 2 * times >= len(sample))
    if any(day_of(word) is not None for word in sample[:5]):
        yield UNAMBIGUOUS


def _date_formats(word: str) -> Iterator[str]:
    """The formats that a date may have, the likelier first: with slashes the month is first, else the day."""
    if found := _IN_DIGITS.fullmatch(word):
        first, sign, last = found[1], found[2], found[3]
        if len(first) == 4:
            dates = [f"%Y{sign}%m{sign}%d"] if len(last) <= 2 else []
        else:
            year = {4: "%Y", 2: "%y"}.get(len(last))
            orders = (("%m", "%d") if sign == "/" else ("%d", "%m")) if year else ()
            dates = [sign.join((*order, year)) for order in (orders, orders[::-1])] if year and orders else []
    elif found := _DAY_NAMED_MONTH.fullmatch(word):
        dates = [f"%d{found[1]}%B{found[2]}{'%Y' if len(found[3]) == 4 else '%y'}"]
    elif found := _NAMED_MONTH_DAY.fullmatch(word):
        dates = [f"%B{found[1]}%d{found[2]}{'%Y' if len(found[3]) == 4 else '%y'}"]
    else:
        return
    yield from (date + _clock_format(found) for date in dates)


def _clock_format(found: re.Match[str]) -> str:
    if not found["clock"]:
        return ""
    seconds = ":%S%.f" if found["seconds"] else ""
    half = found["half"] or ""
    return f"{found['gap']}{'%I' if half else '%H'}:%M{seconds}{(' ' * half.startswith(' ') + '%p') if half else ''}"
