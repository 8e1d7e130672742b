"""Cells of any length for the csv module, whose limit of 131,072 characters belongs to the whole process."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LONGEST = 2**31 - 1
_lock = Lock()
_users: list[int] = []  # for each block that is entered, the limit before it; the first is that of the process


@contextmanager
def long_fields() -> Iterator[None]:
    """Allow long cells inside the block, in all threads; the limit of before is set when the last block ends.

    >>> before = csv.field_size_limit()
    >>> with long_fields():
    ...     len(next(csv.reader(["x" * 200_000]))[0])
    200000
    >>> csv.field_size_limit() == before
    True
    """
    with _lock:
        _users.append(csv.field_size_limit(_LONGEST))
    try:
        yield
    finally:
        with _lock:
            limit = _users.pop()
            if not _users:
                csv.field_size_limit(limit)
