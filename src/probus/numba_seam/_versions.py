"""The versions of Numba for which the code of the seam was tried."""

from __future__ import annotations

from typing import TypeVar

import numba

TRIED = (0, 61), (0, 68)  # the first and the last

Function = TypeVar("Function")


def are_tried() -> bool:
    """Whether the installed version is one of them.

    >>> are_tried()
    True
    """
    first, last = TRIED
    return first <= numba.version_info.short <= last


def chosen(written: Function, plain: Function) -> Function:
    """The function written for LLVM, or the plain one in a version for which it was not tried."""
    return written if are_tried() else plain
