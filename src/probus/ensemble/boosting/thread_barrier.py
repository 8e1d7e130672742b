"""Threads that work on one tree together: all run the same kernel, each does its share, and they meet between steps.

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

__all__ = ["meet"]

_PATIENCE = 1000  # looks at the counter before the processor is offered to others
_YIELD = "SwitchToThread" if sys.platform == "win32" else "sched_yield"


def _address(context, builder, kind, array):
    from numba.np.arrayobj import make_array

    return make_array(kind)(context, builder, array).data


@intrinsic
def raised(context, counter):
    """Raise the counter, int64[1], by one, for all to see."""

    def write(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], arguments[0])
        return builder.atomic_rmw("add", address, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(counter), write


@intrinsic
def seen(context, counter):
    """What the counter is now."""

    def write(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], arguments[0])
        return builder.load_atomic(address, "seq_cst", 8)

    return types.int64(counter), write


@intrinsic
def breathe(context):
    """Let the other thread of the same core have its units, on processors that have a word for it."""

    def write(context, builder, signature, arguments):
        from numba.core import cgutils

        if platform.machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), write


@intrinsic
def stand_back(context):
    """Let other threads of the machine have the processor."""

    def write(context, builder, signature, arguments):
        from numba.core import cgutils

        kind = ir.FunctionType(ir.IntType(32), [])
        function = cgutils.get_or_insert_function(builder.module, kind, _YIELD)
        return builder.call(function, [])

    return types.int32(), write


@inner
def meet(counter, team, turn):
    """Wait until all of the team have come here; returns the turn that comes next.

    counter (INOUT) int64[1], how often anyone came
    turn (IN)       how often this thread did
    """
    turn += 1
    if team > 1:
        raised(counter)
        looks = 0
        while seen(counter) < np.int64(turn * team):
            looks += 1
            breathe()
            if looks > _PATIENCE:
                stand_back()
    return turn
