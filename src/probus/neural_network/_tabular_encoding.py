"""How a typed table becomes the input of a network: numbers on one scale, flags of missing ones, codes of levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.data import Column, Kind, Table
from probus.errors import ModelFileError
from probus.state import Array, Many, Part, Spec

_WIDEST = 3.0  # scaled numbers approach this one on both sides
_IQR = 1.349  # the distance of the quartiles of a standard normal distribution
_RARE = 2  # rows; a level in fewer of them is treated as an unseen one
_NO_BIN = 1e9  # where a bin begins that a column does not have


@dataclass(frozen=True)
class Cells:
    """Encoded rows.

    numbers : float32[n, numeric], 0 where a value is missing
    gone : float32[n, flags], 1 where a value is missing
    codes : int32[n, nominal], 0 for missing, unseen and rare levels
    """

    numbers: np.ndarray
    gone: np.ndarray
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def some(self, rows: Any) -> Cells:
        """Some of the rows."""
        return Cells(self.numbers[rows], self.gone[rows], self.codes[rows])

    def matrix(self) -> np.ndarray:
        """All of it as one matrix."""
        return np.hstack([self.numbers, self.gone, self.codes])


@dataclass(frozen=True, eq=False)
class TabularEncoding(Part):
    """The encoding of the columns of a table, learnt from training rows.

    Numbers, and the ranks of ordinal levels, are centred at the median and divided by the distance of the quartiles;
    a smooth function keeps outliers within ±3 (as in RealMLP, Holzmüller et al. 2024).

    Attributes
    ----------
    numeric, nominal : the places of columns of numbers or ranks, and of other levels.
    flagged : the places, among the numeric ones, of those with missing values in training.
    centre, rate : half the median, and one divided by half the scale; 0 for a constant column.
    lower, width : where the bins of each numeric column begin, and how wide they are.
    levels : for each nominal column the code of each level.
    """

    numeric: np.ndarray
    nominal: np.ndarray
    flagged: np.ndarray
    centre: np.ndarray
    rate: np.ndarray
    lower: np.ndarray
    width: np.ndarray
    levels: list[np.ndarray]

    declared: ClassVar[Mapping[str, Spec]] = {
        "numeric": Array("i4", "d", low=0),
        "nominal": Array("i4", "c", low=0),
        "flagged": Array("i4", "g", low=0, high="d"),
        "centre": Array("f8", "d"),
        "rate": Array("f8", "d"),
        "lower": Array("f4", "d t"),
        "width": Array("f4", "d t"),
        "levels": Many(Array("i4", "*", low=0), "c"),
    }

    def check(self) -> None:
        """See ``Part``."""
        arrays = (self.centre, self.rate, self.lower, self.width)
        if not all(np.isfinite(each).all() for each in arrays) or (self.width <= 0.0).any():
            raise ModelFileError("TabularEncoding: numbers that are not finite, or bins without width.")

    @classmethod
    def fitted_to(cls, table: Table, n_bins: int) -> TabularEncoding:
        """The encoding of the rows of a table.

        Parameters
        ----------
        table : the training rows.
        n_bins : the most bins of a column.

        Returns
        -------
        The encoding.
        """
        columns = list(table)
        is_number = [column.is_number_like or column.kind is Kind.ORDINAL for column in columns]
        is_number = [yes and column.kind is not Kind.BINARY for yes, column in zip(is_number, columns, strict=True)]
        numeric, nominal = np.flatnonzero(is_number), np.flatnonzero(~np.array(is_number))
        values = _values(columns, numeric, len(table))
        scales = [_scale(column) for column in values.T]
        centre, rate = (np.array([scale[i] for scale in scales], np.float64) for i in (0, 1))
        numbers = _scaled(values, centre, rate)
        bins = [_bins(column, n_bins) for column in numbers.T]
        return cls(
            numeric.astype(np.int32),
            nominal.astype(np.int32),
            np.flatnonzero(np.isnan(values).any(axis=0)).astype(np.int32),
            centre,
            rate,
            np.array([lower for lower, _ in bins], np.float32).reshape(len(numeric), n_bins),
            np.array([width for _, width in bins], np.float32).reshape(len(numeric), n_bins),
            [_codes_of_levels(columns[place]) for place in nominal],
        )

    @property
    def n_levels(self) -> list[int]:
        """The number of codes of each nominal column, that of unseen levels among them."""
        return [int(codes.max(initial=0)) + 1 for codes in self.levels]

    def cells(self, table: Table) -> Cells:
        """The rows of a table as numbers, flags and codes.

        Parameters
        ----------
        table : the rows, with the columns of the training rows.

        Returns
        -------
        The encoded rows.
        """
        columns, n = list(table), len(table)
        values = _values(columns, self.numeric, n)
        gone = (
            np.isnan(values[:, self.flagged]).astype(np.float32) if len(self.flagged) else np.empty((n, 0), np.float32)
        )
        numbers = _scaled(values, self.centre, self.rate)
        numbers[np.isnan(numbers)] = 0.0
        numbers = numbers.astype(np.float32)
        codes = np.zeros((n, len(self.nominal)), np.int32)
        for i, (place, own) in enumerate(zip(self.nominal, self.levels, strict=True)):
            codes[:, i] = np.append(own, 0)[columns[place].values]  # -1, which is missing, is the last
        return Cells(numbers, gone, codes)


def _values(columns: list[Column], places: np.ndarray, n: int) -> np.ndarray:
    """The numbers, or ranks of levels, of some columns: float64[n, places]."""
    found = np.empty((n, len(places)))
    for i, place in enumerate(places.tolist()):
        values = columns[place].values
        found[:, i] = values if columns[place].kind is Kind.NUMERIC else np.where(values < 0, np.nan, values)
    return found


def _scale(values: np.ndarray) -> tuple[float, float]:
    """Half the median, and one divided by half the scale; halves, since differences of large numbers overflow."""
    known = 0.5 * values[~np.isnan(values)]
    if not len(known):
        return 0.0, 0.0
    low, centre, high = np.quantile(known, [0.25, 0.5, 0.75])
    scale = (high - low) / _IQR or 0.5 * (known.max() - known.min())
    return float(centre), float(1.0 / scale) if scale > 1.0 / np.finfo(np.float64).max else 0.0


def _scaled(values: np.ndarray, centre: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The numbers on one scale, within ±3."""
    with np.errstate(over="ignore"):
        scaled = np.minimum(np.maximum((0.5 * values - centre) * rate, -1e6), 1e6)  # np.clip is slow for one row
    return scaled / np.sqrt(1.0 + (scaled / _WIDEST) ** 2)


def _bins(numbers: np.ndarray, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Where bins of equally many rows begin, and their widths; fewer where values repeat."""
    known = numbers[~np.isnan(numbers)].astype(np.float32)
    lower, width = np.full(n_bins, _NO_BIN, np.float32), np.ones(n_bins, np.float32)
    if len(known):
        edges = np.unique(np.quantile(known, np.linspace(0.0, 1.0, n_bins + 1)).astype(np.float32))
        lower[: len(edges) - 1], width[: len(edges) - 1] = edges[:-1], np.diff(edges)
    return lower, width


def _codes_of_levels(column: Column) -> np.ndarray:
    """The code of each level: from 1 on, 0 for those in hardly any row."""
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
    codes = np.zeros(len(column.levels), np.int32)
    often = counts >= _RARE
    codes[often] = np.arange(1, often.sum() + 1)
    return codes
