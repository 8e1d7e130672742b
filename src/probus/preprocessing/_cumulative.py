"""Cumulative ("thermometer") coding of ordinal columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.data import Column, Kind, Level, Table
from probus.parameters import parameter
from probus.preprocessing._codings import Coding, cumulative, looked_up
from probus.preprocessing._transformer import TableTransformer, distinct


class CumulativeEncoder(TableTransformer):
    r"""Encode each ordinal column as one column per level: 1 if the value is that level or above, else 0.

    .. math:: x^{s} = \begin{cases} 1 & \text{if } s \le x \\ 0 & \text{if } x < s \end{cases}

    so that adjacent levels differ in one number, and the order is kept without assuming distances.
    Columns of other kinds pass unchanged. A missing value is NaN in all its columns.

    >>> people = Table.of({"degree": ["bachelors", "PhD", "masters"]})
    >>> encoder = CumulativeEncoder(levels={"degree": ["bachelors", "masters", "PhD"]})
    >>> encoder.fit_transform(people).numbers()
    array([[1., 0., 0.],
           [1., 1., 1.],
           [1., 1., 0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['degree>=bachelors', 'degree>=masters', 'degree>=PhD']
    """

    levels: Mapping[str, Sequence[Level]] | None = parameter(
        'The order of the levels of columns that are not declared ordinal by the data: ``{"degree": '
        '["bachelors", "masters", "PhD"]}``.',
        default=None,
        of=[InstanceOf(Mapping), NoneAllowed()],
        kw_only=False,
    )
    drop_first: bool = parameter(
        "Drop the column of the first level, which is 1 in every row that is not missing.", default=False
    )

    def _learn(self, table: Table, y: Any) -> None:
        self.schema_ = Table.of(table, self.levels).schema

    def _codings(self) -> list[Coding | None]:
        """The coding of each ordinal column, None for the others."""
        return [
            cumulative(field.levels, drop_first=self.drop_first) if field.kind is Kind.ORDINAL else None
            for field in self.schema_
        ]

    def _applied(self, table: Table) -> Table:
        names = iter(self._names_out(table.names))
        columns: list[Column] = []
        for column, coding in zip(table, self._codings(), strict=True):
            if coding is None:
                columns.append(column.renamed(next(names)))
            else:
                columns += looked_up(column, coding.lookup, [next(names) for _ in coding.suffixes])
        return Table(columns, origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        codings = zip(names, self._codings(), strict=True)
        return distinct(name + suffix for name, coding in codings for suffix in (coding.suffixes if coding else [""]))
