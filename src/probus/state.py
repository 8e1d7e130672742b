"""The attributes of a fitted model, declared as data.

A class lists its fitted attributes: ``fitted = {"theta_": Array("f8", "K d"), "classes_": Labels("K")}``. Saving
writes exactly these; loading rejects anything that does not match, because kernels do not check bounds. Sizes are
letters: the first array that uses a letter sets its value, and all others must agree; ``*`` is any size, ``2`` is two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from probus.errors import ModelFileError

__all__ = [
    "Array",
    "Arrays",
    "Flag",
    "Labels",
    "Many",
    "Maybe",
    "Number",
    "Object",
    "Part",
    "Plain",
    "Size",
    "Spec",
    "Stored",
    "String",
    "check_state",
]

Sizes = dict[str, int]


class Spec(ABC):
    """The values that one fitted attribute may have."""

    @abstractmethod
    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise a ModelFileError unless the value matches."""


@dataclass(frozen=True)
class Array(Spec):
    """A NumPy array: dtype, shape, and for indices the half-open range ``low <= value < high``."""

    dtype: str
    shape: str
    low: int | None = None
    high: int | str | None = None

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.ndarray) or value.dtype != np.dtype(self.dtype):
            raise _mismatch(name, f"an array of {np.dtype(self.dtype).name}", value)
        _bind(name, value.shape, self.shape.split(), sizes)
        high = sizes.get(self.high) if isinstance(self.high, str) else self.high
        if value.size and self.low is not None and value.min() < self.low:
            raise _mismatch(name, f"no value below {self.low}", value.min())
        if value.size and high is not None and value.max() >= high:
            raise _mismatch(name, f"every value below {high}", value.max())


@dataclass(frozen=True)
class Arrays(Spec):
    """A dict of arrays of finite numbers, of any shapes, by name: the weights of a network."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise _mismatch(name, "a dict of arrays", value)
        for key, array in value.items():
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
                raise _mismatch(f"{name}[{key!r}]", "an array of numbers", array)
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise _mismatch(f"{name}[{key!r}]", "finite numbers", "not finite")


@dataclass(frozen=True)
class Labels(Spec):
    """A one-dimensional array of labels: strings, numbers or booleans."""

    size: str = "*"

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufUO":
            raise _mismatch(name, "an array of labels", value)
        if value.dtype.kind == "O" and not all(isinstance(v, (str, int, float, bool)) for v in value.ravel()):
            raise _mismatch(name, "labels that are strings, numbers or booleans", value)
        _bind(name, value.shape, [self.size], sizes)


@dataclass(frozen=True)
class Size(Spec):
    """A whole number that other shapes refer to by this letter."""

    letter: str
    most: int | None = None

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
            raise _mismatch(name, "a whole number", value)
        if self.most is not None and value > self.most:
            raise _mismatch(name, f"at most {self.most:,}", value)
        _bind(name, (int(value),), [self.letter], sizes)


@dataclass(frozen=True)
class Number(Spec):
    """A number."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
            raise _mismatch(name, "a number", value)


@dataclass(frozen=True)
class Flag(Spec):
    """True or False."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, (bool, np.bool_)):
            raise _mismatch(name, "true or false", value)


@dataclass(frozen=True)
class String(Spec):
    """A string; one of ``choices`` where they are given."""

    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise _mismatch(name, "one of " + ", ".join(self.choices) if self.choices else "a string", value)


@dataclass(frozen=True)
class Plain(Spec):
    """None, a boolean, a number, a string, or a list, tuple or dict of these."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if isinstance(value, (list, tuple)):
            for item in value:
                self.check(name, item, sizes)
        elif isinstance(value, dict):
            for key, item in value.items():
                self.check(name, key, sizes)
                self.check(name, item, sizes)
        elif not (value is None or isinstance(value, (bool, int, float, str, np.generic))):
            raise _mismatch(name, "numbers, strings, and lists or dicts of these", value)


@dataclass(frozen=True)
class Object(Spec):
    """An object of a registered class: a Schema, a fitted model."""

    type: type

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, self.type):
            raise _mismatch(name, f"a {self.type.__name__}", value)


@dataclass(frozen=True)
class Many(Spec):
    """A list or tuple whose items match one declaration."""

    of: Spec
    size: str = "*"

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, (list, tuple)):
            raise _mismatch(name, "a list", value)
        _bind(name, (len(value),), [self.size], sizes)
        for i, item in enumerate(value):
            self.of.check(f"{name}[{i}]", item, sizes)


class Either(Spec):
    """A value that matches one of several declarations."""

    def __init__(self, *specs: Spec):
        self.specs = specs

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        for spec in self.specs[:-1]:
            bound = dict(sizes)
            try:
                spec.check(name, value, bound)
            except ModelFileError:
                continue
            sizes.update(bound)
            return
        self.specs[-1].check(name, value, sizes)


@dataclass(frozen=True)
class Maybe(Spec):
    """A value that may be None or absent."""

    of: Spec

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if value is not None:
            self.of.check(name, value, sizes)


class Stored:
    """An object beside models that files hold: by its fields, which are declared, and checked by its constructor."""

    declared: ClassVar[Mapping[str, Spec]] = {}

    def parts(self) -> dict[str, Any]:
        """Its fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The object with those fields."""
        return cls(**parts)


class Part(Stored):
    """A component of a fitted model that holds only data, such as a tree: a frozen dataclass with declared fields.

    A model declares it as ``Object(Tree)``; files store its fields, and loading rejects fields that do not match.
    """

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The component with those fields, checked."""
        part = cls(**parts)
        part.check()
        return part

    def check(self) -> None:
        """Raise a ModelFileError where the fields contradict each other although their shapes agree."""
        return


def check_state(class_name: str, declared: Mapping[str, Spec], state: Mapping[str, Any]) -> None:
    """Raise a ModelFileError unless the state matches its declaration.

    >>> check_state("Mean", {"mean_": Array("f8", "d")}, {"mean_": np.zeros(2)})
    >>> check_state("Mean", {"mean_": Array("f8", "d")}, {"mean_": np.zeros((2, 2))})
    Traceback (most recent call last):
    probus.errors.ModelFileError: Mean.mean_ has shape (2, 2).
      Expected d.
    """
    unknown = [name for name in state if name not in declared]
    absent = [name for name, spec in declared.items() if name not in state and not isinstance(spec, Maybe)]
    if unknown or absent:
        raise ModelFileError(
            f"{class_name} with attributes {unknown or ''}{' unknown' * bool(unknown)}"
            f"{absent or ''}{' missing' * bool(absent)}.",
            "the attributes " + ", ".join(declared),
        )
    sizes: Sizes = {}
    for _ in range(2):  # the second pass checks ranges that refer to sizes set later in the first
        for name, spec in declared.items():
            if name in state:
                spec.check(f"{class_name}.{name}", state[name], sizes)


def _bind(name: str, shape: tuple[int, ...], letters: list[str], sizes: Sizes) -> None:
    expected = " × ".join(f"{letter}={sizes[letter]}" if letter in sizes else letter for letter in letters)
    if len(shape) != len(letters):
        raise ModelFileError(f"{name} has shape {shape}.", expected or "a single value")
    for size, letter in zip(shape, letters, strict=True):
        if letter != "*" and sizes.setdefault(letter, int(letter) if letter.isdigit() else size) != size:
            raise ModelFileError(f"{name} has shape {shape}.", expected)


def _mismatch(name: str, expected: str, value: Any) -> ModelFileError:
    found = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else repr(value)[:60]
    return ModelFileError(f"{name} is {found}.", expected)
