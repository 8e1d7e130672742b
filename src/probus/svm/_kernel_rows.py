"""Rows of a kernel matrix, computed many at a time by matrix products and kept as long as there is memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probus.compiling import njit


class KernelRows:
    """A cache of the rows of an n × n kernel matrix in single precision; the least recently used make room.

    Parameters
    ----------
    compute : fills float32[k, n] with the rows of the given numbers, which are in order
    n : the number of rows
    memory : float32, flat, of at least one row; as many rows are kept as it has room for
    """

    def __init__(self, compute: Callable[[np.ndarray, np.ndarray], None], n: int, memory: np.ndarray):
        self.compute = compute
        self.n = n
        self.capacity = min(len(memory) // n, n)
        self.cache = memory[: self.capacity * n].reshape(self.capacity, n)
        self._slot = np.full(n, -1)
        self._row = np.full(self.capacity, -1)
        self._used = np.zeros(self.capacity, dtype=np.int64)
        self._filled = 0
        self._tick = 0

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """Where the rows are in ``cache``; those that are not there are computed."""
        self._tick += 1
        missing = np.sort(_missing(rows, self._slot, self._used, self._tick))
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


@njit(nogil=True, cache=True)
def _missing(rows, slot, used, tick):
    """The rows that have no slot, each once; the slots of the others are marked as used.

    rows (IN)   int64[k]
    slot (IN)   int64[n]         the slot of each row, or -1
    used (OUT)  int64[capacity]  when a slot was last used
    """
    missing = np.empty(len(rows), np.int64)
    found = 0
    for r in rows:
        if slot[r] >= 0:
            used[slot[r]] = tick
        elif slot[r] == -1:
            slot[r] = -2
            missing[found] = r
            found += 1
    for a in range(found):
        slot[missing[a]] = -1
    return missing[:found]
