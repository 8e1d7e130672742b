"""What is done once another library is imported, if it ever is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["after_import"]


def after_import(library: str, module: str, function: str) -> None:
    """Call ``function(library)`` of a module of ours when the library is imported, at once if it is already.

    The module is imported then, too: neither is before.
    """
    if library in sys.modules:
        getattr(import_module(module), function)(sys.modules[library])
    elif not any(isinstance(each, _Watch) and each.library == library for each in sys.meta_path):
        sys.meta_path.insert(0, _Watch(library, module, function))


class _Watch(MetaPathFinder):
    """Finds one library as the other finders do, and has a function called after its import."""

    def __init__(self, library: str, module: str, function: str):
        self.library, self.module, self.function = library, module, function

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of the library, whose loader calls the function."""
        if fullname != self.library:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: Any) -> None:
                execute(module)
                getattr(import_module(self.module), self.function)(module)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec
