"""How the parts of a compiled routine are declared.

Only the routine that Python calls needs a way in from Python and a place in the cache; its parts are compiled into it.
Leaving both out halves what a first fit has to wait for.
"""

from numba import njit

from probus.compiling import announce_compiling

__all__ = ["inner"]

# as in NumPy, dividing by nothing gives inf or NaN: an exception in one thread would leave the others waiting
inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")

announce_compiling()
