"""What a fitted model adds up: a curve for each column and a table for each pair, over the codes of the columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.ensemble.glass_box._curve_kernel import sum_terms
from probus.ensemble.glass_box._pair_kernel import PairPlan, sum_pairs
from probus.errors import ModelFileError
from probus.parallel import chunked, thread_count
from probus.state import Array, Object, Part, Spec


@dataclass(frozen=True, eq=False)
class AdditiveTerms(Part):
    """Curves and tables on the scale of the link; the prediction is the intercept plus one value of each.

    Attributes
    ----------
    columns : how the columns are coded
    curves, errors : float64[T, k], the value of each bin of each column for each output, and its standard error
    rows, centres : float64[T], the weight of the training rows in each bin, and their mean value; of levels the code
    coarse, sizes : uint8[T], int64[d], the bin of a pair that each bin of a column is in, and how many there are
    pairs : int64[p, 2], the columns of each pair
    tables, pair_rows : float64[P, k], float64[P], the value of each cell of each pair, and the weight of its rows
    """

    columns: ColumnCodes
    curves: np.ndarray
    errors: np.ndarray
    rows: np.ndarray
    centres: np.ndarray
    coarse: np.ndarray
    sizes: np.ndarray
    pairs: np.ndarray
    tables: np.ndarray
    pair_rows: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "columns": Object(ColumnCodes),
        "curves": Array("f8", "T k"),
        "errors": Array("f8", "T k"),
        "rows": Array("f8", "T"),
        "centres": Array("f8", "T"),
        "coarse": Array("u1", "T"),
        "sizes": Array("i8", "d", low=1, high=257),
        "pairs": Array("i8", "p 2", low=0, high="d"),
        "tables": Array("f8", "P k"),
        "pair_rows": Array("f8", "P"),
    }

    def check(self) -> None:
        """Raise a ModelFileError where a code would be outside the curves and tables."""
        starts = self.columns.starts
        if len(self.sizes) != len(starts) - 1 or starts[-1] != len(self.curves):
            raise ModelFileError(f"curves of {len(self.curves)} bins.", f"{starts[-1]}")
        tops = np.maximum.reduceat(self.coarse, starts[:-1]) if len(self.coarse) else self.sizes
        if (tops >= self.sizes).any():
            raise ModelFileError("a bin of a pair beyond the size of its column.")
        if self.plan.starts[-1] != len(self.tables):
            raise ModelFileError(f"tables of {len(self.tables)} cells.", f"{self.plan.starts[-1]}")
        if not (np.isfinite(self.curves).all() and np.isfinite(self.tables).all()):
            raise ModelFileError("curves with values that are not finite.")

    @property
    def starts(self) -> np.ndarray:
        """Where the bins of each column begin."""
        return self.columns.starts

    @cached_property
    def plan(self) -> PairPlan:
        """The pairs as kernels read them."""
        cells = self.sizes[self.pairs].prod(axis=1) if len(self.pairs) else np.zeros(0, np.int64)
        return PairPlan(self.pairs, np.concatenate([[0], np.cumsum(cells)]).astype(np.int64), self.sizes)

    def part(self, j: int) -> slice:
        """The bins of a column."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))

    def cells(self, p: int) -> slice:
        """The cells of a pair."""
        return slice(int(self.plan.starts[p]), int(self.plan.starts[p + 1]))

    def shape(self, p: int) -> tuple[int, int]:
        """The bins of both columns of a pair."""
        return int(self.sizes[self.pairs[p, 0]]), int(self.sizes[self.pairs[p, 1]])

    def with_curve(self, j: int, values: np.ndarray, errors: np.ndarray) -> AdditiveTerms:
        """The same terms with another curve of a column."""
        curves, others = self.curves.copy(), self.errors.copy()
        curves[self.part(j)], others[self.part(j)] = values, errors
        return replace(self, curves=curves, errors=others)

    def with_tables(self, tables: np.ndarray) -> AdditiveTerms:
        """The same terms with other tables of the pairs."""
        return replace(self, tables=tables)

    def coarse_codes(self, codes: np.ndarray) -> np.ndarray:
        """The codes of rows in pairs: uint8[d, n]; of columns in no pair they are 0."""
        out = np.zeros_like(codes)
        for j in np.unique(self.pairs).tolist():
            out[j] = self.coarse[self.part(j)][codes[j]]
        return out

    def add_to(self, codes: np.ndarray, out: np.ndarray, n_jobs: int | None = None) -> None:
        """Add all terms of rows to ``out`` (INOUT), float64[n, k]."""

        def part(first: int, last: int) -> None:
            some = np.ascontiguousarray(codes[:, first:last])
            sum_terms(some, self.starts, self.curves, out[first:last])
            if len(self.pairs):
                sum_pairs(self.coarse_codes(some), self.plan, self.tables, out[first:last])

        n = codes.shape[1]
        threads = thread_count(n_jobs, 4.0 * n * (codes.shape[0] + len(self.pairs)) * out.shape[1])
        chunked(part, n, threads, chunk=max(4096, -(-n // (4 * threads))))

    def of_rows(self, codes: np.ndarray) -> Iterator[np.ndarray]:
        """The values of each term for rows, columns first: float64[n, k] each."""
        for j in range(len(codes)):
            yield self.curves[self.part(j)][codes[j]]
        coarse = self.coarse_codes(codes)
        for p, (first, second) in enumerate(self.pairs.tolist()):
            cell = coarse[first].astype(np.int64) * self.sizes[second] + coarse[second]
            yield self.tables[self.cells(p)][cell]
