"""Training rows drawn with replacement, as many as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.errors import DataError
from probus.model_selection.splitters._units import Pair, units_of
from probus.parameters import RANDOM_STATE, Declared, parameter


@dataclass(frozen=True)
class Bootstrap(Declared):
    """Trains on a bootstrap sample and tests on every row.

    About 63 % of the test rows were trained on, so the scores are optimistic: this is for the spread of models and
    for optimism itself. ``OutOfBagBootstrap`` is the honest one. Groups are drawn whole.

    >>> train, test = next(Bootstrap(1, random_state=0).split(range(5)))
    >>> train, test
    (array([4, 0, 3, 3, 3]), array([0, 1, 2, 3, 4]))
    """

    n_splits: int = parameter("The number of samples.", default=100, at_least=1)
    _: KW_ONLY
    random_state: Any = RANDOM_STATE
    scheme: ClassVar[str] = "bootstrap"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """Yield the training rows, with repetitions, and all rows."""
        units = units_of(X, groups)
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            yield _rows(units, rng.randint(len(units), size=len(units))), np.arange(sum(map(len, units)))

    def __str__(self) -> str:
        return f"bootstrap, {self.n_splits} times, tested on every row"


@dataclass(frozen=True)
class OutOfBagBootstrap(Declared):
    """Trains on a bootstrap sample and tests on the rows that were not drawn, about 37 %.

    Groups are drawn whole. A draw that leaves no row out is drawn again.

    >>> train, test = next(OutOfBagBootstrap(1, random_state=0).split(range(5)))
    >>> train, test
    (array([4, 0, 3, 3, 3]), array([1, 2]))
    """

    n_splits: int = parameter("The number of samples.", default=100, at_least=1)
    _: KW_ONLY
    random_state: Any = RANDOM_STATE
    scheme: ClassVar[str] = "out-of-bag"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """Yield the training rows, with repetitions, and the rows left out."""
        units = units_of(X, groups)
        if len(units) < 2:
            raise DataError("one row or one group.", "at least two, to leave one out of the bag")
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            left_out = np.empty(0, dtype=np.intp)
            while len(left_out) == 0:
                drawn = rng.randint(len(units), size=len(units))
                left_out = np.setdiff1d(np.arange(len(units)), drawn)
            yield _rows(units, drawn), np.sort(_rows(units, left_out))

    def __str__(self) -> str:
        return f"out-of-bag bootstrap, {self.n_splits} times"


def _rows(units: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    return np.concatenate([units[unit] for unit in chosen])
