"""The kinds of parameters: numbers between two bounds, one of several values, one value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from probus.errors import DataError
from probus.state import Flag, Many, Object, Plain, Spec, Stored

if TYPE_CHECKING:
    from probus.spaces._space import Space


class Parameter(Stored, ABC):
    """What one parameter may be. Every value has a place between 0 and 1, where tuners search."""

    declared: ClassVar[Mapping[str, Spec]] = {"settings": Plain()}

    size: float
    """The number of different values; infinite for real numbers."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Whether the value is one of the parameter's."""

    @abstractmethod
    def plain(self, value: Any) -> Any:
        """A value of the parameter as plain data, which JSON can hold."""

    @abstractmethod
    def to_unit(self, value: Any) -> float:
        """The place of a value between 0 and 1."""

    @abstractmethod
    def from_unit(self, unit: float) -> Any:
        """The value at a place between 0 and 1."""

    def parts(self) -> dict[str, Any]:
        """What a model file stores."""
        return {"settings": {each.name: getattr(self, each.name) for each in fields(self)}}  # type: ignore[arg-type]

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The parameter of a model file."""
        return cls(**parts["settings"])

    def grid(self, resolution: int) -> list[Any]:
        """At most that many evenly spaced values, the bounds included; every value of a choice."""
        count = int(min(self.size, resolution))
        places = np.linspace(0.0, 1.0, count) if count > 1 else [0.5]
        return list(dict.fromkeys(self.from_unit(float(place)) for place in places))


@dataclass(frozen=True, repr=False)
class Real(Parameter):
    """A real number between two bounds, both included.

    Parameters
    ----------
    low, high : the bounds; the bounds of the exponent if there is a ``base``
    log : whether the logarithm is searched evenly: between 0.001 and 1000 half of the values are below 1
    base : the value is ``base ** x`` for an x between the bounds

    >>> Real(1e-3, 1e3, log=True).from_unit(0.5), Real(-12, 12, base=2).from_unit(1.0)
    (1.0, 4096.0)
    """

    low: float
    high: float
    log: bool = False
    base: float | None = None

    size = math.inf

    def __post_init__(self) -> None:
        _check_bounds(self, float)
        if self.log:
            _check_positive(self)
        if self.base is None:
            return
        if self.log:
            raise DataError(f"{self!r}.", "either log=True or a base", "With a base, the bounds are exponents.")
        if not (_is_number(self.base) and self.base > 0 and self.base != 1):
            raise DataError(f"{self!r}: base={self.base!r}.", "a positive number other than 1, for example 2 or 10")
        if not all(0.0 < self._power(bound) < math.inf for bound in (self.low, self.high)):
            raise DataError(f"{self!r}: a bound is too large for a power of {self.base}.", "bounds of the exponent")

    def __repr__(self) -> str:
        base = "" if self.base is None else f", base={_short(self.base)}"
        return f"Real({_short(self.low)}, {_short(self.high)}{', log=True' * bool(self.log)}{base})"

    def _power(self, exponent: float) -> float:
        try:
            return float(self.base) ** exponent  # type: ignore[arg-type]
        except OverflowError:
            return math.inf

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        if self.base is None:
            return float(self.low), float(self.high)
        first, last = sorted((self._power(self.low), self._power(self.high)))
        return first, last

    def holds(self, value: Any) -> bool:
        """Whether it is a number between the bounds."""
        first, last = self.bounds
        return _is_number(value) and first <= value <= last

    def plain(self, value: Any) -> float:
        """The value as a float."""
        return float(value)

    def to_unit(self, value: Any) -> float:
        """The place of a value between 0 and 1."""
        if self.base is not None:
            place = (math.log(value) / math.log(self.base) - self.low) / (self.high - self.low)
        elif self.log:
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = value / 2 - self.low / 2  # halves: the difference of the bounds may be too large for a float
            place /= self.high / 2 - self.low / 2
        return min(max(place, 0.0), 1.0)

    def from_unit(self, unit: float) -> float:
        """The value at a place between 0 and 1."""
        first, last = self.bounds
        if self.base is not None:
            value = self._power(self.low + unit * (self.high - self.low))
        elif self.log:
            value = self.low * (self.high / self.low) ** unit
        else:
            value = (1.0 - unit) * self.low + unit * self.high
        return min(max(value, first), last)


@dataclass(frozen=True, repr=False)
class Integer(Parameter):
    """A whole number between two bounds, both included.

    Parameters
    ----------
    low, high : the bounds
    log : whether the logarithm is searched evenly

    >>> Integer(1, 100).grid(3), Integer(1, 100, log=True).grid(3)
    ([1, 50, 100], [1, 7, 100])
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        _check_bounds(self, int)
        if self.log:
            _check_positive(self)

    def __repr__(self) -> str:
        return f"Integer({self.low!r}, {self.high!r}{', log=True' * bool(self.log)})"

    @property
    def size(self) -> float:  # type: ignore[override]
        """The number of different values."""
        return self.high - self.low + 1

    def holds(self, value: Any) -> bool:
        """Whether it is a whole number between the bounds."""
        return _is_whole(value) and self.low <= int(value) <= self.high

    def plain(self, value: Any) -> int:
        """The value as an int."""
        return int(value)

    def _edges(self) -> tuple[float, float]:
        """Half a unit around the bounds, so that every value has a range of places."""
        first, last = self.low - 0.5, self.high + 0.5
        return (math.log(first), math.log(last)) if self.log else (first, last)

    def to_unit(self, value: Any) -> float:
        """The place of a value between 0 and 1, in the middle of its range."""
        first, last = self._edges()
        return ((math.log(value) if self.log else value) - first) / (last - first)

    def from_unit(self, unit: float) -> int:
        """The value at a place between 0 and 1."""
        first, last = self._edges()
        place = first + unit * (last - first)
        value = math.ceil((math.exp(place) if self.log else place) - 0.5)
        return min(max(value, self.low), self.high)


class Choice(Parameter):
    """One of several values: None, booleans, numbers, strings, or tuples of these.

    Parameters
    ----------
    values : the values; or one dict, whose keys are the values and whose items are the spaces of the parameters that
        exist only for that value
    ordered : whether neighbours in the list are alike, as in ``Choice(3, 5, 10, None, ordered=True)``

    >>> Choice("gini", "entropy").from_unit(0.9)
    'entropy'
    >>> from probus.spaces import Space
    >>> Space({"kernel": Choice({"linear": Space({}), "rbf": Space({"gamma": Real(1e-3, 1, log=True)})})})
    Space of 2 parameters
    kernel  Choice('linear', 'rbf')
    gamma   Real(0.001, 1, log=True)  when kernel = 'rbf'
    """

    declared: ClassVar[Mapping[str, Spec]] = {"values": Plain(), "ordered": Flag(), "spaces": Many(Object(Stored))}

    def __init__(self, *values: Any, ordered: bool = False):
        spaces = values[0] if len(values) == 1 and isinstance(values[0], Mapping) else {}
        _check_spaces(spaces)
        if len(values) == 1 and isinstance(values[0], list):
            words = ", ".join(map(repr, values[0]))
            raise DataError(f"Choice([{words}]) has one value, a list.", f"Choice({words})")
        self.spaces: dict[Any, Space] = {plain_value(key): space for key, space in spaces.items()}
        self.values = tuple(plain_value(value) for value in (spaces or values))
        self.ordered = ordered
        keys = [_key(value) for value in self.values]
        if not keys:
            raise DataError("Choice() has no values.", "at least one value", "Leave the parameter out of the space.")
        twice = [value for place, value in enumerate(self.values) if keys[place] in keys[:place]]
        if twice:
            raise DataError(f"{self!r} has {twice[0]!r} twice.", "different values")

    def parts(self) -> dict[str, Any]:
        """What a model file stores."""
        return {"values": self.values, "ordered": self.ordered, "spaces": list(self.spaces.values())}

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The choice of a model file."""
        values, spaces = parts["values"], parts["spaces"]
        given = (dict(zip(values, spaces, strict=True)),) if spaces else values
        return cls(*given, ordered=parts["ordered"])

    @property
    def size(self) -> float:  # type: ignore[override]
        """The number of values."""
        return len(self.values)

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.values))}{', ordered=True' * self.ordered})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice):
            return NotImplemented
        return (self._keys(), self.ordered, self.spaces) == (other._keys(), other.ordered, other.spaces)

    def __hash__(self) -> int:
        return hash((*self._keys(), self.ordered))

    def _keys(self) -> list[Any]:
        return [_key(value) for value in self.values]

    def index(self, value: Any) -> int | None:
        """The position of a value; 1, 1.0 and True are different values if the choice has more than one of them."""
        try:
            value = plain_value(value)
        except DataError:
            return None
        if _key(value) in self._keys():
            return self._keys().index(_key(value))
        alike = [place for place, own in enumerate(self.values) if _same_number(own, value)]
        return alike[0] if alike else None

    def holds(self, value: Any) -> bool:
        """Whether it is one of the values."""
        return self.index(value) is not None

    def plain(self, value: Any) -> Any:
        """The value as it was given to the choice."""
        return self.values[self._place(value)]

    def _place(self, value: Any) -> int:
        place = self.index(value)
        if place is None:
            raise DataError(f"found {value!r}.", f"one of {', '.join(map(repr, self.values))}")
        return place

    def to_unit(self, value: Any) -> float:
        """The place of a value between 0 and 1, in the middle of its range."""
        return (self._place(value) + 0.5) / len(self.values)

    def from_unit(self, unit: float) -> Any:
        """The value at a place between 0 and 1."""
        return self.values[min(int(unit * len(self.values)), len(self.values) - 1)]

    def grid(self, resolution: int) -> list[Any]:
        """Every value."""
        return list(self.values)


def _check_spaces(spaces: Mapping[Any, Any]) -> None:
    from probus.spaces._space import Space

    for value, space in spaces.items():
        if not isinstance(space, Space):
            hint = "Pass the values alone if none has parameters of its own: Choice('a', 'b')."
            raise DataError(f"Choice({{{value!r}: {space!r}}}).", f"the space of the parameters of {value!r}", hint)


class Fixed(Choice):
    """A parameter with one value, which every configuration has.

    Parameters
    ----------
    value : the value.

    >>> Fixed("rbf").from_unit(0.3)
    'rbf'
    """

    def __init__(self, value: Any):
        super().__init__(value)

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The parameter of a model file."""
        (value,) = parts["values"]
        return cls(value)

    def __repr__(self) -> str:
        return f"Fixed({self.values[0]!r})"


def plain_value(value: Any) -> Any:
    """None, a boolean, a number, a string, or a tuple of these; NumPy's scalars become Python's."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return tuple(plain_value(item) for item in value)
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise DataError(
        f"Choice: {type(value).__name__} {str(value)[:40]!r} cannot be a value.",
        "None, a boolean, a finite number, a string, or a tuple of these",
        "Give objects a name, and choose between the names.",
    )


def _short(number: Any) -> str:
    return f"{number:g}" if _is_number(number) and float(f"{number:g}") == number else repr(number)


def _key(value: Any) -> Any:
    """What distinguishes a value: 1, 1.0 and True are different."""
    return tuple(map(_key, value)) if isinstance(value, tuple) else (type(value).__name__, value)


def _same_number(one: Any, other: Any) -> bool:
    return _is_number(one) and _is_number(other) and one == other


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _check_bounds(parameter: Real | Integer, kind: type) -> None:
    low, high = parameter.low, parameter.high
    for bound in (low, high):
        if not (_is_whole(bound) or (kind is float and _is_number(bound) and math.isfinite(bound))):
            raise DataError(
                f"{parameter!r}: {bound!r} is not a bound.", f"{'whole' if kind is int else 'finite'} numbers"
            )
        object.__setattr__(parameter, "low" if bound is low else "high", kind(bound))
    if not parameter.low < parameter.high:
        fix = f"Use Fixed({low}) for one value." if low == high else "Swap them."
        raise DataError(f"{parameter!r}: low is {low} and high is {high}.", "low < high", fix)


def _check_positive(parameter: Real | Integer) -> None:
    if parameter.low <= 0:
        raise DataError(
            f"{parameter!r}: log=True and low is {parameter.low}.",
            "low > 0",
            "Begin at a small positive number, or leave out log=True.",
        )
    if not math.isfinite(parameter.high / parameter.low):
        raise DataError(f"{parameter!r}: the bounds are too far apart.", "a ratio of the bounds below 1e308")
