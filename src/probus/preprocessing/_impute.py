"""Imputation of missing values by the kind of the column, with optional missing indicators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import OneOf, TrueOrFalse
from probus.base import Model
from probus.data import Column, Kind, Table, level_key
from probus.errors import DataError, ModelFileError
from probus.parameters import parameter
from probus.preprocessing._screening_target import ScreeningTarget
from probus.preprocessing._transformer import TableTransformer, distinct, warn_dropped
from probus.state import Array, Spec

_MISSING = "missing"
_SIGNIFICANT = 0.05  # p-value below which missingness depends on the target


class Imputer(TableTransformer):
    """Base class of imputers: a fill value for every column, better values from a subclass, and indicators.

    Columns that are entirely missing in training are dropped, with a warning; text passes unchanged.
    """

    indicators: bool | str = parameter(
        "True adds a 0/1 column ``age_missing`` for each column with missing values in training, which helps "
        'if values are not missing at random; "auto" only if those rows differ in y (χ² test for classes, '
        "rank test for numbers, p < 0.05), or if y is not given.",
        default=False,
        of=[TrueOrFalse(), OneOf("auto")],
    )
    fitted: ClassVar[dict[str, Spec]] = {"fills_": Array("f8", "d"), "indicated_": Array("?", "d")}

    @abstractmethod
    def _fill(self, column: Column) -> float:
        """The number or code that replaces missing values of a column; NaN for text."""

    @abstractmethod
    def _imputed(self, table: Table) -> Table:
        """The table with values that are better than the fill value."""

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless fill values are codes of levels, or the next code for a new level."""
        for field, fill in zip(self.schema_, self.fills_, strict=True):
            if field.kind.has_levels and not np.isnan(fill) and fill not in range(len(field.levels) + 1):
                raise ModelFileError(f"{type(self).__name__}: {field.name!r} has the fill value {fill}.")

    def _learn(self, table: Table, y: Any) -> None:
        self.fills_ = np.array([np.nan if column.missing.all() else self._fill(column) for column in table])
        target = ScreeningTarget.of(y, table.n_rows) if self.indicators == "auto" and y is not None else None
        self.indicated_ = np.array([self._is_indicated(column.missing, target) for column in table])
        kept = self._kept()
        warn_dropped([name for name, keep in zip(table.names, kept, strict=True) if not keep], "all values are missing")
        if not kept.any():
            raise DataError("all values of all columns are missing.", "at least one value")

    def _is_indicated(self, missing: np.ndarray, target: ScreeningTarget | None) -> bool:
        if not self.indicators or missing.all() or not missing.any():
            return False
        return target is None or target.p_value_of_groups(missing) < _SIGNIFICANT

    def _kept(self) -> np.ndarray:
        is_text = np.array([field.kind is Kind.TEXT for field in self.schema_])
        return is_text | ~np.isnan(self.fills_)

    def _applied(self, table: Table) -> Table:
        names = self._names_out(table.names)
        columns = [
            _filled(column, fill)
            for column, fill, kept in zip(self._imputed(table), self.fills_, self._kept(), strict=True)
            if kept
        ]
        columns += [_indicator(column) for column, yes in zip(table, self.indicated_, strict=True) if yes]
        return Table((c.renamed(name) for c, name in zip(columns, names, strict=True)), origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        kept = [name for name, keep in zip(names, self._kept(), strict=True) if keep]
        marks = [f"{name}_missing" for name, indicated in zip(names, self.indicated_, strict=True) if indicated]
        return distinct(kept + marks)


class TypedImputer(Imputer):
    """Impute missing values by a statistic of the training rows: one for numbers, one for levels.

    Columns that are entirely missing in training are dropped, with a warning; text passes unchanged.

    >>> people = Table.of({"age": [20.0, None, 40.0], "sex": ["m", "f", "f"]}, infer=False)
    >>> TypedImputer(indicators=True).fit_transform(people).to_dict()
    {'age': [20.0, 30.0, 40.0], 'sex': ['m', 'f', 'f'], 'age_missing': [0, 1, 0]}
    """

    numeric: str = parameter(
        "The statistic that fills numeric columns.", default="mean", one_of=("mean", "median"), kw_only=False
    )
    levels: str = parameter(
        'What fills columns with levels: their most frequent level ("mode"), or a level of its own ("missing") in '
        "nominal and binary columns with missing values in training. Ordinal columns always use the mode.",
        default="mode",
        one_of=("mode", "missing"),
        kw_only=False,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """The default, and one with every option."""
        return [cls(), cls("median", "missing", indicators=True)]

    def _fill(self, column: Column) -> float:
        own_level = self.levels == "missing" and column.kind in (Kind.BINARY, Kind.NOMINAL)
        if own_level and column.missing.any():
            return column.levels.index(_MISSING) if _MISSING in column.levels else len(column.levels)
        return mean_or_mode(column, median=self.numeric == "median")

    def _imputed(self, table: Table) -> Table:
        return table


def mean_or_mode(column: Column, *, median: bool = False) -> float:
    """The mean or median of numbers, the code of the most frequent level, NaN for text."""
    if column.kind is Kind.TEXT:
        return np.nan
    present = column.values[~column.missing]
    if column.kind is Kind.NUMERIC:
        return float(np.median(present) if median else np.mean(present))
    return float(np.bincount(present).argmax())


def _filled(column: Column, fill: float) -> Column:
    if np.isnan(fill):
        return column
    values = np.where(column.missing, fill, column.values).astype(column.values.dtype)
    if column.kind.has_levels and fill == len(column.levels):
        levels = (*map(level_key, column.levels), _MISSING)
        return Column(column.name, Kind.NOMINAL, values, levels)
    return replace(column, values=values)


def _indicator(column: Column) -> Column:
    return Column(column.name, Kind.BINARY, column.missing.astype(np.int32), (0, 1))
