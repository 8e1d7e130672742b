"""Which split a study has: the one that is given, or one that its table almost certainly needs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from probus.data import Table, Task
from probus.data.findings import proposed_split
from probus.errors import DataError
from probus.model_selection import SplitWords, splits_of, task_with

_FOLDS = 5


def words_of_roles(task: Task) -> SplitWords:
    """The words for the roles that a task has."""
    time = None if task.time is None else task.time.removesuffix(" (order)")
    return SplitWords((task.group,) if task.group else (), time)


def roles_of(task: Task) -> dict[str, str]:
    """The columns that group and order the rows of a task."""
    return {role: name for role, name in (("group", task.group), ("time", task.time)) if name}


def is_number(cv: Any) -> bool:
    """Whether splits are not given, but for the number of folds."""
    return cv is None or (isinstance(cv, (int, np.integer)) and not isinstance(cv, bool))


def task_as_it_needs(
    task: Task, examined: Table, cv: Any, *, free: bool
) -> tuple[Task, SplitWords | None, SplitWords | None]:
    """The task with the roles that it almost certainly needs, the words for them, and those of what fits the data.

    The first words are None where the task remains as it is: where roles or splits are given, where nothing is near
    certain or its rows cannot be split so, and where the study is not ``free`` to choose.
    """
    if roles_of(task) or not is_number(cv):
        return task, None, None
    proposal = proposed_split(examined, task.target)
    if proposal is None:
        return task, None, None
    words = SplitWords.proposed(proposal)
    if free and proposal.certain:
        with suppress(DataError):
            table, roles = words.roles(task.table)
            found = task_with(task, table, roles)
            splits_of(_FOLDS if cv is None else cv, found, random_state=0)
            return found, words, words
    return task, None, words
