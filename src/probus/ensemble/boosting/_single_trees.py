"""The single trees of a boosted model, created on access."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


class SingleTrees:
    """An array-like of trees, a row for each round, a column for each output; trees are created on access.

    >>> trees = SingleTrees(3, 2, lambda t: f"tree {t}")
    >>> trees.shape, trees[-1, 0], trees[:, 1].tolist()
    ((3, 2), 'tree 4', ['tree 1', 'tree 3', 'tree 5'])
    """

    ndim = 2

    def __init__(self, n_rounds: int, n_outputs: int, make: Callable[[int], Any]):
        self.shape = (n_rounds, n_outputs)
        self._make = make

    @property
    def size(self) -> int:
        """The number of trees."""
        return self.shape[0] * self.shape[1]

    @property
    def flat(self) -> Iterator[Any]:
        """The trees in order."""
        return map(self._make, range(self.size))

    def ravel(self) -> np.ndarray:
        """The trees in order, as a one-dimensional array."""
        return np.asarray(self).ravel()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: Any) -> Any:
        numbers = np.arange(self.size).reshape(self.shape)[which]
        if np.ndim(numbers) == 0:
            return self._make(int(numbers))
        made = np.empty(numbers.shape, object)
        for place, t in np.ndenumerate(numbers):
            made[place] = self._make(int(t))
        return made

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[t] for t in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:]

    def __repr__(self) -> str:
        return f"{self.shape[0]} × {self.shape[1]} trees, the first {self[0, 0]!r}"
