"""What flows between the nodes of a graph: a Table, a frame, or a matrix of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import hstack, issparse
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import validate_data

from probus.base import Model, accepts_of, table_input
from probus.data import Column, Table, are_records, checked_sparse, collect, is_frame
from probus.errors import DataError
from probus.preprocessing import distinct
from probus.sklearn_seam import safe_indexing


def graph_input(graph: Model, X: Any, *, parts: Sequence[Any] = (), reset: bool) -> Any:
    """X as the parts that get it take it, with the columns of the fit.

    A Table has the kinds and levels of the fit. A frame becomes a Table where all parts are of Probus; else it stays as
    it is, with the columns in the order of the fit. Arrays of numbers stay arrays.
    """
    if reset:
        for name in ("schema_", "feature_names_in_"):
            graph.__dict__.pop(name, None)
    X = checked_sparse(X) if issparse(X) else collect(X)
    framed = is_frame(X) and all(isinstance(name, str) for name in names_of(X))
    typed = framed or (isinstance(X, np.ndarray) and X.dtype.kind in "OUS")
    X = Table.of(X, infer=False) if type(X) is dict or are_records(X) else X
    tables = isinstance(X, Table) or (typed and bool(parts) and all(map(takes_tables, parts)))
    if tables if reset else hasattr(graph, "schema_"):
        return table_input(graph, X.toarray() if issparse(X) else X, reset=reset, any_kind=True, passed_on=True)
    if isinstance(X, Table):
        return _by_position(graph, X)
    if not is_frame(X):
        return validate_data(
            graph, X, reset=reset, dtype=None, accept_sparse=graph.accepts.sparse, ensure_all_finite=False
        )
    if not reset and framed and hasattr(graph, "feature_names_in_"):
        X = _select(X, graph.feature_names_in_.tolist())
    return validate_data(graph, X, reset=reset, skip_check_array=True)


def _by_position(graph: Model, table: Table) -> Any:
    """A Table for a graph that was fitted without a schema: on a frame, whose names it must have, or on an array."""
    if hasattr(graph, "feature_names_in_"):
        return table.select(*graph.feature_names_in_)
    if table.shape[1] != graph.n_features_in_:
        name = type(graph).__name__
        raise DataError(f"X has {table.shape[1]} features, but {name} is expecting {graph.n_features_in_} features.")
    return table  # the parts warn that they were fitted without names


def _select(X: Any, names: list[str]) -> Any:
    found = names_of(X)
    absent = [name for name in names if name not in found]
    if absent:
        raise DataError(f"no column {absent[0]!r}.", f"the columns of the fit: {', '.join(map(repr, names[:12]))}")
    return X if list(found) == names else safe_indexing(X, [found.index(name) for name in names], axis=1)


def names_of(value: Any) -> list[str]:
    """The names of the columns of a Table or a frame; x0, x1, … for a matrix.

    >>> names_of(np.zeros((1, 2)))
    ['x0', 'x1']
    """
    if isinstance(value, Table):
        return list(value.names)
    return list(value.columns) if is_frame(value) else [f"x{j}" for j in range(value.shape[1])]


def suited_to(part: Any, value: Any) -> Any:
    """The value as the part takes it: typed data as a Table for parts of Probus, as a frame for others.

    A sparse matrix becomes dense for a part that takes none, dates become days for models and scalers.
    """
    typed = takes_tables(part)
    if issparse(value):
        return value if accepts_of(part).sparse else value.toarray()
    if isinstance(value, Table) and not typed:
        return named_frame(value if _may_read_dates(part) else _days(value))
    return Table.of(value, infer=False) if typed and is_frame(value) else value


def named_frame(table: Table) -> Any:
    """The table as a frame of its own library; of pandas where it has none, and of polars without pandas."""
    return table.to_pandas() if table.origin != "polars" and find_spec("pandas") else table.to_polars()


def target_for(part: Any, y: Any) -> Any:
    """The target as the part takes it: a column of a Table for parts of Probus, its values for others."""
    return y.decoded() if isinstance(y, Column) and not takes_tables(part) else y


def takes_tables(part: Any) -> bool:
    """Whether a part, or the first step of a pipeline, is of Probus, and so takes a Table."""
    return isinstance(_first_step(part), Model)


def _first_step(part: Any) -> Any:
    while getattr(part, "steps", None):
        part = next((step for _, step in part.steps if step not in (None, "passthrough")), None)
    return part


def _may_read_dates(part: Any) -> bool:
    """Whether a part of another library may want dates as such: one with columns or functions of the user's."""
    first = _first_step(part)
    known = type(first).__module__.partition(".")[0] in ("sklearn", "lightgbm", "xgboost", "catboost")
    return not known or isinstance(first, (ColumnTransformer, FunctionTransformer))


def _days(table: Table) -> Table:
    """The table with dates as numbers, days since 1970, as ``Table.numbers`` has them."""
    dates = [replace(column, dates=False, format="") for column in table if column.dates]
    return table.with_columns(*dates) if dates else table


def checked_output(node: str, value: Any, n_rows: int) -> Any:
    """The output of a node, which must have a row for each row of its input; without columns, an empty matrix."""
    if not hasattr(value, "shape") or len(value.shape) != 2:
        what = f"an array of shape {value.shape}" if hasattr(value, "shape") else f"a {type(value).__name__}"
        raise DataError(f"node {node!r} returned {what}.", "a table or a matrix")
    if value.shape[1] == 0:
        return np.empty((n_rows, 0))
    if value.shape[0] != n_rows:
        raise DataError(
            f"node {node!r} returned {value.shape[0]:,} rows for {n_rows:,}.", "a row for each row of its input"
        )
    return value


# -- union ---------------------------------------------------------------------------------------------


def joined(values: Sequence[tuple[str, Any, Sequence[str]]]) -> tuple[Any, list[str]]:
    """The columns of the outputs of several nodes side by side, and their names.

    Each output is given with the name of its node and the names of its columns. Names that occur more than once are
    prefixed with the name of the node.

    >>> joined([("a", np.ones((1, 1)), ["x0"]), ("b", np.zeros((1, 1)), ["x0"])])
    (array([[1., 0.]]), ['a__x0', 'b__x0'])
    """
    filled = [value for value in values if value[1].shape[1]] or list(values)[:1]
    if len(filled) == 1:
        return filled[0][1], list(filled[0][2])
    names = _union_names(filled)
    matrices = [value for _, value, _ in filled]
    if all(map(_is_numbers, matrices)):
        sparse = any(map(issparse, matrices))
        return (hstack(matrices, format="csr") if sparse else np.hstack(matrices)), names
    columns = [column for _, value, own in filled for column in as_table(value, own)]
    origin = next((table.origin for table in matrices if isinstance(table, Table) and table.origin), None)
    origin = origin or next((type(m).__module__.partition(".")[0] for m in matrices if is_frame(m)), None)
    return Table((c.renamed(name) for c, name in zip(columns, names, strict=True)), origin=origin), names


def _union_names(values: Sequence[tuple[str, Any, Sequence[str]]]) -> list[str]:
    times = Counter(name for _, _, own in values for name in own)
    return distinct(f"{node}__{name}" if times[name] > 1 else name for node, _, own in values for name in own)


def _is_numbers(value: Any) -> bool:
    return issparse(value) or (isinstance(value, np.ndarray) and value.dtype.kind in "biuf")


def as_table(value: Any, names: Sequence[str]) -> Table:
    """A value as a Table whose columns have these names."""
    if isinstance(value, Table) or is_frame(value):
        table = Table.of(value, infer=False)
    elif _is_numbers(value):
        dense = value.toarray() if issparse(value) else value
        return Table(Column.numbers(name, dense[:, j].astype(np.float64)) for j, name in enumerate(names))
    else:
        table = Table.of(value, infer=False)
    return Table((c.renamed(name) for c, name in zip(table, names, strict=True)), origin=table.origin)
