"""Postponing Ctrl-C: work that an exception in its middle would leave half done is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Answer an interrupt of the block when it ends.

    Python runs handlers of signals in the main thread only, so in others there is nothing to postpone. Within another
    such block, the outer one answers.
    """
    answer = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(answer) or answer is _remember:
        yield
        return
    _pending.clear()
    signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
        if _pending:
            answer(*_pending.pop())


_pending: list[tuple[int, Any]] = []


def _remember(number: int, frame: Any) -> None:
    _pending[:] = [(number, frame)]
