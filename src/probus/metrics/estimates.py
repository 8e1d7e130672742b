"""A number with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from probus.errors import DataError

__all__ = ["Estimate"]

_FIVE_DIGITS = 10_000
_MOST_DECIMALS = 6
_LARGE = 1e15  # from which on digits are those of float64, not of the number


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, the interval that holds the truth at the stated level, and how that interval was found.

    Printed to two significant digits of its uncertainty. Ordered by value; equal when all of it is equal. An
    interval that could not be computed is ``[-inf, inf]``.

    Parameters
    ----------
    level : the confidence level, between 0 and 1.
    method : the method of the interval.
    n : the number of observations or of splits.

    >>> accuracy = Estimate(0.871, 0.852, 0.889, method="corrected t", n=10)
    >>> accuracy
    0.871 [0.852, 0.889]
    >>> f"{accuracy:.2f}", 0.86 in accuracy, accuracy > 0.8
    ('0.87 [0.85, 0.89]', True, True)
    >>> Estimate(18227.4, 17640.2, 18835.9)
    18,227 [17,640, 18,836]
    >>> Estimate(3.14159e-9, 2.9e-9, 3.4e-9)
    3.14e-09 [2.90e-09, 3.40e-09]
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""
    n: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise DataError(f"a confidence level of {self.level}.", "a number between 0 and 1", "95 % is 0.95.")
        if self.low > self.high:
            raise DataError(f"an interval from {self.low} to {self.high}.", "the lower bound first")

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    @property
    def decimals(self) -> int:
        """How many decimals show two significant digits of the uncertainty; 3 where there is none to show."""
        half_width = self.half_width
        if not 0 < half_width < math.inf:
            return 3
        return min(max(1 - math.floor(math.log10(half_width)), 0), _MOST_DECIMALS)

    @property
    def spec(self) -> str:
        """The format of its numbers: two significant digits of the uncertainty, with powers of ten far from one."""
        largest = max((abs(each) for each in (self.value, self.low, self.high) if math.isfinite(each)), default=0.0)
        tiny = 0 < self.half_width < 10.0**-_MOST_DECIMALS and largest < 1e-3
        if not (tiny or largest >= _LARGE):
            return f".{self.decimals}f"
        finite = 0 < self.half_width < math.inf
        digits = math.floor(math.log10(largest)) - math.floor(math.log10(self.half_width)) + 1 if finite else 3
        return f".{min(max(digits, 1), _MOST_DECIMALS)}e"

    def __float__(self) -> float:
        return float(self.value)

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __lt__(self, other: Estimate | float) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Estimate | float) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Estimate | float) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Estimate | float) -> bool:
        return float(self) >= float(other)

    def __format__(self, spec: str) -> str:
        value, low, high = self.texts(spec or self.spec)
        return f"{value} [{low}, {high}]"

    def __str__(self) -> str:
        return format(self, "")

    def __repr__(self) -> str:
        return format(self, "")

    def _repr_html_(self) -> str:
        value, low, high = self.texts(self.spec)
        title = ", ".join(
            filter(None, [f"{100 * self.level:g} % interval", self.method, f"n = {self.n}" if self.n else ""])
        )
        return f'<span title="{escape(title)}"><b>{value}</b> <span style="opacity:.7">[{low}, {high}]</span></span>'

    def texts(self, spec: str) -> list[str]:
        """Value, low and high; what rounds to zero has no sign, and thousands are set apart from five digits on."""
        numbers = (self.value, self.low, self.high)
        largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
        if spec.startswith(".") and spec.endswith("f") and largest >= _FIVE_DIGITS - 0.5:
            spec = f",{spec}"
        texts = ["0" if spec.endswith("e") and number == 0 else format(number, spec) for number in numbers]
        return [
            text[1:] if text.startswith("-") and not text.partition("e")[0].strip("-0.") else text for text in texts
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Estimate:
        """The estimate that ``to_dict`` wrote."""
        return cls(**fields)
