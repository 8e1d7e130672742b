"""Instructions of the processor that Numba has no function for."""

from __future__ import annotations

import platform
import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types  # noqa: TID251 - compiled into kernels of probus.compiling
from numba.core import cgutils
from numba.extending import intrinsic

from probus.numba_seam._versions import are_tried, chosen

__all__ = ["ATOMIC", "increment", "ones", "pause", "prefetch", "read", "trailing_zeros", "yield_processor"]

ATOMIC = are_tried()  # whether several threads can count together; else a kernel has to run on one
_WORD = ir.IntType(64)
_YIELD = "SwitchToThread" if sys.platform == "win32" else "sched_yield"


# -- bits ----------------------------------------------------------------------------------------------


@intrinsic
def written_ones(typing_context: Any, word: Any) -> Any:
    """The number of ones in a word."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic("llvm.ctpop", [_WORD]), arguments)

    return types.int64(types.uint64), write


@njit
def plain_ones(word):
    """The same, one after the other."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@intrinsic
def written_trailing_zeros(typing_context: Any, word: Any) -> Any:
    """The number of zeros below the lowest one of a word; 64 without one."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), write


@njit
def plain_trailing_zeros(word):
    """The same, one after the other."""
    count = np.uint64(0)
    while count < np.uint64(64) and not word & np.uint64(1):
        word >>= np.uint64(1)
        count += np.uint64(1)
    return count


# -- memory --------------------------------------------------------------------------------------------


def _data(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.make_array(signature.args[0])(context, builder, arguments[0])


@intrinsic
def written_prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Prefetch the beginning of a row: memory access to scattered rows limits counting."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = _data(context, builder, signature, arguments)
        stride = builder.extract_value(view.strides, 0)
        address = builder.add(builder.ptrtoint(view.data, stride.type), builder.mul(stride, arguments[1]))
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(function, [pointer, number(0), number(3), number(1)])  # to read, soon, data
        return context.get_dummy_value()

    return types.void(array, row), write


@njit
def plain_prefetch(array, row):
    """Nothing: the processor fetches the row when it is read."""


# -- threads -------------------------------------------------------------------------------------------


@intrinsic
def written_increment(typing_context: Any, counter: Any) -> Any:
    """Atomically increment a counter, int64[1]; returns what it was."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _data(context, builder, signature, arguments).data
        return builder.atomic_rmw("add", address, ir.Constant(_WORD, 1), "seq_cst")

    return types.int64(counter), write


@njit
def plain_increment(counter):
    """The same on one thread."""
    counter[0] += 1
    return counter[0] - 1


@intrinsic
def written_read(typing_context: Any, counter: Any) -> Any:
    """Atomically read the counter."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_data(context, builder, signature, arguments).data, "seq_cst", 8)

    return types.int64(counter), write


@njit
def plain_read(counter):
    """The same on one thread."""
    return counter[0]


@intrinsic
def written_pause(typing_context: Any) -> Any:
    """Pause, so that the other thread of the same core can run, on processors with such an instruction."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if platform.machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), write


@intrinsic
def written_yield(typing_context: Any) -> Any:
    """Yield the processor to other threads."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, _YIELD), [])

    return types.int32(), write


@njit
def plain_pause():
    """Nothing: there is one thread."""


ones = chosen(written_ones, plain_ones)
trailing_zeros = chosen(written_trailing_zeros, plain_trailing_zeros)
prefetch = chosen(written_prefetch, plain_prefetch)
increment = chosen(written_increment, plain_increment)
read = chosen(written_read, plain_read)
pause = chosen(written_pause, plain_pause)
yield_processor = chosen(written_yield, plain_pause)
