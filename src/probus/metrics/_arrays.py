"""Truth, predictions and weights as users hand them over, made plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Column, quote_some
from probus.errors import DataError


def as_array(values: Any, name: str) -> np.ndarray:
    """One value per row or one row per row, nothing missing; a matrix of one column is flat.

    >>> as_array([[1], [2]], "y_pred")
    array([1, 2])
    """
    array = values.decoded() if isinstance(values, Column) else np.asarray(values)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.asarray(values, dtype=object)  # among strings NumPy writes a missing value as 'nan'
    if array.ndim not in (1, 2):
        raise DataError(f"{name} has shape {array.shape}.", "one value per row")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    missing = _count_missing(array)
    if missing:
        raise DataError(f"{name}: {missing} of {array.size} values are missing (NaN).", "a value for every row")
    return array


def as_flat(values: Any, name: str) -> np.ndarray:
    """One value per row."""
    array = as_array(values, name)
    if array.ndim == 2:
        raise DataError(f"{name} has shape {array.shape}.", "one value per row")
    return array


def as_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """The array as float64; digits in quotes are not numbers."""
    numbers = _convert(array)
    if numbers is None:
        raise DataError(f"{name} holds {quote_some(array.ravel()[:3].tolist())}.", "numbers")
    infinite = int(np.isinf(numbers).sum())
    if infinite:
        raise DataError(f"{name}: {infinite} of {numbers.size} values are infinite.", "finite numbers")
    return numbers


def as_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Row weights as float64, None staying None: one per row, none negative, not all zero."""
    if sample_weight is None:
        return None
    weights = as_numbers(as_flat(sample_weight, "sample_weight"), "sample_weight")
    if len(weights) != n:
        raise DataError(f"sample_weight has {len(weights)} values for {n} rows.", "one weight per row")
    negative = int((weights < 0).sum())
    if negative:
        raise DataError(f"sample_weight: {negative} of {n} are negative.", "none below zero")
    if not weights.any():
        raise DataError("sample_weight is zero in every row.", "at least one row that counts")
    return weights


def _convert(array: np.ndarray) -> np.ndarray | None:
    kind = array.dtype.kind
    if kind not in "biufO" or (kind == "O" and any(isinstance(cell, str) for cell in array.ravel().tolist())):
        return None
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _count_missing(array: np.ndarray) -> int:
    if array.dtype.kind == "f":
        return int(np.isnan(array).sum())
    if array.dtype.kind == "O":
        return sum(map(_is_missing, array.ravel().tolist()))
    return 0


def _is_missing(cell: Any) -> bool:
    # pandas.NA has no truth value, so it is recognised by its name before it is compared
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell
