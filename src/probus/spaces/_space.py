"""A search space: named parameters, some of which exist only for some values of others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from probus.display import Cells, Displayed, Part, counted
from probus.errors import DataError
from probus.spaces._conditions import Conditional, Conditions, dependence_order, known_names, same_value, when
from probus.spaces._parameters import Choice, Fixed, Parameter
from probus.state import Many, Maybe, Object, Plain, Spec, Stored

Config = dict[str, Any]


class Space(Stored, Displayed):
    """Named parameters and their conditions; the names are those of ``set_params``.

    A configuration is a dict that has a value for each parameter that is active: whose conditions hold, and whose
    parameters named there are active themselves.

    Parameters
    ----------
    parameters : the name of each parameter and its ``Real``, ``Integer``, ``Choice`` or ``Fixed``. A list or an array
        is a choice, as in the grids of scikit-learn, and any other value is fixed. The parameters of the spaces inside
        a ``Choice`` become parameters of this space.
    default : a configuration that tuners try first

    >>> from probus.spaces import Choice, Real
    >>> space = Space({"C": Real(1e-3, 1e3, log=True), "kernel": Choice("linear", "rbf")})
    >>> space.check({"kernel": "rbf", "C": 10})
    {'C': 10.0, 'kernel': 'rbf'}
    >>> len(space.sample(random_state=0, n=5))
    5
    """

    def __init__(self, parameters: Mapping[str, Any], default: Mapping[str, Any] | None = None):
        if not isinstance(parameters, Mapping):
            raise DataError(f"Space of {type(parameters).__name__}.", "a dict of names and parameters")
        found = list(_flat(parameters))
        names = [name for name, _ in found]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise DataError(
                f"Space: {twice[0]!r} is in more than one of the spaces.",
                "different names",
                "Use space.prefixed('name__') where two spaces have parameters of the same name.",
            )
        self.parameters: dict[str, Parameter] = {name: one.parameter for name, one in found}
        self.conditions: dict[str, Conditions] = {name: dict(one.conditions) for name, one in found if one.conditions}
        self.order: list[str] = dependence_order(self.parameters, self.conditions)
        self.default: Config | None = None if default is None else self.check(default)

    declared: ClassVar[Mapping[str, Spec]] = {
        "names": Plain(),
        "parameters": Many(Object(Parameter)),
        "conditions": Plain(),
        "default": Maybe(Plain()),
    }

    def parts(self) -> dict[str, Any]:
        """What a model file stores."""
        parameters = list(self.parameters.values())
        return {"names": list(self), "parameters": parameters, "conditions": self.conditions, "default": self.default}

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The space of a model file."""
        pairs = zip(parts["names"], parts["parameters"], strict=True)
        conditions = parts["conditions"]
        return cls({name: Conditional(one, conditions.get(name, {})) for name, one in pairs}, parts["default"])

    # -- construction ----------------------------------------------------------------------------------

    def prefixed(self, prefix: str) -> Space:
        """The same space with a prefix before every name, as for the step of a pipeline.

        >>> from probus.spaces import Real
        >>> list(Space({"C": Real(0.1, 1)}).prefixed("model__"))
        ['model__C']
        """
        return self._build(
            {
                prefix + name: Conditional(
                    self.parameters[name],
                    {prefix + other: wanted for other, wanted in self.conditions.get(name, {}).items()},
                )
                for name in self
            },
            None if self.default is None else {prefix + name: value for name, value in self.default.items()},
        )

    def given(self, **conditions: Any) -> dict[str, Conditional]:
        """The parameters, each under further conditions on parameters of the space they will be part of.

        >>> from probus.spaces import Choice, Real
        >>> svm = Space({"C": Real(0.1, 1)})
        >>> Space({"model": Choice("svm", "tree"), **svm.prefixed("svm__").given(model="svm")})
        Space of 2 parameters
        model   Choice('svm', 'tree')
        svm__C  Real(0.1, 1)  when model = 'svm'
        """
        return {name: when(self._conditional(name), **conditions) for name in self}

    def __or__(self, other: Space) -> Space:
        """The parameters of both spaces; a name that both have is the second's."""
        both = {name: space._conditional(name) for space in (self, other) for name in space}
        return self._build(both, _joined_default(self, other))

    def with_default(self, model: Any) -> Space:
        """The space with the parameters of a model as its default, if they lie in it; else unchanged."""
        values = model if isinstance(model, Mapping) else model.get_params()
        config: Config = {}
        for name in self.order:
            if self.is_active(name, config):
                if name not in values or not self.parameters[name].holds(values[name]):
                    return self
                config[name] = self.parameters[name].plain(values[name])
        return self._build({name: self._conditional(name) for name in self}, config)

    @classmethod
    def _build(cls, parameters: Mapping[str, Conditional], default: Config | None) -> Space:
        return cls(parameters, default)

    def _conditional(self, name: str) -> Conditional:
        return Conditional(self.parameters[name], self.conditions.get(name, {}))

    # -- configurations --------------------------------------------------------------------------------

    def check(self, config: Mapping[str, Any]) -> Config:
        """The configuration as plain data in the order of the space; an error where it is not in the space."""
        if not isinstance(config, Mapping):
            raise DataError(f"found a {type(config).__name__}.", "a configuration: a dict of names and values")
        strange = [str(name) for name in config if name not in self.parameters]
        if strange:
            raise DataError(f"the space has no parameter {strange[0]!r}.", *known_names(strange[0], self.parameters))
        active = self.active(config)
        for name in self:
            if name in config and name not in active:
                raise DataError(f"{name!r} has a value, but is active only {self._phrase(name)}.", "no value for it")
            if name in active and name not in config:
                raise DataError(f"the configuration has no value for {name!r}.", f"{self.parameters[name]!r}")
            if name in active and not self.parameters[name].holds(config[name]):
                raise DataError(f"{name!r} is {config[name]!r}.", f"{self.parameters[name]!r}")
        return {name: self.parameters[name].plain(config[name]) for name in self if name in config}

    def active(self, config: Mapping[str, Any]) -> list[str]:
        """The names of the parameters that are active, given the values of those they depend on."""
        found: Config = {}
        for name in self.order:
            if self.is_active(name, found):
                found[name] = config.get(name, _NONE)
        return [name for name in self if name in found]

    def sample(self, random_state: Any = None, n: int = 1) -> list[Config]:
        """Configurations drawn independently, every parameter evenly over its range."""
        if not isinstance(n, int | np.integer) or n < 0:
            raise DataError(f"n={n!r}.", "a whole number, 0 or more")
        units = generator(random_state).random((n, len(self)))
        return [self.from_unit(row) for row in units]

    def to_unit(self, config: Mapping[str, Any]) -> np.ndarray:
        """The places of the values between 0 and 1, one for each parameter; NaN for those that are not active."""
        return np.array(
            [parameter.to_unit(config[name]) if name in config else math.nan for name, parameter in self.items()],
            dtype=np.float64,
        )

    def from_unit(self, unit: Iterable[float]) -> Config:
        """The configuration at places between 0 and 1; the places of inactive parameters are ignored."""
        places = np.asarray(unit, dtype=np.float64)
        if places.shape != (len(self),):
            raise DataError(f"places of shape {places.shape}.", f"{counted(len(self), 'number')}, one per parameter")
        place = dict(zip(self.parameters, places.tolist(), strict=True))
        config: Config = {}
        for name in self.order:
            if self.is_active(name, config):
                config[name] = self.parameters[name].from_unit(place[name])
        return {name: config[name] for name in self if name in config}

    def grid(self, resolution: int | Mapping[str, int] = 5) -> Iterator[Config]:
        """Every combination of evenly spaced values of the parameters.

        Parameters
        ----------
        resolution : the number of values of each number, or of each by its name (5 for the others)

        >>> from probus.spaces import Real
        >>> [config["C"] for config in Space({"C": Real(1e-2, 1e2, log=True)}).grid(3)]
        [0.01, 1.0, 100.0]
        """
        known = resolution if isinstance(resolution, Mapping) else dict.fromkeys(self, resolution)
        for name, number in known.items():
            if name not in self.parameters:
                raise DataError(f"resolution of {name!r}.", *known_names(str(name), self.parameters))
            if not isinstance(number, int | np.integer) or number < 1:
                raise DataError(f"resolution={resolution!r}.", "whole numbers, 1 or more")
        values = {name: parameter.grid(known.get(name, 5)) for name, parameter in self.items()}
        for config in self._combine(values, {}, 0):
            yield {name: config[name] for name in self if name in config}

    def _combine(self, values: Mapping[str, list[Any]], config: Config, depth: int) -> Iterator[Config]:
        if depth == len(self.order):
            yield config
            return
        name = self.order[depth]
        if not self.is_active(name, config):
            yield from self._combine(values, config, depth + 1)
            return
        for value in values[name]:
            yield from self._combine(values, {**config, name: value}, depth + 1)

    @property
    def size(self) -> float:
        """The number of configurations, or a bound above it where parameters have conditions; infinite for reals."""
        return math.prod(parameter.size for parameter in self.parameters.values())

    # -- models ----------------------------------------------------------------------------------------

    def check_model(self, model: Any) -> None:
        """Raise an error where ``set_params`` of the model does not know a name."""
        known = model.get_params()
        for name in self:
            if name not in known and not _is_parameter(name, model, known):
                found = f"{type(model).__name__} has no parameter {name!r}."
                raise DataError(found, *known_names(name, known))

    # -- conditions ------------------------------------------------------------------------------------

    def is_active(self, name: str, config: Mapping[str, Any]) -> bool:
        """Whether the conditions of a parameter hold, given the values of those before it in ``order``."""
        return all(
            other in config and any(same_value(self.parameters[other], config[other], value) for value in wanted)
            for other, wanted in self.conditions.get(name, {}).items()
        )

    # -- as a mapping, and displayed -------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __getitem__(self, name: str) -> Parameter:
        return self.parameters[name]

    def __contains__(self, name: object) -> bool:
        return name in self.parameters

    def items(self) -> Iterable[tuple[str, Parameter]]:
        """The names and their parameters."""
        return self.parameters.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return (list(self.items()), self.conditions) == (list(other.items()), other.conditions)

    __hash__ = None  # type: ignore[assignment]

    def _phrase(self, name: str) -> str:
        """The conditions of a parameter in words."""
        conditions = self.conditions.get(name, {})
        each = [f"{other} = {' or '.join(map(repr, wanted))}" for other, wanted in conditions.items()]
        return "when " + " and ".join(each) if each else ""

    def _parts(self) -> Iterable[Part | Displayed | str]:
        yield f"Space of {counted(len(self), 'parameter')}"
        if len(self):
            yield Cells([(name, f"{parameter!r}  {self._phrase(name)}") for name, parameter in self.items()])


_NONE = object()  # equals no value


def generator(random_state: Any) -> np.random.Generator:
    """A generator of random numbers from a seed, a generator, a ``RandomState`` or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    return np.random.default_rng(random_state)


def _flat(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Conditional]]:
    """The parameters with their conditions; those of the spaces of a choice follow it, active for that value."""
    for name, given in parameters.items():
        if not isinstance(name, str):
            raise DataError(f"Space: the name {name!r} is not a string.", "names of parameters")
        if isinstance(given, Space):
            raise DataError(
                f"Space: {name!r} is a space.",
                "a parameter",
                f"Use **space.prefixed('{name}__').given(…), or space | other, or a Choice of spaces.",
            )
        one = given if isinstance(given, Conditional) else Conditional(_parameter(given), {})
        inner: Mapping[Any, Space] = one.parameter.spaces if isinstance(one.parameter, Choice) else {}
        if inner:
            bare = Choice(*one.parameter.values, ordered=one.parameter.ordered)  # type: ignore[attr-defined]
            one = Conditional(bare, one.conditions)
        yield name, one
        for value, space in inner.items():
            for each in space:
                conditions = {**space.conditions.get(each, {}), name: (value,)}
                yield each, Conditional(space.parameters[each], conditions)


def _is_parameter(name: str, model: Any, known: Mapping[str, Any]) -> bool:
    """Whether the constructor has it: models of CatBoost list only the parameters that were passed."""
    prefix, _, own = name.rpartition("__")
    part = known.get(prefix) if prefix else model
    return part is not None and own in signature(type(part)).parameters


def _joined_default(first: Space, second: Space) -> Config | None:
    """Both defaults together, where both spaces have one."""
    if first.default is None or second.default is None:
        return None
    return {**first.default, **second.default}


def _parameter(given: Any) -> Parameter:
    """A list or an array is a choice, as in the grids of scikit-learn; any other value is fixed."""
    if isinstance(given, Parameter):
        return given
    if hasattr(given, "rvs") or type(given).__module__.startswith("optuna"):
        raise DataError(
            f"Space: a {type(given).__module__.partition('.')[0]} distribution.",
            "a parameter of probus.spaces",
            "Use Integer(1, 9), Real(0.1, 1.0), Real(1e-4, 1.0, log=True) or Choice('a', 'b').",
        )
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return Choice(*given) if isinstance(given, (list, range)) else Fixed(given)
