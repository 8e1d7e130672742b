"""Base class of transformers of typed tables."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Transformer, table_input
from probus.data import Table, is_frame, quote_some
from probus.errors import DataError
from probus.sklearn_seam import check_feature_names_in, get_output_config


class DroppedColumnWarning(UserWarning):
    """Columns of the training table that cannot be used were dropped."""


class TableTransformer(Transformer, ABC):
    """Base class of transformers from tables with columns of any kind to tables.

    A subclass implements fitting on the training table, transforming a table with that schema, and the names of the
    new columns. The output has the type of the input: a Table, a frame of the same library, or an array; unless
    ``set_output`` selects a library.
    """

    accepts = Accepts(nominal=True, text=True, missing=True)

    @abstractmethod
    def _learn(self, table: Table, y: Any) -> None:
        """Set the fitted attributes; ``schema_`` is set already and may be refined."""

    @abstractmethod
    def _applied(self, table: Table) -> Table:
        """Transform a table that has the fitted schema."""

    @abstractmethod
    def _names_out(self, names: Sequence[str]) -> list[str]:
        """The names of the output columns, given those of the input."""

    def fit(self, X: Any, y: Any = None) -> TableTransformer:
        """Fit on the training rows."""
        self._learn(table_input(self, X, reset=True), y)
        return self

    def transform(self, X: Any) -> Any:
        """Transform the rows; columns are matched by name."""
        check_is_fitted(self)
        return in_container_of(self, self._applied(table_input(self, X, reset=False)), X)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` of the same rows, reading them once."""
        table = table_input(self, X, reset=True)
        self._learn(table, y)
        return in_container_of(self, self._applied(self.schema_.apply(table)), X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that ``transform`` returns."""
        check_is_fitted(self)
        return np.array(self._names_out(check_feature_names_in(self, input_features)), dtype=object)


def in_container_of(transformer: Transformer, table: Table, X: Any) -> Any:
    """The table as the type that ``set_output`` selects, else as the type of X."""
    library = get_output_config("transform", transformer)["dense"]
    if library == "default":
        if isinstance(X, Table):
            return table
        if not is_frame(X):
            return as_array(table)
        library = type(X).__module__.partition(".")[0]
    frame = Table(table, origin=library).to_native()
    if library == "pandas" and is_frame(X) and hasattr(X, "index"):
        frame.index = X.index
    return frame


def as_array(table: Table) -> np.ndarray:
    """A float array if every column is numeric, else an object array."""
    if all(column.is_number_like for column in table):
        return table.numbers()
    cells = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table):
        cells[:, j] = column.decoded()
    return cells


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with underscores appended to duplicates.

    >>> distinct(["a_b", "a", "a_b"])
    ['a_b', 'a', 'a_b_']
    """
    taken: dict[str, None] = {}
    for name in names:
        while name in taken:
            name += "_"
        taken[name] = None
    return list(taken)


def chosen(parameter: str, value: Any, choices: Sequence[Any]) -> Any:
    """The value; an error lists the allowed values of the parameter."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise DataError(f"{parameter}={value!r}.", "one of " + ", ".join(map(repr, choices)))
    return value


def warn_dropped(names: Sequence[str], why: str) -> None:
    """Warn that these columns, if there are any, are dropped."""
    if names:
        message = f"column{'s' * (len(names) > 1)} dropped, {why}: {quote_some(names, 8)}"
        warnings.warn(message, DroppedColumnWarning, stacklevel=4)
