"""The values that a parameter may have: each kind with its phrase, its test, and scikit-learn's word for it."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.sklearn_seam import HasMethods, Hidden, Interval, Options, RealNotInt, StrOptions, make_constraint

__all__ = [
    "AllowedValues",
    "ArrayValue",
    "CallableValue",
    "HasMethod",
    "InstanceOf",
    "IntegerIn",
    "NoneAllowed",
    "OldNames",
    "OneOf",
    "RealIn",
    "SeedValue",
    "SparseMatrix",
    "SplitsValue",
    "TrueOrFalse",
    "allowed_by",
    "as_scikit_learn_says",
    "one_of_each",
]


class AllowedValues(ABC):
    """One kind of values that a parameter may have."""

    @property
    def options(self) -> tuple[Any, ...]:
        """The values, where they can be listed."""
        return ()

    @property
    @abstractmethod
    def constraint(self) -> Any:
        """The same as a constraint of scikit-learn."""

    @property
    def in_errors(self) -> str:
        """The kind for errors, in the words of scikit-learn."""
        return str(make_constraint(self.constraint))

    @property
    @abstractmethod
    def refused(self) -> tuple[Any, ...]:
        """Values of the right type, just outside."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Whether a value is one of them."""

    @abstractmethod
    def __str__(self) -> str:
        """The kind for documentation: "int, 2 or more"."""


def one_of_each(values: Iterable[AllowedValues]) -> str:
    """Several kinds, for documentation.

    >>> one_of_each([IntegerIn(at_least=1), OneOf("auto"), NoneAllowed()])
    "int, 1 or more; or 'auto'; or None"
    """
    texts = [str(each) for each in values if not isinstance(each, OldNames)]
    return ("; or " if any("," in text for text in texts) else " or ").join(texts)


def as_scikit_learn_says(values: Iterable[AllowedValues]) -> str:
    """The same for errors, in the words that scikit-learn's users know.

    >>> as_scikit_learn_says([IntegerIn(at_least=1), NoneAllowed()])
    'an int in the range [1, inf) or None'
    """
    *first, last = (each.in_errors for each in values if not isinstance(each, OldNames))
    return f"{', '.join(first)} or {last}" if first else last


def allowed_by(annotation: str, bounds: Mapping[str, Any], options: tuple[Any, ...]) -> tuple[AllowedValues, ...]:
    """The values that an annotation allows, numbers within bounds; strings are one of the options.

    >>> one_of_each(allowed_by("int | None", {"at_least": 2}, ()))
    'int, 2 or more; or None'
    >>> allowed_by("Any", {}, ())
    ()
    """
    kinds = [part.strip() for part in annotation.split("|")]
    named = [OneOf(*options)] if options else []
    known: dict[str, list[AllowedValues]] = {
        "int": [IntegerIn(**bounds)],
        "float": [RealIn(**bounds, besides_int="int" in kinds)],
        "bool": [TrueOrFalse()],
        "None": [NoneAllowed()],
        "str": [*named] if named else [InstanceOf(str)],
        "Callable[..., Any]": [CallableValue()],
        "ArrayLike": [ArrayValue()],
    }
    if not all(kind in known for kind in kinds):
        return ()
    found = [each for kind in kinds for each in known[kind]]
    return (*found, *(named if "str" not in kinds else []))


# -- numbers -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _NumbersIn(AllowedValues):
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def _inside(self, value: Any) -> bool:
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def _bounds(self) -> str:
        low = "" if self.above is None else f"above {self.above:g}"
        high = "" if self.below is None else f"below {self.below:g}"
        if self.at_least is not None and self.at_most is not None:
            return f" from {self.at_least:g} to {self.at_most:g}"
        if self.at_least is not None:
            low = f"{self.at_least:g} or more"
        if self.at_most is not None:
            high = f"at most {self.at_most:g}"
        both = " and ".join(filter(None, (low, high)))
        return f", {both}" if both and both[0] in "-0123456789" else f" {both}" if both else ""

    def _ends(self) -> tuple[float | None, float | None, str]:
        low = self.at_least if self.at_least is not None else self.above
        high = self.at_most if self.at_most is not None else self.below
        shut = (self.at_least is not None, self.at_most is not None)
        return low, high, {(True, True): "both", (True, False): "left", (False, True): "right"}.get(shut, "neither")

    @property
    def refused(self) -> tuple[Any, ...]:
        """Values just outside the bounds."""
        pairs = ((self.at_least, -1), (self.above, 0), (self.at_most, 1), (self.below, 0))
        return tuple(bound + step for bound, step in pairs if bound is not None)


@dataclass(frozen=True)
class IntegerIn(_NumbersIn):
    """Whole numbers within bounds; True and False are none."""

    def holds(self, value: Any) -> bool:
        """Whether it is an integer, of Python or NumPy, within the bounds."""
        return isinstance(value, Integral) and not isinstance(value, bool) and self._inside(value)

    @property
    def constraint(self) -> Any:
        """An interval of integers."""
        low, high, closed = self._ends()
        return Interval(Integral, low, high, closed=closed)

    def __str__(self) -> str:
        return f"int{self._bounds()}"


@dataclass(frozen=True)
class RealIn(_NumbersIn):
    """Numbers within bounds, infinite only where that is one; ``besides_int`` where integers mean something else."""

    besides_int: bool = False

    def holds(self, value: Any) -> bool:
        """Whether it is a number, of Python or NumPy, within the bounds."""
        if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
            return False
        if not _is_finite(value) and value not in (self.at_least, self.at_most):
            return False
        return not (self.besides_int and isinstance(value, Integral)) and self._inside(value)

    @property
    def constraint(self) -> Any:
        """An interval of numbers."""
        low, high, closed = self._ends()
        high = None if high == math.inf else high
        return Interval(RealNotInt if self.besides_int else Real, low, high, closed=closed)

    def __str__(self) -> str:
        return f"float{self._bounds()}"


def _is_finite(value: Any) -> bool:
    """Whether a float can hold a number; not for NaN, and not for integers beyond the largest float."""
    return -sys.float_info.max <= value <= sys.float_info.max


# -- others --------------------------------------------------------------------------------------------


@dataclass(frozen=True, init=False)
class OneOf(AllowedValues):
    """One of some names or other values."""

    names: tuple[Any, ...]

    def __init__(self, *names: Any):
        object.__setattr__(self, "names", names)

    @property
    def options(self) -> tuple[Any, ...]:
        """The values."""
        return self.names

    def holds(self, value: Any) -> bool:
        """Whether it is one of them, of the same type."""
        return any(type(value) is type(name) and value == name for name in self.names)

    @property
    def constraint(self) -> Any:
        """The options of scikit-learn."""
        if all(isinstance(name, str) for name in self.names):
            return StrOptions(set(self.names))
        return Options(type(self.names[0]), set(self.names))

    @property
    def in_errors(self) -> str:
        """The values in their order, which scikit-learn's sets do not keep."""
        kind = "str" if isinstance(self.names[0], str) else type(self.names[0]).__name__
        return f"a {kind} among {{{', '.join(map(repr, self.names))}}}"

    @property
    def refused(self) -> tuple[Any, ...]:
        """A name that is none of them."""
        return ("no such name",)

    def __str__(self) -> str:
        return repr(self.names[0]) if len(self.names) == 1 else f"{{{', '.join(map(repr, self.names))}}}"


@dataclass(frozen=True, init=False)
class OldNames(OneOf):
    """Names that still work, with a warning; documentation and errors do not list them.

    >>> one_of_each([OneOf("squared_error"), OldNames("friedman_mse")])
    "'squared_error'"
    """

    @property
    def options(self) -> tuple[Any, ...]:
        """None that an error should suggest."""
        return ()

    @property
    def constraint(self) -> Any:
        """Options that scikit-learn's errors do not list either."""
        return Hidden(super().constraint)


@dataclass(frozen=True)
class NoneAllowed(AllowedValues):
    """None."""

    def holds(self, value: Any) -> bool:
        """Whether it is None."""
        return value is None

    @property
    def constraint(self) -> Any:
        """None."""
        return None

    @property
    def refused(self) -> tuple[Any, ...]:
        """The word in quotes."""
        return ("None",)

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class TrueOrFalse(AllowedValues):
    """True or False."""

    def holds(self, value: Any) -> bool:
        """Whether it is True or False, of Python or NumPy."""
        return isinstance(value, (bool, np.bool_))

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return "boolean"

    @property
    def refused(self) -> tuple[Any, ...]:
        """The word in quotes."""
        return ("True",)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class InstanceOf(AllowedValues):
    """Objects of a class."""

    cls: type

    def holds(self, value: Any) -> bool:
        """Whether it is one."""
        return isinstance(value, self.cls)

    @property
    def constraint(self) -> Any:
        """The class."""
        return self.cls

    @property
    def refused(self) -> tuple[Any, ...]:
        """None can be said to be just outside."""
        return ()

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class CallableValue(AllowedValues):
    """Functions and what is called like one."""

    def holds(self, value: Any) -> bool:
        """Whether it can be called."""
        return callable(value)

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return callable

    @property
    def refused(self) -> tuple[Any, ...]:
        """None can be said to be just outside."""
        return ()

    def __str__(self) -> str:
        return "function"


@dataclass(frozen=True, init=False)
class HasMethod(AllowedValues):
    """Objects with some methods."""

    methods: tuple[str, ...]

    def __init__(self, *methods: str):
        object.__setattr__(self, "methods", methods)

    def holds(self, value: Any) -> bool:
        """Whether it has them all."""
        return all(callable(getattr(value, method, None)) for method in self.methods)

    @property
    def constraint(self) -> Any:
        """The methods, as scikit-learn asks for them."""
        return HasMethods(list(self.methods))

    @property
    def refused(self) -> tuple[Any, ...]:
        """None can be said to be just outside."""
        return ()

    def __str__(self) -> str:
        return f"object with {' and '.join(self.methods)}"


@dataclass(frozen=True)
class SplitsValue(AllowedValues):
    """What ``cv`` may be: a number of folds, a splitter, pairs of rows, or None."""

    def holds(self, value: Any) -> bool:
        """Whether splits can be made of it."""
        if isinstance(value, Integral):
            return not isinstance(value, bool) and int(value) >= 2
        splits = hasattr(value, "split") and hasattr(value, "get_n_splits")
        return value is None or splits or (isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)))

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return "cv_object"

    @property
    def refused(self) -> tuple[Any, ...]:
        """Fewer folds than two, and a string."""
        return (1, 0, "no such name")

    def __str__(self) -> str:
        return "int, 2 or more; or a splitter; or pairs of rows; or None"


@dataclass(frozen=True)
class ArrayValue(AllowedValues):
    """Arrays, and lists and frames that can become one."""

    def holds(self, value: Any) -> bool:
        """Whether it has a length, and is no string."""
        return hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict))

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return "array-like"

    @property
    def refused(self) -> tuple[Any, ...]:
        """A string."""
        return ("1, 2",)

    def __str__(self) -> str:
        return "array"


@dataclass(frozen=True)
class SparseMatrix(AllowedValues):
    """Sparse matrices and arrays of SciPy."""

    def holds(self, value: Any) -> bool:
        """Whether it is one."""
        return issparse(value)

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return "sparse matrix"

    @property
    def refused(self) -> tuple[Any, ...]:
        """None can be said to be just outside."""
        return ()

    def __str__(self) -> str:
        return "sparse matrix"


@dataclass(frozen=True)
class SeedValue(AllowedValues):
    """What ``random_state`` may be: a whole number, a generator of NumPy, or None."""

    def holds(self, value: Any) -> bool:
        """Whether it is a seed or a generator."""
        if isinstance(value, Integral) and not isinstance(value, bool):
            return 0 <= int(value) < 2**32
        return value is None or isinstance(value, np.random.RandomState)

    @property
    def constraint(self) -> Any:
        """The word of scikit-learn."""
        return "random_state"

    @property
    def refused(self) -> tuple[Any, ...]:
        """Just outside the seeds that NumPy takes."""
        return (-1, 2**32)

    def __str__(self) -> str:
        return "int, RandomState or None"
