"""How the parts of a compiled routine are declared.

Only the routine that Python calls needs a way in from Python and a place in the cache; its parts are compiled into it.
Leaving both out halves what a first fit has to wait for.
"""

from typing import Any

from numba import njit
from numba.core.cpu import CPUTargetOptions

from probus.compiling import announce_compiling

__all__ = ["borrowing", "inlined", "inner", "reassociated"]

# as in NumPy, dividing by nothing gives inf or NaN: an exception in one thread would leave the others waiting
_part: dict[str, Any] = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
}

inner = njit(**_part)

# a part that makes no arrays borrows those of its caller: counting who holds them, with a lock each time, would take a
# sixth of the time that small nodes take; where Numba no longer has the option they are counted
_borrowed: dict[str, Any] = {**_part, "_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else _part
borrowing = njit(**_borrowed)

# the same, put in the place of its call: a dozen arrays are long to hand over
inlined = njit(**_borrowed, forceinline=True)

# the same, for sums that may be added up in any order, several at once
reassociated = njit(**_borrowed, forceinline=True, fastmath={"reassoc", "nsz", "contract"})

announce_compiling()
