"""Conditions: a parameter that exists only where others have certain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

from probus.errors import DataError
from probus.spaces._parameters import Parameter, Real, plain_value
from probus.state import Object, Plain, Spec, Stored

Conditions = Mapping[str, tuple[Any, ...]]
"""The names of other parameters, and the values of which each must have one."""


@dataclass(frozen=True)
class Conditional(Stored):
    """A parameter that exists only where others have certain values; ``when`` makes it.

    Attributes
    ----------
    parameter : the parameter.
    conditions : the values of other parameters, by name.
    """

    declared: ClassVar[Mapping[str, Spec]] = {"parameter": Object(Parameter), "conditions": Plain()}

    parameter: Parameter
    conditions: Conditions


def when(parameter: Parameter | Conditional, **conditions: Any) -> Conditional:
    """A parameter that exists only where other parameters have one of the given values.

    Parameters
    ----------
    parameter : the parameter
    conditions : the name of each other parameter, and its value or a list of values

    Returns
    -------
    The parameter with its conditions.

    >>> from probus.spaces import Choice, Real, Space
    >>> Space({"kernel": Choice("linear", "poly", "rbf"), "gamma": when(Real(0.1, 1), kernel=["poly", "rbf"])})
    Space of 2 parameters
    kernel  Choice('linear', 'poly', 'rbf')
    gamma   Real(0.1, 1)  when kernel = 'poly' or 'rbf'
    """
    if not isinstance(parameter, Parameter | Conditional):
        raise DataError(f"when({parameter!r}, …).", "a parameter: Real, Integer, Choice or Fixed")
    if not conditions:
        raise DataError(f"when({parameter!r}) has no condition.", "for example when(Real(0.1, 1), kernel='rbf')")
    before = dict(parameter.conditions) if isinstance(parameter, Conditional) else {}
    inner = parameter.parameter if isinstance(parameter, Conditional) else parameter
    added = {name: plain_value(_list(wanted)) for name, wanted in conditions.items()}
    for name in before.keys() & added.keys():
        added[name] = tuple(value for value in added[name] if value in before[name])
    return Conditional(inner, {**before, **added})


def _list(wanted: Any) -> list[Any] | tuple[Any, ...]:
    """The values of a condition; those of a set in an order that does not depend on hashes."""
    if isinstance(wanted, set | frozenset):
        return sorted(wanted, key=repr)
    return wanted if isinstance(wanted, list | tuple) else (wanted,)


def dependence_order(parameters: Mapping[str, Parameter], conditions: Mapping[str, Conditions]) -> list[str]:
    """The names, each after those that its conditions name; an error where conditions are impossible."""
    for name, wanted in conditions.items():
        for other, values in wanted.items():
            _check_condition(name, other, values, parameters)
    order: list[str] = []
    waiting = list(parameters)
    while waiting:
        ready = [name for name in waiting if all(other in order for other in conditions.get(name, {}))]
        if not ready:
            raise DataError(
                f"the conditions of {', '.join(map(repr, waiting))} depend on each other in a circle.",
                "conditions that end at a parameter without one",
            )
        order += ready
        waiting = [name for name in waiting if name not in order]
    _check_reachable(order, parameters, conditions)
    return order


def _check_condition(name: str, other: str, values: tuple[Any, ...], parameters: Mapping[str, Parameter]) -> None:
    if other not in parameters:
        found = f"the condition of {name!r} names {other!r}, which is not in the space."
        raise DataError(found, *known_names(other, (each for each in parameters if each != name)))
    parameter = parameters[other]
    if isinstance(parameter, Real):
        raise DataError(f"the condition of {name!r} is on {other!r}, a real number.", "a Choice or an Integer")
    for value in values:
        if not parameter.holds(value):
            found = f"the condition of {name!r} is {other} = {value!r}, which is impossible."
            raise DataError(found, f"a value of {parameter!r}")
    if not values:
        raise DataError(f"{name!r} is never active: its conditions on {other!r} exclude each other.")


def _check_reachable(
    order: list[str], parameters: Mapping[str, Parameter], conditions: Mapping[str, Conditions]
) -> None:
    """Raise an error where the conditions of a parameter and of those it depends on exclude each other."""
    needs: dict[str, dict[str, tuple[Any, ...]]] = {}
    for name in order:
        own = dict(conditions.get(name, {}))
        for other in conditions.get(name, {}):
            for far, wanted in needs[other].items():
                nearer = own.get(far, wanted)
                own[far] = tuple(v for v in wanted if any(same_value(parameters[far], v, w) for w in nearer))
                if not own[far]:
                    raise DataError(f"{name!r} is never active: its conditions on {far!r} exclude each other.")
        needs[name] = own


def same_value(parameter: Parameter, one: Any, other: Any) -> bool:
    """Whether both are the same value of the parameter."""
    return parameter.holds(one) and parameter.holds(other) and parameter.to_unit(one) == parameter.to_unit(other)


def known_names(name: str, names: Iterable[str]) -> tuple[str, str]:
    """What was expected instead of an unknown name, and a hint."""
    known = list(names)
    close = get_close_matches(name, known, n=1) or [each for each in known if each.endswith(f"__{name}")]
    shown = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    return (f"one of {shown}" if shown else "no parameters"), f"Did you mean {close[0]!r}?" if close else ""
