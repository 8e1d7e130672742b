"""The names, kinds and levels of the columns of a table, applied to new data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._column import Column, Level, as_missing, quote_some
from probus.data._kind import Kind
from probus.data._written_formats import UNAMBIGUOUS, is_date_format
from probus.display import counted
from probus.errors import DataError, SchemaError
from probus.held_out import are_held_out

if TYPE_CHECKING:
    from probus.data._table import Table

_MOST_DAYS = 2_932_896  # since 1970, to the end of the year 9999
_UNITS = {"s": 1e11, "ms": 1e14, "us": 1e17}  # of times since 1970, and the number below which they are meant


class UnseenLevelWarning(UserWarning):
    """New data has levels, or strings among numbers, that the training data did not have; they become missing."""


@dataclass(frozen=True)
class Field:
    """A column of a schema.

    Parameters
    ----------
    name : the name of the column.
    kind : its kind.
    levels : its levels, in order.
    dates : whether its numbers count days since 1970-01-01.
    format : the format of numbers or dates that are written as strings.
    """

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()
    dates: bool = False
    format: str = ""

    def fit(self, column: Column, *, keep_unseen: bool = False) -> tuple[Column, str]:
        """The column converted to this field, and its values that became missing, for a message.

        With ``keep_unseen`` levels do not: they follow the levels of the field.
        """
        if self.kind.has_levels:
            if column.kind is Kind.NUMERIC or column.kind is Kind.TEXT:
                column = column.as_kind(Kind.NOMINAL)
            if column.levels == self.levels:
                return replace(column, kind=self.kind), ""
            known, unseen = column.matched(self.levels, self.kind)
            if not (unseen and keep_unseen):
                return known, quote_some(unseen) if unseen else ""
            kind = Kind.NOMINAL if self.kind is Kind.BINARY else self.kind
            return column.matched((*self.levels, *unseen), kind)[0], ""
        return self._numeric(column) if self.kind is Kind.NUMERIC else (column.as_kind(self.kind), "")

    def _numeric(self, column: Column) -> tuple[Column, str]:
        """The column as numbers; strings and integers such as 20240131 are read in this field's format if all fit.

        Single other strings become missing, as unknown levels do; most of them are an error.
        """
        if column.format == self.format and column.kind is Kind.NUMERIC:
            return column, ""
        written = column.written is not None or column.kind is not Kind.NUMERIC
        if self.format and (written or (self.dates and not column.dates)):
            with suppress(DataError):
                return column.as_kind(self.format), ""
        if column.kind is Kind.NUMERIC:
            return (self._days(column) if self.dates and not column.dates else column), ""
        try:
            return column.as_kind(UNAMBIGUOUS) if self.dates else column.as_numbers(), ""
        except DataError:
            likely = column.format or column.likely_format()
            plain = (UNAMBIGUOUS,) if self.dates else ("", "" if is_date_format(likely) else likely)
            formats = dict.fromkeys((self.format, *plain))
            read, others = min((column.read_as(each) for each in formats), key=lambda each: each[1].sum())
            if 2 * others.sum() > (~column.missing).sum():
                what = "dates" if self.dates else "numbers"
                raise DataError(
                    f"column {self.name!r}: {others.sum()} of {len(column)} values are not {what}: "
                    f"{column.cells_at(others)}.",
                    f"{what} such as {self.format}" if self.format else "a numeric column",
                    f"Pass {as_missing(column.strings_at(others), '{} to read()', most=3)}, or correct them.",
                ) from None
            return read, column.cells_at(others)

    def _days(self, column: Column) -> Column:
        """Numbers in a column of dates: days since 1970, or 20240131; an error where they can be neither."""
        far = np.abs(column.values) > _MOST_DAYS
        if not far.any():
            return column
        with suppress(DataError):
            return column.as_kind("%Y%m%d")
        odd = float(column.values[far][0])
        unit = next((unit for unit, most in _UNITS.items() if abs(odd) < most), "ns")
        raise DataError(
            f"column {self.name!r} has numbers such as {odd:.0f}, where the training data have dates.",
            "dates, or days since 1970",
            f"If they are times since 1970, use pandas.to_datetime(frame[{self.name!r}], unit={unit!r}).",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "levels": list(self.levels),
            "dates": self.dates,
            "format": self.format,
        }


class Schema(Sequence[Field]):
    """The fields of a table, in order.

    Parameters
    ----------
    fields : the fields, one for each column.

    >>> from probus.data import Table
    >>> schema = Table.of({"age": [22.0, 38.0], "sex": ["m", "f"]}).schema
    >>> schema["sex"].levels
    ('f', 'm')
    >>> schema.apply({"sex": ["f"], "age": [4], "more": [0]}).names
    ('age', 'sex')
    """

    def __init__(self, fields: Iterable[Field]):
        self.fields = tuple(fields)
        self._by_name = {field.name: field for field in self.fields}

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._by_name)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each column."""
        return {field.name: field.kind for field in self.fields}

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._by_name:
                raise SchemaError(f"no column {key!r}.", "one of " + quote_some(self.names, 12))
            return self._by_name[key]
        return self.fields[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(self.fields)

    def __repr__(self) -> str:
        return "Schema(" + ", ".join(f"{field.name}: {field.kind}" for field in self.fields) + ")"

    def apply(self, data: Any, *, keep_unseen: bool = False) -> Table:
        """New data as a Table with exactly these columns, matched by name and coded with these levels.

        A missing column is an error that names it. Unknown levels, and single strings among numbers or dates, become
        missing, with one warning unless the rows are held out to score a model. Additional columns are dropped. With
        ``keep_unseen``, unknown levels are kept after the others, for models that match the rows with schemas of their
        own.
        """
        from probus.data._table import Table

        table = Table.of(data, infer=False)
        if table.schema == self:
            return table
        absent = [name for name in self.names if name not in table.kinds]
        if absent:
            raise SchemaError(
                f"{counted(len(absent), 'column')} missing from the new data: {quote_some(absent)}.",
                "the columns " + quote_some(self.names, 12),
                f"Found {quote_some(table.names, 12)}.",
            )
        fitted: list[Column] = []
        unseen: list[str] = []
        unread: list[str] = []
        for field in self.fields:
            column, lost = field.fit(table[field.name], keep_unseen=keep_unseen)
            fitted.append(column)
            if lost:
                (unseen if field.kind.has_levels else unread).append(f"{field.name!r}: {lost}")
        if (unseen or unread) and not are_held_out():
            kinds = {"unknown levels": unseen, "values that are not numbers or dates": unread}
            became = [f"{what} became missing: {'; '.join(which)}" for what, which in kinds.items() if which]
            warnings.warn(". ".join(became), UnseenLevelWarning, stacklevel=3)
        return Table(fitted, origin=table.origin)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [field.to_dict() for field in self.fields]

    @classmethod
    def from_dict(cls, fields: list[dict[str, Any]]) -> Schema:
        """Recreate a schema from the result of ``to_dict``."""
        return cls(Field(f["name"], Kind.of(f["kind"]), tuple(f["levels"]), f["dates"], f["format"]) for f in fields)
