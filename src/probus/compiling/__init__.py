"""Compilation of kernels: announced and not interrupted, and shared between processes.

``compilation`` has the decorator ``njit``, ``kernel_cache`` finds a folder for what is compiled, ``compile_clock``
measures the time that it takes, ``interrupts`` postpones Ctrl-C.
"""

from probus.compiling._compilation import (
    announced_as,
    compiled_elsewhere,
    compiling_beside,
    keep_quiet,
    njit,
    read_only,
    report_compiling,
    seconds_compiling,
    seconds_compiling_anywhere,
)
from probus.compiling._compile_clock import CompileClock
from probus.compiling._kernel_cache import kept_elsewhere
