"""Input validation for ensembles of any models, and subsets of rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from probus.base import Model, matrix_input, table_input, target_array
from probus.data import Column, Table, are_records, checked_array, collect, has_names, is_frame
from probus.sklearn_seam import safe_indexing


def validated(ensemble: Model, X: Any, *, reset: bool) -> Any:
    """X as it is passed to the members, validated against the columns of the fit.

    Where all members accept levels, typed input becomes a Table once, so that all have the same levels. Otherwise
    numbers stay unchanged, a Table of numbers becomes a matrix, and a frame stays a frame.
    """
    if not reset and _has_fitted_shape(ensemble, X):
        return X
    if reset and hasattr(ensemble, "schema_"):
        del ensemble.schema_
    X = checked_array(collect(X))
    typed = ensemble.accepts.nominal
    if typed and _has_kinds(X) if reset else hasattr(ensemble, "schema_"):
        return table_input(ensemble, X.toarray() if issparse(X) else X, reset=reset, passed_on=True)
    if isinstance(X, Table) or type(X) is dict or are_records(X) or (typed and is_frame(X)):
        return matrix_input(ensemble, X, reset=reset)
    if is_frame(X):
        return validate_data(ensemble, X, reset=reset, skip_check_array=True)
    sparse = ["csr", "csc"] if ensemble.accepts.sparse else False
    array = validate_data(ensemble, X, reset=reset, dtype=None, accept_sparse=sparse, ensure_all_finite=False)
    return numbers_or_cells(array) if array.dtype.kind == "O" else array


def _has_fitted_shape(ensemble: Model, X: Any) -> bool:
    """Whether X is an array of numbers that validation would not change, which takes as long as a prediction."""
    named = hasattr(ensemble, "schema_") or hasattr(ensemble, "feature_names_in_")
    numbers = type(X) is np.ndarray and X.ndim == 2 and len(X) > 0 and X.dtype.kind in "fiub"
    return not named and numbers and X.shape[1] == getattr(ensemble, "n_features_in_", 0)


def validated_any_shape(ensemble: Model, X: Any, *, reset: bool) -> Any:
    """As ``validated``; input that is not a table, such as texts, records or images, is passed to the members.

    Such an ensemble has no ``n_features_in_``.
    """
    shapeless = None if not reset and hasattr(ensemble, "n_features_in_") else _shapeless(X)
    if shapeless is None:
        return validated(ensemble, X, reset=reset)
    if reset:
        for name in ("schema_", "n_features_in_", "feature_names_in_"):
            ensemble.__dict__.pop(name, None)
    return shapeless


def _shapeless(X: Any) -> np.ndarray | None:
    """X as an array where it is a sequence of texts or records, or of more than two dimensions; else None."""
    if isinstance(X, (list, tuple)):
        if not (len(X) and isinstance(X[0], (str, bytes, dict))):
            return None
        cells = np.empty(len(X), dtype=object)
        cells[:] = X
        return cells
    dimensions = getattr(X, "ndim", 2)
    if dimensions > 2:
        return np.asarray(X)
    array = np.asarray(X) if dimensions == 1 else np.empty(0)
    return array.astype(object) if array.dtype.kind in "OUST" else None


def numbers_or_cells(cells: np.ndarray) -> np.ndarray:
    """Numbers of dtype object as floats, so that no member treats them as levels; strings unchanged."""
    try:
        return cells.astype(np.float64)
    except ValueError:
        return cells


def _has_kinds(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "OUS"
    return has_names(X)


def columns_of(X: Any, columns: np.ndarray) -> Any:
    """Those columns of a table, a frame or a matrix; repeated columns of a Table are renamed."""
    if len(columns) == X.shape[1] and np.array_equal(columns, np.arange(len(columns))):
        return X
    if not isinstance(X, Table):
        return safe_indexing(X, columns, axis=1)
    taken: dict[str, Any] = {}
    every = tuple(X)
    for column in (every[j] for j in columns):
        name = column.name
        while name in taken:
            name += "'"
        taken[name] = column.renamed(name)
    return Table(taken.values(), origin=X.origin)


def width_of_target(y: Any) -> int:
    """The number of columns of a target.

    >>> width_of_target([1, 2]), width_of_target([[1, 2]])
    (1, 2)
    """
    shape = () if y is None or isinstance(y, Column) else target_array(y).shape
    return shape[1] if len(shape) == 2 else 1
