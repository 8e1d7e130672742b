"""The first step of a pipeline: conversion of data to a typed table with a fixed schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Accepts, Transformer, table_input
from probus.data import Kinds, Schema, Table, has_names, settle
from probus.detection import typical_values
from probus.display import counted
from probus.parameters import attribute, parameter
from probus.preprocessing._impact import is_one_target
from probus.preprocessing._rare_levels import OTHER, grouped, rare_levels
from probus.preprocessing._transformer import as_array
from probus.sklearn_seam import check_feature_names_in
from probus.state import Array, Labels, Many, Maybe, Spec

_SAMPLE = 10_000  # rows of which typical values are computed


class AsTable(Transformer, auto_wrap_output_keys=None):
    """Convert data to a Table with the columns, kinds and levels of the training data.

    Columns are matched by name and coded with the levels of the training data; unknown levels become missing, with a
    warning; additional columns are dropped. A Table keeps its kinds, a frame declares them by its dtypes, and
    ``kinds`` overrides either. The output is always a Table, so that the next step has the kinds.

    Attributes
    ----------
    grouped_ : the levels of each column that are grouped.
    typical_ : the median or the code of the most frequent level of each column, of 10,000 rows at most.

    >>> shirts = Table.of({"size": ["M", "S", "L"], "price": [9, 7, 12]})
    >>> AsTable(kinds={"size": ["S", "M", "L"]}).fit(shirts).transform(Table.of({"price": [8], "size": ["M"]}))
    Table: 1 row × 2 columns
             kind     missing  values
      size   ordinal           S < M < L
      price  numeric           8 – 8
    <BLANKLINE>
         size  price
      0  M         8
    """

    kinds: Kinds | None = parameter(
        'The kinds of some columns: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.',
        default=None,
        of=[InstanceOf(Mapping), NoneAllowed()],
        kw_only=False,
    )
    rare: int = parameter(
        "Levels of nominal columns with fewer training rows than this, and fewer than 5 % of them, are "
        'grouped as one level, "other"; 0 groups none. Unknown levels of new data belong to that group too, '
        "where there is one; else they are missing. A column of which every level is rare is unchanged; given "
        "y, one where most rows have a rare level is too, because ``TableEncoder`` encodes it by the target.",
        default=0,
        at_least=0,
    )
    phrases: bool = parameter(
        "Nominal columns of phrases (two words or more on average) that are different in more than half of "
        "the rows become text. Strings in a frame are nominal otherwise, even if they are letters.",
        default=False,
    )

    accepts = Accepts(nominal=True, text=True, missing=True, own_levels=True)

    schema_: Schema = attribute()
    grouped_: list[np.ndarray] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"grouped_": Many(Labels(), "d"), "typical_": Maybe(Array("f8", "d"))}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # a Table has a dtype per column
        return tags

    def fit(self, X: Any, y: Any = None) -> AsTable:
        """Learn names, kinds and levels."""
        self._learn(table_input(self, X, reset=True), y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Table:
        """``fit`` and ``transform`` of the same data, reading it once."""
        return self._learn(table_input(self, X, reset=True), y)

    def transform(self, X: Any) -> Table:
        """The data as a Table with the columns, kinds and levels of the training data."""
        check_is_fitted(self)
        return table_input(self, self._with_groups(X), reset=False)

    def _learn(self, table: Table, y: Any) -> Table:
        table = Table.of(table, self.kinds)
        if self.phrases:
            table = settle(table)
        has_target = is_one_target(y)
        rare = {column.name: rare_levels(column, self.rare, has_target=has_target) for column in table}
        self.grouped_ = [np.array(rare[column.name], dtype=object) for column in table]
        grouping = [c for c in table if rare[c.name]]
        kept = {c.name: [level for level in c.levels if level not in rare[c.name]] for c in grouping}
        table = table.with_columns(*(grouped(column, kept[column.name]) for column in grouping))
        self.schema_ = table.schema
        some = np.linspace(0, len(table) - 1, min(len(table), _SAMPLE)).astype(np.int64)
        self.typical_ = typical_values(table.take(some))
        return table

    def _with_groups(self, X: Any) -> Any:
        """New data in which rare and unknown levels are "other"."""
        fields = [field for field, rare in zip(self.schema_, self.grouped_, strict=True) if len(rare)]
        if not fields:
            return X
        table = Table.of(X, infer=False)
        found = [field for field in fields if field.name in table.kinds]
        table = table.with_columns(*(grouped(table[field.name], field.levels) for field in found))
        return table if has_names(X) else as_array(table)

    def notes(self) -> list[str]:
        """What was grouped, as a sentence."""
        counts = {field.name: len(rare) for field, rare in zip(self.schema_, self.grouped_, strict=True) if len(rare)}
        columns = ", ".join(f"{name} ({counted(n, 'level')})" for name, n in counts.items())
        rule = f"levels with fewer than {self.rare} rows, and fewer than 5 %,"
        return [f"{rule} are grouped as {OTHER!r}: {columns}"] if counts else []

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns."""
        check_is_fitted(self)
        return check_feature_names_in(self, input_features)

    def set_output(self, *, transform: str | None = None) -> AsTable:
        """Has no effect: the output is always a Table, because later steps need the kinds."""
        return self
