"""Numbers and lists as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import numpy as np

_DIGITS_OF_YEARS = 4  # a separator in a year would be odd
_FIVE_DIGITS = 10_000  # from which on thousands are set apart
_LARGE = 1e15  # from which on digits are those of float64, not of the number
_SMALL = 1e-3  # below, many decimals are written as a power of ten
_MANY_DECIMALS = 6
_MOST_DECIMALS = 17


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    >>> counted(1, "row"), counted(1234, "row"), counted(2, "class", "classes")
    ('1 row', '1,234 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted_of(number: int, total: int, nouns: str, verb: str = "is", plural: str = "are") -> str:
    """How many of all, with a verb that agrees.

    >>> counted_of(1, 6, "values"), counted_of(2, 1234, "rows", "has", "have")
    ('1 of 6 values is', '2 of 1,234 rows have')
    """
    return f"{number:,} of {total:,} {nouns} {verb if number == 1 else plural}"


def listed(names: Iterable[str], last: str = "and", *, most: int | None = None) -> str:
    """Names as an enumeration; of more than ``most`` the first, and how many more.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "or"), listed("abcde", most=2)
    ('a', 'a, b and c', 'a or b', 'a, b and 3 more')
    """
    names = list(names)
    if most is not None and len(names) > most:
        names[most:] = [f"{len(names) - most} more"]
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def comma_separated(names: Iterable[str]) -> str:
    """Names as an option of a command takes several, in quotes where they hold a comma.

    >>> comma_separated(["age", "a, b"])
    'age,"a, b"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def figure(value: float, *, dates: bool = False) -> str:
    """A number to four significant digits, thousands of more set apart; a date where the column counts days.

    >>> figure(0.123456), figure(1234567.0), figure(2021.0), figure(19000, dates=True)
    ('0.1235', '1,234,567', '2021', '2022-01-08')
    """
    if dates:
        return str(np.datetime64(int(np.floor(value)), "D"))
    if 999.5 <= abs(value) < 1e15:
        text = f"{value:.0f}"
        return text if len(text.lstrip("-")) == _DIGITS_OF_YEARS else f"{value:,.0f}"
    return f"{value:.4g}"


def rounded(value: float, digits: int) -> str:
    """A number to so many significant digits, without a power of ten where it is large.

    >>> rounded(0.01234, 1), rounded(964.2, 2), rounded(79234.5, 3)
    ('0.01', '960', '79,200')
    """
    return figure(float(f"{value:.{digits}g}"))


def decimals_for(size: float) -> int:
    """How many decimals show three significant digits of numbers of that size.

    >>> decimals_for(0.17), decimals_for(17.6), decimals_for(23000.0)
    (3, 1, 0)
    """
    return max(0, 2 - int(np.floor(np.log10(size)))) if size > 0 and np.isfinite(size) else 0


def interval_decimals(value: float, low: float, high: float, digits: int = 2) -> int:
    """How many decimals a value with an interval has: ``digits`` significant ones of its uncertainty, and its own.

    The value has one significant digit at least, two where it is larger than its uncertainty. So it is not printed as 0
    unless it is 0, nor as 1 where its interval ends at 1, as those of many scores do. Where there is no uncertainty to
    show it has three.

    >>> interval_decimals(0.871, 0.852, 0.889), interval_decimals(0.0031, 0.0, 38.0)
    (3, 3)
    """
    half = (high - low) / 2
    size = abs(value)
    if not 0 < half < np.inf:
        own, decimals = 3, 0 if value else 3
    else:
        own, decimals = 1 + (size >= half), max(digits - 1 - _exponent(half), 0)
    if 0 < size < np.inf:
        decimals = max(decimals, own - 1 - _exponent(size))
    if 0 < size < 1 and (high <= 1 if value > 0 else low >= -1):
        decimals = max(decimals, min(-_exponent(1 - size), _MANY_DECIMALS))
    return min(decimals, _MOST_DECIMALS)


def interval_texts(value: float, low: float, high: float, decimals: int | None = None) -> list[str]:
    """A value and the ends of its interval as text, by one rule wherever an interval is printed.

    ``decimals`` are those of a column: a number has one more than its own at most, and as many at least that one digit
    of the uncertainty is shown. Ends far from the value have fewer decimals. Powers of ten are for numbers that are
    very large or small. Thousands are set apart from five digits on; what rounds to zero has no sign. Nothing but ASCII
    is written, so that numbers can be copied.

    >>> interval_texts(0.871, 0.852, 0.889), interval_texts(18227.4, 17640.2, 18835.9)
    (['0.871', '0.852', '0.889'], ['18,227', '17,640', '18,836'])
    >>> interval_texts(0.0031, 0.0002, 38.0), interval_texts(0.98, -1770.0, 1.0)
    (['0.003', '0.000', '38'], ['0.98', '-1770', '1.0'])
    >>> interval_texts(3.14159e-9, 2.9e-9, 3.4e-9)
    ['3.14e-09', '2.90e-09', '3.40e-09']
    """
    numbers = (value, low, high)
    largest = max((abs(number) for number in numbers if np.isfinite(number)), default=0.0)
    half, own = (high - low) / 2, interval_decimals(*numbers)
    if largest >= _LARGE or (largest < _SMALL and own > _MANY_DECIMALS):
        finite = 0 < half < np.inf
        digits = max(_exponent(largest) - _exponent(half) + 1, 1) if finite else 3
        return ["0" if number == 0 else f"{number:.{min(digits, _MOST_DECIMALS)}e}" for number in numbers]
    places = own
    if decimals is not None and decimals <= _MANY_DECIMALS:
        places = min(max(decimals, interval_decimals(*numbers, digits=1)), own + 1)
    least = max(1 - _exponent(half) + places - own, 0) if 0 < half < np.inf else places
    comma = "," if largest >= _FIVE_DIGITS - 0.5 else ""
    return [
        _fixed(value, places, comma),
        *(_fixed(end, min(places, _places(end, least)), comma) for end in (low, high)),
    ]


def _places(end: float, least: int) -> int:
    """The decimals of the end of an interval: at least two significant digits."""
    return max(least, 1 - _exponent(abs(end))) if end and np.isfinite(end) else least


def _fixed(number: float, places: int, comma: str) -> str:
    if places > _MANY_DECIMALS and 0 < abs(number) < _SMALL:
        return f"{number:.{max(places + _exponent(abs(number)), 0)}e}"
    text = f"{number:{comma}.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def _exponent(size: float) -> int:
    """The power of ten of the first digit of a positive number; (0.6 − 0.4) / 2 is 0.1, up to rounding.

    >>> _exponent((0.6 - 0.4) / 2), _exponent(0.0999)
    (-1, -2)
    """
    return int(f"{size:.12e}".partition("e")[2])


def percent(share: float) -> str:
    """A share in whole percent; 0 % only for none and 100 % only for all.

    >>> percent(0.773), percent(0.002), percent(0.999), percent(1.0)
    ('77 %', '< 1 %', '> 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def exact_percent(share: float) -> str:
    """A share in percent, with two decimals where it is below 1 % or above 99 %.

    >>> exact_percent(0.771), exact_percent(0.0031), exact_percent(0.00002), exact_percent(0.9996)
    ('77 %', '0.31 %', '< 0.01 %', '99.96 %')
    """
    if 0.01 <= share <= 0.99 or share in (0, 1):
        return f"{100 * share:.0f} %"
    return "< 0.01 %" if share < 0.0001 else "> 99.99 %" if share > 0.9999 else f"{100 * share:.2f} %"


def p_text(pvalue: float) -> str:
    """A p-value as it is printed.

    >>> p_text(0.2749), p_text(0.00012), p_text(1.0)
    ('p = 0.27', 'p < 0.001', 'p = 1')
    """
    if pvalue < 0.001:
        return "p < 0.001"
    return f"p = {pvalue:.2g}" if pvalue > 0.01 else f"p = {pvalue:.1g}"


def sentence(text: str) -> str:
    """A text with a capital letter first and a full stop last.

    >>> sentence("the time was up"), sentence("Would more rows help?")
    ('The time was up.', 'Would more rows help?')
    """
    return text[:1].upper() + text[1:] + "." * (not text.endswith((".", "?", "!", "…")))


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters: the middle is left out, since names often differ at their ends.

    >>> shortened("age", 12), shortened("income of the household in 2021", 12)
    ('age', 'incom … 2021')
    """
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 3].rstrip()} … {text[-tail:].lstrip()}"
