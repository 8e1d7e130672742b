"""Memory that is no longer needed, but not yet the system's."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

__all__ = ["return_columns", "return_free_memory", "returnable"]

_LARGE = 1 << 25  # bytes from which returning parts of an array is worthwhile


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


def returnable(shape: tuple[int, int], dtype: Any) -> np.ndarray:
    """An empty matrix of which ``return_columns`` can return parts to the system, where it is large."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if size < _LARGE or not hasattr(mmap, "MADV_DONTNEED"):
        return np.empty(shape, dtype)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # as NumPy does; not every system has them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype).reshape(shape)


def return_columns(matrix: np.ndarray, start: int, end: int) -> None:
    """Return the memory of some columns to the system; what they held is lost. Nothing happens to other matrices.

    >>> matrix = returnable((2, 3_000_000), np.float64)
    >>> matrix[:, [0, 2_000_000]] = 1.0
    >>> return_columns(matrix, 1, 2_000_000)
    >>> matrix[:, [0, 2_000_000]].sum()
    np.float64(4.0)
    """
    owner: Any = matrix
    while isinstance(owner, np.ndarray):
        owner = owner.base
    pages = owner.obj if isinstance(owner, memoryview) else owner
    if not isinstance(pages, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED"):
        return
    begin = matrix.ctypes.data - np.frombuffer(pages, np.uint8).ctypes.data
    for row in range(len(matrix)):
        first, last = (begin + row * matrix.strides[0] + j * matrix.strides[1] for j in (start, end))
        first, last = -(-first // mmap.PAGESIZE) * mmap.PAGESIZE, last // mmap.PAGESIZE * mmap.PAGESIZE
        if last > first:
            pages.madvise(mmap.MADV_DONTNEED, first, last - first)
