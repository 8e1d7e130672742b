"""Files that store the types of their columns: parquet, Arrow, JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from numbers import Real
from typing import TYPE_CHECKING, Any

from probus.data import _frames as frames
from probus.data._column import Column, as_missing, quote_some
from probus.data.reading._arrow_dictionaries import arrow_table, in_declared_order
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
