"""Gower's distance between rows of mixed kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.compiling import read_only
from probus.data import Column, Kind, Table
from probus.distances._distance import Distance
from probus.distances._gower_kernels import gower_block, gower_nearest
from probus.distances._topk import empty_nearest
from probus.errors import DataError
from probus.parallel import chunked, thread_count

_QUERIES_A_CHUNK = 128


class Gower:
    r"""The space of a table's rows under Gower's distance.

    .. math:: d(x, z) = \frac{\sum_j w_j\,\delta_j(x, z)\,d_j(x_j, z_j)}{\sum_j w_j\,\delta_j(x, z)}

    with :math:`d_j` the absolute difference divided by the range for numeric columns, the same of the ranks for
    ordinal ones, and 0 or 1 for equal or different levels. :math:`\delta_j` is 0 where either value is missing, and
    where both are the first level of an asymmetric binary column (two absences are no agreement); otherwise 1. Ranges
    are those of the table given here; a query outside them can be further than 1.

    Parameters
    ----------
    table : the rows to measure from.
    weights : a number per column, by name or in order; equal when None.
    asymmetric : names of binary columns of which only the last level counts as an agreement.

    >>> people = Table.of({"sex": ["m", "w", None], "salary": [2340, 2100, 2680]})
    >>> Gower(people).distances(people).round(3)
    array([[0.   , 0.707, 0.586],
           [0.707, 0.   , 1.   ],
           [0.586, 1.   , 0.   ]])
    """

    method = "brute"

    def __init__(
        self,
        table: Table,
        weights: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
        asymmetric: Sequence[str] = (),
    ):
        self.schema = table.schema
        self.n_rows = table.n_rows
        self._asymmetric = frozenset(asymmetric)
        _must_be_measurable(table, self._asymmetric)
        by_name = dict(zip(table.names, _column_weights(table, weights), strict=True))
        self._scaled = [c for c in table if c.kind in (Kind.NUMERIC, Kind.ORDINAL)]
        self._matched = [c for c in table if c.kind in (Kind.BINARY, Kind.NOMINAL)]
        self._scaled_weights = np.array([by_name[c.name] for c in self._scaled])
        self._matched_weights = np.array([by_name[c.name] for c in self._matched])
        self._divisors = np.array([_range(_magnitudes(c)) for c in self._scaled])
        self._is_asymmetric = np.array([c.name in self._asymmetric for c in self._matched], dtype=bool)
        self._numbers, self._codes = (np.ascontiguousarray(part.T) for part in self._layout(table))
        self._number_missing = np.isnan(self._numbers).any(axis=1)
        self._code_missing = (self._codes < 0).any(axis=1)

    def _layout(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        """Rows × columns: weighted, range-scaled numbers, and codes."""
        numbers = np.empty((table.n_rows, len(self._scaled)))
        for j, column in enumerate(self._scaled):
            numbers[:, j] = _magnitudes(table[column.name]) * (self._scaled_weights[j] / self._divisors[j])
        codes = np.empty((table.n_rows, len(self._matched)), dtype=np.int32)
        for j, column in enumerate(self._matched):
            codes[:, j] = table[column.name].values
        return numbers, codes

    def _parts(self, queries: Any) -> tuple[Any, ...]:
        """What the kernels take: the queries, then the rows."""
        parts = (
            *self._layout(self.schema.apply(queries)),
            self._numbers,
            self._codes,
            self._scaled_weights,
            self._matched_weights,
            self._number_missing,
            self._code_missing,
            self._is_asymmetric,
        )
        return tuple(map(read_only, parts))

    def distances(self, queries: Any, n_jobs: int | None = None) -> np.ndarray:
        """The distance of every query to every row, NaN where no column can be compared."""
        query_numbers, query_codes, *rest = self._parts(queries)
        out = np.empty((len(query_numbers), self.n_rows))

        def fill(start: int, stop: int) -> None:
            gower_block(query_numbers[start:stop], query_codes[start:stop], *rest, out[start:stop])

        chunked(fill, len(out), self._threads(len(out), n_jobs), chunk=_QUERIES_A_CHUNK)
        return out

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of every query and how far they are; of equal distances the first rows.

        No matrix of all distances is made. Rows that cannot be compared come last, at distance infinity.
        """
        if not 0 < k <= self.n_rows:
            raise DataError(f"{k} neighbours requested of {self.n_rows} rows.", f"between 1 and {self.n_rows}")
        query_numbers, query_codes, *rest = self._parts(queries)
        distances, rows = empty_nearest(len(query_numbers), k)

        def fill(start: int, stop: int) -> None:
            part = slice(start, stop)
            gower_nearest(query_numbers[part], query_codes[part], *rest, distances[part], rows[part])

        chunked(fill, len(rows), self._threads(len(rows), n_jobs), chunk=_QUERIES_A_CHUNK)
        if rows.size and rows[:, -1].min() < 0:
            _fill_incomparable(rows)
        return distances, rows

    def _threads(self, n_queries: int, n_jobs: int | None) -> int:
        return thread_count(n_jobs, float(n_queries) * self.n_rows * max(1, len(self.schema)))


def gower_distances(
    X: Any,
    Y: Any = None,
    *,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    asymmetric: Sequence[str] = (),
    n_jobs: int | None = None,
) -> np.ndarray:
    """Gower's distance between every row of X and every row of Y (of X itself where None), as a matrix.

    Frames and dicts are typed by their dtypes, as in a model's ``fit``; ranges are those of the rows of both. See
    ``Gower`` for the formula and the parameters; ``Gower.nearest`` finds neighbours without making the matrix.

    Parameters
    ----------
    X : rows of typed columns.
    Y : other rows with the same columns; None is X.
    weights : the weight of each column.
    asymmetric : the names of binary columns where two rows without the trait are not alike.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.

    Returns
    -------
    The distances, rows of X × rows of Y.

    >>> gower_distances({"size": [1.0, 3.0], "colour": ["red", "blue"]}).round(2)
    array([[0., 1.],
           [1., 0.]])
    """
    table = Table.of(X, infer=False)
    if Y is None:
        return Gower(table, weights, asymmetric).distances(table, n_jobs)
    other = table.schema.apply(Y)
    space = Gower(other, weights, asymmetric)
    both = [np.concatenate([_magnitudes(table[c.name]), _magnitudes(c)]) for c in space._scaled]
    divisors = np.array([_range(values) for values in both])
    space._numbers *= (space._divisors / divisors)[:, None]
    space._divisors = divisors
    return space.distances(table, n_jobs)


@dataclass(frozen=True)
class GowerDistance(Distance):
    """Gower's distance, as ``metric="gower"``."""

    names: tuple[str, ...] = ("gower",)
    typed: bool = True
    missing: bool = True
    sparse: bool = False
    own: bool = True

    def search(self, rows: Table, params: Mapping[str, Any], algorithm: str) -> Gower:
        """The space of the table's rows."""
        return Gower(rows, **params)

    def pairs(self, X: Any, Y: Any = None, n_jobs: int | None = None, **params: Any) -> np.ndarray:
        """See ``gower_distances``."""
        return gower_distances(X, Y, n_jobs=n_jobs, **params)


def _magnitudes(column: Column) -> np.ndarray:
    """Numbers unchanged, ordinals by rank; NaN for missing."""
    if column.kind is Kind.NUMERIC:
        return column.values
    return np.where(column.values < 0, np.nan, column.values.astype(np.float64))


def _range(values: np.ndarray) -> float:
    """Largest less smallest; 1 where nothing varies, so that a constant column adds nothing."""
    present = values[~np.isnan(values)]
    return float(np.ptp(present)) or 1.0 if present.size else 1.0


def _column_weights(table: Table, weights: Mapping[str, float] | Sequence[float] | np.ndarray | None) -> np.ndarray:
    if weights is None:
        return np.ones(len(table.names))
    if isinstance(weights, Mapping):
        for name in weights:
            table[name]
        weights = [weights.get(name, 1.0) for name in table.names]
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (len(table.names),) or not (array >= 0).all() or not np.isfinite(array).all() or not array.any():
        raise DataError(
            f"column weights {np.asarray(weights).tolist()}.",
            f"{len(table.names)} numbers, none negative, not all zero",
        )
    return array


def _must_be_measurable(table: Table, asymmetric: frozenset[str]) -> None:
    for column in table:
        if column.kind is Kind.TEXT:
            raise DataError(f"column {column.name!r} is text.", "numbers or levels", "Drop it from the table.")
        if column.kind is Kind.NUMERIC and np.isinf(column.values).any():
            raise DataError(f"column {column.name!r} holds infinite values.", "a finite range", "Make them missing.")
    for name in asymmetric:
        if table[name].kind is not Kind.BINARY:
            raise DataError(f"column {name!r} is {table[name].kind}.", "a binary column to be asymmetric")


def _fill_incomparable(rows: np.ndarray) -> None:
    """Give queries that can be compared with fewer than k rows the first rows that are left."""
    for i in np.flatnonzero(rows[:, -1] < 0):
        found = rows[i][rows[i] >= 0]
        spare = np.setdiff1d(np.arange(len(found) + rows.shape[1]), found)
        rows[i, len(found) :] = spare[: rows.shape[1] - len(found)]
