"""A column: a name, a kind and one contiguous array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._kind import Kind
from probus.data._like_series import LikeSeries
from probus.data._written_formats import UNAMBIGUOUS, fit_format, is_date_format, is_format, parse
from probus.display import counted
from probus.errors import Advice, DataError

if TYPE_CHECKING:
    import polars as pl


Level = str | int | float | bool

_AFFIRMATIVE = {"yes", "y", "true", "t", "on", "pos", "positive", "present", "1", "+", "+1"}


@dataclass(frozen=True, eq=False)
class Column(LikeSeries):
    """One named column of one kind.

    A comparison with a value is an array of truth values, which selects rows: ``table[table["age"] > 30]``.

    Parameters
    ----------
    name : the name.
    kind : what the values mean.
    values : float64 with NaN for missing where the column is numeric; int32 codes into ``levels``, -1 for missing,
        where it has levels; else ``str`` objects with None.
    levels : the levels, in order.
    dates : whether a numeric column counts days since 1970-01-01.
    why : why the column has its kind.
    format : the format of numbers or dates that were strings, or that most labels have, as ``written_formats`` has it.
    written : those strings, for conversion to other kinds.
    settled : whether the kind was decided on all rows of a table: a part that gets some of them keeps it.

    >>> size = Column.labels("size", ["M", "S", None, "L"]).as_kind(["S", "M", "L"])
    >>> size.kind, size.values.tolist(), size.levels
    (<Kind.ORDINAL: 'ordinal'>, [1, 0, -1, 2], ('S', 'M', 'L'))
    """

    name: str
    kind: Kind
    values: np.ndarray
    levels: tuple[Level, ...] = ()
    dates: bool = False
    why: str = field(default="", compare=False)
    format: str = ""
    written: pl.Series | None = field(default=None, compare=False, repr=False)
    settled: bool = field(default=False, compare=False, repr=False)

    # -- construction ----------------------------------------------------------------------------------

    @classmethod
    def numbers(
        cls,
        name: str,
        values: Any,
        *,
        dates: bool = False,
        why: str = "",
        format: str = "",
        written: pl.Series | None = None,
    ) -> Column:
        """A numeric column; NaN is missing."""
        numbers = np.ascontiguousarray(values, dtype=np.float64)
        return cls(name, Kind.NUMERIC, numbers, dates=dates, why=why, format=format, written=written)

    @classmethod
    def labels(
        cls, name: str, values: Iterable[Level | None], levels: Sequence[Level] | None = None, why: str = ""
    ) -> Column:
        """A column of labels: binary if there are two levels, nominal otherwise; ``None`` is missing."""
        cells = list(values)
        if levels is None:
            levels = natural_order({cell for cell in cells if cell is not None})
        code = {level: i for i, level in enumerate(levels)}
        codes = np.fromiter((-1 if c is None else code[c] for c in cells), np.int32, len(cells))
        return cls(name, Kind.BINARY if len(levels) == 2 else Kind.NOMINAL, codes, tuple(levels), why=why)

    @classmethod
    def text(cls, name: str, values: Any, why: str = "") -> Column:
        """A text column; ``None`` is missing."""
        cells = np.empty(len(values), dtype=object)
        cells[:] = [None if v is None else str(v) for v in values]
        return cls(name, Kind.TEXT, cells, why=why)

    # -- inspection ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int]:
        """The shape of the array, ``(n_rows,)``."""
        return (len(self.values),)

    @property
    def missing(self) -> np.ndarray:
        """True where the value is missing."""
        if self.kind is Kind.NUMERIC:
            return np.isnan(self.values)
        if self.kind is Kind.TEXT:
            return np.fromiter((v is None for v in self.values), bool, len(self.values))
        return self.values < 0

    @property
    def is_number_like(self) -> bool:
        """Whether the values can be used as numbers: numeric, or binary with numeric levels."""
        if self.kind is Kind.BINARY:
            return all(isinstance(level, (bool, int, float)) for level in self.levels)
        return self.kind is Kind.NUMERIC

    def numbers_array(self) -> np.ndarray:
        """The column as float64: its values, or its codes with NaN for missing; text is an error."""
        if self.kind is Kind.NUMERIC:
            return self.values
        if self.kind is Kind.TEXT:
            raise DataError(f"column {self.name!r} is text.", "numbers", "Drop it, or encode it first.")
        if self.is_number_like:
            return self._looked_up(np.array([float(level) for level in self.levels]), np.nan)
        return np.where(self.values < 0, np.nan, self.values.astype(np.float64))

    def decoded(self) -> np.ndarray:
        """The original values: numbers, levels or text; missing is NaN or None."""
        if not self.kind.has_levels:
            return self.values
        table = np.array(self.levels) if self.levels else np.empty(0, dtype=object)
        uniform = len({type(level) for level in self.levels}) == 1
        if uniform and not (self.values < 0).any():
            return table.astype(object)[self.values] if table.dtype.kind == "U" else table[self.values]
        cells = np.empty(len(self.levels) + 1, dtype=object)
        cells[: len(self.levels)] = self.levels
        return cells[self.values]

    def _looked_up(self, table: np.ndarray, missing: float) -> np.ndarray:
        return np.append(table, missing)[self.values]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.decoded(), dtype=dtype) if copy is not False else np.asarray(self.decoded(), dtype)

    def __repr__(self) -> str:
        cells = ", ".join(str(v) for v in self.take(slice(0, 5)).decoded())
        return f"<{self.name}: {self.kind}, {counted(len(self), 'row')}: {cells}{', …' if len(self) > 5 else ''}>"

    # -- conversion ------------------------------------------------------------------------------------

    def take(self, rows: Any) -> Column:
        """The column with those rows (indices, mask or slice)."""
        written = None if self.written is None else self.written[np.arange(len(self))[rows]]
        return replace(self, values=self.values[rows], written=written)

    def renamed(self, name: str) -> Column:
        """The same column under another name."""
        return self if name == self.name else replace(self, name=name)

    def as_kind(self, kind: str | Kind | Sequence[Level]) -> Column:
        """The column converted to another kind; a list of levels makes it ordinal in that order.

        The format of numbers or dates makes strings numeric: ``"%d/%m/%Y"``, ``"1.234,5"``.

        >>> Column.numbers("cyl", [4, 6, 4]).as_kind("nominal").levels
        (4, 6)
        >>> Column.labels("when", ["02/01/1970", None]).as_kind("%d/%m/%Y").values
        array([ 1., nan])
        """
        if not isinstance(kind, str):
            if not isinstance(kind, Iterable):
                raise DataError(
                    f"kind {kind!r} for column {self.name!r}.", "the name of a kind, a format, or levels in order"
                )
            return self._as_levels().relevelled(kind, Kind.ORDINAL, why="set by you")
        if is_format(kind):
            return self._in_format(kind)
        kind = Kind.of(kind)
        if kind is self.kind:
            return replace(self, why="set by you")
        if kind is Kind.NUMERIC:
            return self.as_numbers()
        if kind is Kind.TEXT:
            return Column.text(self.name, self._as_strings(), why="set by you")
        labelled = self._as_levels()
        if kind is Kind.BINARY and len(labelled.levels) > 2:
            raise DataError(
                f"column {self.name!r} has {len(labelled.levels)} levels: {quote_some(labelled.levels)}.",
                "at most two for a binary column",
                Advice("kinds", {self.name: "nominal"}),
            )
        return replace(labelled, kind=kind, why="set by you")

    def relevelled(self, levels: Sequence[Level], kind: Kind, why: str = "") -> Column:
        """The column recoded with other levels, matched by their string form; every value must be among them."""
        column, unseen = self.matched(tuple(levels), kind)
        if unseen:
            raise DataError(
                f"column {self.name!r} holds {quote_some(unseen)}, which are not among the given levels.",
                "every level of the column",
                f"Levels found: {quote_some(self.levels, 12)}.",
            )
        return replace(column, why=why or self.why)

    def matched(self, levels: tuple[Level, ...], kind: Kind) -> tuple[Column, list[Level]]:
        """The column recoded with ``levels``, other values as missing, and the levels that became missing.

        TRUE, true and True are the same where a side has truth values, as files spell them in several ways.
        """
        key = _truth_key if _have_truths((*levels, *self.levels)) else level_key
        code = {key(level): i for i, level in enumerate(levels)}
        translate = np.array([code.get(key(level), -1) for level in self.levels] + [-1], dtype=np.int32)
        used = np.zeros(len(self.levels) + 1, dtype=bool)
        used[self.values] = True
        lost = [level for i, level in enumerate(self.levels) if used[i] and translate[i] < 0]
        return replace(self, kind=kind, values=translate[self.values], levels=tuple(levels)), lost

    def _as_levels(self) -> Column:
        if self.kind.has_levels:
            return self
        if self.kind is Kind.TEXT:
            return Column.labels(self.name, self.values)
        if self.written is not None:
            return Column.labels(self.name, self.written.to_list())
        seen, codes = np.unique(self.values, return_inverse=True)
        codes = codes.astype(np.int32)
        if len(seen) and np.isnan(seen[-1]):
            seen, codes = seen[:-1], np.where(codes == len(seen) - 1, -1, codes).astype(np.int32)
        whole = bool(np.all(np.isfinite(seen) & (seen == np.floor(seen))))
        levels = tuple(int(v) if whole else float(v) for v in seen)
        return Column(self.name, Kind.NOMINAL, codes, levels)

    def _as_strings(self) -> list[str | None]:
        if self.written is not None:
            return self.written.to_list()
        return [None if gone else level_key(cell) for cell, gone in zip(self.decoded(), self.missing, strict=True)]

    def as_numbers(self) -> Column:
        """The column as numbers, in a format that all values have."""
        numbers, strange = self.read_as("")
        if not strange.any():
            return numbers
        if format := self.likely_format():
            read, others = self.read_as(format)
            if not others.any():
                return read
            strange = others if others.sum() < strange.sum() else strange
        missing = as_missing(self.strings_at(strange), "{} to read()", most=3)
        raise DataError(
            f"column {self.name!r}: {strange.sum()} of {len(self)} values are not numbers: {self.cells_at(strange)}.",
            "a numeric column",
            (missing, Advice("kinds", {self.name: "nominal"})),
        )

    def likely_format(self) -> str:
        """The format that most of the strings have; empty where none is."""
        fit = fit_format(self._as_levels()._level_strings())
        return "" if fit is None else fit.format

    def _in_format(self, format: str) -> Column:
        """Strings as the numbers or dates that they are in this format."""
        column, strange = self.read_as(format)
        if strange.any():
            what = "dates" if column.dates else "numbers"
            form = "2024-03-01 or 1-Mar-2024" if format == UNAMBIGUOUS else repr(format)
            raise DataError(
                f"column {self.name!r} holds {self.cells_at(strange)}, which are not {what}"
                + (f" in the format {format!r}." if format != UNAMBIGUOUS else "."),
                f"{what} such as {form}",
                f"Pass {as_missing(self.strings_at(strange), '{} to read()', most=3)}, or correct them.",
            )
        return column

    def read_as(self, format: str) -> tuple[Column, np.ndarray]:
        """Strings as the numbers or dates that they are in a format, and which rows hold others, which are missing.

        Without a format, the strings are plain numbers.

        >>> column, others = Column.labels("age", ["31", "old", "2"]).read_as("")
        >>> column.values, others
        (array([31., nan,  2.]), array([False,  True, False]))
        """
        cells = self._as_levels()
        strings = cells._level_strings()
        numbers = parse(strings, format).to_list() if format else [_float_of(level) for level in cells.levels]
        strange = np.append([number is None for number in numbers], False).astype(bool)
        values = cells._looked_up(np.array(numbers, dtype=np.float64), np.nan)
        dates, written = is_date_format(format), gather(strings, cells.values) if format else None
        column = Column.numbers(self.name, values, dates=dates, why="set by you", format=format, written=written)
        return column, strange[cells.values]

    def cells_at(self, rows: np.ndarray) -> str:
        """The different values of some rows, and the rows counted from 0, for a message; ``rows`` is a mask."""
        return f"{quote_some(self.strings_at(rows))} ({row_list(rows)})"

    def strings_at(self, rows: np.ndarray) -> list[str]:
        """The different values of some rows as strings."""
        return list(dict.fromkeys(cell for cell in self.take(rows)._as_strings() if cell is not None))

    def _level_strings(self) -> pl.Series:
        import polars as pl

        return pl.Series([level_key(level) for level in self.levels], dtype=pl.String)


def _float_of(level: Level) -> float | None:
    try:
        return float(level)
    except ValueError:
        return None


def gather(strings: pl.Series, codes: np.ndarray) -> pl.Series:
    """The string of each code, null for −1."""
    import polars as pl

    return strings.gather(pl.Series(codes).replace(-1, None))


def level_key(level: Any) -> str:
    """The string by which a level is matched: 1, 1.0 and "1" are the same level, True is another.

    >>> level_key(1.0), level_key("1"), level_key(True), level_key(0.5)
    ('1', '1', 'True', '0.5')
    """
    if isinstance(level, (float, np.floating)) and np.isfinite(level) and level == np.floor(level):
        return str(int(level))
    return str(level)


def _have_truths(levels: Sequence[Level]) -> bool:
    return any(isinstance(level, (bool, np.bool_)) for level in levels)


def _truth_key(level: Level) -> str:
    key = level_key(level)
    truth = key.strip().lower()
    return truth if truth in ("true", "false") else key


def natural_order(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Levels in natural order: numerically, no before yes, else alphabetically.

    >>> natural_order({"10", "9", "1"}), natural_order({"yes", "no"}), natural_order({"y", "n"})
    (('1', '9', '10'), ('no', 'yes'), ('n', 'y'))
    """
    levels = list(levels)
    try:
        return tuple(sorted(levels, key=lambda level: (float(level), str(level))))
    except ValueError:
        affirmative = [str(level).strip().lower() in _AFFIRMATIVE for level in levels]
        decided = len(levels) == 2 and sum(affirmative) == 1
        order = sorted(zip(levels, affirmative, strict=True), key=lambda p: (decided and p[1], str(p[0])))
        return tuple(level for level, _ in order)


def quote_some(values: Iterable[Any], most: int = 5) -> str:
    """The first few values in quotes, for a message."""
    values = list(values)
    shown = ", ".join(repr(str(v)) if isinstance(v, str) else str(v) for v in values[:most])
    return shown + (f", … ({len(values)} in all)" if len(values) > most else "")


def row_list(mask: np.ndarray, most: int = 5) -> str:
    """The indices of the True rows, counted from 0, for a message.

    >>> row_list(np.array([False, True, True]))
    'rows 1, 2'
    """
    rows = np.flatnonzero(mask)
    shown = ", ".join(str(row) for row in rows[:most])
    return f"row{'s' * (len(rows) > 1)} {shown}" + (", …" if len(rows) > most else "")


def as_missing(values: Iterable[Any], python: str = "{}", most: int = 5) -> Advice:
    """The advice to read these values as missing; ``python`` is the call around the parameter.

    >>> print(as_missing(["?", "-9"], "probus.read(…, {})"))
    probus.read(…, missing=['?', '-9'])
    """
    values = list(values)
    return Advice("missing", values[:most], python.format(f"missing=[{quote_some(values, most)}]"))


def in_order(name: str) -> Advice:
    """The advice to declare the levels of a column in their order."""
    return Advice("kinds", {name: ["A", "B", "C"]}, f"kinds={{{name!r}: [levels in order]}}")
