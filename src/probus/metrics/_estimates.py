"""A number with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from probus.display import interval_decimals, interval_texts
from probus.errors import DataError


@dataclass(frozen=True)
class Estimate:
    """A value, the interval that holds the truth at the stated level, and how that interval was found.

    Printed to two significant digits of its uncertainty, and to as many that the value is not 0 unless it is. Ordered
    by value; equal when all of it is equal. An interval that could not be computed is ``[-inf, inf]``.

    Parameters
    ----------
    value : the value.
    low, high : the interval.
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
        """How many decimals its value is printed with."""
        return interval_decimals(self.value, self.low, self.high)

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
        value, low, high = [_signless(format(each, spec)) for each in self._numbers] if spec else self.texts()
        return f"{value} [{low}, {high}]"

    def __str__(self) -> str:
        return format(self, "")

    def __repr__(self) -> str:
        return format(self, "")

    def _repr_html_(self) -> str:
        value, low, high = self.texts()
        title = ", ".join(
            filter(None, [f"{100 * self.level:g} % interval", self.method, f"n = {self.n}" if self.n else ""])
        )
        return f'<span title="{escape(title)}"><b>{value}</b> <span style="opacity:.7">[{low}, {high}]</span></span>'

    @property
    def _numbers(self) -> tuple[float, float, float]:
        return self.value, self.low, self.high

    def texts(self, decimals: int | None = None) -> list[str]:
        """Value, low and high as text; ``decimals`` are those of a column, as in ``display.interval_texts``."""
        return interval_texts(*self._numbers, decimals)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Estimate:
        """The estimate that ``to_dict`` wrote."""
        return cls(**fields)


def _signless(text: str) -> str:
    """The text of a number that rounds to zero without its sign."""
    return text[1:] if text.startswith("-") and not text.partition("e")[0].strip("-0.") else text
