"""Everything public is documented: each parameter of functions and classes, and what functions return."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import probus

UNDOCUMENTED_LATER = True  # fields of dataclasses, and arguments of classes that are no models


def public():
    """What the packages of Probus export, by its full name."""
    packages = [probus, *(importlib.import_module(f"probus.{name}") for name in probus._PACKAGES)]
    for package in [each for each in packages if each is not probus and hasattr(each, "__path__")]:
        inner = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        packages += [importlib.import_module(each.name) for each in inner if each.ispkg]
    found = [getattr(package, name) for package in packages for name in getattr(package, "__all__", ())]
    ours = [each for each in found if callable(each) and str(getattr(each, "__module__", "")).startswith("probus")]
    return {f"{each.__module__}.{each.__qualname__}": each for each in ours}


PUBLIC = public()
FUNCTIONS = {name: each for name, each in PUBLIC.items() if not isinstance(each, type)}
CLASSES = {name: each for name, each in PUBLIC.items() if isinstance(each, type)}


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


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_argument_of_a_class_is_documented(name):
    cls = CLASSES[name]
    if not hasattr(cls, "get_params") and UNDOCUMENTED_LATER:
        return
    documentation = inspect.getdoc(cls) or ""
    fields = [each.name for each in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    public_fields = {each for each in [*fields, *inspect.signature(cls).parameters] if not each.startswith("_")}
    assert public_fields - entries(documentation) == set()
    assert documentation.count("\nParameters\n----------\n") <= 1
