"""Encoding of a typed table as numbers, by the kind of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from probus.base import Model, table_input
from probus.data import Column, Kind, Table
from probus.distances.magnitudes import LARGEST, largest
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, parameter
from probus.preprocessing._codings import Coding, cumulative, dropped, looked_up, one_hot, rank, unchanged, zero_one
from probus.preprocessing._impact import cross_fitted_impact, impact, is_one_target
from probus.preprocessing._rare_levels import level_counts, mostly_rare
from probus.preprocessing._transformer import TableTransformer, distinct, in_container_of, warn_dropped
from probus.state import Array, Labels, Many, Spec

_DIFFERENT = "a different level in almost every row"
_TOO_FEW_TO_JUDGE = 10  # with fewer rows every column looks like an identifier


class TableEncoder(TableTransformer):
    """Encode a table with columns of any kind as numbers.

    =========  ========================================================================================
    numeric    unchanged; values whose squares are not finite are divided by a constant, with a note. A date
               becomes the days since 1970-01-01
    binary     0 or 1; two levels that are numbers stay those numbers
    nominal    "onehot": a column per level. "impact": the mean target of the rows of that level, shrunk
               towards the overall mean; cross-fitted on the training rows. "integer": the code of the
               level, which imposes an order and distances that do not exist: only for models that split
               levels one by one. "keep": unchanged, as binary and ordinal columns and dates then are, for
               models that take levels
    ordinal    "cumulative": a column per level except the first, 1 at that level and above. "rank": 0, 1, 2, …,
               which assumes equal distances between levels. "onehot": ignores the order
    text       dropped, with a warning
    =========  ========================================================================================

    A missing value is NaN in each of its columns; an unknown level is treated as missing. Nominal columns that identify
    the rows (without the most frequent level, more levels than half the rows) are dropped, with a warning.
    ``sample_weight`` is not used.

    >>> from probus.data import Table
    >>> shirts = Table.of({"size": ["M", "S", "L"], "colour": ["red", "blue", "grey"], "price": [9, 7, 12]})
    >>> encoder = TableEncoder().fit(shirts.with_kinds(size=["S", "M", "L"]))
    >>> encoder.get_feature_names_out().tolist()
    ['size>=M', 'size>=L', 'colour_blue', 'colour_grey', 'colour_red', 'price']
    >>> encoder.transform(shirts).numbers()
    array([[ 1.,  0.,  0.,  0.,  1.,  9.],
           [ 0.,  0.,  1.,  0.,  0.,  7.],
           [ 1.,  1.,  0.,  1.,  0., 12.]])
    """

    nominal: str = parameter(
        "The encoding of nominal columns.",
        default="onehot",
        one_of=("onehot", "impact", "integer", "keep"),
        kw_only=False,
    )
    ordinal: str = parameter(
        "The encoding of ordinal columns.", default="cumulative", one_of=("cumulative", "rank", "onehot"), kw_only=False
    )
    max_levels: int = parameter(
        'One-hot keeps this many of the most frequent levels, the others share a column "other"; an ordinal '
        "column of more levels is encoded by rank.",
        default=50,
        at_least=1,
    )
    rare: int = parameter(
        'With "onehot" or "keep" and y, a nominal column whose levels with fewer training rows than this, and '
        "fewer than 5 % of them, hold most of the rows has impact coding instead; 0 leaves it.",
        default=0,
        at_least=0,
    )
    target_type: str = parameter(
        'What integers in y are for impact coding: "auto" treats them as classes, "continuous" as numbers. Several '
        "classes have a column each.",
        default="auto",
        one_of=("auto", "continuous"),
    )
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "by_target_": Array("?", "d"),
        "divisors_": Array("f8", "d"),
        "lookups_": Many(Array("f8", "* *"), "d"),
        "suffixes_": Many(Labels(), "d"),
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.nominal == "impact"
        return tags

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each encoding has a row per level and a column per suffix."""
        for field, lookup, suffixes in zip(self.schema_, self.lookups_, self.suffixes_, strict=True):
            made = {Kind.NUMERIC: 1, Kind.TEXT: 0}.get(field.kind, len(suffixes))
            if lookup.shape != (len(field.levels), made) or len(suffixes) != made:
                raise ModelFileError(f"TableEncoder: the encoding of {field.name!r} does not match its levels.")

    @classmethod
    def examples(cls) -> list[Model]:
        """One with one-hot and cumulative encoding, one with impact coding, one with ranks and integers.

        One that keeps levels does not make numbers of a table, unless they are rare.
        """
        return [cls(), cls("impact"), cls("integer", "rank")]

    def _learn(self, table: Table, y: Any) -> None:
        has_target = self.nominal == "impact" or (self.rare > 0 and is_one_target(y))
        self.by_target_ = np.array([has_target and self._takes_impact(column) for column in table], dtype=bool)
        self.divisors_ = np.array([_divisor(column) for column in table])
        codings = [
            impact(column, y, self.target_type) if by_target else self._coding(column)
            for column, by_target in zip(table, self.by_target_, strict=True)
        ]
        self.lookups_ = [coding.lookup for coding in codings]
        self.suffixes_ = [np.array(coding.suffixes, dtype=object) for coding in codings]
        lost = [column for column, coding in zip(table, codings, strict=True) if not coding.suffixes]
        warn_dropped([c.name for c in lost if c.kind is Kind.TEXT], "text")
        warn_dropped([c.name for c in lost if c.kind is Kind.NOMINAL], _DIFFERENT)
        if not any(coding.suffixes for coding in codings):
            raise DataError("no column is left to encode.", "numeric columns, or levels shared by several rows")

    def _takes_impact(self, column: Column) -> bool:
        """Whether a column has impact coding, given a target."""
        if column.kind is not Kind.NOMINAL or _identifies_rows(column):
            return False
        return self.nominal == "impact" or (self.nominal in ("onehot", "keep") and mostly_rare(column, self.rare))

    def _coding(self, column: Column) -> Coding:
        if column.kind is Kind.TEXT:
            return dropped(())
        if column.kind is Kind.NUMERIC:
            return unchanged()
        if column.kind is Kind.NOMINAL and _identifies_rows(column):
            return dropped(column.levels)
        if self.nominal == "keep":
            return rank(column.levels)  # not used: the column itself is returned
        if column.kind is Kind.BINARY:
            return zero_one(column.levels)
        if column.kind is Kind.ORDINAL:
            return self._ordinal_coding(column)
        return rank(column.levels) if self.nominal == "integer" else self._one_hot(column)

    def _ordinal_coding(self, column: Column) -> Coding:
        if self.ordinal == "onehot":
            return self._one_hot(column)
        if self.ordinal == "rank" or len(column.levels) > self.max_levels:
            return rank(column.levels)
        return cumulative(column.levels, drop_first=True)

    def _one_hot(self, column: Column) -> Coding:
        return one_hot(column.levels, level_counts(column), self.max_levels)

    def _applied(self, table: Table) -> Table:
        columns: list[Column] = []
        parts = (self.lookups_, self.divisors_, self.by_target_, self._names_by_column(table.names))
        for column, lookup, divisor, by_target, names in zip(table, *parts, strict=True):
            if self.nominal == "keep" and names and column.kind is not Kind.NUMERIC and not by_target:
                columns.append(column.renamed(names[0]))
            elif column.kind is Kind.NUMERIC:
                given = column if self.nominal == "keep" else replace(column, dates=False, format="")
                columns.append(given.renamed(names[0]) if divisor == 1 else _divide(column, divisor, names[0]))
            else:
                columns += looked_up(column, lookup, names)
        return Table(columns, origin=table.origin)

    def notes(self) -> list[str]:
        """Which columns were divided, encoded by the target because their levels are rare, or dropped, as sentences."""
        rare = f"most rows have a level with fewer than {self.rare} rows, and fewer than 5 %"
        notes = {
            "values whose squares are not finite are divided by a constant": self.divisors_ != 1,
            f"{rare}: the mean target of the level is used": self.by_target_ & (self.nominal != "impact"),
            f"not used, {_DIFFERENT}": self._identifying(),
        }
        names = np.array(self.schema_.names, dtype=object)
        return [f"{note}: {', '.join(names[which])}" for note, which in notes.items() if which.any()]

    def _identifying(self) -> np.ndarray:
        """Whether each column was dropped because its levels identify the rows."""
        pairs = zip(self.schema_, self.suffixes_, strict=True)
        return np.array([field.kind is Kind.NOMINAL and not len(suffixes) for field, suffixes in pairs])

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` of the same rows; impact coding is cross-fitted."""
        table = table_input(self, X, reset=True)
        self._learn(table, y)
        encoded = self._applied(table)
        if self.by_target_.any():
            encoded = encoded.with_columns(*self._cross_fitted(table, y))
        return in_container_of(self, encoded, X)

    def _cross_fitted(self, table: Table, y: Any) -> list[Column]:
        columns = []
        for column, names, by_target in zip(table, self._names_by_column(table.names), self.by_target_, strict=True):
            if by_target:
                values = cross_fitted_impact(column, y, self.target_type, self.random_state)
                columns += [Column.numbers(name, values[:, k]) for k, name in enumerate(names)]
        return columns

    def _names_by_column(self, names: Sequence[str]) -> list[list[str]]:
        """The names of the new columns of each column."""
        made = iter(self._names_out(names))
        return [[next(made) for _ in suffixes] for suffixes in self.suffixes_]

    def _names_out(self, names: Sequence[str]) -> list[str]:
        parts = zip(names, self.suffixes_, strict=True)
        return distinct(name + suffix for name, suffixes in parts for suffix in suffixes)


def _divisor(column: Column) -> float:
    """A power of two that makes the squares of numbers finite, 1 where they are."""
    if column.kind is not Kind.NUMERIC:
        return 1.0
    size = largest(column.values[np.isfinite(column.values)])
    return 1.0 if size <= LARGEST else 2.0 ** (np.frexp(size)[1] - 1)


def _divide(column: Column, divisor: float, name: str) -> Column:
    return Column.numbers(name, column.values / divisor)


def _identifies_rows(column: Column) -> bool:
    """Whether there are nearly as many levels as rows, as in names and identifiers.

    The most frequent level is ignored: an imputer may have filled it in.
    """
    counts = np.sort(level_counts(column))[:-1]
    n_seen = int(np.count_nonzero(counts))
    return n_seen >= _TOO_FEW_TO_JUDGE and n_seen > int(counts.sum()) / 2
