"""Rows of a kernel matrix, computed many at a time by matrix products and kept as long as there is memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["KernelRows"]


class KernelRows:
    """A cache of the rows of an n × n kernel matrix in single precision; the least recently used make room.

    Parameters
    ----------
    compute : fills float32[k, n] with the rows of the given numbers
    n : the number of rows
    capacity : how many rows are kept at most
    """

    def __init__(self, compute: Callable[[np.ndarray, np.ndarray], None], n: int, capacity: int):
        self.compute = compute
        self.n = n
        self.capacity = min(capacity, n)
        self.cache = np.empty((self.capacity, n), dtype=np.float32)
        self._slot = np.full(n, -1)
        self._row = np.full(self.capacity, -1)
        self._used = np.zeros(self.capacity, dtype=np.int64)
        self._filled = 0
        self._tick = 0

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """Where the rows are in ``cache``; those that are not there are computed."""
        self._tick += 1
        slots = self._slot[rows]
        self._used[slots[slots >= 0]] = self._tick
        missing = np.unique(rows[slots < 0])
        fresh = min(self.capacity - self._filled, len(missing))
        if fresh:
            self._place(missing[:fresh], np.arange(self._filled, self._filled + fresh))
            self._filled += fresh
        if fresh < len(missing):
            missing = missing[fresh:]
            oldest = np.argpartition(self._used, len(missing) - 1)[: len(missing)]
            self._slot[self._row[oldest]] = -1
            self._place(missing, np.sort(oldest))
        return self._slot[rows]

    def _place(self, rows: np.ndarray, slots: np.ndarray) -> None:
        adjacent = slots[-1] - slots[0] + 1 == len(slots)
        target = self.cache[slots[0] : slots[-1] + 1] if adjacent else np.empty((len(rows), self.n), dtype=np.float32)
        self.compute(rows, target)
        if not adjacent:
            self.cache[slots] = target
        self._slot[rows], self._row[slots], self._used[slots] = slots, rows, self._tick
