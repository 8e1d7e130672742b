"""A pool of threads for a whole fit: starting threads for every node would take longer than the node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


class ThreadPool:
    """A pool of threads, of which the caller is one.

    >>> with ThreadPool(2) as pool:
    ...     pool.run([lambda: 1, lambda: 2])
    [1, 2]
    """

    def __init__(self, threads: int):
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        if self._pool is not None:  # all must have started before any waits for another in a kernel
            there = Barrier(threads)
            for _ in range(threads - 1):
                self._pool.submit(there.wait)
            there.wait()

    def __enter__(self) -> ThreadPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """The results of the tasks; the first runs in the calling thread."""
        if self._pool is None or len(tasks) < 2:
            return [task() for task in tasks]
        others = [self._pool.submit(task) for task in tasks[1:]]
        return [tasks[0](), *(other.result() for other in others)]

    def over(self, function: Callable[[int, int], None], n: int, enough: int) -> None:
        """``function(start, stop)`` on about equal parts of ``range(n)``, none smaller than ``enough``.

        Parts begin at multiples of 64: loops that the compiler takes several steps at a time then take each element
        alike, however many parts there are.
        """
        parts = max(1, min(self.threads, n // enough))
        if parts == 1:  # small data has thousands of short rounds
            function(0, n)
            return
        bounds = [n * p // parts // 64 * 64 for p in range(parts)] + [n]
        self.run([_bound(function, *pair) for pair in itertools.pairwise(bounds)])


def _bound(function: Callable[[int, int], None], start: int, stop: int) -> Callable[[], None]:
    return lambda: function(start, stop)
