"""A barrier for threads that grow one tree: all run the same kernel, share the work, and wait for each other.

A tree has hundreds of steps of microseconds; waking a thread, or waiting for Python's lock, costs more than most of
them. So the threads stay in the kernel and watch a counter that each raises when it is done.
"""

from __future__ import annotations

import platform
import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from probus.tree.kernel import inner

__all__ = ["wait_for_all"]

_MAX_READS = 1000  # reads of the counter before the thread yields
_YIELD = "SwitchToThread" if sys.platform == "win32" else "sched_yield"


def _address(context, builder, kind, array):
    from numba.np.arrayobj import make_array

    return make_array(kind)(context, builder, array).data


@intrinsic
def increment(context, counter):
    """Atomically increment the counter, int64[1]."""

    def write(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], arguments[0])
        return builder.atomic_rmw("add", address, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(counter), write


@intrinsic
def read(context, counter):
    """Atomically read the counter."""

    def write(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], arguments[0])
        return builder.load_atomic(address, "seq_cst", 8)

    return types.int64(counter), write


@intrinsic
def pause(context):
    """Pause, so that the other thread of the same core can run, on processors with such an instruction."""

    def write(context, builder, signature, arguments):
        from numba.core import cgutils

        if platform.machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), write


@intrinsic
def yield_processor(context):
    """Yield the processor to other threads."""

    def write(context, builder, signature, arguments):
        from numba.core import cgutils

        kind = ir.FunctionType(ir.IntType(32), [])
        function = cgutils.get_or_insert_function(builder.module, kind, _YIELD)
        return builder.call(function, [])

    return types.int32(), write


@inner
def wait_for_all(counter, team, turn):
    """Wait until all threads of the team are here; returns the next turn.

    counter (INOUT) int64[1], how often anyone came
    turn (IN)       how often this thread did
    """
    turn += 1
    if team > 1:
        increment(counter)
        n_reads = 0
        while read(counter) < np.int64(turn * team):
            n_reads += 1
            pause()
            if n_reads > _MAX_READS:
                yield_processor()
    return turn
