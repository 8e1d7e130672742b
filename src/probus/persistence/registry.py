"""The classes a model file may name: Probus's own estimators, and a short list of scikit-learn's.

A name from a file is only ever looked up here; it is never imported.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

import probus
from probus.base import Model
from probus.errors import ModelFileError
from probus.persistence.borrowed import BORROWED, borrowed_classes
from probus.state import Part, Spec

__all__ = ["class_named", "declared_state", "estimators_of", "name_of", "part_named", "rooms"]


@cache
def rooms() -> tuple[str, ...]:
    """The public modules of Probus.

    >>> "probus.dummy" in rooms()
    True
    """
    found = (module.name for module in pkgutil.iter_modules(probus.__path__))
    return tuple(f"probus.{name}" for name in sorted(found) if name in probus.__all__)


@cache
def estimators_of(room: str) -> Mapping[str, type[BaseEstimator]]:
    """The estimators that a room makes public, by the name they have in files.

    >>> estimators_of("probus.dummy")["probus.dummy.ZeroRClassifier"].__name__
    'ZeroRClassifier'
    """
    module = import_module(room)
    public = [thing for name, thing in vars(module).items() if name in module.__all__]
    return {f"{room}.{thing.__name__}": thing for thing in public if _is_estimator(thing, room)}


def _is_estimator(thing: Any, room: str) -> bool:
    """Whether it is a finished estimator at home in that room: no parent class, no guest."""
    if not isinstance(thing, type) or not issubclass(thing, BaseEstimator) or inspect.isabstract(thing):
        return False
    return hasattr(thing, "fit") and f"{thing.__module__}.".startswith(f"{room}.")


def class_named(name: str) -> type:
    """The class of that name in a file.

    >>> class_named("os.system")
    Traceback (most recent call last):
    probus.errors.ModelFileError: 'os.system' is not a class that a model file may hold.
      Expected an estimator of Probus, ... or sklearn.preprocessing.StandardScaler.
    """
    cls = _known(name)
    if cls is None:
        raise _unknown(name)
    return cls


def part_named(name: str) -> type[Part]:
    """The class of a part of models, of that name in a file."""
    room, _, own = name.rpartition(".")
    module = import_module(room) if room in rooms() else None
    cls = vars(module).get(own) if module is not None and own in module.__all__ else None
    if not isinstance(cls, type) or not issubclass(cls, Part):
        raise ModelFileError(f"{name[:80]!r} is not a part of a model.", "a part of the models of Probus")
    return cls


def name_of(model: Any) -> str:
    """The name that the class of a model has in a file: the room it is public in, and its own."""
    cls = type(model)
    name = ".".join([*cls.__module__.split(".")[:2], cls.__name__])
    if issubclass(cls, Part):
        return name
    if _known(name) is not cls:
        raise _unknown(f"{cls.__module__}.{cls.__qualname__}")
    return name


def declared_state(cls: type) -> Mapping[str, Spec]:
    """What a fitted model of a registered class may hold: its own declaration, or that of the class it extends."""
    if issubclass(cls, Model):
        return cls.fitted_state()
    return next(BORROWED[name] for name, known in borrowed_classes().items() if issubclass(cls, known))


def _known(name: str) -> type | None:
    room = name.rpartition(".")[0]
    classes: Mapping[str, type] = estimators_of(room) if room in rooms() else borrowed_classes()
    return classes.get(name)


def _unknown(name: str) -> ModelFileError:
    *others, last = BORROWED
    return ModelFileError(
        f"{name[:80]!r} is not a class that a model file may hold.",
        f"{', '.join(['an estimator of Probus', *others])} or {last}",
    )
