"""The trees of a forest as estimators, created on access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload


class Estimators(Sequence[Any]):
    """A sequence of estimators of which each is made as it is taken.

    >>> Estimators(3, lambda t: f"tree {t}")[1:]
    ['tree 1', 'tree 2']
    """

    def __init__(self, n: int, make: Callable[[int], Any]):
        self._n, self._make = n, make

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice) -> list[Any]: ...
    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            return [self._make(t) for t in range(self._n)[which]]
        return self._make(range(self._n)[which])

    def __repr__(self) -> str:
        return f"{self._n} trees, the first {self._make(0)!r}"
