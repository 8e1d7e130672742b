"""The first step of a pipeline: conversion of data to a typed table with a fixed schema."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from probus.base import Accepts, Transformer, table_input
from probus.data import Table
from probus.data.table import Kinds

__all__ = ["AsTable"]


class AsTable(Transformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Convert data to a Table with the columns, kinds and levels of the training data.

    Columns are matched by name and coded with the levels of the training data; unknown levels become missing, with a
    warning; additional columns are dropped. A Table keeps its kinds, a frame declares them by its dtypes, and
    ``kinds`` overrides either. The output is always a Table, so that the next step has the kinds.

    Parameters
    ----------
    kinds : the kinds of some columns: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.

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

    accepts = Accepts(nominal=True, text=True, missing=True)

    def __init__(self, kinds: Kinds | None = None):
        self.kinds = kinds

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # a Table has a dtype per column
        return tags

    def fit(self, X: Any, y: Any = None) -> AsTable:
        """Learn names, kinds and levels."""
        self._learn(table_input(self, X, reset=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Table:
        """``fit`` and ``transform`` of the same data, reading it once."""
        return self._learn(table_input(self, X, reset=True))

    def transform(self, X: Any) -> Table:
        """The data as a Table with the columns, kinds and levels of the training data."""
        check_is_fitted(self)
        return table_input(self, X, reset=False)

    def _learn(self, table: Table) -> Table:
        table = Table.of(table, self.kinds)
        self.schema_ = table.schema
        return table

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns."""
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)

    def set_output(self, *, transform: str | None = None) -> AsTable:
        """Has no effect: the output is always a Table, because later steps need the kinds."""
        return self
