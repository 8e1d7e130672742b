"""From what was given to the task of a study: the table read, the roles of its columns set, its measures possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Table, Task, check_time, examine, settle
from probus.data.findings import Finding, Findings
from probus.datasets.source import open_source, required_column
from probus.display import counted_of
from probus.errors import Advice, DataError
from probus.lifecycle._features import choose_features
from probus.lifecycle._positive_class import likely_positive
from probus.lifecycle._study_options import StudyOptions
from probus.lifecycle._study_warnings import matter, stop_at_leaks
from probus.metrics import Measure
from probus.model_selection.one_split import perfect_outcome


class Given(StudyOptions):
    """The options of a study with the task that they describe."""

    def task(self) -> tuple[Task, str, list[str]]:
        """The task, the name of the data, and what was done to get there."""
        if self.y is not None:
            notes: list[str] = []
            return self._with_positive(self._of_rows(), notes), "table", notes
        for name in ("groups", "sample_weight"):
            if getattr(self, name) is not None:
                option = {"groups": "group", "sample_weight": "weight"}[name]
                raise DataError(f"{name} without y.", f"{option}=COLUMN for a column of the table")
        return self._as_is(self.X) if isinstance(self.X, Task) else self._of_table()

    def _of_rows(self) -> Task:
        if any(name is not None for name in (self.target, self.group, self.weight, self.order)):
            raise DataError(
                "y together with the name of a column.",
                "either a table and target=…, or X, y, groups=… and sample_weight=…",
            )
        table = Table.of(self.X, self.kinds, infer=False)
        roles = {"groups": self.groups, "sample_weight": self.sample_weight, "pos_label": self.pos_label}
        return self._with_sensitive(Task.of(table, self.y, **roles))

    def _as_is(self, task: Task) -> tuple[Task, str, list[str]]:
        roles = (self.target, self.kinds, self.read, self.group, self.weight, self.sensitive, self.order)
        if any(roles) or self.pos_label is not None:
            raise DataError(
                "a Task together with target, kinds, read, pos_label, group, weight, sensitive or order.",
                "roles in one place",
            )
        return task, "table", list(task.table.notes)

    def _of_table(self) -> tuple[Task, str, list[str]]:
        table, name = open_source(self.X, self.read)
        if self.kinds:
            table = table.with_kinds(**self.kinds)
        if self.target is None:
            names = ", ".join(table.names[:12])
            raise DataError("no target.", "the name of the column to predict", f"One of {names}.")
        for column in (self.target, *_listed(self.drop), *_listed(self.sensitive)):
            required_column(table, column)
        notes = list(table.notes)
        unlabelled = table[self.target].missing
        if unlabelled.any() and not unlabelled.all():
            dropped = counted_of(unlabelled.sum(), table.n_rows, "rows", "has", "have")
            notes.append(f"{dropped} no {self.target} and {'was' if unlabelled.sum() == 1 else 'were'} dropped")
            table = table.take(~unlabelled)
        roles = {"group": self.group, "weight": self.weight, "sensitive": self.sensitive, "pos_label": self.pos_label}
        if self.order is not None:  # the column stays a feature; a copy orders the rows
            required_column(table, self.order)
            check_time(table[self.order])
            roles["time"] = f"{self.order} (order)"
            table = table.with_columns(table[self.order].renamed(roles["time"]))
        task = self._with_positive(Task(table, self.target, **roles), notes)
        return task, name, notes

    def _with_positive(self, task: Task, notes: list[str]) -> Task:
        """The task with the positive class that is likely meant where none was given, and a note that says which."""
        if self.pos_label is not None or len(task.classes) != 2:
            return task
        label, why = likely_positive(task)
        notes.append(f"the positive class is {label}, {why}; choose it by --positive (pos_label)")
        return _task_like(task, task.table, sensitive=task.sensitive, pos_label=label)

    def _with_sensitive(self, task: Task) -> Task:
        if not self.sensitive:
            return task
        for name in _listed(self.sensitive):
            required_column(task.table, name)
        return _task_like(task, task.table, sensitive=_listed(self.sensitive))


def _listed(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task examined: the features to learn from, the reason for each column left out, and what matters of it.

    ``whole`` is the task with every column, ``task`` the one that models are fitted on.
    """

    whole: Task
    task: Task
    name: str
    features: tuple[str, ...]
    left_out: dict[str, str]
    findings: Findings
    warnings: tuple[Finding, ...]
    notes: list[str]

    @classmethod
    def of(cls, given: Given) -> Prepared:
        """Read, examine and choose the features; a certain leak among them is an error unless it is allowed."""
        whole, name, notes = given.task()
        dropped = _listed(given.drop)
        _check_dropped(whole, dropped)
        examined = whole.table.select(*(each for each in whole.table.names if each != whole.time))
        findings = examine(examined, target=whole.target, group=whole.group)
        features, left_out = choose_features(whole, findings, dropped, keep_sensitive=given.keep_sensitive)
        if not given.allow_leaks:
            stop_at_leaks(findings, features, whole.target)
        others = [each for each in (whole.group, whole.weight, whole.time, whole.target) if each]
        table = settle(whole.table.select(*features)).with_columns(*whole.table.select(*others))
        learnt = _task_like(whole, table, sensitive=())
        return cls(whole, learnt, name, features, left_out, findings, matter(findings, features, whole.target), notes)


def _check_dropped(task: Task, dropped: Sequence[str]) -> None:
    """Refuse to drop columns that the table does not have, or that have a role."""
    roles = {task.target: "target", task.group: "group", task.weight: "weight", task.time: "time"}
    for column in dropped:
        if column in roles:
            raise DataError(
                f"column {column!r} is dropped, and is the {roles[column]}.",
                "only features in drop",
                f"The {roles[column]} is not a feature: remove it from drop, or from its role.",
            )
        required_column(task.X, column)


def _task_like(task: Task, table: Table, sensitive: Sequence[str], pos_label: Any = None) -> Task:
    return Task(
        table, task.target, group=task.group, weight=task.weight, time=task.time, sensitive=sensitive, kind=task.kind,
        pos_label=task.pos_label if pos_label is None else pos_label,
    )  # fmt: skip


def check_possible(first: Measure, task: Task) -> None:
    """Raise before any model is tried where even perfect predictions have no such score, or it compares no models."""
    first.check_comparable()
    actual = task.table[task.target].values
    if not task.classes:
        return
    if len(task.classes) > 2 and np.bincount(actual).max() == 1:
        advice = Advice("kinds", {"NAME": "KIND"}, "--kind NAME=KIND (kinds={NAME: KIND})")
        raise DataError(
            f"target {task.target!r} has a class of its own in each of the {len(task):,} rows, as an identifier has.",
            "classes of two rows at least, so that what is learnt from one can be tested on the other",
            f"Choose another target, or the kind of this one: {advice}.",
        )
    try:
        first.compute(perfect_outcome(task))
    except DataError as error:
        raise DataError(
            f"no score {first.name!r} for this target: {str(error).partition(chr(10))[0]}",
            "a measure that it has",
            "probus.metrics.measures() lists them; averages over classes end in _macro, _micro or _weighted.",
        ) from None
