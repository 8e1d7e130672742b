"""Numbers too large to be squared."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from probus.errors import DataError

__all__ = ["LARGEST", "check_squares", "largest"]

LARGEST = 1e150


def check_squares(X: Any, y: np.ndarray | None = None) -> None:
    """Raise a DataError where the squares of numbers, and sums of them, would not be finite.

    >>> check_squares(np.array([[1e200]]))
    Traceback (most recent call last):
        ...
    probus.errors.DataError: X has values as large as 1e+200, whose squares are not finite.
      Expected values below 1e+150. Divide the columns by a constant.
    """
    for name, values in (("X", X.data if sparse.issparse(X) else X), ("y", y)):
        size = 0.0 if values is None else largest(values)
        if size > LARGEST:
            raise DataError(
                f"{name} has values as large as {size:.3g}, whose squares are not finite.",
                f"values below {LARGEST:g}",
                f"Divide {'the columns' if name == 'X' else name} by a constant.",
            )


def largest(values: np.ndarray) -> float:
    """The largest absolute value; NaN is left out."""
    return max(np.fmax.reduce(values, axis=None, initial=0.0), -np.fmin.reduce(values, axis=None, initial=0.0))
