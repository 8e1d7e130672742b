"""Files that store the types of their columns: parquet, Arrow, JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from numbers import Real
from typing import TYPE_CHECKING, Any

from probus.data import _frames as frames
from probus.data._column import Column, as_missing, in_order, quote_some
from probus.data._kind import Kind
from probus.data.reading._byte_source import Source
from probus.data.reading._encoding import to_utf8
from probus.data.reading._header import choose_columns
from probus.data.reading._missing_markers import Declared
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_Read = tuple[list[Column], list[str]]
_Names = Sequence[str] | None


def read_parquet(source: Source, declared: Declared, columns: _Names = None) -> _Read:
    """The columns of a parquet file; only the chosen ones are read."""
    import polars as pl

    def parse(data: io.BytesIO) -> pl.DataFrame:
        wanted = columns and choose_columns(list(pl.read_parquet_schema(data)), columns, source.name)
        return pl.read_parquet(data, columns=list(wanted) if wanted else None)

    return _of_frame(_parse(parse, source), declared, source, columns)


def read_arrow(source: Source, declared: Declared, columns: _Names = None) -> _Read:
    """The columns of an Arrow file, also known as Feather, or of an Arrow stream."""
    import polars as pl

    def parse(data: io.BytesIO) -> Any:
        try:
            return (pl.read_ipc if source.data.startswith(b"ARROW1") else pl.read_ipc_stream)(data)
        except pl.exceptions.ComputeError:  # pandas writes -1 for missing categories, which only pyarrow reads
            if find_spec("pyarrow") is None:
                raise
            try:
                return pl.from_arrow(arrow_table(source.data, lambda field: True))
            except ValueError as error:
                raise OSError(str(error)) from error

    return _of_frame(_parse(parse, source), declared, source, columns)


def read_json_lines(source: Source, declared: Declared, encoding: str | None = None, columns: _Names = None) -> _Read:
    """The columns of a file with one JSON object per line."""
    text, notes = to_utf8(source.data, encoding, source.name)
    records = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            where = f"{source.name}: line {number}"
            records.append(_record(_json(line, where), where))
    return _of_records(records, declared, notes, columns, source.name)


def read_json(source: Source, declared: Declared, encoding: str | None = None, columns: _Names = None) -> _Read:
    """The columns of a JSON array of objects; text that does not start with a bracket is read as JSON lines."""
    text, notes = to_utf8(source.data, encoding, source.name)
    if not text.lstrip().startswith(b"["):
        return read_json_lines(source, declared, encoding, columns)
    records = [_record(row, f"{source.name}: row {i}") for i, row in enumerate(_json(text, source.name), 1)]
    return _of_records(records, declared, notes, columns, source.name)


def _of_records(
    records: list[dict[str, Any]], declared: Declared, notes: list[str], columns: _Names, name: str
) -> _Read:
    table = _transpose(records)
    typed, more = columns_of_cells({each: table[each] for each in choose_columns(list(table), columns, name)}, declared)
    return typed, notes + more


def columns_of_cells(table: Mapping[str, list[Any]], declared: Declared) -> _Read:
    """Columns of Python values; values declared missing become None."""
    columns = {}
    for name, cells in table.items():
        if declared.words:
            cells = [None if declared.holds(cell) else cell for cell in cells]
        columns[name] = _of_one_type(name, cells)
    found = frames.columns_of(columns, infer=True)
    return found.columns, found.notes


def _of_one_type(name: str, cells: list[Any]) -> list[Any]:
    words = sorted({cell for cell in cells if isinstance(cell, str)})
    numbers = sum(isinstance(cell, Real) for cell in cells)
    if words and numbers:
        raise DataError(
            f"column {name!r} mixes {numbers} numbers with strings: {quote_some(words)}.",
            "one type of value in a column",
            replace(as_missing(words), when="if they mean missing values"),
        )
    return cells


def _of_frame(frame: pl.DataFrame, declared: Declared, source: Source, columns: _Names = None) -> _Read:
    import polars as pl

    frame = frame.select(choose_columns(frame.columns, columns, source.name))
    found = frames.columns_of(declared.removed(frame), infer=True)
    typed, notes = in_declared_order(found.columns, source, categorical=pl.Categorical in frame.dtypes)
    return typed, found.notes + notes


def _parse(parse: Callable[[Any], pl.DataFrame], source: Source) -> pl.DataFrame:
    import polars as pl

    try:
        return parse(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        cause = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(
            f"{source.name} cannot be read as {source.format}: {cause}.", "a complete file", "Get it again."
        ) from error


def _json(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"{where} is not JSON: {error}.", 'objects such as {"age": 22, "sex": "f"}') from None
    except RecursionError:
        raise DataError(f"{where} is nested too deeply.", "objects of plain values") from None


def _record(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise DataError(f"{where} holds a JSON {_json_type(row)}.", "an object whose keys are column names")
    return row


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _transpose(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


# -- ordered categories in parquet and Arrow files: polars reads their values, but not their order -----


_OF_PANDAS = re.compile(rb'\{"index_columns":.*?"pandas_version": "[^"]*"\}', re.DOTALL)


def in_declared_order(columns: list[Column], source: Source, *, categorical: bool) -> tuple[list[Column], list[str]]:
    """The columns, those that the file declares as ordered categories with their levels in that order, and notes.

    ``categorical`` is whether polars found a column of categories. The order is read with pyarrow; without it, a note
    names the columns that pandas wrote as ordered.
    """
    ordered_by_pandas = list(_pandas_ordinals(source.data))
    if not (categorical or ordered_by_pandas):
        return columns, []
    try:
        levels = _ordered_levels(source.data)
    except ImportError:
        unordered = [column for column in columns if column.name in ordered_by_pandas and column.kind is Kind.NOMINAL]
        return columns, [
            f"column {each.name!r} has ordered levels in the file, but their order is read with pyarrow, which is not "
            f"installed; install it, or pass {in_order(each.name)}"
            for each in unordered
        ]
    return [_in_order(column, levels.get(column.name)) for column in columns], []


def _in_order(column: Column, levels: list[Any] | None) -> Column:
    if levels is None:
        return column
    kind = Kind.BINARY if len(levels) == 2 else Kind.ORDINAL
    labels = column.as_kind(Kind.NOMINAL)
    return replace(labels.relevelled(levels, kind), why="a categorical column with its levels in order")


def _pandas_ordinals(data: bytes) -> Iterator[str]:
    """The columns that pandas describes as ordered categories in its metadata."""
    if (found := _OF_PANDAS.search(data)) and b'"ordered": true' in found[0]:
        for column in json.loads(found[0])["columns"]:
            if (column.get("metadata") or {}).get("ordered"):
                yield column["field_name"]


def _ordered_levels(data: bytes) -> dict[str, list[Any]]:
    """The levels of each column of ordered categories, by name."""
    import pyarrow as pa

    table = arrow_table(data, lambda field: pa.types.is_dictionary(field.type) and field.type.ordered)
    table = table.unify_dictionaries()
    return {
        name: column.chunk(0).dictionary.to_pylist()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if column.num_chunks
    }


def arrow_table(data: bytes, wanted: Callable[[Any], bool]) -> Any:
    """The selected columns of a parquet file, an Arrow file or an Arrow stream, by pyarrow."""
    import pyarrow as pa

    buffer = pa.BufferReader(data)
    if data.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(buffer)
        return file.read([field.name for field in file.schema_arrow if wanted(field)])
    open_file = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    schema = open_file(buffer).schema
    included = [place for place, field in enumerate(schema) if wanted(field)]
    if not included:
        return schema.empty_table().select([])
    buffer.seek(0)
    return open_file(buffer, options=pa.ipc.IpcReadOptions(included_fields=included)).read_all()
