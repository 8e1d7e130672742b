"""Short text for numbers, dates, frequencies and sets of levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_SHORT, _EXACT, _ALL = 4, 5, 17  # significant digits: of most numbers, of numbers shown exactly, of a float64
_WIDTH = 32  # maximum length of a set of levels


def short_number(x: float, digits: int = _SHORT) -> str:
    """A number with few digits, or midway between integers, unchanged; others in that many significant digits.

    >>> short_number(1345435.5), short_number(2.0), short_number(26.125), short_number(10.48125)
    ('1345435.5', '2', '26.125', '10.48')
    """
    midway = 2 * x == np.floor(2 * x)
    exact = f"{x:.{10 if midway else _EXACT}g}"
    few = (digits <= _EXACT or midway) and "e+" not in exact and abs(float(exact) - x) <= 1e-9 * abs(x)
    return exact if few else rounded(x, digits)


def rounded(x: float, digits: int = _SHORT) -> str:
    """A number in that many significant digits; integer parts are never shortened.

    >>> rounded(10.48125, 3), rounded(61634.25, 3), rounded(1.5e-7), rounded(1e20)
    ('10.5', '61634', '1.5e-07', '1e+20')
    """
    return f"{x:.0f}" if 10 ** (digits - 1) <= abs(x) < 1e15 else f"{x:.{digits}g}"


def fewest_digits(numbers: np.ndarray) -> int:
    """The significant digits needed to distinguish the numbers.

    >>> fewest_digits(np.array([5.0, 5.5])), fewest_digits(np.array([1.000001, 1.000002]))
    (4, 7)
    """
    different = np.unique(numbers)
    for digits in range(_SHORT, _ALL):
        if (np.diff([float(short_number(x, digits)) for x in different.tolist()]) > 0).all():
            return digits
    return _ALL


def distinguished(x: float, threshold: float, digits: int) -> tuple[str, str]:
    """A value and a threshold, with enough digits to show which is larger."""
    for more in range(digits, _ALL + 1):
        shown = short_number(x, more), short_number(threshold, more)
        if (float(shown[0]) <= float(shown[1])) == (x <= threshold):
            break
    return shown


def in_set(names: Sequence[str]) -> str:
    """The condition that a level is one of ``names``; a long list is shortened.

    >>> in_set(["female"]), in_set(["C", "Q"]), in_set([f"cabin {i}" for i in range(40)])
    ('= female', 'in {C, Q}', 'in {cabin 0, cabin 1, cabin 2, … 37 more}')
    """
    return f"= {names[0]}" if len(names) == 1 else f"in {{{', '.join(some_of(names))}}}"


def some_of(names: Sequence[str], width: int = _WIDTH) -> list[str]:
    """As many names as fit into that many letters, and the number of the others if there is more than one.

    >>> some_of(["ash", "beech", "cedar", "elm"], width=8), some_of(["ash", "beech", "cedar"], width=12)
    (['ash', '… 3 more'], ['ash', 'beech', 'cedar'])
    """
    ends = np.cumsum([len(name) + 2 for name in names])
    fitting = max(int((ends <= width).sum()), 1)
    left_out = len(names) - fitting
    return [*names[:fitting], f"… {left_out} more"] if left_out > 1 else list(names)


def date_of(days: float, whole: bool = True) -> str:
    """Days since 1970-01-01 as a date, with the time where there is one.

    A threshold midway between two whole days is shown as the earlier day.
    """
    if (whole and 2 * days == round(2 * days)) or days == round(days):
        return str(np.datetime64(int(np.floor(days)), "D"))
    return str(np.datetime64(round(days * 1440), "m")).replace("T", " ")
