"""Everything public is documented: each parameter of functions and classes, and what functions return."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from enum import Enum
from types import FunctionType

import pytest

import probus


def public():
    """What the packages of Probus export, by its full name."""
    packages = [probus, *(importlib.import_module(f"probus.{name}") for name in probus._PACKAGES)]
    for package in [each for each in packages if each is not probus and hasattr(each, "__path__")]:
        inner = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        packages += [importlib.import_module(each.name) for each in inner if each.ispkg]
    found = [getattr(package, name) for package in packages for name in getattr(package, "__all__", ())]
    ours = [each for each in found if callable(each) and str(getattr(each, "__module__", "")).startswith("probus")]
    return {f"{each.__module__}.{each.__qualname__}": each for each in ours}


def is_interface(cls):
    """Whether users make no instances: values of an enumeration, and protocols."""
    return issubclass(cls, Enum) or getattr(cls, "_is_protocol", False)


PUBLIC = public()
FUNCTIONS = {name: each for name, each in PUBLIC.items() if not isinstance(each, type)}
CLASSES = {name: each for name, each in PUBLIC.items() if isinstance(each, type) and not is_interface(each)}


def entries(documentation):
    """The names with an entry in the sections Parameters and Attributes."""
    sections = re.findall(
        r"^(?:Parameters|Attributes)\n-{3,}\n(.*?)(?=^\w[\w ]*\n-{3,}\n|^>>> |\Z)", documentation, re.M | re.S
    )
    heads = [line.partition(" : ")[0] for part in sections for line in part.splitlines() if line[:1].strip()]
    return {name.strip(" *\\") for head in heads for name in head.split(",")}


def test_names_of_entries_are_found():
    text = "A.\n\nParameters\n----------\nX, y : rows\n    and targets.\n**kwds : others.\n\nReturns\n-------\nA sum."
    assert entries(text) == {"X", "y", "kwds"}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_argument_of_a_function_and_what_it_returns_are_documented(name):
    function = FUNCTIONS[name]
    documentation, signature = inspect.getdoc(function) or "", inspect.signature(function)
    assert set(signature.parameters) - entries(documentation) == set()
    assert signature.return_annotation == "None" or "\nReturns\n-------\n" in documentation


def arguments(cls):
    """The public arguments of a class, and the fields of a dataclass or named tuple."""
    fields = {each.name for each in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    taken = set(inspect.signature(cls).parameters) if isinstance(cls.__init__, FunctionType) else set()
    return {
        each for each in {*fields, *taken, *(cls._fields if issubclass(cls, tuple) else ())} if not each.startswith("_")
    }


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_argument_of_a_class_and_every_field_is_documented(name):
    cls = CLASSES[name]
    documented = entries(inspect.getdoc(cls) or "")
    if not hasattr(cls, "get_params"):  # a field is documented where it is declared, by a parent perhaps
        documented |= set().union(*(entries(inspect.cleandoc(parent.__doc__ or "")) for parent in cls.__mro__))
    assert arguments(cls) - documented == set()
    assert (cls.__doc__ or "").count("\nParameters\n----------\n") <= 1
