"""Ordered categories in parquet and Arrow files: polars reads their values, but not their order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from probus.data._column import Column, in_order
from probus.data._kind import Kind
from probus.data.reading._byte_source import Source

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
