"""Decorators of the functions that a kernel calls.

Only the kernel that Python calls needs a wrapper for Python and a place in the cache; its parts are compiled into it.
Leaving both out halves the time of compiling. A part is compiled for each type of an argument, and to Numba a literal 0
has a type of its own: variables that are passed on begin as ``np.int64(0)``.
"""

from typing import Any

import numpy as np

from probus.compiling import njit
from probus.numba_seam.compiled_parts import borrowing_options, part_options

__all__ = ["allocating", "inlined", "inner", "longer", "reassociated"]

# as in NumPy, division by zero gives inf or NaN: an exception in one thread would leave the others waiting
_part: dict[str, Any] = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    **part_options(),
}

_borrowed: dict[str, Any] = {**_part, **borrowing_options()}  # parts that neither make nor return arrays
inner = njit(**_borrowed)

# the same, inlined: a dozen arrays take long to pass
inlined = njit(**_borrowed, forceinline=True)

# the same, for sums that may be added up in any order, several at once
reassociated = njit(**_borrowed, forceinline=True, fastmath={"reassoc", "nsz", "contract"})

# a part that makes an array, and so counts references
allocating = njit(**_part)


@allocating
def longer(a, size):
    """A copy of an array in a longer one."""
    copy = np.empty(size, a.dtype)
    for i in range(len(a)):
        copy[i] = a[i]
    return copy
