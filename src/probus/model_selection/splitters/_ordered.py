"""Splits that train on the past and test on what came after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from probus.errors import DataError
from probus.model_selection.splitters._units import Pair


@dataclass(frozen=True)
class TimeOrderedSplit:
    """Cuts the rows by time into n_splits + 1 blocks; each block but the first is tested by a model of all before it.

    Rows of one time stay together. ``resample`` hands over the times of the task; without times the order of the
    rows counts. Where there are groups, those of the test rows leave the training rows.

    Parameters
    ----------
    n_splits : how many blocks are tested.
    gap : how much time, in the unit of the times, lies at least between training and test rows.

    >>> for train, test in TimeOrderedSplit(2).split(range(6), times=[3, 1, 1, 2, 2, 3]):
    ...     print(train, test)
    [1 2] [3 4]
    [1 2 3 4] [0 5]
    """

    n_splits: int = 5
    _: KW_ONLY
    gap: float = 0.0
    scheme: ClassVar[str] = "cross-validation"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None, *, times: Any = None) -> Iterator[Pair]:
        """Yield the rows before each block and those of the block."""
        if self.gap < 0:
            raise DataError(f"gap={self.gap}.", "0 or more")
        moments = np.arange(len(X), dtype=np.float64) if times is None else np.asarray(times, dtype=np.float64)
        starts = self._starts(moments)
        for start, end in zip(starts, [*starts[1:], np.inf], strict=True):
            test = np.flatnonzero((moments >= start) & (moments < end))
            earlier = moments < start - self.gap
            if groups is not None:
                earlier &= ~np.isin(groups, np.asarray(groups)[test])
            if not earlier.any():
                raise DataError(
                    f"no row is left to train on before time {start:g}.",
                    "some, after the gap and the groups of the test rows are taken away",
                    "Pass a smaller gap or fewer splits.",
                )
            yield np.flatnonzero(earlier), test

    def _starts(self, moments: np.ndarray) -> np.ndarray:
        """The first time of each tested block, such that blocks hold about as many rows each."""
        distinct, counts = np.unique(moments, return_counts=True)
        blocks = self.n_splits + 1
        if len(distinct) < blocks:
            raise DataError(
                f"{len(distinct)} distinct times for {self.n_splits} time-ordered splits.",
                "more distinct times than splits",
                "Pass fewer splits.",
            )
        wanted = len(moments) * np.arange(1, blocks) / blocks
        cuts = 1 + np.searchsorted(np.cumsum(counts), wanted)
        # ties may have put two cuts in one place: each block keeps one time at least
        room = np.arange(1, blocks)
        cuts = np.maximum.accumulate(cuts - room) + room
        return distinct[np.minimum(cuts, len(distinct) - blocks + room)]

    def __str__(self) -> str:
        return f"{self.n_splits} time-ordered splits" + (f" with a gap of {self.gap:g}" if self.gap else "")
