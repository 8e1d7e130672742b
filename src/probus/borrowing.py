"""The public names of our modules: their own, and those of scikit-learn, imported when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

__all__ = ["borrow", "listing"]


def borrow(
    namespace: dict[str, Any], names: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a module that offers names of other modules as its own.

    The names, listed by the module that defines them, join the module's ``__all__``. Importing scikit-learn's modules
    takes up to a second, so each is imported when one of its names is first used.

    >>> module = {"__name__": "ours", "__all__": ["tabular"]}
    >>> get, names = borrow(module, {"sklearn.pipeline": ("Pipeline",)})
    >>> names(), get("Pipeline").__module__
    (['Pipeline', 'tabular'], 'sklearn.pipeline')
    """
    sources = {name: source for source, listed in names.items() for name in listed}
    public = namespace["__all__"]
    public += sources

    def get(name: str) -> Any:
        if name in sources:
            return getattr(import_module(sources[name]), name)
        near = get_close_matches(name, public, 1)
        hint = f". Did you mean {near[0]}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}{hint}")

    return get, lambda: sorted(public)


def listing(namespace: dict[str, Any]) -> Callable[[], list[str]]:
    """The ``__dir__`` of a module: its public names, without the modules inside it.

    >>> import probus.tuning
    >>> "tune" in dir(probus.tuning), "budget" in dir(probus.tuning)
    (True, False)
    """
    return lambda: sorted(namespace["__all__"])
