"""Splits that train on the past and test on what came after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.data import Table, check_time
from probus.errors import DataError
from probus.model_selection.splitters._units import Pair
from probus.spans import seconds_of

_DAY = 86_400.0  # seconds: dates count days


@dataclass(frozen=True)
class _Ordered:
    """Cuts the rows by time into n_splits + 1 blocks, of which all but the first are tested."""

    n_splits: int = 5
    _: KW_ONLY
    gap: float | str | timedelta = 0.0
    gap_rows: int = 0
    scheme: ClassVar[str] = "cross-validation"

    def _blocks(self, X: Any, times: Any) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """The start of each tested block, a mask of the rows that are early enough before it, and its rows."""
        if isinstance(self.n_splits, bool) or self.n_splits < 1:
            raise DataError(f"n_splits={self.n_splits!r}.", "1 or more")
        apart, rows = self._apart, self.gap_rows
        if isinstance(rows, bool) or rows < 0 or rows != int(rows):
            raise DataError(f"gap_rows={rows!r}.", "a number of rows, 0 or more")
        moments = np.arange(len(X), dtype=np.float64) if times is None else _moments_of(times, len(X))
        order = np.argsort(moments, kind="stable")
        starts = self._starts(moments)
        for start, end in zip(starts, [*starts[1:], np.inf], strict=True):
            earlier = moments < start - apart
            if rows:
                before = order[: np.count_nonzero(moments < start)]
                earlier[before[max(len(before) - int(rows), 0) :]] = False
            yield start, earlier, np.flatnonzero((moments >= start) & (moments < end))

    @property
    def _apart(self) -> float:
        """The gap in the unit of the times."""
        if isinstance(self.gap, str):
            return (seconds_of(self.gap, "gap") or 0.0) / _DAY
        days = self.gap / timedelta(days=1) if isinstance(self.gap, timedelta) else float(self.gap)
        if not days >= 0:
            raise DataError(f"gap={self.gap}.", "0 or more")
        return days

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

    @property
    def _gap_words(self) -> str:
        """The gaps, to be read after the splits."""
        apart = f"{self.gap:g}" if isinstance(self.gap, (int, float)) else str(self.gap)
        gaps = [apart] * (self._apart > 0) + [f"{self.gap_rows} rows"] * (self.gap_rows > 0)
        return f" with a gap of {' and '.join(gaps)}" if gaps else ""


def _moments_of(times: Any, n_rows: int) -> np.ndarray:
    """The time of each row as a number; of dates the days since 1970-01-01, as the times of a task are."""
    column = Table.of({"time": times}, infer=False)["time"]
    check_time(column)
    moments = column.numbers_array()
    if len(moments) != n_rows:
        raise DataError(f"{len(moments)} times for {n_rows} rows.", "a time for each row")
    return moments


def _need_some(earlier: np.ndarray, start: float) -> np.ndarray:
    """The rows that are left to train on; an error where there is none."""
    if not earlier.any():
        raise DataError(
            f"no row is left to train on before time {start:g}.",
            "some, after the gap and the groups of the test rows are taken away",
            "Pass a smaller gap or fewer splits, or GroupTimeSplit where groups have rows at all times.",
        )
    return np.flatnonzero(earlier)


@dataclass(frozen=True)
class TimeOrderedSplit(_Ordered):
    """Cuts the rows by time into n_splits + 1 blocks; each block but the first is tested by a model of all before it.

    Rows of one time stay together. ``resample`` hands over the times of the task; without times the order of the
    rows counts. Where there are groups, those of the test rows leave the training rows.

    Parameters
    ----------
    n_splits : how many blocks are tested.
    gap : how much time lies at least between training and test rows: a number in the unit of the times, or for dates
        a timedelta or a span such as "7d" or "12h". Without times a number of rows, as that of ``TimeSeriesSplit``.
    gap_rows : how many of the latest earlier rows are left out, besides.

    >>> for train, test in TimeOrderedSplit(2).split(range(6), times=[3, 1, 1, 2, 2, 3]):
    ...     print(train, test)
    [1 2] [3 4]
    [1 2 3 4] [0 5]
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None, *, times: Any = None) -> Iterator[Pair]:
        """Yield the rows before each block and those of the block."""
        for start, earlier, test in self._blocks(X, times):
            if groups is not None:
                earlier &= ~np.isin(groups, np.asarray(groups)[test])
            yield _need_some(earlier, start), test

    def __str__(self) -> str:
        return f"{self.n_splits} time-ordered splits{self._gap_words}"


@dataclass(frozen=True)
class GroupTimeSplit(_Ordered):
    """Tests later rows of groups that the model was not trained on: new patients in the future.

    The rows are cut by time as by ``TimeOrderedSplit``. The groups of each tested block are divided into folds of
    about as many rows; each fold is tested by a model of the earlier rows of all other groups. So groups with rows at
    all times, whom ``TimeOrderedSplit`` would leave nothing to train on, cost a fold of the training rows only.

    Parameters
    ----------
    n_splits : how many blocks of time are tested.
    n_group_folds : into how many folds the groups of a block are divided.
    gap : how much time lies at least between training and test rows, as in ``TimeOrderedSplit``.
    gap_rows : how many of the latest earlier rows are left out, besides.
    random_state : decides which groups are in one fold.

    >>> patients = ["a", "b", "c", "a", "b", "c", "a", "b", "c"]
    >>> for train, test in GroupTimeSplit(1, n_group_folds=3, random_state=0).split(patients, groups=patients):
    ...     print([patients[i] for i in train], [patients[i] for i in test])
    ['a', 'b', 'a', 'b'] ['c', 'c']
    ['a', 'c', 'a'] ['b']
    ['b', 'c', 'b'] ['a']
    """

    n_splits: int = 3
    _: KW_ONLY
    n_group_folds: int = 3
    random_state: Any = 0

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits: a fold of groups of a block each."""
        return self.n_splits * self.n_group_folds

    def split(self, X: Any, y: Any = None, groups: Any = None, *, times: Any = None) -> Iterator[Pair]:
        """Yield the earlier rows of other groups, and the rows of a fold of groups in each block."""
        if groups is None:
            raise DataError("no groups for GroupTimeSplit.", "a group for each row", "TimeOrderedSplit needs none.")
        if isinstance(self.n_group_folds, bool) or self.n_group_folds < 1:
            raise DataError(f"n_group_folds={self.n_group_folds!r}.", "1 or more")
        random = check_random_state(self.random_state)
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
        for start, earlier, test in self._blocks(X, times):
            fold = _folds_of_groups(codes[test], self.n_group_folds, random, start)
            for each in range(self.n_group_folds):
                tested = test[fold == each]
                yield _need_some(earlier & ~np.isin(codes, codes[tested]), start), tested

    def __str__(self) -> str:
        folds = f"{self.n_splits} time-ordered splits × {self.n_group_folds} folds of groups"
        return f"{folds}{self._gap_words}"


def _folds_of_groups(groups: np.ndarray, n_folds: int, random: np.random.RandomState, start: float) -> np.ndarray:
    """The fold of each row: the largest group first, each into the fold with the fewest rows so far."""
    found, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(found) < n_folds:
        raise DataError(
            f"{len(found)} groups have rows in the block from time {start:g}, for {n_folds} folds of groups.",
            "as many groups as folds in each block",
            "Pass a smaller n_group_folds or n_splits.",
        )
    fold, rows = np.empty(len(found), dtype=np.intp), np.zeros(n_folds)
    for group in sorted(random.permutation(len(found)), key=lambda each: -sizes[each]):
        fold[group] = rows.argmin()
        rows[fold[group]] += sizes[group]
    return fold[place]
