"""Conversion of frames, arrays and dicts to columns and back: the only place that knows their types."""

from __future__ import annotations

import datetime
import math
import numbers
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from probus.data._array_checks import days_of, too_far
from probus.data._column import Column, natural_order, quote_some
from probus.data._infer import STRINGS, infer_column
from probus.data._kind import Kind
from probus.display import counted
from probus.errors import DataError

_EPOCH = np.datetime64("1970-01-01", "us")
_MICROSECONDS_A_DAY = 86_400_000_000
_SINGLE = (str, numbers.Real, datetime.date, np.generic, type(None))  # cells: a dict of them is one row
_EXACT = 2**53  # up to which float64 represents every integer
_LARGEST = 2**1023  # integers up to here are numbers of float64


@dataclass
class Found:
    """The columns of tabular data, the library it came from, and notes."""

    columns: list[Column]
    origin: str | None = None
    notes: list[str] = field(default_factory=list)


def columns_of(data: Any, *, infer: bool) -> Found:
    """The columns of anything tabular, and the name of the library it came from.

    With ``infer`` the kinds are inferred from the values, and columns that hold lists or records are left out, with a
    note. Without it, the kinds follow from the dtypes: numbers are numeric, booleans binary, strings nominal, ordered
    categories ordinal.
    """
    if is_frame(data):
        data = collect(data)
        found = _convert(_from_series, _series_of(data), infer)
        found.origin = type(data).__module__.partition(".")[0]
        found.notes += _notes_on_zones(data) if infer else []
        return found
    if isinstance(data, Mapping) and data and all(isinstance(v, _SINGLE) for v in data.values()):
        data = [data]
    if are_records(data):
        names = dict.fromkeys(name for row in data for name in row)
        return _convert(_from_cells, [(str(name), [row.get(name) for row in data]) for name in names], infer)
    if isinstance(data, Mapping):
        return _convert(_from_cells, [(str(name), cells) for name, cells in data.items()], infer)
    if _is_series(data):
        hint = "Use frame.iloc[[0]] for one row, series.to_frame() for one column."
        raise DataError("found a series.", "a table with rows and columns", hint)
    return Found(_from_array(data, infer))


def _convert(convert: Callable[[str, Any, bool], Column], cells: list[tuple[str, Any]], infer: bool) -> Found:
    found, nested = Found([]), []
    for name, values in cells:
        try:
            found.columns.append(convert(name, values, infer))
        except _NestedError as error:
            if not infer or len(cells) == 1:
                raise
            nested.append(f"{name!r} ({error.what})")
    if nested:
        shown = ", ".join(nested[:5]) + (f", … ({len(nested)} in all)" if len(nested) > 5 else "")
        found.notes.append(f"left out, because their cells are neither numbers, strings nor dates: {shown}")
    return found


def is_frame(data: Any) -> bool:
    """Whether data is a frame of a library that narwhals knows; imports nothing."""
    library = type(data).__module__.partition(".")[0]
    return library in ("pandas", "polars", "pyarrow", "modin", "cudf") and hasattr(type(data), "columns")


def collect(data: Any) -> Any:
    """The rows of a lazy frame of polars; anything else unchanged, but an empty list is an error."""
    if type(data) is list and not data:
        raise DataError("found an empty list.", "at least one row")
    lazy = type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars")
    return data.collect() if lazy else data


def are_records(data: Any) -> bool:
    """Whether data is a list of records, each a dict of values by name."""
    return type(data) is list and bool(data) and isinstance(data[0], Mapping)


def is_misread(frame: Any) -> bool:
    """Whether NumPy would take dates, times or durations, or the missing values of Arrow dictionaries, for numbers."""
    if type(frame).__module__.startswith("pyarrow"):
        import pyarrow as pa

        if any(map(pa.types.is_dictionary, frame.schema.types)):
            return True
    if type(frame).__module__.startswith("pandas"):  # where narwhals is slow
        return any(dtype.kind in "mM" for dtype in frame.dtypes)
    import narwhals as nw

    return any(dtype.is_temporal() for dtype in nw.from_native(frame).collect_schema().values())


def _is_series(cells: Any) -> bool:
    kind = type(cells)
    return kind.__module__.partition(".")[0] in ("pandas", "polars", "modin", "cudf") and kind.__name__ == "Series"


def _notes_on_zones(data: Any) -> list[str]:
    """A note for each column of a frame whose times have a zone other than UTC."""
    if not is_frame(data):
        return []
    import narwhals as nw

    zones = {str(name): getattr(dtype, "time_zone", None) for name, dtype in nw.from_native(data).schema.items()}
    return [f"column {name!r}: times in {zone}, converted to UTC" for name, zone in zones.items() if _shift(zone)]


def _shift(zone: str | None) -> bool:
    return zone not in (None, "UTC")


# -- in ------------------------------------------------------------------------------------------------


def _series_of(data: Any) -> list[tuple[str, Any]]:
    import narwhals as nw

    names = [str(name) for name in getattr(data, "column_names", data.columns)]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DataError(f"duplicate column names: {quote_some(twice)}.", "unique names", "Rename them.")
    if hasattr(data, "collect"):
        data = data.collect()
    frame = nw.from_native(data, eager_only=True)
    return [(name, frame.get_column(column)) for name, column in zip(names, frame.columns, strict=True)]


def _from_series(name: str, series: Any, infer: bool) -> Column:
    import narwhals as nw

    dtype = series.dtype
    if infer and dtype.is_integer() and _loses_digits(series.min(), series.max(), series.to_list):
        return infer_column(name, _as_strings(series.to_list()))
    if dtype.is_numeric():
        wide = dtype.is_decimal() or isinstance(dtype, (nw.Int128, nw.UInt128))  # NumPy has no such numbers
        values = series.cast(nw.Float64).to_numpy() if wide else series.to_numpy()
        return _from_floats(name, np.asarray(values, dtype=np.float64), infer)
    if isinstance(dtype, nw.Boolean) and not (missing := series.is_null()).all():
        codes = series.fill_null(value=False).to_numpy().astype(np.int32)
        codes[missing.to_numpy()] = -1
        return Column(name, Kind.BINARY, codes, (False, True), why="true or false")
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        native = series.to_native()
        if series.implementation.is_pandas_like() and not hasattr(native, "cat"):  # an Arrow dictionary in pandas
            series = nw.from_native(native.array.__arrow_array__(), series_only=True)
        return _from_categories(name, series, isinstance(dtype, nw.Enum))
    if isinstance(dtype, (nw.Date, nw.Datetime)):
        zone = getattr(dtype, "time_zone", None)
        if zone is not None:  # the same instants, without a zone
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        moments = np.asarray(series.to_numpy())
        if moments.dtype.kind != "M":  # objects of pandas and Arrow
            try:
                moments = series.cast(nw.Datetime("us")).to_numpy()
            except (OverflowError, ValueError):
                raise too_far(name) from None
        return _from_dates(name, moments, f", in UTC (from {zone})" * _shift(zone))
    if isinstance(dtype, nw.Duration):
        return Column.numbers(name, days_of(series.to_numpy(), name), why="durations, in days")
    if isinstance(dtype, (nw.List, nw.Struct, nw.Array)):
        raise _not_one_value(name, "lists or records")
    if isinstance(dtype, nw.String) and infer and series.implementation.is_polars():
        return infer_column(name, series.to_native())
    if isinstance(dtype, nw.String) and not infer:
        cells, place = _distinct(series)
        return _spread(_from_cells(name, cells, infer), place) if cells else _from_cells(name, series.to_list(), infer)
    return _from_cells(name, series.to_list(), infer)


def _distinct(series: Any) -> tuple[list[Any], np.ndarray]:
    """The distinct values of a column of labels, and the index of each row's value among them, −1 if missing."""
    native = series.to_native()
    if series.implementation.is_polars():
        import polars as pl

        text = native.cast(pl.String)
        cells = text.drop_nulls().unique(maintain_order=True)
        return cells.to_list(), text.cast(pl.Enum(cells)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    if series.implementation.is_pandas():
        place, cells = native.factorize()
        return list(cells), np.asarray(place)
    cells = [None if _is_missing(cell) else cell for cell in series.to_list()]
    seen = {cell: i for i, cell in enumerate(dict.fromkeys(cell for cell in cells if cell is not None))}
    return list(seen), np.array([-1 if cell is None else seen[cell] for cell in cells], np.int64)


def _spread(column: Column, place: np.ndarray) -> Column:
    """Expand a column of distinct values to all rows."""
    return replace(column, values=np.append(column.values, np.int32(-1))[place])


def _from_categories(name: str, series: Any, ordered: bool) -> Column:
    found, place = _distinct(series)
    cells = [_plain_level(cell) for cell in found]
    levels, ordered = _categories(series, cells, ordered)
    levels = tuple(_plain_level(level) for level in levels)
    column = _spread(Column.labels(name, cells, levels, why="a categorical column"), place)
    if ordered and len(levels) != 2:
        return column.relevelled(levels, Kind.ORDINAL, why="a categorical column with its levels in order")
    return column if ordered else column.relevelled(natural_order(levels), column.kind)


def _categories(series: Any, cells: list[Any], ordered: bool) -> tuple[tuple[Any, ...], bool]:
    """The categories and whether they are ordered; narwhals returns some as strings, in order of appearance."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        chunk = native.combine_chunks()
        return tuple(chunk.dictionary.to_pylist()), native.type.ordered
    if ordered:
        return tuple(series.dtype.categories), True
    if series.implementation.is_pandas_like():
        return tuple(native.cat.categories.tolist()), False
    return natural_order(cells), False


def _plain_level(level: Any) -> Any:
    """A category as a level: intervals and dates as strings, and integers that pandas converted to floats undone."""
    if isinstance(level, float) and level.is_integer():
        return int(level)
    return level if isinstance(level, (str, numbers.Real, np.bool_)) else str(level)


def _from_array(data: Any, infer: bool) -> list[Column]:
    array = fill_masked(data)
    if array.dtype.names:
        return [_from_cells(name, array[name], infer) for name in array.dtype.names]
    if array.ndim != 2:
        raise DataError(
            f"found an array of {counted(array.ndim, 'dimension')}, shape {array.shape}.",
            "a table with rows and columns",
            "Use array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row."
            if array.ndim < 2
            else "Use array.reshape(len(array), -1), a row for each; ConvClassifier(image_shape=…) reads it as images.",
        )
    names = [f"x{j}" for j in range(array.shape[1])]
    if array.dtype.kind in "biuf":
        columns = np.asarray(array, dtype=np.float64)
        return [Column.numbers(name, columns[:, j], why="an array of numbers") for j, name in enumerate(names)]
    return [_from_cells(name, array[:, j], infer) for j, name in enumerate(names)]


def fill_masked(data: Any) -> np.ndarray:
    """Data as an array, in which masked values are missing."""
    if not isinstance(data, np.ma.MaskedArray):
        return np.asarray(data)
    if not np.ma.is_masked(data):
        return data.data
    values = data.data.astype(np.float64 if data.dtype.kind in "biuf" else object)
    values[np.ma.getmaskarray(data)] = np.nan if values.dtype.kind == "f" else None
    return values


def _from_cells(name: str, cells: Any, infer: bool) -> Column:
    """A column from a NumPy array, a list or a series."""
    if isinstance(cells, Column):
        return cells.renamed(name)
    if _is_series(cells):
        import narwhals as nw

        return _from_series(name, nw.from_native(cells, series_only=True), infer)
    array = fill_masked(cells) if isinstance(cells, np.ndarray) else _as_object_array(name, cells)
    if array.ndim != 1:
        raise _not_one_value(name, f"arrays of shape {array.shape[1:]}")
    if infer and array.dtype.kind in "iu" and len(array) and _loses_digits(array.min(), array.max(), array.tolist):
        return infer_column(name, _as_strings(array.tolist()))
    if array.dtype.kind in "iuf":
        return _from_floats(name, array.astype(np.float64), infer)
    if array.dtype.kind == "b":
        return infer_column(name, array)
    if array.dtype.kind == "M":
        return _from_dates(name, array)
    if array.dtype.kind == "m":
        return Column.numbers(name, days_of(array, name), why="durations, in days")
    if array.dtype.kind == "c":
        raise DataError(
            f"column {name!r} holds complex numbers: Complex data not supported.",
            "real numbers",
            "Split it into real and imaginary part.",
        )
    return _from_objects(name, array, infer)


def _from_objects(name: str, array: np.ndarray, infer: bool) -> Column:
    cells = array.tolist()
    if set(map(type, cells)) - {str, bool, int, type(None)}:  # other types have their own missing values
        cells = [None if _is_missing(cell) else cell for cell in cells]
    types = set(map(type, cells)) - {type(None)}
    if not types:
        return Column.numbers(name, np.full(len(cells), np.nan), why="all values are missing")
    if types <= {bool, np.bool_}:
        return Column.labels(name, cells, (False, True), why="true or false")
    if all(issubclass(t, str) for t in types):
        return _from_strings(name, cells, infer)
    if all(issubclass(t, (datetime.date, np.datetime64)) for t in types):
        return _from_dates(name, np.array([_instant(cell) for cell in cells], "datetime64"))
    if all(issubclass(t, (datetime.timedelta, np.timedelta64)) for t in types):
        return Column.numbers(name, days_of(np.array(cells, "timedelta64"), name), why="durations, in days")
    if infer and all(issubclass(t, numbers.Integral) for t in types):
        whole = [int(cell) for cell in cells if cell is not None]
        if _loses_digits(min(whole), max(whole), lambda: whole):
            return infer_column(name, _as_strings(cells))
    if all(issubclass(t, (numbers.Real, np.bool_)) or t.__name__ == "Decimal" for t in types):
        values = np.fromiter((np.nan if c is None else _float(name, c) for c in cells), np.float64, len(cells))
        return _from_floats(name, values, infer)
    strange = [t.__name__ for t in types if not issubclass(t, (str, numbers.Real))]
    if strange:
        raise _not_one_value(name, f"values of type {strange[0]}")
    texts = sorted({c for c in cells if isinstance(c, str)})
    raise DataError(
        f"column {name!r} mixes numbers with strings: {quote_some(texts)}.",
        "one type of value in a column",
        f"Replace the strings with missing values, or convert all values to strings: {name}.astype(str).",
    )


def _float(name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise DataError(
            f"column {name!r} holds a number of {math.floor(math.log10(abs(value))) + 1} digits.",
            "numbers below 1.8e308",
            "Convert them to logarithms, or to strings if they are codes.",
        ) from None


def _from_strings(name: str, cells: list[str | None], infer: bool) -> Column:
    if infer:
        return infer_column(name, cells)
    return Column.labels(name, cells, why=STRINGS)


def _as_strings(cells: list[Any]) -> list[str | None]:
    return [None if _is_missing(cell) else str(cell) for cell in cells]


def _loses_digits(least: Any, largest: Any, cells: Callable[[], Iterable[Any]]) -> bool:
    """Whether float64 would round more than half of the integers of a column, as it does identifiers of 64 bits."""
    if least is None or math.isnan(float(least)) or -_EXACT <= int(least) <= int(largest) <= _EXACT:
        return False
    distinct = {int(cell) for cell in cells() if not _is_missing(cell)}
    return 2 * sum(abs(whole) < _LARGEST and int(float(whole)) != whole for whole in distinct) > len(distinct)


def _from_floats(name: str, values: np.ndarray, infer: bool) -> Column:
    return infer_column(name, values) if infer else Column.numbers(name, values, why="numbers")


def _from_dates(name: str, moments: np.ndarray, zone: str = "") -> Column:
    return Column.numbers(name, days_of(moments, name), dates=True, why=f"dates, as days since 1970-01-01{zone}")


def _instant(moment: Any) -> Any:
    """A date as NumPy takes it: without a zone, in UTC."""
    if moment is None:
        return np.datetime64("NaT")
    zoned = getattr(moment, "tzinfo", None) is not None
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if zoned else moment


def _as_object_array(name: str, cells: Any) -> np.ndarray:
    if hasattr(cells, "to_numpy"):
        return np.asarray(cells.to_numpy())
    if not isinstance(cells, Iterable):
        raise DataError(f"column {name!r} is {cells!r}.", "a list or an array of values", "Use [value] for one row.")
    cells = list(cells)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    differs = cell != cell  # an array of truth values if the cell is an array
    return isinstance(differs, (bool, np.bool_)) and bool(differs)


class _NestedError(DataError):
    """A column whose cells are not single values; ``what`` they are."""

    what = ""


def _not_one_value(name: str, what: str) -> _NestedError:
    hint = "Split it into columns, convert it to numbers, strings, dates or durations, or drop it."
    error = _NestedError(f"column {name!r} holds {what}.", "one value per cell", hint)
    error.what = what
    return error


# -- out -----------------------------------------------------------------------------------------------


def to_polars(columns: list[Column]) -> Any:
    """A polars frame: ordinals as Enum, other string levels as Categorical, dates as Datetime."""
    import polars as pl

    def series(column: Column) -> Any:
        if column.dates:
            moments = _moments(column)
            return pl.Series(column.name, moments)
        if column.kind is Kind.NUMERIC:
            return pl.Series(column.name, column.values)
        cells = [None if gone else cell for cell, gone in zip(column.decoded(), column.missing, strict=True)]
        strings = column.kind.has_levels and all(isinstance(level, str) for level in column.levels)
        if not strings:
            return pl.Series(column.name, cells)
        return pl.Series(
            column.name,
            cells,
            dtype=pl.Enum([str(level) for level in column.levels]) if column.kind is Kind.ORDINAL else pl.Categorical,
        )

    return pl.DataFrame([series(column) for column in columns])


def to_pandas(columns: list[Column]) -> Any:
    """A pandas frame: levels as categories, ordered for ordinals; dates as datetimes."""
    pd = _import("pandas")

    def series(column: Column) -> Any:
        if column.dates:
            return _moments(column)
        if column.kind.has_levels:
            ordered = column.kind is Kind.ORDINAL
            return pd.Categorical.from_codes(column.values, categories=list(column.levels), ordered=ordered)
        return column.values

    return pd.DataFrame({column.name: series(column) for column in columns})


def to_arrow(columns: list[Column]) -> Any:
    """An Arrow table: levels as dictionaries, ordered for ordinals."""
    pa = _import("pyarrow")

    def array(column: Column) -> Any:
        if column.dates:
            return pa.array(_moments(column), from_pandas=True)
        if column.kind.has_levels:
            codes = pa.array(column.values, mask=column.missing)
            ordered = column.kind is Kind.ORDINAL
            return pa.DictionaryArray.from_arrays(codes, pa.array(list(column.levels)), ordered=ordered)
        return pa.array(column.values, from_pandas=True)

    return pa.table({column.name: array(column) for column in columns})


OUT: dict[str, Callable[[list[Column]], Any]] = {
    "polars": to_polars,
    "pandas": to_pandas,
    "pyarrow": to_arrow,
}


def _moments(column: Column) -> np.ndarray:
    present = ~np.isnan(column.values)
    moments = np.full(len(column), np.datetime64("NaT"), dtype="datetime64[us]")
    spans = np.rint(column.values[present] * _MICROSECONDS_A_DAY).astype("timedelta64[us]")
    moments[present] = _EPOCH + spans
    return moments


def _import(library: str) -> Any:
    try:
        return __import__(library)
    except ImportError:
        raise DataError(
            f"{library} is not installed.", f"{library} to convert the table", f"pip install {library}"
        ) from sys.exception()
