"""The bins of the columns: those of boosting, a byte for each column, and always a code for missing values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from probus.ensemble.boosting._binning import Bins, bins_of
from probus.ensemble.boosting._node_arrays import CELLS, EVERY_CODE, GROUP, N_CODES, NOMINAL, SIZE, STRIDE
from probus.errors import ModelFileError
from probus.state import Array, Part, Spec
from probus.tree.preparation import Design


@dataclass(frozen=True, eq=False)
class ColumnCodes(Part):
    """How the columns are coded.

    Attributes
    ----------
    edges : float64[d, 256], the largest value of each bin but the last, then inf
    n_codes : int64[d], the number of bins without the one for missing values, which is the last
    n_levels : int64[d], the levels of nominal columns; 0 for numbers and ordinal columns
    level_codes : uint8[sum of n_levels], the code of each level
    """

    edges: np.ndarray
    n_codes: np.ndarray
    n_levels: np.ndarray
    level_codes: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "edges": Array("f8", f"d {EVERY_CODE}"),
        "n_codes": Array("i8", "d", low=1, high=EVERY_CODE),
        "n_levels": Array("i8", "d", low=0),
        "level_codes": Array("u1", "L"),
    }

    @classmethod
    def of(cls, design: Design, max_bins: int, n_jobs: int | None, seed: int) -> ColumnCodes:
        """The codes of a table's columns."""
        bins = bins_of(design, max_bins, n_jobs, seed)
        level_codes = np.concatenate([np.zeros(0, np.uint8), *bins.level_codes.values()])
        # as many levels as there are bins: those that are left over share the code of missing values
        return cls(bins.edges, bins.about[:, N_CODES].copy(), bins.n_levels, level_codes)

    def check(self) -> None:
        """Raise a ModelFileError where the arrays contradict each other."""
        ends = np.cumsum(self.n_levels)
        if len(ends) and ends[-1] != len(self.level_codes):
            raise ModelFileError(f"codes of {len(self.level_codes)} levels.", f"{ends[-1]}")
        codes = self.level_codes
        parts = np.split(codes, ends[:-1]) if len(ends) else []
        if any(part.max(initial=0) > n for part, n in zip(parts, self.n_codes.tolist(), strict=True)):
            raise ModelFileError("a code of a level beyond the bins of its column.")
        beyond = np.arange(EVERY_CODE) >= self.n_codes[:, None] - 1
        if not (np.isposinf(self.edges[beyond]).all() and (self.edges[:, 1:] >= self.edges[:, :-1]).all()):
            raise ModelFileError("edges of bins that do not rise, or are more than the bins.")

    @cached_property
    def starts(self) -> np.ndarray:
        """int64[d + 1], where the bins of each column begin in a flat array; the last of each is for missing values."""
        return np.concatenate([[0], np.cumsum(self.n_codes + 1)]).astype(np.int64)

    @cached_property
    def nominal(self) -> np.ndarray:
        """Which columns have no order."""
        return self.n_levels > 0

    def of_rows(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The codes of a matrix: uint8[d, n]."""
        about = np.zeros((len(self.n_codes), 7), np.int64)
        about[:, GROUP], about[:, STRIDE] = np.arange(len(about)), 1
        about[:, N_CODES], about[:, SIZE], about[:, NOMINAL] = self.n_codes, self.n_codes + 1, self.nominal
        about[:, CELLS] = about[:, SIZE]
        ends = np.cumsum(self.n_levels)
        parts = {
            j: self.level_codes[ends[j] - self.n_levels[j] : ends[j]] for j in np.flatnonzero(self.nominal).tolist()
        }
        return Bins(about, self.edges, parts, self.n_levels).codes(X, n_jobs).by_column

    def centres_of(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The mean value of the rows in each bin, of levels their code: float64[T]; NaN for missing values.

        A bin of one value has exactly that; an infinite one only where all values are.
        """
        out = np.full(int(self.starts[-1]), np.nan)
        for j, n in enumerate(self.n_codes.tolist()):
            part = out[self.starts[j] : self.starts[j] + n]
            if self.nominal[j]:
                part[:] = np.arange(n)
                continue
            values = X[:, j].astype(np.float64)
            finite = np.isfinite(values)
            for known in (~finite & ~np.isnan(values), finite):
                low, high = np.full(n, np.inf), np.full(n, -np.inf)
                at = codes[j][known]
                np.minimum.at(low, at, values[known])
                np.maximum.at(high, at, values[known])
                count = np.bincount(at, minlength=n)
                with np.errstate(over="ignore", invalid="ignore"):
                    mean = np.bincount(at, values[known] / count[at], minlength=n)
                part[count > 0] = np.where(low == high, low, np.clip(mean, low, high))[count > 0]
        return out
