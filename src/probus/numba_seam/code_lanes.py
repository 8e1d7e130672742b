"""The columns of a block at once: the codes of a row lie side by side, and one instruction compares many of them.

Numba does not find these loops by itself. The accumulators are kept in registers for all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types  # noqa: TID251 - compiled into kernels of probus.compiling
from numba.core import cgutils
from numba.extending import intrinsic

from probus.numba_seam._versions import chosen

__all__ = ["BLOCK", "add_row", "count_two", "ranges", "sum_pairs", "widen"]

BLOCK = 32  # columns
_WORD = ir.IntType(64)


@intrinsic
def written_ranges(typing, codes, rows, column, low, high):
    """The smallest and the largest code of some rows in each column of a block.

    codes (IN)      [n, *] the codes of each row
    rows (IN)       uint32[m]
    column (IN)     int64, the first column of the block
    low, high (OUT) [*] for all columns
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, chosen, smallest, largest = (_view(context, builder, signature, arguments, k) for k in (0, 1, 3, 4))
        vector = ir.VectorType(context.get_value_type(codes.dtype), BLOCK)
        least, most = (cgutils.alloca_once(builder, vector) for _ in range(2))
        builder.store(vector([-1] * BLOCK), least)
        builder.store(vector([0] * BLOCK), most)
        with cgutils.for_range(builder, chosen.nitems) as loop:
            own = _codes(builder, table, _number(builder, chosen, loop.index), arguments[2], vector)
            for at, sign in ((least, "<"), (most, ">")):
                there = builder.load(at)
                builder.store(builder.select(builder.icmp_unsigned(sign, own, there), own, there), at)
        for view, at in ((smallest, least), (largest, most)):
            builder.store(builder.load(at), _at(builder, view, arguments[2], vector), align=1)
        return context.get_dummy_value()

    return types.void(codes, rows, column, low, high), write


@intrinsic
def written_count_two(typing, codes, rows, loads, column, cuts, shifts, counts):
    """Add up two bytes of the loads of the rows that go left, for each column of a block; they must not overflow.

    loads (IN)   uint64[m], beside rows
    cuts (IN)    [*] for each column the last code that goes left
    shifts (IN)  a pair of bits of a load: where the bytes begin
    counts (OUT) uint32[2, *] for all columns; added to
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, chosen, load, cut, out = (_view(context, builder, signature, arguments, k) for k in (0, 1, 2, 4, 6))
        vector, byte = ir.VectorType(context.get_value_type(codes.dtype), BLOCK), ir.IntType(8)
        column = arguments[3]
        last = builder.load(_at(builder, cut, column, vector), align=1)
        sums = [cgutils.alloca_once(builder, ir.VectorType(byte, BLOCK)) for _ in range(2)]
        none = ir.VectorType(byte, BLOCK)([0] * BLOCK)
        for at in sums:
            builder.store(none, at)
        with cgutils.for_range(builder, chosen.nitems) as loop:
            own = _codes(builder, table, _number(builder, chosen, loop.index), column, vector)
            left = builder.icmp_unsigned("<=", own, last)
            amount = builder.load(builder.gep(load.data, [loop.index]))
            for k, at in enumerate(sums):
                shift = builder.extract_value(arguments[5], k)
                part = _splat(builder, builder.trunc(builder.lshr(amount, shift), byte), BLOCK)
                builder.store(builder.add(builder.load(at), builder.select(left, part, none)), at)
        wide = ir.VectorType(ir.IntType(32), BLOCK)
        stride = builder.extract_value(out.strides, 0)
        for k, at in enumerate(sums):
            begin = builder.add(builder.mul(stride, _WORD(k)), builder.mul(column, _WORD(4)))
            place = _pointer(builder, out.data, begin, wide)
            total = builder.add(builder.load(place, align=4), builder.zext(builder.load(at), wide))
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    return types.void(codes, rows, loads, column, cuts, shifts, counts), write


@intrinsic
def written_add_row(typing, codes, row, column, cuts, weight, counts, k):
    """Add the weight of a row, a byte, to ``counts[k]`` of the columns of a block in which it goes left.

    counts (INOUT) uint8[K, *] for all columns
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, cut, out = (_view(context, builder, signature, arguments, k) for k in (0, 3, 5))
        vector, bytes_ = (ir.VectorType(context.get_value_type(dtype), BLOCK) for dtype in (codes.dtype, types.uint8))
        own = _codes(builder, table, arguments[1], arguments[2], vector)
        left = builder.icmp_unsigned("<=", own, builder.load(_at(builder, cut, arguments[2], vector), align=1))
        begin = builder.add(builder.mul(arguments[6], builder.extract_value(out.strides, 0)), arguments[2])
        place = _pointer(builder, out.data, begin, bytes_)
        part = builder.select(left, _splat(builder, arguments[4], BLOCK), bytes_([0] * BLOCK))
        builder.store(builder.add(builder.load(place, align=1), part), place, align=1)
        return context.get_dummy_value()

    return types.void(codes, types.uint64, column, cuts, types.uint8, counts, types.uint64), write


@intrinsic
def written_widen(typing, part, counts, column):
    """Add the bytes of a block of columns to their uint32."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        few, out = (_view(context, builder, signature, arguments, k) for k in (0, 1))
        narrow, wide = (ir.VectorType(ir.IntType(bits), BLOCK) for bits in (8, 32))
        added = builder.zext(builder.load(_at(builder, few, arguments[2], narrow), align=1), wide)
        place = _at(builder, out, arguments[2], wide)
        builder.store(builder.add(builder.load(place, align=4), added), place, align=4)
        return context.get_dummy_value()

    return types.void(part, counts, column), write


@intrinsic
def written_sum_pairs(typing, codes, rows, pairs, column, cuts, sums):
    """The sums of both numbers of the rows that go left, for each column of half a block.

    pairs (IN) float64[m, 2], beside rows
    sums (OUT) float64[2, *] for all columns
    """
    size = BLOCK // 2

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, chosen, pair, cut, out = (_view(context, builder, signature, arguments, k) for k in (0, 1, 2, 4, 5))
        vector = ir.VectorType(context.get_value_type(codes.dtype), size)
        numbers, column = ir.VectorType(ir.DoubleType(), size), arguments[3]
        last = builder.load(_at(builder, cut, column, vector), align=1)
        totals, none = [cgutils.alloca_once(builder, numbers) for _ in range(2)], numbers([0.0] * size)
        for total in totals:
            builder.store(none, total)
        with cgutils.for_range(builder, chosen.nitems) as loop:
            own = _codes(builder, table, _number(builder, chosen, loop.index), column, vector)
            left = builder.icmp_unsigned("<=", own, last)
            for k, total in enumerate(totals):
                at = builder.add(builder.mul(loop.index, _WORD(2)), _WORD(k))
                v = _splat(builder, builder.load(builder.gep(pair.data, [at])), size)
                builder.store(builder.fadd(builder.load(total), builder.select(left, v, none)), total)
        for k, total in enumerate(totals):
            begin = builder.add(
                builder.mul(builder.extract_value(out.strides, 0), _WORD(k)), builder.mul(column, _WORD(8))
            )
            builder.store(builder.load(total), _pointer(builder, out.data, begin, numbers), align=8)
        return context.get_dummy_value()

    return types.void(codes, rows, pairs, column, cuts, sums), write


def _view(context: Any, builder: Any, signature: Any, arguments: Any, k: int) -> Any:
    return context.make_array(signature.args[k])(context, builder, arguments[k])


def _number(builder: Any, rows: Any, i: Any) -> Any:
    """The number of a row."""
    return builder.zext(builder.load(builder.gep(rows.data, [i])), _WORD)


def _codes(builder: Any, codes: Any, row: Any, column: Any, vector: Any) -> Any:
    """The codes of a row in a block of columns."""
    begin = builder.add(
        builder.mul(builder.extract_value(codes.strides, 0), row), builder.mul(column, _WORD(vector.element.width // 8))
    )
    return builder.load(_pointer(builder, codes.data, begin, vector), align=1)


def _at(builder: Any, array: Any, k: Any, vector: Any) -> Any:
    """Where an element of an array in one dimension is, as the beginning of a vector."""
    return builder.bitcast(builder.gep(array.data, [k]), vector.as_pointer())


def _pointer(builder: Any, data: Any, offset: Any, vector: Any) -> Any:
    """The place so many bytes after the beginning of an array."""
    begin = builder.bitcast(data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(begin, [offset]), vector.as_pointer())


def _splat(builder: Any, value: Any, size: int) -> Any:
    """A vector of one value."""
    vector = ir.VectorType(value.type, size)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), size), [0] * size))


# -- the same, one column after the other --------------------------------------------------------------


@njit
def plain_ranges(codes, rows, column, low, high):
    """As ``written_ranges``."""
    for c in range(column, column + BLOCK):
        low[c], high[c] = codes[rows[0], c], codes[rows[0], c]
    for row in rows:
        for c in range(column, column + BLOCK):
            low[c], high[c] = min(low[c], codes[row, c]), max(high[c], codes[row, c])


@njit
def plain_count_two(codes, rows, loads, column, cuts, shifts, counts):
    """As ``written_count_two``."""
    for i in range(len(rows)):
        for k in range(2):
            part = (loads[i] >> np.uint64(shifts[k])) & np.uint64(255)
            for c in range(column, column + BLOCK):
                if codes[rows[i], c] <= cuts[c]:
                    counts[k, c] += np.uint32(part)


@njit
def plain_add_row(codes, row, column, cuts, weight, counts, k):
    """As ``written_add_row``."""
    for c in range(column, column + BLOCK):
        if codes[row, c] <= cuts[c]:
            counts[k, c] += weight


@njit
def plain_widen(part, counts, column):
    """As ``written_widen``."""
    for c in range(column, column + BLOCK):
        counts[c] += np.uint32(part[c])


@njit
def plain_sum_pairs(codes, rows, pairs, column, cuts, sums):
    """As ``written_sum_pairs``."""
    for c in range(column, column + BLOCK // 2):
        sums[0, c], sums[1, c] = 0.0, 0.0
    for i in range(len(rows)):
        for c in range(column, column + BLOCK // 2):
            if codes[rows[i], c] <= cuts[c]:
                sums[0, c] += pairs[i, 0]
                sums[1, c] += pairs[i, 1]


ranges = chosen(written_ranges, plain_ranges)
count_two = chosen(written_count_two, plain_count_two)
add_row = chosen(written_add_row, plain_add_row)
widen = chosen(written_widen, plain_widen)
sum_pairs = chosen(written_sum_pairs, plain_sum_pairs)
