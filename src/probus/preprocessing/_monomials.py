"""Products of powers of numeric columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.data import Column, Kind, Table
from probus.errors import DataError
from probus.parameters import parameter
from probus.preprocessing._transformer import TableTransformer, distinct
from probus.state import Array, Spec


class Monomials(TableTransformer):
    r"""Add all products :math:`x_1^{p_1} \cdots x_d^{p_d}` of numeric columns with :math:`2 \le \sum p_j \le p`.

    ``PolynomialFeatures`` for typed tables: a product is missing where a factor is, and columns of other kinds pass
    unchanged.

    Attributes
    ----------
    powers_ : the power of each column in each new one.

    >>> Monomials(2).fit_transform(Table.of({"a": [2.0, 3.0], "b": [5.0, None]})).numbers()
    array([[ 2.,  5.,  4., 10., 25.],
           [ 3., nan,  9., nan, nan]])
    """

    degree: int = parameter("p, the largest sum of powers.", default=2, at_least=2, kw_only=False)
    interaction_only: bool = parameter("Whether only products of different columns are added.", default=False)
    columns: Sequence[str] | None = parameter(
        "The numeric columns to multiply; all if None.", default=None, of=[ArrayValue(), NoneAllowed()]
    )
    max_columns: int = parameter("An error is raised if more columns would be added.", default=100_000, at_least=1)

    fitted: ClassVar[dict[str, Spec]] = {"powers_": Array("i8", "F d", 0)}

    def _learn(self, table: Table, y: Any) -> None:
        names = [c.name for c in table.of_kind(Kind.NUMERIC)] if self.columns is None else list(self.columns)
        for name in names:
            if table[name].kind is not Kind.NUMERIC:
                raise DataError(f"column {name!r} is {table[name].kind}.", "numeric columns to multiply")
        places = [table.names.index(name) for name in dict.fromkeys(names)]
        powers = []
        for factors in self._products(places):
            powers.append(np.bincount(factors, minlength=table.shape[1]))
            if len(powers) > self.max_columns:
                raise DataError(
                    f"degree={self.degree} of {len(places)} columns makes more than {self.max_columns} new ones.",
                    "fewer columns or a lower degree",
                    "FeatureConstructor adds only products that are relevant to the target; max_columns is the limit.",
                )
        self.powers_ = np.array(powers, dtype=np.int64).reshape(-1, table.shape[1])

    def _products(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        arrangements = combinations if self.interaction_only else combinations_with_replacement
        for total in range(2, self.degree + 1):
            yield from arrangements(places, total)

    def _applied(self, table: Table) -> Table:
        names = self._names_out(table.names)[len(table.names) :]
        columns, made = tuple(table), []
        for name, powers in zip(names, self.powers_, strict=True):
            product = np.ones(table.n_rows)
            with np.errstate(over="ignore"):  # infinite then, which models refuse by name
                for j in np.flatnonzero(powers):
                    product = product * columns[j].values ** powers[j]
            made.append(Column.numbers(name, product))
        return Table([*table, *made], origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        made = (
            " ".join(f"{names[j]}^{powers[j]}" if powers[j] > 1 else names[j] for j in map(int, np.flatnonzero(powers)))
            for powers in self.powers_
        )
        return distinct([*names, *made])
