"""The input of a tree: one matrix of numbers, and which of its columns are levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.base import Model, matrix_input, table_input
from probus.data import Column, Kind, Table, checked_sparse, has_names
from probus.errors import DataError


@dataclass(frozen=True, eq=False)
class Design:
    """A float64 or float32 matrix with NaN for missing; nominal columns hold the codes of their levels.

    ``n_levels`` counts the levels of each nominal column and is 0 for columns with an order: numbers, and ordinal
    columns by the rank of their levels.
    """

    X: np.ndarray
    n_levels: np.ndarray

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.X)


def design_of(model: Model, X: Any, *, reset: bool, nominal: Any = "from_dtype", single: bool = False) -> Design:
    """X validated against the model, as the input of a tree.

    Arrays of numbers stay as they are unless ``nominal`` names columns (indices, a mask or names); tables, frames and
    arrays of strings have their kinds. A model fitted on an array of numbers takes the numbers of a table or frame.
    With ``single``, and for new data, an array of float32 is not copied to float64.
    """
    X = checked_sparse(X) if issparse(X) else X
    chosen = nominal is not None and not (isinstance(nominal, str) and nominal == "from_dtype")
    if reset and hasattr(model, "schema_"):
        del model.schema_
    plain = _is_numeric_matrix(X) and not chosen if reset else not hasattr(model, "schema_")
    if plain:
        # rows that walk down a tree are made double as they go, a few at a time
        checks = {} if reset and not single else {"dtype": [np.float64, np.float32]}
        matrix: Any = matrix_input(model, X, reset=reset, **checks)
        return Design(matrix.toarray() if issparse(matrix) else matrix, np.zeros(matrix.shape[1], np.int64))
    table = table_input(model, X.toarray() if issparse(X) else X, reset=reset)
    if reset and chosen:
        table = _with_nominal(table, nominal)
        model.schema_ = table.schema
    return _of_table(table)


def _is_numeric_matrix(X: Any) -> bool:
    if issparse(X):
        return True
    if has_names(X):
        return False
    return not isinstance(X, np.ndarray) or X.dtype.kind not in "OUS"


def _of_table(table: Table) -> Design:
    matrix = np.empty(table.shape, order="F")
    for j, column in enumerate(table):
        matrix[:, j] = _numbers(column)
    unordered = [c.kind in (Kind.NOMINAL, Kind.BINARY) for c in table]
    n_levels = [len(c.levels) if levelled else 0 for c, levelled in zip(table, unordered, strict=True)]
    return Design(matrix, np.array(n_levels, np.int64))


def _numbers(column: Column) -> np.ndarray:
    if column.kind is Kind.NUMERIC:
        return column.values
    return np.where(column.values < 0, np.nan, column.values)


def _with_nominal(table: Table, nominal: Any) -> Table:
    """The table with the chosen columns made nominal."""
    chosen = np.atleast_1d(np.asarray(nominal))
    if chosen.dtype.kind == "b":
        if len(chosen) != table.shape[1]:
            raise DataError(
                f"categorical_features is a mask of {len(chosen)} for {table.shape[1]} columns.", "one per column"
            )
        names = [name for name, yes in zip(table.names, chosen, strict=True) if yes]
    elif chosen.dtype.kind in "iu":
        outside = [int(j) for j in chosen if not 0 <= j < table.shape[1]]
        if outside:
            raise DataError(f"categorical_features names column {outside[0]}.", f"0 to {table.shape[1] - 1}")
        names = [table.names[int(j)] for j in chosen]
    elif chosen.dtype.kind == "f" and chosen.size:
        raise DataError(f"categorical_features holds {chosen[0]}.", "indices, a mask or names of columns")
    else:
        names = [str(name) for name in chosen]
    return table.with_kinds(**dict.fromkeys(names, Kind.NOMINAL))
