"""Squared distances of one row to many that lie side by side, and to boxes, with the sums in vector registers.

The vectors are written out because LLVM does not find them: it cannot know that sums in memory overlap with no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types  # noqa: TID251 - compiled into kernels of probus.compiling
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from probus.numba_seam._versions import chosen

__all__ = ["FAN", "LEAF", "squares_to_boxes", "squares_to_corners", "squares_to_rows"]

FAN = 8  # boxes side by side
LEAF = 32  # rows side by side


@intrinsic
def written_squares_to_rows(
    typing_context: Any, queries: Any, i: Any, leaves: Any, leaf: Any, limit: Any, away: Any
) -> Any:
    """Squared distances of query i to the rows of a leaf, and bits: whether each is at most the limit.

    queries (IN) float64[q, d];  leaves (IN) float64[leaves, d, LEAF];  limit (IN) float64;  away (OUT) float64[LEAF]
    """

    def gap(builder: Any, value: Any, columns: list[Any]) -> Any:
        return builder.fsub(columns[0], value)

    return _signature(queries, i, leaves, leaf, limit, away), _squares(LEAF, gap)


@intrinsic
def written_squares_to_boxes(
    typing_context: Any, queries: Any, i: Any, low: Any, high: Any, node: Any, limit: Any, away: Any
) -> Any:
    """Squared least distances of query i to the boxes of a node's children, and bits as of ``squares_to_rows``.

    queries (IN) float64[q, d];  low, high (IN) float64[nodes, d, FAN];  limit (IN) float64;  away (OUT) float64[FAN]
    """

    def gap(builder: Any, value: Any, columns: list[Any]) -> Any:
        low, high = columns
        outside = _larger(builder, builder.fsub(low, value), builder.fsub(value, high))
        return _larger(builder, outside, ir.Constant(outside.type, None))

    return _signature(queries, i, low, high, node, limit, away), _squares(FAN, gap)


@intrinsic
def written_squares_to_corners(
    typing_context: Any, queries: Any, i: Any, low: Any, high: Any, node: Any, limit: Any, away: Any
) -> Any:
    """As ``squares_to_boxes``, but the largest distances to the boxes: those to their furthest corners."""

    def gap(builder: Any, value: Any, columns: list[Any]) -> Any:
        low, high = columns
        return _larger(builder, builder.fsub(value, low), builder.fsub(high, value))

    return _signature(queries, i, low, high, node, limit, away), _squares(FAN, gap)


def _signature(*kinds: Any) -> Any:
    for kind in kinds:
        if isinstance(kind, types.Array) and (kind.layout != "C" or kind.dtype != types.float64):
            raise TypingError(f"{kind}: expected a contiguous array of float64")
    return types.int64(*(kind if isinstance(kind, types.Array | types.Float) else types.int64 for kind in kinds))


def _squares(width: int, gap: Callable[[Any, Any, list[Any]], Any]) -> Callable[..., Any]:
    """Code that sums the squares of the gaps in each column, in the order of the columns.

    gap : of the value of the query, repeated, and of the numbers of each array in one column.
    """
    vector = ir.VectorType(ir.DoubleType(), width)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        queries, i, *arrays, place, limit, away = (
            context.make_array(kind)(context, builder, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        total = cgutils.alloca_once_value(builder, ir.Constant(vector, None))
        n_columns = cgutils.unpack_tuple(builder, queries.shape, 2)[1]
        query = builder.gep(queries.data, [builder.mul(i, n_columns)])
        before = builder.mul(place, n_columns)
        with cgutils.for_range(builder, n_columns) as loop:
            value = _repeat(builder, builder.load(builder.gep(query, [loop.index])), vector)
            start = builder.mul(builder.add(before, loop.index), ir.Constant(before.type, width))
            columns = [
                builder.load(_as_vector(builder, builder.gep(array.data, [start]), vector), align=8) for array in arrays
            ]
            difference = gap(builder, value, columns)
            square = builder.fmul(difference, difference)
            builder.store(builder.fadd(builder.load(total), square), total)
        sums = builder.load(total)
        builder.store(sums, _as_vector(builder, away.data, vector), align=8)
        near = builder.fcmp_ordered("<=", sums, _repeat(builder, limit, vector))
        return builder.zext(builder.bitcast(near, ir.IntType(width)), ir.IntType(64))

    return code


def _as_vector(builder: Any, pointer: Any, vector: Any) -> Any:
    return builder.bitcast(pointer, vector.as_pointer())


def _repeat(builder: Any, value: Any, vector: Any) -> Any:
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None))


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


# -- the same, one number after the other --------------------------------------------------------------


@njit
def plain_squares_to_rows(queries, i, leaves, leaf, limit, away):
    """As ``written_squares_to_rows``."""
    away[:LEAF] = 0.0
    for j in range(queries.shape[1]):
        for k in range(LEAF):
            away[k] += (leaves[leaf, j, k] - queries[i, j]) ** 2
    return _near(away, LEAF, limit)


@njit
def plain_squares_to_boxes(queries, i, low, high, node, limit, away):
    """As ``written_squares_to_boxes``."""
    away[:FAN] = 0.0
    for j in range(queries.shape[1]):
        for k in range(FAN):
            below, above = low[node, j, k] - queries[i, j], queries[i, j] - high[node, j, k]
            gap = below if below > above else above
            away[k] += gap * gap if gap > 0.0 else 0.0
    return _near(away, FAN, limit)


@njit
def plain_squares_to_corners(queries, i, low, high, node, limit, away):
    """As ``written_squares_to_corners``."""
    away[:FAN] = 0.0
    for j in range(queries.shape[1]):
        for k in range(FAN):
            above, below = queries[i, j] - low[node, j, k], high[node, j, k] - queries[i, j]
            gap = above if above > below else below
            away[k] += gap * gap
    return _near(away, FAN, limit)


@njit
def _near(away, width, limit):
    bits = np.int64(0)
    for k in range(width):
        if away[k] <= limit:
            bits |= np.int64(1) << k
    return bits


squares_to_rows = chosen(written_squares_to_rows, plain_squares_to_rows)
squares_to_boxes = chosen(written_squares_to_boxes, plain_squares_to_boxes)
squares_to_corners = chosen(written_squares_to_corners, plain_squares_to_corners)
