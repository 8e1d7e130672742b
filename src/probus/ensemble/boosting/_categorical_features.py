"""Validation of ``categorical_features``, with scikit-learn's error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data import Table, is_frame
from probus.errors import DataError


def nominal_columns(chosen: Any, X: Any) -> Any:
    """``categorical_features`` as indices of the columns of X; "from_dtype" and None are returned unchanged.

    >>> nominal_columns([False, True], np.eye(2))
    array([1])
    >>> nominal_columns(["b"], {"a": [1, 2], "b": [1, 2]})
    array([1])
    """
    if chosen is None or isinstance(chosen, str):
        return chosen
    items, names = np.asarray(chosen), _names(X)
    shape = np.shape(X) if names is None else (0, len(names))
    if items.size == 0 or len(shape) != 2:
        return chosen
    _must_be_of_one_type(items)
    if items.dtype.kind == "b":
        return _by_mask(items, shape[1])
    return _by_index(items, shape[1]) if items.dtype.kind in "iu" else _by_name(items, names)


def check_cardinality(n_levels: np.ndarray, max_bins: int, names: Sequence[str] | None) -> None:
    """Raise where a column has more levels than a ``max_bins`` that was lowered; the usual one merges rare levels."""
    for j in np.flatnonzero(n_levels > max_bins).tolist() if max_bins < 255 else ():
        column = f"at index {j}" if names is None else repr(names[j])
        raise DataError(
            f"Categorical feature {column} is expected to have a cardinality <= {max_bins} but actually has a "
            f"cardinality of {n_levels[j]}.",
            "a bin for each level",
            "Raise max_bins; 255 treats the rarest levels as missing where there are more.",
        )


def _names(X: Any) -> Sequence[str] | None:
    """The names of the columns, where they have any."""
    if isinstance(X, Table):
        return X.names
    if is_frame(X):
        X = getattr(X, "column_names", X.columns)
    elif type(X) is not dict:
        return None
    return [str(name) for name in X]


def _must_be_of_one_type(items: np.ndarray) -> None:
    found = {type(item) for item in items.ravel().tolist()} if items.dtype.kind == "O" else set()
    if items.dtype.kind not in "biuUO" or (items.dtype.kind == "O" and found != {str}):
        types = ", ".join(sorted(each.__name__ for each in found)) or items.dtype.name
        raise DataError(
            f"categorical_features must be an array-like of bool, int or str, got: {types}.",
            "indices, a mask or names of columns, as [0, 2]",
        )


def _by_mask(items: np.ndarray, width: int) -> np.ndarray:
    if items.shape != (width,):
        raise DataError(
            f"categorical_features set as a boolean mask must have shape (n_features,), got: {items.shape}.",
            f"{width} marks, one for each column",
        )
    return np.flatnonzero(items)


def _by_index(items: np.ndarray, width: int) -> np.ndarray:
    outside = items[(items < 0) | (items >= width)]
    if outside.size:
        raise DataError(
            f"categorical_features set as integer indices must be in [0, n_features - 1], got: {outside.ravel()[0]}.",
            f"0 to {width - 1}",
        )
    return items


def _by_name(items: np.ndarray, names: Sequence[str] | None) -> np.ndarray:
    if names is None:
        raise DataError(
            "categorical_features should be passed as an array of integers or as a boolean mask when the model is "
            "fitted on data without feature names.",
            "indices or a mask",
            f"Found the name {items.ravel()[0]!r}; pass a frame, whose columns have names.",
        )
    for name in items.ravel().tolist():
        if name not in names:
            raise DataError(
                f"categorical_features has an item value {name!r} which is not a valid feature name of the training "
                "data.",
                f"some of {list(names[:12])}",
            )
    return np.array([names.index(name) for name in items.ravel().tolist()])
