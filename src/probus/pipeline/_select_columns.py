"""Selection of columns by kind or by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from probus.base import Model
from probus.data import Kind, Table, quote_some
from probus.errors import DataError
from probus.parameters import attribute, parameter
from probus.preprocessing import TableTransformer
from probus.state import Array, Spec


class Select(TableTransformer):
    """Keep the columns of some kinds, or of some names.

    Attributes
    ----------
    selected_ : whether each column is kept.

    >>> table = Table.of({"age": [20, 40], "sex": ["m", "f"], "town": ["Rome", "Bonn"]})
    >>> Select(kind="numeric").fit_transform(table).names, Select(columns=["town"]).fit_transform(table).names
    (('age',), ('town',))
    """

    selected_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"selected_": Array("?", "d")}

    kind: Any = parameter(
        'A kind or a list of kinds: "numeric", "binary", "nominal", "ordinal", "text". A table may have none of them: '
        "the branch of a graph that gets no columns is left out.",
        default=None,
    )
    columns: Any = parameter(
        "A name or a list of names, all of which must exist, or positions in an array; in place of ``kind``.",
        default=None,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """All columns, and some."""
        return [cls(kind=list(map(str, Kind))), cls(kind="numeric")]

    def _learn(self, table: Table, y: Any) -> None:
        if (self.kind is None) == (self.columns is None):
            found = "neither kind nor columns" if self.kind is None else "kind and columns"
            raise DataError(f"{found} in Select.", "one of the two", 'Pass kind="numeric", say.')
        if self.kind is not None:
            kinds = [Kind.of(kind) for kind in _list(self.kind)]
            self.selected_ = np.array([column.kind in kinds for column in table])
        else:
            names = [_name_of(column, table) for column in _list(self.columns)]
            self.selected_ = np.array([name in names for name in table.names])

    def _applied(self, table: Table) -> Table:
        return table.select(*self._names_out(table.names))

    def _names_out(self, names: Sequence[str]) -> list[str]:
        return [name for name, selected in zip(names, self.selected_, strict=True) if selected]


def _list(given: Any) -> list[Any]:
    if isinstance(given, (str, int, np.integer)):
        return [given]
    if not isinstance(given, (list, tuple, np.ndarray)) or len(given) == 0:
        raise DataError(f"found {given!r:.60} in Select.", "a name, or a list of names")
    return list(given)


def _name_of(column: Any, table: Table) -> str:
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < table.shape[1]:
        return table.names[column]
    if column not in table.names:
        raise DataError(f"no column {column!r} to select.", f"one of {quote_some(table.names, 12)}")
    return column
