"""Numbers and lists as text."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counted", "listed", "p_text", "percent"]


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    >>> counted(1, "row"), counted(1234, "row"), counted(2, "class", "classes")
    ('1 row', '1,234 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names as an enumeration.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


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
