"""Memory that is free but not yet the system's."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from typing import Any

__all__ = ["return_free_memory"]


def return_free_memory() -> None:
    """Return what has been freed to the system, where the C library keeps it for later (glibc does, others need not).

    Arrays of some megabytes that threads have used and freed stay with the process otherwise, often several times as
    much as a model needs in the end. It takes milliseconds.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    with suppress(OSError, TypeError):  # TypeError: on Windows None names no library
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    return None
