"""The arguments of verbs (``resample``, ``compare``, ``study``, …): what they may be, by name, the same in all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial, update_wrapper
from importlib import import_module
from numbers import Integral, Real
from os import PathLike
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from probus.errors import DataError
from probus.synonyms import answering_synonyms

__all__ = ["verb"]

P = ParamSpec("P")
R = TypeVar("R")
Kind = tuple[Callable[[Any], bool], str]


def _is(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _is_seed(value: Any) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 2**32
    return value is None or whole or isinstance(value, np.random.RandomState)


def _is_progress(value: Any) -> bool:
    return value is None or value is True or value is False or callable(value) or value == "auto"


_TRUTH: Kind = (_is(bool, np.bool_), "True or False")
_NUMBER: Kind = (_is(Real), "a number")
_COLUMN: Kind = (_is(str), "the name of a column")
_COLUMNS: Kind = (_is(str, Iterable), "names of columns")
_PATH: Kind = (_is(str, PathLike), "a path")
_KINDS: dict[str, Kind] = {
    "n_jobs": (_is(Integral), "a whole number, such as -1 for all cores, or None"),
    "random_state": (_is_seed, "a whole number from 0, or None"),
    "progress": (_is_progress, "'auto', None, or a function of (done, total, name)"),
    "evaluations": (_is(Integral), "a whole number, or None"),
    "models": (_is(Iterable), "estimators in a list, [model], or by name in a dict, {'name': model}"),
    "kinds": (_is(Mapping), "a dict of kinds by column, such as {'cyl': 'nominal'}"),
    "read": (_is(Mapping), "a dict of options of probus.read, such as {'skip': 2}"),
    "name": (_is(str), "a string"),
    "cost": (_is(str, Real, Iterable, type(None)), "a number, a dict of costs, or the name of a rule"),
    **dict.fromkeys(("keep_models", "keep_sensitive", "allow_leaks"), _TRUTH),
    **dict.fromkeys(("level", "alpha", "margin"), _NUMBER),
    **dict.fromkeys(("order", "group", "weight"), _COLUMN),
    **dict.fromkeys(("columns", "drop", "sensitive"), _COLUMNS),
    **dict.fromkeys(("archive", "out"), _PATH),
}


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses arguments of the wrong type and answers the parameter names of other libraries.

    None is right where it is the default.

    >>> from probus.data import read
    >>> read("data.csv", kinds="nominal")
    Traceback (most recent call last):
    probus.errors.DataError: read(kinds='nominal').
      Expected a dict of kinds by column, such as {'cyl': 'nominal'}.
    """
    parameters = inspect.signature(function).parameters
    checked = {name: (*_KINDS[name], each.default is None) for name, each in parameters.items() if name in _KINDS}
    names = list(parameters)

    def called(*args: Any, **named: Any) -> Any:
        own = own_verb(function, args[0] if args else named.get(names[0]))
        if own is not None:
            return own(*args, **named)
        refuse(function, checked, {**dict(zip(names, args, strict=False)), **named})
        return answered(*args, **named)

    refuse, own_verb, answered = _refuse, _own_verb, answering_synonyms(function)
    # with the globals of the function, since doctest looks there for the module that a function is of
    own = FunctionType(called.__code__, function.__globals__, closure=called.__closure__)
    return update_wrapper(own, function)


def _own_verb(function: Any, first: Any) -> Callable[..., Any] | None:
    """The function of that name for models whose data are not rows and targets, such as recommenders.

    Their class, or that of their results, names the module in ``verbs``.
    """
    listed = first.values() if isinstance(first, Mapping) else first if isinstance(first, (list, tuple)) else [first]
    models = (each[1] if isinstance(each, tuple) and len(each) == 2 else each for each in listed)  # with its name
    modules = (getattr(each if isinstance(each, type) else type(each), "verbs", None) for each in models)
    module = next((each for each in modules if isinstance(each, str)), None)
    if module is None or function.__module__.startswith(module):
        return None
    own = getattr(import_module(module), function.__name__, None)
    if own is None:
        raise DataError(f"{function.__name__} of recommenders.", "models of rows and a target")
    return partial(_bound, own, inspect.signature(function).parameters)


def _bound(own: Callable[..., Any], usual: Iterable[str], *args: Any, **named: Any) -> Any:
    """The result of a function; a DataError for a parameter that it lacks, and the ``usual`` function has."""
    known = inspect.signature(own).parameters
    unknown = [name for name in named if name in usual and name not in known]
    positional = [each for each in known.values() if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    if unknown or len(args) > len(positional):
        found = f"{unknown[0]}=…" if unknown else f"{len(args)} arguments"
        raise DataError(f"{own.__name__}({found}) of recommenders.", f"parameters among {', '.join(known)}")
    return own(*args, **named)


def _refuse(function: Any, checked: Mapping[str, tuple[Callable[[Any], bool], str, bool]], given: Any) -> None:
    """Raise a DataError for the first argument of a wrong type."""
    for name, value in given.items():
        if name not in checked:
            continue
        holds, expected, optional = checked[name]
        if not holds(value) and not (value is None and optional):
            shown = repr(value)
            shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
            raise DataError(f"{function.__name__}({name}={shown}).", expected)
