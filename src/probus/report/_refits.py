"""The best model again, for what a report measures by refitting: without wrappers, on the study's columns."""

from __future__ import annotations

from probus.data import Task
from probus.lifecycle import Study
from probus.model_selection.one_split import work_clock

_HARDLY_ANY = 0.1  # seconds


class Stopwatch:
    """A limit in seconds, shared by the sections that cost much; compilation does not count."""

    def __init__(self, limit: float):
        self._end = work_clock() + limit
        self.limit = limit

    @property
    def left(self) -> float:
        """The seconds that are left; never below 0."""
        return max(self._end - work_clock(), 0.0)

    def shortage(self, needed: float) -> str:
        """That so many seconds are needed and fewer are left, in words."""
        if self.left < _HARDLY_ANY:
            return "no time was left."
        return f"it would take {needed:.2g} s, and {self.left:.2g} s were left."


def learnt_task(study: Study) -> Task:
    """The task with only the columns that the study learnt from."""
    task = study.task
    roles = [name for name in (task.group, task.weight, task.time, task.target) if name]
    names = [name for name in study.features if name not in roles]
    return Task(
        task.table.select(*names, *roles),
        task.target,
        group=task.group,
        weight=task.weight,
        time=task.time,
        pos_label=task.pos_label,
    )
