"""How rows are split, in words: "random", "group:patient", "time:date", "group:patient,time:date" or "auto"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Column, Table, Task, check_time
from probus.data.findings import ROW_ORDER, SplitProposal, proposed_split
from probus.datasets.source import required_column
from probus.display import counted
from probus.errors import DataError

_PART = re.compile(r",\s*(?=(?:group|time)\b)")
_EXPECTED = "'auto', 'random', 'group:COLUMN', 'time:COLUMN', 'time' for the order of the rows, or 'group:…,time:…'"
_HINT = "'group:site+patient' are the groups of rows that agree in both columns."


@dataclass(frozen=True)
class SplitWords:
    """Which column groups the rows, and which orders them.

    group : the columns of groups; several are joined.
    time : the column that orders the rows; "" for the order in which they are given, None for none.
    automatic : whether the findings decide.

    >>> SplitWords.of("group:site+patient,time:date")
    SplitWords(group=('site', 'patient'), time='date', automatic=False)
    """

    group: tuple[str, ...] = ()
    time: str | None = None
    automatic: bool = False

    @classmethod
    def of(cls, text: Any, name: str = "split", columns: Any = ()) -> SplitWords:
        """What the words say; ``columns`` are names of the table, which may have a plus or a comma of their own."""
        if not isinstance(text, str):
            raise DataError(f"{name} of type {type(text).__name__}.", _EXPECTED)
        if text in ("auto", "random"):
            return cls(automatic=text == "auto")
        group: tuple[str, ...] = ()
        time = None
        for part in _PART.split(text.strip()):
            role, colon, column = part.partition(":")
            role, column = role.strip(), column.strip()
            known = role in ("group", "time") and bool(column if colon else role == "time")
            if not known or (role == "group" and group) or (role == "time" and time is not None):
                loo = text.lower() in ("loo", "leave-one-out", "leave_one_out")
                hint = "Use LeaveOneOut() of probus.model_selection." if loo else _HINT
                raise DataError(f"{name}={text!r}.", _EXPECTED, hint)
            if role == "time":
                time = column
            else:
                group = (column,) if column in columns or "+" not in column else tuple(column.split("+"))
        return cls(tuple(each.strip() for each in group), time)

    @classmethod
    def proposed(cls, proposal: SplitProposal) -> SplitWords:
        """Those of a proposal."""
        return cls(proposal.group, "" if proposal.time == ROW_ORDER else proposal.time)

    def __str__(self) -> str:
        parts = [f"group:{'+'.join(self.group)}"] * bool(self.group)
        if self.time is not None:
            parts.append(f"time:{self.time}" if self.time else "time")
        return ",".join(parts) or ("auto" if self.automatic else "random")

    @property
    def by_roles(self) -> bool:
        """Whether groups or a time decide the folds."""
        return bool(self.group) or self.time is not None

    def roles(self, table: Table, target: str | None = None) -> tuple[Table, dict[str, str]]:
        """The table with the columns that the roles need, and the roles of a Task with that target.

        A time remains a feature, of which a copy orders the rows; so do columns that are groups together only.
        """
        roles = {}
        for name in (*self.group, *filter(None, [self.time])):
            required_column(table, name)
        if target is not None and self.time == target:
            raise DataError(f"column {target!r} is both target and time.", "one role for each column")
        if self.group:
            column = table[self.group[0]] if len(self.group) == 1 else _together(table, self.group)
            seen = np.unique(column.values if column.kind.value != "text" else column.decoded().astype(str))
            if len(seen) < 2:
                raise DataError(
                    f"group {column.name!r} is the same in all {counted(table.n_rows, 'row')}.",
                    "two groups at least: one to learn from, one to test on",
                    "Choose another column, or --split random (split='random').",
                )
            table, roles["group"] = table.with_columns(column), column.name
        if self.time is not None:
            order = Column.numbers("row", np.arange(table.n_rows)) if not self.time else table[self.time]
            check_time(order)
            roles["time"] = f"{order.name} (order)"
            table = table.with_columns(order.renamed(roles["time"]))
        return table, roles


def _together(table: Table, names: tuple[str, ...]) -> Column:
    """The groups of rows that agree in several columns."""
    codes = [np.unique(table[name].decoded().astype(str), return_inverse=True)[1] for name in names]
    places = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1].ravel()
    return Column.labels(" + ".join(names), [f"{place}" for place in places])


def task_by_words(cv: Any, task: Task) -> tuple[Task, Any]:
    """The task whose roles are those of ``cv`` where that is words, and None for its default folds; else both as given.

    ``"random"`` leaves groups and times aside. With ``"auto"`` the roles of the task decide, and where it has none,
    groups or an order that random folds would almost certainly ignore to their advantage.
    """
    if not isinstance(cv, str):
        return task, cv
    words = SplitWords.of(cv, "cv", task.table.names)
    declared = [name for name in (task.group, task.time) if name]
    if words.automatic:
        proposal = None if declared else proposed_split(task.X.with_columns(task.table[task.target]), task.target)
        words = SplitWords.proposed(proposal) if proposal is not None and proposal.certain else SplitWords()
        if declared or not words.by_roles:
            return task, None
    elif words.by_roles and declared:
        raise DataError(
            f"cv={cv!r} for a task with roles of its own: {', '.join(map(repr, declared))}.",
            "groups and time in one place",
            "Leave cv out, or make the Task without group and time.",
        )
    table, roles = words.roles(task.table.drop(*declared) if declared else task.table, task.target)
    return task_with(task, table, roles), None


def task_with(task: Task, table: Table, roles: dict[str, str], *, sensitive: Any = None, pos_label: Any = None) -> Task:
    """The task on that table, with these roles of group and time in place of its own."""
    return Task(
        table, task.target, weight=task.weight, sensitive=task.sensitive if sensitive is None else sensitive,
        kind=task.kind, pos_label=task.pos_label if pos_label is None else pos_label, **roles,
    )  # fmt: skip
