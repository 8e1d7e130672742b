"""How a typed table becomes the cells of the network: numbers on one scale, codes of levels, NaN for missing values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.data import Column, Kind, Table
from probus.errors import ModelFileError
from probus.state import Array, Part, Spec

_BINS = 8  # of a column whose relation to the target is measured


@dataclass(frozen=True, eq=False)
class CellEncoding(Part):
    """The encoding of the columns of a table, learnt from training rows.

    Attributes
    ----------
    columns : the places of the columns that are used.
    levels : for each of them the number of levels, 0 for numbers and for the ranks of ordinal levels.
    centre, rate : half the median, and one divided by half the distance of values from it; 0 and 1 for levels.
    """

    columns: np.ndarray
    levels: np.ndarray
    centre: np.ndarray
    rate: np.ndarray

    declared: ClassVar[Mapping[str, Spec]] = {
        "columns": Array("i4", "d", low=0),
        "levels": Array("i4", "d", low=0),
        "centre": Array("f8", "d"),
        "rate": Array("f8", "d"),
    }

    def check(self) -> None:
        """See ``Part``."""
        if not np.isfinite(self.centre).all() or not np.isfinite(self.rate).all() or not len(self.columns):
            raise ModelFileError("CellEncoding: no columns, or numbers that are not finite.")

    @classmethod
    def fitted_to(cls, table: Table, targets: np.ndarray, most: int) -> CellEncoding:
        """The encoding of the training rows of a table.

        Columns that are the same in all rows are left out. Of more than ``most``, those that are most closely related
        to the target are used: by the variance of the targets between the levels of a column, or between eight bins
        of a number.

        Parameters
        ----------
        table : the training rows.
        targets : the targets as numbers, rows × outputs.
        most : the most columns.

        Returns
        -------
        The encoding.
        """
        columns = list(table)
        values = [_values(column) for column in columns]
        chosen = [j for j, column in enumerate(values) if _varies(column)] or [0]
        if len(chosen) > most:
            share = np.array([_explained(values[j], _n_levels(columns[j]), targets) for j in chosen])
            chosen = sorted(np.array(chosen)[np.argsort(-share, kind="stable")[:most]].tolist())
        levels = np.array([_n_levels(columns[j]) for j in chosen], np.int32)
        scales = [(0.0, 1.0) if n else _scale(values[j]) for j, n in zip(chosen, levels, strict=True)]
        centre, rate = np.array(scales, np.float64).T.copy()
        return cls(np.array(chosen, np.int32), levels, centre, rate)

    @property
    def nominal(self) -> np.ndarray:
        """Which of the columns that are used have levels without order."""
        return self.levels > 0

    def cells(self, table: Table) -> np.ndarray:
        """The rows of a table: float32[n, columns], NaN where a value is missing.

        Parameters
        ----------
        table : the rows, with the columns of the training rows.

        Returns
        -------
        The cells.
        """
        columns = list(table)
        found = np.empty((len(table), len(self.columns)), np.float32)
        for i, place in enumerate(self.columns):
            values = _values(columns[place])
            if not self.levels[i]:
                with np.errstate(over="ignore"):
                    values = np.clip((0.5 * values - self.centre[i]) * self.rate[i], -1e30, 1e30)
            found[:, i] = values
        return found

    def fits(self, schema: Any) -> bool:
        """Whether the columns of a schema are those of the encoding."""
        fields = schema.fields
        if self.columns.max() >= len(fields):
            return False
        known = [len(fields[j].levels) if _is_nominal(fields[j]) else 0 for j in self.columns]
        return known == self.levels.tolist()


def _is_nominal(column: Any) -> bool:
    numeric = column.kind is Kind.BINARY and all(isinstance(each, (bool, int, float)) for each in column.levels)
    return column.kind in (Kind.NOMINAL, Kind.BINARY) and not numeric


def _n_levels(column: Column) -> int:
    return len(column.levels) if _is_nominal(column) else 0


def _values(column: Column) -> np.ndarray:
    """The numbers, ranks or codes of a column, NaN where they are missing."""
    return np.where(column.values < 0, np.nan, column.values) if _n_levels(column) else column.numbers_array()


def _varies(values: np.ndarray) -> bool:
    known = values[~np.isnan(values)]
    return len(known) > 0 and (len(known) < len(values) or bool((known != known[0]).any()))


def _scale(values: np.ndarray) -> tuple[float, float]:
    """Half the median, and one divided by half the root mean square distance from it; halves do not overflow."""
    known = 0.5 * values[~np.isnan(values)]
    if not len(known):
        return 0.0, 1.0
    centre = np.median(known)
    far = np.abs(known - centre)
    largest = far.max()
    scale = largest * np.sqrt(np.mean((far / largest) ** 2)) if largest > 0.0 else 0.0
    return float(centre), float(1.0 / scale) if scale > 1.0 / np.finfo(np.float64).max else 1.0


def _explained(values: np.ndarray, n_levels: int, targets: np.ndarray) -> float:
    """The share of the variance of the targets between levels or bins, corrected for their number."""
    known = ~np.isnan(values)
    codes = np.full(len(values), -1)
    if n_levels:
        codes[known] = values[known].astype(int)
    else:
        edges = np.unique(np.quantile(values[known], np.linspace(0, 1, _BINS + 1)[1:-1]))
        codes[known] = np.searchsorted(edges, values[known], side="right")
    _, codes = np.unique(codes, return_inverse=True)
    counts = np.bincount(codes).astype(np.float64)
    centred = targets - targets.mean(axis=0)
    sums = np.array([np.bincount(codes, weights=column) for column in centred.T])
    between, total = (sums**2 / counts).sum(), (centred**2).sum()
    n, k = len(values), len(counts)
    if total <= 0.0 or n <= k:
        return 0.0
    return float(1.0 - (1.0 - between / total) * (n - 1) / (n - k))
