"""Whether the rows that are predicted now are held out, to score a model: predictions that nobody acts on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["are_held_out", "predicting_held_out"]

_held_out: ContextVar[bool] = ContextVar("held_out", default=False)


@contextmanager
def predicting_held_out() -> Iterator[None]:
    """Within, models do not warn about single rows; the scores measure how well they are predicted.

    >>> with predicting_held_out():
    ...     are_held_out()
    True
    >>> are_held_out()
    False
    """
    token = _held_out.set(True)
    try:
        yield
    finally:
        _held_out.reset(token)


def are_held_out() -> bool:
    """Whether the call is within ``predicting_held_out``, in this thread."""
    return _held_out.get()
