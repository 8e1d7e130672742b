"""Binning: values become bytes once per fit, and columns of few values share one.

A numeric column has at most ``max_bins`` codes of about equally many rows, a nominal one a code for each of its most
frequent levels. Missing values have the code after the last. Columns of few codes are packed together, as digits of one
byte: one histogram of that byte has all of them as marginals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._node_arrays import CELLS, EVERY_CODE, GROUP, N_CODES, NOMINAL, SIZE, STRIDE
from probus.parallel import chunked, thread_count
from probus.tree.preparation import Design, cut_points

_SAMPLE = 50_000  # values from which the quantiles of a column are computed
_PACKED = 5_000  # rows from which on columns are packed
_BLOCK = 1024  # rows coded at a time, so that their codes stay in the cache
_COPIED = 1 << 18  # values copied at a time if they are not doubles in one piece


class Codes(NamedTuple):
    """The bytes of a table: by row for counting, by column for splitting rows."""

    by_row: np.ndarray  # uint8[n, G]
    by_column: np.ndarray  # uint8[G, n]


class UncodedValues(NamedTuple):
    """Rows to be coded: value j of row i is ``values[(at[i] - origin) * row + j * column]``."""

    values: np.ndarray  # float64, flat and read-only
    row: int
    column: int
    at: np.ndarray  # int32[n]
    origin: int


class Cuts(NamedTuple):
    """How kernels code columns: edges and ``about`` of the bins, and the codes of levels from ``begin[j]`` on."""

    edges: np.ndarray
    about: np.ndarray
    level_codes: np.ndarray  # uint8[*]
    begin: np.ndarray  # int64[d]
    n_levels: np.ndarray


@dataclass(frozen=True, eq=False)
class Bins:
    """How columns are coded.

    about : int64[d, 7], for each column: the byte it is in and its place there (``code = byte // stride % size``), how
        many codes it has with and without the missing, whether it is nominal, how many values its byte has, and 1 or
        −1 where predictions may only rise or fall with it
    edges : float64[d, 256], the largest value of each code but the last, then inf
    level_codes : for each nominal column the code of each of its levels
    n_levels : int64[d], how many levels each column has; 0 for numbers
    """

    about: np.ndarray
    edges: np.ndarray
    level_codes: dict[int, np.ndarray]
    n_levels: np.ndarray

    @property
    def n_bytes(self) -> int:
        """The number of bytes per row."""
        return int(self.about[:, GROUP].max()) + 1

    def codes(self, X: np.ndarray, n_jobs: int | None = None, at: np.ndarray | None = None) -> Codes:
        """The codes of a matrix, or of some of its rows."""
        n, d = len(X) if at is None else len(at), X.shape[1]
        cuts, every = self._cuts(), np.arange(n, dtype=np.int32)
        codes = Codes(np.zeros((n, self.n_bytes), np.uint8), np.empty((self.n_bytes, n), np.uint8))
        direct = X.dtype == np.float64 and (X.flags.c_contiguous or X.flags.f_contiguous)

        def part(first: int, last: int) -> None:
            if direct and X.flags.c_contiguous:
                source = UncodedValues(_flat(X), d, 1, every if at is None else at, 0)
            elif direct:
                source = UncodedValues(_flat(X.T), 1, len(X), every if at is None else at, 0)
            else:
                some = X[first:last] if at is None else X[at[first:last]]
                source = UncodedValues(_flat(np.ascontiguousarray(some, np.float64)), d, 1, every, first)
            code_rows(source, cuts, first, last, codes)

        threads = thread_count(n_jobs, 10.0 * n * d)
        chunk = -(-n // (8 * threads)) if direct else _COPIED // d
        chunked(part, n, threads, chunk=max(_BLOCK, chunk // _BLOCK * _BLOCK))
        return codes

    def _cuts(self) -> Cuts:
        level_codes = np.concatenate([np.zeros(0, np.uint8), *self.level_codes.values()])
        begin = np.full(len(self.about), -1, np.int64)
        begin[list(self.level_codes)] = np.cumsum([0, *map(len, self.level_codes.values())])[:-1]
        return Cuts(self.edges, self.about, level_codes, begin, self.n_levels)


def _flat(rows: np.ndarray) -> np.ndarray:
    flat = rows.reshape(-1).view()
    flat.flags.writeable = False  # read-only arrays have their own type in Numba: compile for one
    return flat


def bins_of(
    design: Design, max_bins: int = 255, n_jobs: int | None = None, seed: int = 0, at: np.ndarray | None = None
) -> Bins:
    """The bins of the columns of a design, computed from its rows ``at``, or from all."""
    X, n_levels, d = design.X, design.n_levels, design.X.shape[1]
    n, sampled = len(X) if at is None else len(at), slice(None) if at is None else at
    if n > _SAMPLE:
        drawn = np.sort(np.random.default_rng(seed).integers(0, n, _SAMPLE))
        sampled = drawn if at is None else at[drawn]
    sample = X[sampled]
    edges, n_codes = np.full((d, EVERY_CODE), np.inf), np.ones(d, np.int64)
    level_codes: dict[int, np.ndarray] = {}

    def part(first: int, last: int) -> None:
        for j in range(first, last):
            if n_levels[j]:
                level_codes[j] = _level_codes(X[slice(None) if at is None else at, j], int(n_levels[j]), max_bins)
                n_codes[j] = min(int(n_levels[j]), max_bins)
            else:
                values = np.sort(np.ascontiguousarray(sample[:, j], dtype=np.float64))
                n_codes[j] = 1 + cut_points(values, max_bins, edges[j])

    chunked(part, d, thread_count(n_jobs, 20.0 * n * d), chunk=1)
    missing = np.isnan(X.max(axis=0)) | (n_levels > max_bins)  # not the sum, which is NaN for infinities of both signs
    about = np.zeros((d, 7), np.int64)
    about[:, N_CODES], about[:, SIZE], about[:, NOMINAL] = n_codes, n_codes + missing, n_levels > 0
    _pack(about, EVERY_CODE if n >= _PACKED else 1)
    return Bins(about, edges, dict(sorted(level_codes.items())), n_levels)


def _level_codes(column: np.ndarray, n_levels: int, max_bins: int) -> np.ndarray:
    """The code of each level: the most frequent have their own, the others are treated as missing."""
    if n_levels <= max_bins:
        return np.arange(n_levels, dtype=np.uint8)
    counts = np.bincount(column[~np.isnan(column)].astype(np.int64), minlength=n_levels)
    codes = np.full(n_levels, max_bins, np.uint8)
    codes[np.argsort(-counts, kind="stable")[:max_bins]] = np.arange(max_bins)
    return codes


def _pack(about: np.ndarray, most: int) -> None:
    """Assign columns to bytes: the largest first, each to the first byte with enough free codes."""
    cells: list[int] = []
    for j in np.argsort(-about[:, SIZE], kind="stable"):
        size = int(about[j, SIZE])
        group = next((g for g, filled in enumerate(cells) if filled * size <= most), len(cells))
        if group == len(cells):
            cells.append(1)
        about[j, GROUP], about[j, STRIDE] = group, cells[group]
        cells[group] *= size
    about[:, CELLS] = np.array(cells)[about[:, GROUP]]


@njit(nogil=True, cache=True)
def code_rows(source, cuts, first, last, codes):
    """Write the codes of some rows, each as a digit of a byte.

    source, cuts (IN) Values and Cuts
    codes (INOUT)     Codes, of which ``by_row`` is zero at first
    """
    X, row, column, at, origin = source.values, source.row, source.column, source.at, source.origin
    edges, about, n_levels, by_row, by_column = cuts.edges, cuts.about, cuts.n_levels, codes.by_row, codes.by_column
    for block in range(first, last, _BLOCK):
        end = min(block + _BLOCK, last)
        for j in range(len(about)):
            group, stride, missing = about[j, GROUP], about[j, STRIDE], about[j, SIZE] - 1
            for i in range(block, end):
                v, code = X[(at[i] - origin) * row + j * column], np.int64(0)
                if n_levels[j] > 0:
                    code = missing
                    if v >= 0.0 and v < n_levels[j]:
                        code = np.int64(cuts.level_codes[cuts.begin[j] + np.int64(v)])
                else:
                    step = 128
                    while step > 0:
                        code += step * (edges[j, code + step - 1] < v)
                        step >>= 1
                    if v != v:
                        code = missing
                by_row[i, group] += np.uint8(code * stride)
        for g in range(by_row.shape[1]):
            for i in range(block, end):
                by_column[g, i] = by_row[i, g]
