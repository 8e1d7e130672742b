"""Gradient, hessian and count of a row as one integer, so that one addition sums all three.

From the lowest bit: the count (if it has a field), the hessian, the signed gradient. The scales are such that no sum
over rows overflows its field. Numbers are rounded up or down by a dither that is uniform over the rows, so that
sums are unbiased. Sums of integers do not depend on their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._threads import ThreadPool
from probus.tree.kernel_parts import inner

_COUNTED = 1 << 18  # rows up to which the count has its own field; beyond, it is derived from hessians
_BLOCK = 8192  # rows summed at a time, whatever the number of threads
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Scales(NamedTuple):
    """How to unpack a packed sum.

    count_bits, hessian_bits : the widths of the fields of count and hessian
    gradient_unit, hessian_unit : the units of the fields of gradient and hessian
    rows_per_hessian : the rows per unit of hessian, used if the count has no field
    mean_count : the mean count of a row
    """

    count_bits: int
    hessian_bits: int
    gradient_unit: float
    hessian_unit: float
    rows_per_hessian: float
    mean_count: float


class Amounts(NamedTuple):
    """What is summed over rows: gradients, hessians (None: one each) and counts (None: one each)."""

    gradient: np.ndarray
    hessian: np.ndarray | None
    times: np.ndarray | None


def scales_of(amounts: Amounts, rows: np.ndarray, pool: ThreadPool) -> Scales:
    """The scales for these rows."""
    n, hessian = len(rows), amounts.hessian
    sums = np.zeros((-(-n // _BLOCK), 3))

    def part(first: int, last: int) -> None:
        sum_blocks(*amounts, rows, first, last, sums)

    pool.over(part, len(sums), 64)
    total_gradient, total_hessian, total = (sums[0] if len(sums) == 1 else sums.sum(axis=0)).tolist()
    bits = int(total).bit_length()
    if hessian is None:
        return Scales(0, bits, _unit(total_gradient, 63 - bits, n), 1.0, 1.0, total / n)
    count_bits = bits if total <= _COUNTED else 0
    hessian_bits = (64 - count_bits) // 2 - 1
    unit = _unit(total_hessian, hessian_bits, n)
    gradient_unit = _unit(total_gradient, 63 - count_bits - hessian_bits, n)
    return Scales(count_bits, hessian_bits, gradient_unit, unit, total / max(total_hessian, 1e-300), total / n)


def _unit(total: float, bits: int, n: int) -> float:
    """The unit of a field of so many bits that holds the total plus one per row."""
    return max(total, 1e-280) / (2.0 ** min(bits, 50) - n - 1)


def packed(amounts: Amounts, rows: np.ndarray, scales: Scales, seed: int, pool: ThreadPool, out: np.ndarray) -> None:
    """Write the packed numbers of the rows to ``out``."""
    dither = np.uint64(seed * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF)

    def part(first: int, last: int) -> None:
        pack(*amounts, rows[first:last], scales, dither, out)

    pool.over(part, len(rows), 3 * _BLOCK)


@njit(nogil=True, cache=True)
def sum_blocks(gradient, hessian, times, rows, first, last, out):
    """Σ |g|, Σ h and the count of some blocks of rows; see ``Amounts``.

    out (OUT) float64[blocks, 3]
    """
    for block in range(first, last):
        start, end = block * _BLOCK, min((block + 1) * _BLOCK, len(rows))
        out[block, 0] = sum_of(gradient, rows, start, end, True)
        out[block, 1] = sum_of(hessian, rows, start, end, False)
        out[block, 2] = sum_of(times, rows, start, end, False)


@inner
def sum_of(values, rows, start, end, absolute):
    """The sum of the values of a range of rows, or of their absolute values; None counts one per row.

    Four independent sums, since each addition has to wait for the one before it.
    """
    if values is None:
        return np.float64(end - start)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    there = start + (end - start) // 4 * 4
    for p in range(start, there, 4):
        v, w = values[np.uint64(rows[np.uint64(p)])], values[np.uint64(rows[np.uint64(p + 1)])]
        x, y = values[np.uint64(rows[np.uint64(p + 2)])], values[np.uint64(rows[np.uint64(p + 3)])]
        if absolute:
            v, w, x, y = abs(v), abs(w), abs(x), abs(y)
        a, b, c, d = a + v, b + w, c + x, d + y
    for p in range(there, end):
        v = values[rows[p]]
        a += abs(v) if absolute else v
    return (a + b) + (c + d)


@njit(nogil=True, cache=True)
def pack(gradient, hessian, times, rows, scales, dither, out):
    """Pack the rows; see the module and ``Amounts``.

    out (OUT) int64[n]
    """
    per_gradient, per_hessian = 1.0 / scales.gradient_unit, 1.0 / scales.hessian_unit
    count_bits, shift = scales.count_bits, scales.count_bits + scales.hessian_bits
    counts = np.int64(count_bits > 0 or hessian is None)
    for i in range(len(rows)):
        r = np.uint64(rows[i])
        u = r * _GOLDEN + dither
        up = np.float64(np.int64(u >> np.uint64(12))) * 2.220446049250313e-16  # uniform in [0, 1)
        v = np.int64(np.floor(gradient[r] * per_gradient + up)) << shift
        v += counts * (np.int64(times[r]) if times is not None else np.int64(1))
        if hessian is not None:
            # without a count, a hessian must not be rounded to zero
            v += max(np.int64(hessian[r] * per_hessian + (1.0 - up)), 1 - counts) << count_bits
        out[r] = v


@inner
def unpack(v, scales):
    """Gradient, hessian and number of rows of a packed sum."""
    h = np.float64((v >> scales.count_bits) & ((np.int64(1) << scales.hessian_bits) - 1)) * scales.hessian_unit
    g = np.float64(v >> (scales.count_bits + scales.hessian_bits)) * scales.gradient_unit
    n = h * scales.rows_per_hessian
    if scales.count_bits > 0:
        n = np.float64(v & ((np.int64(1) << scales.count_bits) - 1))
    return g, h, n
