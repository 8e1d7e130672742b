"""Leaving p rows out: every choice of them, or a sample of the choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.errors import DataError
from probus.model_selection.splitters._units import Pair, units_of
from probus.parameters import RANDOM_STATE, Declared, parameter

_MOST = 10_000  # fits; more of them add nothing to a sample of the choices


@dataclass(frozen=True)
class LeavePOut(Declared):
    """Tests on p rows, or on p whole groups, and trains on the rest.

    >>> LeavePOut(2).get_n_splits(range(5)), LeavePOut(2, n_splits=3).get_n_splits(range(5))
    (10, 3)
    """

    p: int = parameter("How many are left out each time.", at_least=1)
    _: KW_ONLY
    n_splits: int | None = parameter(
        "How many choices are drawn at random; None is all of them, of which ``resample`` and ``nested`` refuse more "
        "than "
        "10,000.",
        default=None,
        at_least=1,
    )
    random_state: Any = RANDOM_STATE
    scheme: ClassVar[str] = "cross-validation"

    def get_n_splits(self, X: Any, y: Any = None, groups: Any = None) -> int:
        """The number of splits, which depends on the number of rows where all choices are made."""
        return self.n_splits or comb(len(units_of(X, groups)), self.p)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """Yield the rows that stay and those left out."""
        units = units_of(X, groups)
        what = "rows" if groups is None else "groups"
        if not 1 <= self.p < len(units):
            raise DataError(f"p={self.p} for {len(units):,} {what}.", f"at least 1 and fewer than the {what}")
        for chosen in self._choices(len(units)):
            test = np.sort(np.concatenate([units[unit] for unit in chosen]))
            yield np.setdiff1d(np.arange(sum(map(len, units))), test), test

    def _choices(self, n: int) -> Iterable[Any]:
        if self.n_splits is None:
            return combinations(range(n), self.p)
        rng = check_random_state(self.random_state)
        return (rng.choice(n, self.p, replace=False) for _ in range(self.n_splits))

    def check_number(self, X: Any, groups: Any = None) -> None:
        """Raise where all choices would be too many fits."""
        n, what = len(units_of(X, groups)), "rows" if groups is None else "groups"
        if self.n_splits is None and comb(n, self.p) > _MOST:
            raise DataError(
                f"leaving {self.p} of {n:,} {what} out makes {comb(n, self.p):,} splits.",
                f"at most {_MOST:,}",
                "Pass n_splits=… to draw some of them at random.",
            )

    def __str__(self) -> str:
        return f"leave-{self.p}-out" + (f", {self.n_splits} random choices" if self.n_splits else "")
