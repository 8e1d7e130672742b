"""Values become small integers once per fit, and columns with many of them are sorted once.

A column of few distinct values is *counted*: kept as one code per row, and a node makes a histogram of it. A column of
many is *listed*: its rows are kept in order of their value, and stay in order as nodes divide them, so that no node
ever sorts. Missing values have the code after the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.memory import returnable
from probus.parallel import chunked, thread_count
from probus.tree.kernel_parts import allocating
from probus.tree.preparation._design import Design
from probus.tree.preparation._quantile_bins import quantile_bins

CODE_SHIFT = np.uint64(32)  # an entry of a list: code, row (31 bits), and for two classes the class as its last bit
_MANY = 20_000  # rows from which compiling the sort, and counting, is worthwhile
_COUNTED = 64  # most distinct values of a counted column of numbers


PLACE, N_CODES, NOMINAL, MISSING, MONOTONE = range(5)  # the columns of ``about``


class Columns(NamedTuple):
    """The coded columns, for kernels.

    ``about`` holds for each column: which list it is, or −1 − which row of codes; how many distinct values or levels it
    has; whether it is nominal; whether any value is missing; and 1 or −1 where predictions may only rise or fall with
    it, else 0.
    """

    lists: np.ndarray  # uint64[listed, n]: code << 32 | row << 1 | class, in order of code
    codes: np.ndarray  # int32[counted, n]
    about: np.ndarray  # int64[d, 5]


class Values(NamedTuple):
    """The values of the codes of numeric columns; those of column j begin at ``start[j]``.

    A listed column has none where its rows provide them: see ``coded``.
    """

    low: np.ndarray  # float64[*]: the smallest value of each code
    high: np.ndarray  # float64[*]: the largest; the same unless values were binned
    start: np.ndarray  # int64[d + 1]


def coded(
    design: Design,
    label: np.ndarray,
    *,
    max_bins: int | None,
    listed: bool = True,
    by_code: bool = True,
    n_jobs: int | None = None,
) -> tuple[Columns, Values]:
    """The columns of a design, coded; ``label`` holds each row's class where there are two, else zeros.

    With ``max_bins`` a column of numbers has at most that many codes, of about equally many rows each. ``listed``
    False counts every column. ``by_code`` False leaves out the values of listed columns: as many as there are rows.
    """
    X, n_levels = design.X, design.n_levels
    n, d = X.shape
    threads = thread_count(n_jobs, 40.0 * n * d)
    label = np.ascontiguousarray(label, dtype=np.int32)
    nothing = np.empty(0)
    ranges = [(nothing, nothing)] * d
    lists, codes = returnable((d, n), np.uint64), np.empty((d, n), np.int32)  # they take memory as they are filled
    about = np.zeros((d, 5), np.int64)
    all_listed = [] if n >= _MANY else _list_at_once(X, label)

    def code(first: int, last: int) -> None:
        for j in range(first, last):
            if n_levels[j]:
                codes[j] = np.where(np.isnan(X[:, j]), n_levels[j], X[:, j])
                about[j] = -1, n_levels[j], 1, codes[j].max() == n_levels[j], 0
                continue
            keys, low = all_listed[j] if all_listed else _list(X[:, j], label)
            high = low
            if max_bins is not None and len(low) > max_bins:
                low, high = _merge(keys, high, max_bins)
            counted = not listed or (len(high) <= _COUNTED and n >= _MANY)
            about[j] = -counted, len(high), 0, int(keys[-1]) >> 32 == len(high), 0
            if counted:
                codes[j] = by_row(keys)
            else:
                lists[j] = keys
            ranges[j] = (low, high) if counted or by_code or low is not high else (nothing, nothing)

    chunked(code, d, threads, chunk=1)
    is_list = about[:, PLACE] == 0
    about[:, PLACE] = np.where(is_list, np.cumsum(is_list) - 1, -np.cumsum(~is_list))
    return Columns(_moved_up(lists, is_list), _moved_up(codes, ~is_list), about), _values(ranges)


def _moved_up(rows: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The rows that are used, one after the other, without a copy of all."""
    places = np.flatnonzero(used).tolist()
    for k, j in enumerate(places):
        if k != j:
            rows[k] = rows[j]
    return rows[: len(places)] if places else np.empty((1, 0), rows.dtype)


def _values(ranges: list[tuple[np.ndarray, np.ndarray]]) -> Values:
    start = np.cumsum([0, *(len(low) for low, _ in ranges)])
    low = np.concatenate([low for low, _ in ranges])
    binned = any(low is not high for low, high in ranges)
    return Values(low, np.concatenate([high for _, high in ranges]) if binned else low, start)


def _merge(keys: np.ndarray, values: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Merge the codes of a list into at most ``max_bins`` quantile bins, in place; returns the range of each."""
    ordered = np.append(values, np.nan)[(keys >> CODE_SHIFT).astype(np.int64)]
    codes, (low, high) = np.empty(len(keys), np.uint16), np.empty((2, max_bins))
    n_bins = quantile_bins(ordered, np.arange(len(keys), dtype=np.uint64), low, high, codes)
    keys[:] = codes.astype(np.uint64) << CODE_SHIFT | keys & np.uint64(0xFFFFFFFF)
    return low[:n_bins], high[:n_bins]


def _list(x: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries of a column and its distinct values."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    keys, values = in_order(x), np.empty(len(x))
    n_values = number_codes(x, keys, label, values)
    return keys, values[:n_values].copy()


def _list_at_once(X: np.ndarray, label: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same for all columns, by NumPy: slower on many rows, but with nothing to compile."""
    columns = np.ascontiguousarray(X.T, dtype=np.float64)
    rows = np.argsort(columns, axis=1, kind="stable")
    ordered = np.take_along_axis(columns, rows, axis=1)
    starts = np.ones(ordered.shape, bool)
    starts[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]) & ~np.isnan(ordered[:, :-1])  # all NaN are one value, the last
    codes = np.cumsum(starts, axis=1) - 1
    entries = (codes << 32 | rows << 1 | (label & 1)[rows]).astype(np.uint64)
    starts &= ~np.isnan(ordered)
    return [(entries[j], ordered[j, starts[j]]) for j in range(len(columns))]


@njit(nogil=True, cache=True)
def in_order(x):
    """The rows in order of their values, NaN last, ties by row.

    Radix sort of the first half of the bits, eleven at a time, which distinguishes nearly all numbers. Runs that it
    leaves are put in order one by one if they are short, and by the other half of the bits if some are not.

    x (IN) float64[n]; returns uint64[n], rows
    """
    n = len(x)
    key, entry, other = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    sign, low = np.uint64(1) << np.uint64(63), np.uint64(0xFFFFFFFF)
    for i in range(n):
        b = np.float64(x[i]).view(np.uint64)
        if x[i] != x[i]:
            b = ~np.uint64(0)
        elif b & sign == 0 or x[i] == 0.0:  # −0 is 0
            b = b | sign
        else:
            b = ~b
        key[i] = b
        entry[i] = ((b >> np.uint64(32)) << np.uint64(32)) | np.uint64(i)
    radix_sort(entry, other)
    long_run, start = False, 0
    for i in range(1, n + 1):
        if i < n and entry[i] >> np.uint64(32) == entry[start] >> np.uint64(32):
            continue
        if i - start > 64:
            first = key[np.int64(entry[start] & low)]
            for p in range(start, i):
                long_run |= key[np.int64(entry[p] & low)] != first
        else:
            for p in range(start + 1, i):
                e, q = entry[p], p
                while q > start and key[np.int64(entry[q - 1] & low)] > key[np.int64(e & low)]:
                    entry[q] = entry[q - 1]
                    q -= 1
                entry[q] = e
        start = i
    if long_run:  # by the last half, then, keeping its order, by the first
        for i in range(n):
            entry[i] = ((key[i] & low) << np.uint64(32)) | np.uint64(i)
        radix_sort(entry, other)
        for i in range(n):
            row = np.int64(entry[i] & low)
            entry[i] = ((key[row] >> np.uint64(32)) << np.uint64(32)) | np.uint64(row)
        radix_sort(entry, other)
    for i in range(n):
        entry[i] &= low
    return entry


@allocating
def radix_sort(entry, other):
    """Sort by the first 32 bits, keeping the order of equals.

    entry (INOUT) uint64[n]
    other (OUT)   uint64[n] buffer
    """
    n = len(entry)
    counts = np.zeros((3, 2048), np.int64)
    for i in range(n):
        for p in range(3):
            counts[p, np.int64((entry[i] >> np.uint64(32 + 11 * p)) & np.uint64(2047))] += 1
    for p in range(3):
        shift = np.uint64(32 + 11 * p)
        if n == 0 or counts[p, np.int64((entry[0] >> shift) & np.uint64(2047))] == n:
            continue
        at = 0
        for c in range(2048):
            here = counts[p, c]
            counts[p, c] = at
            at += here
        for i in range(n):
            b = np.int64((entry[i] >> shift) & np.uint64(2047))
            other[counts[p, b]] = entry[i]
            counts[p, b] += 1
        for i in range(n):
            entry[i] = other[i]


@njit(nogil=True, cache=True)
def number_codes(x, keys, label, values):
    """Turn sorted rows into entries of a list; returns how many distinct values there are.

    x (IN)       float64[n]
    keys (INOUT) uint64[n] rows in order, then code << 32 | row << 1 | class
    label (IN)   int32[n]
    values (OUT) float64[n] the distinct values, in order
    """
    code = np.int64(-1)
    previous = np.nan
    for i in range(len(keys)):
        row = np.int64(keys[i])
        v = x[row]
        if v != v:
            for rest in range(i, len(keys)):
                row = np.int64(keys[rest])
                keys[rest] = (np.uint64(code + 1) << CODE_SHIFT) | np.uint64((row << 1) | (label[row] & 1))
            break
        if v != previous:
            code += 1
            values[code] = v
            previous = v
        keys[i] = (np.uint64(code) << CODE_SHIFT) | np.uint64((row << 1) | (label[row] & 1))
    return code + 1


@njit(nogil=True, cache=True)
def by_row(keys):
    """The code of each row, from entries of a list in any order."""
    codes = np.empty(len(keys), np.int32)
    for i in range(len(keys)):
        codes[np.int64(keys[i] & np.uint64(0xFFFFFFFF)) >> 1] = np.int32(keys[i] >> CODE_SHIFT)
    return codes
