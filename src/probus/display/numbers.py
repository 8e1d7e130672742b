"""Numbers and lists as text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = [
    "counted", "counted_of", "decimals_for", "figure", "listed", "p_text", "percent", "rounded", "sentence",
    "shortened",
]  # fmt: skip


_DIGITS_OF_YEARS = 4  # a separator in a year would be odd


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


def percent(share: float) -> str:
    """A share in whole percent; 0 % only for none and 100 % only for all.

    >>> percent(0.773), percent(0.002), percent(0.999), percent(1.0)
    ('77 %', '< 1 %', '> 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


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
