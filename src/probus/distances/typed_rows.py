"""Rows of a typed table as one matrix of numbers, which is what a fitted model keeps."""

from __future__ import annotations

import numpy as np

from probus.data import Column, Kind, Schema, Table
from probus.errors import ModelFileError

__all__ = ["check_codes", "decode", "encode"]


def encode(table: Table) -> np.ndarray:
    """The columns of a table: numbers unchanged, levels by code, NaN for missing."""
    matrix = np.empty(table.shape)
    for j, column in enumerate(table):
        missing = column.missing
        matrix[:, j] = column.values
        matrix[missing, j] = np.nan
    return matrix


def decode(matrix: np.ndarray, schema: Schema) -> Table:
    """The table that ``encode`` was given."""
    columns = []
    for field, values in zip(schema, matrix.T, strict=True):
        if field.kind is Kind.NUMERIC:
            columns.append(Column.numbers(field.name, values, dates=field.dates))
        else:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            columns.append(Column(field.name, field.kind, codes, field.levels))
    return Table(columns)


def check_codes(matrix: np.ndarray, schema: Schema) -> None:
    """Raise a ModelFileError where a code has no level."""
    for field, values in zip(schema, matrix.T, strict=True):
        codes = values[~np.isnan(values)]
        if field.kind.has_levels and not np.isin(codes, np.arange(len(field.levels))).all():
            raise ModelFileError(f"column {field.name!r} holds codes beyond its levels.", "codes of levels")
