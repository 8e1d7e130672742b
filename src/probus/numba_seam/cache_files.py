"""The files of Numba's cache of kernels, as several processes and upgrades of the package need them.

Every function does nothing in a Numba that lacks the private names.
"""

from __future__ import annotations

import uuid
from functools import cache as cached
from typing import Any

__all__ = ["ignore_unreadable_index", "name_files_uniquely", "return_without_python"]


def return_without_python() -> None:
    """Let compiled functions look up the types of a tuple of arrays that they return without a function in Python.

    Python answers Ctrl-C at the start of such a function, within the call: it then raises a SystemError ("returned a
    result with an exception set") in place of KeyboardInterrupt. Cached, the lookup runs no Python after the first. A
    Numba without this private name keeps its own way.
    """
    from numba.core import serialize

    lookup = getattr(serialize, "_numba_unpickle", None)
    if lookup is not None and not hasattr(lookup, "cache_info"):
        serialize._numba_unpickle = cached(lookup)


def name_files_uniquely(dispatcher: Any) -> None:
    """Name the files of a function's compiled code at random, in place of Numba's numbers.

    Numba numbers the files of a function without a lock: of two processes that save different signatures at the same
    time, one would later load the other's code. A Numba without these private names keeps its own.
    """
    cache: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    pattern = getattr(cache, "_data_name_pattern", None)
    if pattern is not None and hasattr(cache, "_data_name"):
        cache._data_name = lambda number: pattern.format(number=uuid.uuid4().int >> 64)


def ignore_unreadable_index(dispatcher: Any) -> None:
    """Compile anew where the index of a function's compiled code names a class that an upgrade has moved.

    Numba reads the index before it compares the versions of the source. A Numba without these private names keeps its
    own way.
    """
    cache: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    read = getattr(cache, "_load_index", None)
    if read is None:
        return

    def readable() -> Any:
        try:
            return read()
        except (AttributeError, ImportError):
            return {}

    cache._load_index = readable
