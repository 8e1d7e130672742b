"""Texts and series as arrays of one length, with what tells steps from padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data import Column
from probus.errors import DataError
from probus.neural_network._word_pieces import BEGIN, END, PAD, WordPieces


def is_series(X: Any) -> bool:
    """Whether X is series of numbers: rows × steps × channels, or a list of arrays or of lists of several lengths."""
    if isinstance(X, (list, tuple)) and len(X):
        if all(isinstance(each, np.ndarray) and each.ndim in (1, 2) for each in X):
            return True
        return all(isinstance(each, (list, tuple)) for each in X) and len({len(each) for each in X}) > 1
    return getattr(X, "ndim", 0) == 3


def as_series(X: Any) -> np.ndarray:
    """Series as float64, rows × steps × channels, padded with NaN."""
    arrays = [_one_series(each) for each in X]
    channels = {each.shape[1] for each in arrays}
    if len(channels) > 1:
        raise DataError(
            f"series of {' and '.join(map(str, sorted(channels)))} numbers at each step.", "the same number in all"
        )
    if not arrays:
        raise DataError("0 samples: no series.", "one at least")
    lengths = np.array([len(each) for each in arrays])
    if not lengths.min():
        raise DataError(f"series {int(lengths.argmin())} has no steps.", "one step at least", "Drop it.")
    values = np.full((len(arrays), lengths.max(), *channels), np.nan)
    for row, each in enumerate(arrays):
        values[row, : len(each)] = each
    return values


def _one_series(values: Any) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("a series that holds other things than numbers.", "numbers at each step") from None
    if array.ndim not in (1, 2):
        raise DataError(f"a series of shape {array.shape}.", "steps, or steps × channels")
    if np.isinf(array).any():
        raise DataError("a series with infinite values (inf).", "finite numbers")
    return array[:, None] if array.ndim == 1 else array


def texts_of(columns: Sequence[Column]) -> list[list[str]]:
    """The texts of each row, empty where missing."""
    return [[text or "" for text in row] for row in zip(*(column.values for column in columns), strict=True)]


def encoded(texts: Sequence[Sequence[str]], pieces: WordPieces, longest: int) -> np.ndarray:
    """The numbers of the pieces of each row, rows × steps: [CLS], and [SEP] after each text."""
    rows = []
    for each in texts:
        row = [BEGIN]
        for text in each:
            row += [*pieces.encode(text), END]
        rows.append(row[:longest])
    return padded(rows)


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Lists of numbers as one array, filled with [PAD].

    >>> padded([[5, 6], [7]]).tolist()
    [[5, 6], [7, 0]]
    """
    found = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found
