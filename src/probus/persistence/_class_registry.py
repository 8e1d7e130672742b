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
from probus.persistence._borrowed import BORROWED, borrowed_classes, declaration_of
from probus.state import Spec, Stored

_KEEP = "joblib.dump(model, 'model.joblib') keeps models of any library; such a file runs code when it is loaded."


@cache
def public_modules() -> tuple[str, ...]:
    """The public modules of Probus.

    >>> "probus.dummy" in public_modules()
    True
    """
    found = (module.name for module in pkgutil.iter_modules(probus.__path__))
    return tuple(f"probus.{name}" for name in sorted(found) if name in probus.__all__)


@cache
def estimators_of(module: str) -> Mapping[str, type[BaseEstimator]]:
    """The public estimators of a module, by the name they have in files.

    >>> estimators_of("probus.dummy")["probus.dummy.ZeroRClassifier"].__name__
    'ZeroRClassifier'
    """
    namespace = import_module(module)
    public = [thing for name, thing in vars(namespace).items() if name in namespace.__all__]
    return {f"{module}.{thing.__name__}": thing for thing in public if _is_estimator(thing, module)}


def _is_estimator(thing: Any, module: str) -> bool:
    """Whether it is an estimator defined in that module, not a base class and not borrowed."""
    if not isinstance(thing, type) or not issubclass(thing, BaseEstimator) or inspect.isabstract(thing):
        return False
    if not issubclass(thing, (Model, *borrowed_classes().values())):  # what has no declared state is not saved
        return False
    return hasattr(thing, "fit") and f"{thing.__module__}.".startswith(f"{module}.")


def class_named(name: str) -> type:
    """The class of that name in a file.

    >>> class_named("os.system")
    Traceback (most recent call last):
    probus.errors.ModelFileError: 'os.system' is not a class that a model file may contain.
      Expected an estimator of Probus, or of scikit-learn Binarizer, ... and VarianceThreshold.
    """
    cls = _find(name)
    if cls is None:
        raise _unknown(name)
    return cls


def part_named(name: str) -> type[Stored]:
    """The class of a component of models, by its name in a file."""
    cls = _known_part(name)
    if cls is None:
        raise _no_part(name)
    return cls


def _known_part(name: str) -> type[Stored] | None:
    module, _, own = name.rpartition(".")
    namespace = import_module(module) if module in public_modules() else None
    cls = vars(namespace).get(own) if namespace is not None and own in namespace.__all__ else None
    return cls if isinstance(cls, type) and issubclass(cls, Stored) else None


def name_of(model: Any) -> str:
    """The name that the class of a model has in a file: its public module and its own name."""
    cls = type(model)
    name = ".".join([*cls.__module__.split(".")[:2], cls.__name__])
    if issubclass(cls, Stored):
        if _known_part(name) is not cls:
            raise _no_part(_class_name(model))
        return name
    if _find(name) is not cls:
        raise _unknown(_class_name(_foreign_part(model)), _KEEP)
    return name


def declared_state(cls: type) -> Mapping[str, Spec]:
    """The fitted attributes of a registered class: its own declaration, or that of its base class."""
    if issubclass(cls, Model):
        return cls.fitted_state()
    return declaration_of(cls).state


def derived_attributes(cls: type) -> tuple[str, ...]:
    """The public fitted attributes that are not stored, because they follow from others."""
    return () if issubclass(cls, Model) else declaration_of(cls).derived


def complete(model: Any) -> None:
    """Check a loaded model, and set the attributes that follow from those of the file."""
    if isinstance(model, Model):
        model.check_fitted_state()
    elif (derive := declaration_of(type(model)).derive) is not None:
        derive(model)


def _find(name: str) -> type | None:
    module = name.rpartition(".")[0]
    classes: Mapping[str, type] = estimators_of(module) if module in public_modules() else borrowed_classes()
    return classes.get(name)


def _no_part(name: str) -> ModelFileError:
    return ModelFileError(f"{name[:80]!r} is not a component of a model.", "a component of the models of Probus")


def _class_name(model: Any) -> str:
    return f"{type(model).__module__}.{type(model).__qualname__}"


def _foreign_part(model: Any) -> Any:
    """What no file may contain: the model, or that of another library at the end of one of our pipelines."""
    steps = getattr(model, "steps", None)
    return steps[-1][1] if steps and type(model).__module__.startswith("probus.") else model


def _unknown(name: str, hint: str = "") -> ModelFileError:
    *others, last = sorted(known.rpartition(".")[2] for known in BORROWED)
    return ModelFileError(
        f"{name[:80]!r} is not a class that a model file may contain.",
        f"an estimator of Probus, or of scikit-learn {', '.join(others)} and {last}",
        hint,
    )
