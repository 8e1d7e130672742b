"""A hash of each row: for draws that must not depend on the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
from scipy.sparse import issparse

from probus.data import Column, Kind, Table

__all__ = ["content_of"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def content_of(X: Any) -> np.ndarray:
    """One column of numbers that are equal where rows of a table, a frame or a matrix, sparse or not, are equal.

    >>> content_of(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))[:, 0] == content_of(np.array([[1.0, 2.0]]))[0, 0]
    array([ True, False,  True])
    """
    marks = np.zeros(X.shape[0], np.uint64)
    if issparse(X):
        stored = X.tocsc()
        columns = np.repeat(np.arange(X.shape[1]), np.diff(stored.indptr))
        np.add.at(marks, stored.indices, _mixed(stored.data, columns))
    else:
        for j, values in enumerate(_columns(X)):
            marks += _mixed(values, np.array([j]))
    return (marks >> np.uint64(11)).astype(np.float64)[:, None]  # what a double holds without rounding


def _mixed(values: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Values and columns stirred (SplitMix, Steele et al. 2014); a zero leaves no trace, as where it is not stored."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # −0 is 0
    h = bits + (column.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.where(bits == 0, np.uint64(0), h ^ (h >> np.uint64(31)))


def _columns(X: Any) -> Iterator[np.ndarray]:
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        yield from X.T
    elif isinstance(X, np.ndarray):
        yield from (np.array([crc32(str(cell).encode()) for cell in cells]) for cells in X.T)
    else:
        yield from map(_numbers, Table.of(X, infer=False))


def _numbers(column: Column) -> np.ndarray:
    if column.kind is Kind.NUMERIC:
        return np.where(np.isnan(column.values), np.nan, column.values)  # one NaN, whatever its bits were
    if column.kind is Kind.TEXT:
        return np.array([np.nan if text is None else crc32(text.encode()) for text in column.values])
    return np.array([*(crc32(str(level).encode()) for level in column.levels), np.nan])[column.values]
