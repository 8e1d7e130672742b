"""Sets of baskets as bits, 64 to a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["bit_rows", "ones"]


@intrinsic
def ones(typing_context: Any, word: Any) -> Any:
    """The number of ones in a word, by the instruction of the processor."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        count = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(64)])
        return builder.call(count, arguments)

    return types.int64(types.uint64), code


def bit_rows(starts: np.ndarray, items: np.ndarray, n_items: int) -> np.ndarray:
    """For each item the set of its baskets, uint64[items, words]."""
    n = len(starts) - 1
    bits = np.zeros((n_items, -(-n // 64)), dtype=np.uint64)
    owner = np.repeat(np.arange(n), np.diff(starts))
    np.bitwise_or.at(bits, (items, owner >> 6), np.uint64(1) << (owner & 63).astype(np.uint64))
    return bits
