"""A table: typed columns of equal length."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data import _frames as frames
from probus.data._column import Column, Level, quote_some
from probus.data._kind import Kind
from probus.data._like_frame import LikeFrame, listed_names, refuse_odd_rows, refuse_pandas
from probus.data._preview import notes_on_formats, preview
from probus.data._schema import Field, Schema
from probus.display import Displayed, Notes, counted
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.data._description import Description, Frequencies


Kinds = Mapping[str, str | Kind | Sequence[Level]]


class Table(LikeFrame, Displayed):
    """Columns with names and kinds, all of the same length.

    Parameters
    ----------
    data : what ``Table.of`` takes (a frame, a dict of columns, records, a 2-D array, a path), or ``Column`` objects.
    kinds : the kinds of some columns, instead of the inferred ones: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.
    origin : the library that ``to_native`` converts to.
    notes : remarks that are displayed with the table.

    >>> people = Table({"age": [22, 38, None], "sex": ["m", "f", "f"], "class": ["3rd", "1st", "2nd"]})
    >>> people.shape, people.columns, people["sex"].levels
    ((3, 3), ('age', 'sex', 'class'), ('f', 'm'))
    >>> people[people["age"] > 30]["sex"].to_list(), people["age"].mean()
    (['f'], 30.0)
    >>> people.with_kinds(sex="nominal").kinds["sex"]
    <Kind.NOMINAL: 'nominal'>
    >>> people.take([0, 1]).drop("age").names
    ('sex', 'class')
    """

    def __init__(self, data: Any, kinds: Kinds | None = None, *, origin: str | None = None, notes: Iterable[str] = ()):
        columns = _columns_among(data)
        if columns is None or kinds:
            table = Table.of(data if columns is None else Table(columns), kinds)
            columns, origin, notes = list(table), origin or table.origin, (*notes, *table._notes)
        self._columns: dict[str, Column] = {}
        for column in columns:
            if column.name in self._columns:
                raise DataError(f"duplicate column names: {column.name!r}.", "unique names", "Rename them.")
            self._columns[column.name] = column
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name!r} {n}" for name, n in list(lengths.items())[:5])
            raise DataError(f"columns of different lengths: {shown}.", "columns of the same length")
        self.n_rows = next(iter(lengths.values()), 0)
        self.origin: str | None = origin
        self._notes: tuple[str, ...] = tuple(notes)

    @classmethod
    def of(cls, data: Any, kinds: Kinds | None = None, *, infer: bool = True) -> Table:
        """Convert tabular data to a Table: a Table, a frame, a dict of columns, records, a 2-D array, or a path.

        A record is a dict of values; a single one is a table of one row.

        With ``infer`` the kinds are inferred from the values; without, they follow from the dtypes. ``kinds``
        overrides either: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.
        """
        if isinstance(data, Table):
            table = data
        elif isinstance(data, (str, os.PathLike)):
            from probus.data._read import read

            return read(data, kinds=kinds)
        else:
            found = frames.columns_of(data, infer=infer)
            table = cls(found.columns, origin=found.origin, notes=found.notes)
        return table.with_kinds(**kinds) if kinds else table

    # -- shape and schema ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self._columns)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order, as ``names``; ``tuple(table)`` has the columns themselves."""
        return tuple(self._columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was detected in the file, and the columns whose strings were read as numbers or dates."""
        return (*self._notes, *notes_on_formats(self))

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns.values())

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each column, by name."""
        return {name: column.kind for name, column in self._columns.items()}

    @property
    def schema(self) -> Schema:
        """The names, kinds and levels of the columns."""
        return Schema(Field(c.name, c.kind, c.levels, c.dates, c.format * (c.kind is Kind.NUMERIC)) for c in self)

    # -- selection -------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """A column by name, columns by a list of names, or rows by indices, mask or slice."""
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # table[rows, ...]: scikit-learn's way of selecting the rows of a fold
        if isinstance(key, str):
            self._check_names([key])
            return self._columns[key]
        if isinstance(key, (list, tuple)) and key and all(isinstance(name, str) for name in key):
            return self.select(*key)
        if not isinstance(key, (slice, np.ndarray, int)):
            refuse_odd_rows(key)
        return self.take(key)

    def take(self, rows: Any) -> Table:
        """The table with those rows: indices, a mask or a slice."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = np.atleast_1d(rows.astype(np.intp) if rows.size == 0 else rows)
        return Table((column.take(rows) for column in self), origin=self.origin, notes=self._notes)

    def head(self, n: int = 5) -> Table:
        """The table with its first rows.

        >>> Table.of({"age": [22, 38, 4]}).head(2).to_dict()
        {'age': [22.0, 38.0]}
        """
        return self.take(slice(0, n))

    def select(self, *names: str | Sequence[str]) -> Table:
        """The table with only those columns, in that order; the names one by one or in a list."""
        names = listed_names(names)
        self._check_names(names)
        return Table((self._columns[name] for name in names), origin=self.origin, notes=self._notes)

    def drop(self, *names: str | Sequence[str], columns: str | Sequence[str] = (), axis: int = 1) -> Table:
        """The table without those columns; the names one by one, in a list, or as ``columns``."""
        if axis != 1:
            raise DataError(f"axis={axis!r}.", "columns, axis 1", "Rows are left out by table.filter(mask).")
        names = listed_names((*names, columns))
        self._check_names(names)
        return Table((c for c in self if c.name not in names), origin=self.origin, notes=self._notes)

    def with_columns(self, *columns: Column, **values: Any) -> Table:
        """The table with columns added, replacing those of the same name: ``Column`` objects, or values by name.

        >>> Table({"age": [22, 38]}).with_columns(old=[False, True])["old"].kind
        <Kind.BINARY: 'binary'>
        """
        named = Table.of(values) if values else ()
        merged = {**self._columns, **{column.name: column for column in (*columns, *named)}}
        return Table(merged.values(), origin=self.origin, notes=self._notes)

    def with_kinds(self, /, **kinds: str | Kind | Sequence[Level]) -> Table:
        """The table with the kinds of some columns set: a kind, a list of levels in order, or a format.

        The format of numbers or dates reads strings: ``table.with_kinds(when="%d/%m/%Y", price="1.234,5 €")``. Numbers
        that were read from strings become the same strings again by ``"text"`` or ``"nominal"``.
        """
        self._check_names(kinds)
        return self.with_columns(*(self._columns[name].as_kind(kind) for name, kind in kinds.items()))

    def of_kind(self, *kinds: Kind) -> list[Column]:
        """The columns of those kinds."""
        return [column for column in self if column.kind in kinds]

    def _check_names(self, names: Iterable[str]) -> None:
        absent = [name for name in names if name not in self._columns]
        if absent:
            raise DataError(f"no column {quote_some(absent)}.", f"one of {quote_some(self.names, 12)}")

    # -- summaries -------------------------------------------------------------------------------------

    def describe(self) -> Description:
        """The statistics of every column: missing and distinct values, moments and quantiles, or the commonest levels.

        It prints as text and HTML; ``to_frame`` gives a polars frame.
        """
        from probus.data._description import Description

        return Description(self)

    def value_counts(self, column: str) -> Frequencies:
        """How often each value of a column occurs, the most frequent first; ``to_frame`` gives a polars frame."""
        from probus.data._description import Frequencies

        return Frequencies.of(self[column])

    def plot(self, *columns: str, target: str | None = None) -> Any:
        """Draw each column, or those named: histograms of numbers and dates, bars of levels; the axes as an array.

        With a target each column is drawn against it: stacked by class, or the mean of the target with 95 % intervals.
        Points are those of a sample where the table is long.

        >>> from probus import datasets
        >>> axes = datasets.iris().plot("petal_length", "petal_width", target="species")
        >>> [ax.get_title(loc="left") for ax in axes]
        ['petal_length', 'petal_width']
        """
        from probus.data.pictures import plot_columns

        self._check_names([*columns, *([target] if target else [])])
        return plot_columns([self[name] for name in columns or self.names], self[target] if target else None)

    def plot_pairs(self, *columns: str, target: str | None = None) -> Any:
        """Draw every pair of numeric columns, or of those named, coloured by the classes of a target.

        The axes come as a square array. Long tables are sampled.
        """
        from probus.data.pictures import plot_pairs

        self._check_names([*columns, *([target] if target else [])])
        return plot_pairs([self[name] for name in columns or self.names], self[target] if target else None)

    def plot_space(self, *columns: str, target: str | None = None, ax: Any = None) -> Any:
        """Draw three numeric columns as points in space, coloured by a target; a sample of long tables.

        Without names, those of a table that has three numeric columns besides the target.
        """
        from probus.data.pictures import plot_space

        self._check_names([*columns, *([target] if target else [])])
        numeric = [column.name for column in self if column.kind is Kind.NUMERIC and column.name != target]
        return plot_space([self[name] for name in columns or numeric], self[target] if target else None, ax)

    # -- conversion ------------------------------------------------------------------------------------

    def to_polars(self) -> Any:
        """A polars frame."""
        return frames.to_polars(list(self))

    def to_pandas(self) -> Any:
        """A pandas frame."""
        return frames.to_pandas(list(self))

    def to_arrow(self) -> Any:
        """An Arrow table."""
        return frames.to_arrow(list(self))

    def to_native(self) -> Any:
        """A frame of the library this table was made from; the table itself if there is none."""
        return frames.OUT[self.origin](list(self)) if self.origin in frames.OUT else self

    def to_dict(self, orient: str = "list") -> dict[str, list[Any]]:
        """Each column as a list of its original values, missing as None; ``orient`` has no other value."""
        if orient != "list":
            raise DataError(f"to_dict({orient!r}).", "'list'", f"Use table.to_pandas().to_dict({orient!r}).")
        return {
            c.name: [None if gone else v for v, gone in zip(c.decoded().tolist(), c.missing, strict=True)] for c in self
        }

    def numbers(self) -> np.ndarray:
        """The table as one float64 matrix; an error names the columns that are not numeric."""
        strange = [column for column in self if not column.is_number_like]
        if strange:
            shown = ", ".join(f"{column.name!r} ({column.kind})" for column in strange[:5])
            raise DataError(
                f"columns that are not numeric: {shown}{', …' if len(strange) > 5 else ''}.",
                "numeric columns only",
                "Use probus.tabular(model), which encodes them.",
            )
        matrix = np.empty((self.n_rows, len(self._columns)), order="F")
        for j, column in enumerate(self):
            matrix[:, j] = column.numbers_array()
        return matrix

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        refuse_pandas()
        return self.numbers() if dtype is None else self.numbers().astype(dtype)

    def _parts(self) -> list[Any]:
        headline = f"Table: {counted(self.n_rows, 'row')} × {counted(len(self._columns), 'column')}"
        return [headline, *preview(tuple(self)), Notes(self.notes, mark="note: ")]


def has_names(X: Any) -> bool:
    """Whether data has columns with names: a Table, a frame, a dict of columns, or a list of records."""
    return isinstance(X, Table) or type(X) is dict or frames.is_frame(X) or frames.are_records(X)


def _columns_among(data: Any) -> list[Column] | None:
    """The columns where data is an iterable of nothing else; None for other data."""
    if isinstance(data, (Table, Mapping, str, os.PathLike, np.ndarray)) or frames.is_frame(data):
        return None
    if not isinstance(data, Iterable):
        return None
    if isinstance(data, (list, tuple)) and data and not isinstance(data[0], Column):
        return None
    return list(data)
