"""The kernel matrix of the rows of a fit, of which pairs of classes compute what they need and share what they can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.compiling import njit
from probus.parallel import chunked
from probus.svm._kernel_functions import KernelColumns, KernelFunction
from probus.svm._row_kernel import RowSource, row_source

_CHUNK = 128  # rows of one matrix product
_FEW, _NARROW = 2_000, 64  # rows and columns up to which single rows of the matrix are computed faster

Compute = Callable[[np.ndarray, np.ndarray], None]


class TrainingKernel:
    """Computes rows of the kernel matrices of one class, of two, or of all.

    Parameters
    ----------
    function : the kernel
    X : the rows, or the kernel matrix where the kernel is precomputed
    members : the numbers of the rows of each class
    error : the largest error of a value that does no harm
    shared : the number of values within classes that may be kept for all pairs
    """

    def __init__(self, function: KernelFunction, X: Any, members: Sequence[np.ndarray], error: float, shared: int):
        order = np.concatenate(list(members))
        self._function, self._error = function, error
        self._ends = np.concatenate([[0], np.cumsum([len(rows) for rows in members])])
        self._given = (X, order) if function.name == "precomputed" else None
        self._rows = X[order] if self._given is None else X
        sizes = np.diff(self._ends)
        self._shares = len(members) > 2 and int(sizes @ sizes) <= shared
        self._within: dict[int, np.ndarray] = {}
        self._lock = Lock()

    def source(self, classes: Sequence[int]) -> tuple[RowSource, np.ndarray] | None:
        """What the rows and the diagonal of the matrix of some classes are computed from one at a time.

        None where that is slower than matrix products: for many rows or columns.
        """
        parts = [self._range(k) for k in classes]
        if sum(part.stop - part.start for part in parts) > _FEW:
            return None
        if self._given is not None:
            X, order = self._given
            chosen = np.concatenate([order[part] for part in parts])
            return row_source(self._function, X[np.ix_(chosen, chosen)])
        if self._rows.shape[1] > _NARROW:
            return None
        source, diagonal = self._source
        if self.is_whole(classes):
            return source, diagonal
        columns = np.concatenate([source.columns[:, part] for part in parts], axis=1)
        lengths, own = (np.concatenate([values[part] for part in parts]) for values in (source.lengths, diagonal))
        return source._replace(columns=columns, lengths=lengths), own

    @cached_property
    def _source(self) -> tuple[RowSource, np.ndarray]:
        """Of all rows; of threads that need it first at the same time, each computes the same."""
        return row_source(self._function, self._rows.toarray() if issparse(self._rows) else self._rows)

    def is_whole(self, classes: Sequence[int]) -> bool:
        """Whether these classes are all."""
        return len(classes) == len(self._ends) - 1

    def whole(self, threads: int) -> Compute:
        """Rows of the matrix of all rows, in the order of ``members``, on threads."""
        return lambda rows, out: self._fill(rows, slice(0, int(self._ends[-1])), out, threads)

    def pair(self, i: int, j: int) -> Compute:
        """Rows, in ascending order, of the matrix of the rows of class i and those of class j behind them."""
        n_i = int(self._ends[i + 1] - self._ends[i])

        def compute(rows: np.ndarray, out: np.ndarray) -> None:
            middle = int(np.searchsorted(rows, n_i))
            ahead, behind = out[:middle], out[middle:]
            self._class_rows(i, rows[:middle], i, ahead[:, :n_i])
            self._class_rows(i, rows[:middle], j, ahead[:, n_i:])
            self._class_rows(j, rows[middle:] - n_i, i, behind[:, :n_i])
            self._class_rows(j, rows[middle:] - n_i, j, behind[:, n_i:])

        return compute

    def _class_rows(self, own: int, rows: np.ndarray, other: int, out: np.ndarray) -> None:
        """Rows of a class against all of a class."""
        if own == other and self._shares:
            _copy_rows(self._of_class(own), rows, out)
        else:
            self._fill(rows + self._ends[own], self._range(other), out, 1)

    def _range(self, k: int) -> slice:
        return slice(int(self._ends[k]), int(self._ends[k + 1]))

    def _of_class(self, k: int) -> np.ndarray:
        """The kernel matrix within a class, computed when first needed."""
        with self._lock:
            if k not in self._within:
                own = self._range(k)
                rows = np.arange(own.start, own.stop)
                block = np.empty((len(rows), len(rows)), dtype=np.float32)
                self._fill(rows, own, block, 1)
                self._within[k] = block
            return self._within[k]

    def _fill(self, rows: np.ndarray, columns: slice, out: np.ndarray, threads: int) -> None:
        """Write the kernel of rows with a range of columns, in chunks of fixed size."""
        if self._given is not None:
            X, order = self._given
            out[:] = X[np.ix_(order[rows], order[columns])]
            return
        kernel, left = self._products
        chunked(lambda a, b: kernel.fill(left[rows[a:b]], out[a:b], columns), len(rows), threads, chunk=_CHUNK)

    @cached_property
    def _products(self) -> tuple[KernelColumns, Any]:
        """The factors of matrix products."""
        columns = KernelColumns(self._function, self._rows, self._error)
        return columns, columns.left(self._rows)


@njit(nogil=True, cache=True)
def _copy_rows(values, rows, out):
    """Copy some rows into a part of a wider matrix, for which NumPy needs two copies.

    values (IN)  float32[n, n]
    rows (IN)    int64[k]
    out (OUT)    float32[k, n]
    """
    for a in range(len(rows)):
        row = values[rows[a]]
        for b in range(len(row)):
            out[a, b] = row[b]
