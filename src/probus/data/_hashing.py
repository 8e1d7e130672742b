"""Hashes of rows, for finding equal rows and for draws that must not depend on the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np

from probus.data._array_checks import checked_array
from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(hashes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The 64-bit hashes of rows with one more column; equal rows have equal hashes.

    >>> start = np.zeros(3, np.uint64)
    >>> hashes = mixed(start, np.array([1, 2, 1]))
    >>> hashes[0] == hashes[2], hashes[0] == hashes[1]
    (np.True_, np.False_)
    """
    h = (hashes ^ _bits(values) ^ (hashes >> np.uint64(29))) * _GOLDEN
    return h ^ (h >> np.uint64(32))


def content_of(X: Any) -> np.ndarray:
    """One column of numbers that are equal where rows of a table, a frame or a matrix, sparse or not, are equal.

    >>> content_of(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))[:, 0] == content_of(np.array([[1.0, 2.0]]))[0, 0]
    array([ True, False,  True])
    """
    from scipy.sparse import issparse

    X, hashes = checked_array(X), np.zeros(X.shape[0], np.uint64)
    if issparse(X):
        stored = X.tocsc()
        columns = np.repeat(np.arange(X.shape[1]), np.diff(stored.indptr))
        np.add.at(hashes, stored.indices, _terms(stored.data, columns))
    else:
        for j, values in enumerate(_columns(X)):
            hashes += _terms(values, np.array([j]))
    return (hashes >> np.uint64(11)).astype(np.float64)[:, None]  # what a double holds without rounding


def _terms(values: np.ndarray, column: np.ndarray) -> np.ndarray:
    """A hash of each value and its column (SplitMix, Steele et al. 2014); zero for a zero, which may not be stored."""
    bits = _bits(values)
    h = bits + (column.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.where(bits == 0, np.uint64(0), h ^ (h >> np.uint64(31)))


def _bits(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float64) + 0.0).view(np.uint64)  # −0 is 0


def _columns(X: Any) -> Iterator[np.ndarray]:
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        yield from X.T
    elif isinstance(X, np.ndarray):
        yield from (np.array([_mark(cell) for cell in cells]) for cells in X.T)
    else:
        yield from map(_numbers, Table.of(X, infer=False))


def _numbers(column: Column) -> np.ndarray:
    if column.kind is Kind.NUMERIC:
        return np.where(np.isnan(column.values), np.nan, column.values)  # one NaN, whatever its bits were
    if column.kind is Kind.TEXT:
        return np.array([np.nan if text is None else _mark(text) for text in column.values])
    return np.array([*map(_mark, column.levels), np.nan])[column.values]


def _mark(cell: Any) -> int:
    """A hash of the text of a cell, which may have unpaired surrogates."""
    return crc32(str(cell).encode("utf-8", "surrogatepass"))
