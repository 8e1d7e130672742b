"""The time during which kernels are compiled, by this process or by others that work for it."""

from __future__ import annotations

import threading
import time


class CompileClock:
    """Seconds during which at least one compilation runs; several at the same time count once.

    >>> clock = CompileClock()
    >>> clock.start(10.0), clock.start(12.0), clock.stop(13.0), clock.stop(15.0)
    (None, None, None, None)
    >>> clock.seconds
    5.0
    """

    def __init__(self) -> None:
        self._running, self._since, self._done, self._lock = 0, 0.0, 0.0, threading.Lock()

    def start(self, now: float) -> None:
        """One more compilation begins."""
        with self._lock:
            self._since = self._since if self._running else now
            self._running += 1

    def stop(self, now: float) -> None:
        """One compilation ends."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._done += now - self._since

    @property
    def running(self) -> bool:
        """Whether a compilation runs now."""
        return self._running > 0

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        with self._lock:
            return self._done + (time.perf_counter() - self._since if self._running else 0.0)
