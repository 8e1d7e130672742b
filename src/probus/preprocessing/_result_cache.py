"""Results of earlier calls, kept up to a number of bytes: the models of a study prepare the same rows many times."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


class Memory:
    """Values by key; before they exceed ``most`` bytes, all are forgotten.

    >>> memory = Memory(most=100)
    >>> memory.keep("a", 1, size=60)
    >>> memory.keep("b", 2, size=60)
    >>> memory.get("a"), memory.get("b")
    (None, 2)
    """

    def __init__(self, most: int):
        self.most = most
        self._values: dict[Hashable, Any] = {}
        self._size = 0

    def get(self, key: Hashable) -> Any:
        """The value of that key; None where there is none."""
        return self._values.get(key)

    def keep(self, key: Hashable, value: Any, size: int) -> None:
        """Keep the value, unless it alone is too large."""
        if self._size + size > self.most:
            self._values, self._size = {}, 0
        if size <= self.most:
            self._values[key] = value
            self._size += size
