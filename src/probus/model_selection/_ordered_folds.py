"""Time-ordered folds of a task, with or without groups."""

from __future__ import annotations

from typing import Any

from probus.data import Task
from probus.errors import DataError
from probus.model_selection.splitters import GroupTimeSplit, TimeOrderedSplit

_KEPT = 2 / 3  # of the earlier rows, after the groups of the test rows are taken away
_FEW = 3  # splits, up to which groups are halved only


def ordered_splitter(folds: int, task: Task, random_state: Any = None) -> Any:
    """What splits the task in order of time, in about so many splits.

    Where the groups of test rows have so many of the earlier rows that little is left to train on, as patients do whose
    visits spread over all the time, the groups of each block are divided into folds.
    """
    plain = TimeOrderedSplit(folds)
    if task.groups is None or _keeps_most(plain, task):
        return plain
    group_folds = 2 if folds <= _FEW else 3
    blocks = -(-folds // group_folds)
    return GroupTimeSplit(blocks, n_group_folds=group_folds, random_state=0 if random_state is None else random_state)


def _keeps_most(plain: TimeOrderedSplit, task: Task) -> bool:
    times = task.times
    assert times is not None
    try:
        pairs = list(plain.split(times, groups=task.groups, times=times))
    except DataError:  # nothing is left, or there are too few times, of which the other splitter tells
        return False
    earlier = sum(int((times < times[test].min()).sum()) for _, test in pairs)
    return sum(len(train) for train, _ in pairs) >= _KEPT * earlier
