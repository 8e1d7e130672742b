"""From what was given to the task of a study: the table read, the roles of its columns set, its measures possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from probus.data import Kind, Level, Table, Task, as_missing, check_time, examine, quote_some, settle
from probus.data.findings import Finding, Findings, identifying
from probus.datasets.source import open_source, required_column
from probus.display import counted_of
from probus.errors import Advice, DataError
from probus.lifecycle._study_options import StudyOptions
from probus.lifecycle._study_split import is_number, roles_of, task_as_it_needs, words_of_roles
from probus.lifecycle._study_warnings import matter, stop_at_leaks
from probus.metrics import Measure
from probus.model_selection import SplitWords, task_with
from probus.model_selection.one_split import perfect_outcome
from probus.preprocessing import has_shared_words

_DROPPED = "dropped"  # why a column is left out


class Given(StudyOptions):
    """The options of a study with the task that they describe."""

    def task(self) -> tuple[Task, str, list[str]]:
        """The task with the roles of its columns, the name of the data, and what was done to get there."""
        task, name, notes = self._declared()
        words, declared = self.words(task.table), [each for each in (task.group, task.time) if each]
        if words.automatic:
            return task, name, notes
        if declared:
            raise DataError(
                f"split={self.split!r} together with {quote_some(declared)} as group or order.",
                "groups and order in one place",
                f"Leave out the others, or pass split={str(words_of_roles(task))!r}.",
            )
        if not is_number(self.cv):
            raise DataError(f"split={self.split!r} together with cv.", "one of them, or a number of folds as cv")
        table, roles = words.roles(task.table, task.target)
        return task_with(task, table, roles), name, notes

    def words(self, table: Table) -> SplitWords:
        """What ``split`` says."""
        return SplitWords.of(self.split, columns=table.names)

    def _declared(self) -> tuple[Task, str, list[str]]:
        """The same with the roles of ``group`` and ``order`` only."""
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
        for column in (self.target, *_list(self.drop), *_list(self.sensitive)):
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
            if self.order == self.target:
                raise DataError(f"column {self.order!r} is both target and time.", "one role for each column")
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
        return task_with(task, task.table, roles_of(task), pos_label=label)

    def _with_sensitive(self, task: Task) -> Task:
        if not self.sensitive:
            return task
        for name in _list(self.sensitive):
            required_column(task.table, name)
        return task_with(task, task.table, roles_of(task), sensitive=_list(self.sensitive))


def _list(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task examined: the features to learn from, the reason for each column left out, and what matters of it.

    ``whole`` is the task with every column, ``task`` the one that models are fitted on. ``groups_apart`` is whether the
    groups were no column of the table.
    """

    whole: Task
    task: Task
    name: str
    features: tuple[str, ...]
    left_out: dict[str, str]
    findings: Findings
    warnings: tuple[Finding, ...]
    notes: list[str]
    words: SplitWords
    proposal: SplitWords | None = None
    automatic: bool = False
    groups_apart: bool = False

    @classmethod
    def of(cls, given: Given) -> Prepared:
        """Read, examine and choose the features; a certain leak among them is an error unless it is allowed."""
        whole, name, notes = given.task()
        dropped = _list(given.drop)
        _check_dropped(whole, dropped)
        examined = whole.table.select(*(each for each in whole.table.names if each != whole.time))
        findings = examine(examined, target=whole.target, group=whole.group)
        words = given.words(whole.table)
        whole, needed, proposal = task_as_it_needs(
            whole, examined, given.cv, free=words.automatic and not given.allow_leaks
        )
        features, left_out = choose_features(whole, findings, dropped, keep_sensitive=given.keep_sensitive)
        if needed is not None and whole.group in examined.names:
            left_out[str(whole.group)] = _DROPPED if whole.group in dropped else "its groups are kept whole"
        if not given.allow_leaks:
            stop_at_leaks(findings, features, whole, chosen=not words.automatic)
        others = [each for each in (whole.group, whole.weight, whole.time, whole.target) if each]
        table = settle(whole.table.select(*features)).with_columns(*whole.table.select(*others))
        learnt = task_with(whole, table, roles_of(whole), sensitive=())
        warnings = matter(findings, features, whole)
        words = needed or (words if words.by_roles else words_of_roles(whole))
        apart = given.groups is not None
        return cls(
            whole,
            learnt,
            name,
            features,
            left_out,
            findings,
            warnings,
            notes,
            words,
            proposal,
            needed is not None,
            apart,
        )

    def beside(self, words: SplitWords) -> Task:
        """The task that models are fitted on, with the roles that other words give.

        Without them a column of groups is a feature, as where nobody knows what it is.
        """
        table, roles = words.roles(self.whole.table)
        kept = [name for name in self.features if name not in roles.values()]
        others = [name for name in (self.task.weight, self.task.target) if name]
        alone = len(self.words.group) == 1 and not words.by_roles and not self.groups_apart
        groups = [name for name in self.words.group if alone and self.left_out.get(name) != _DROPPED]
        named = [column for column in settle(table.select(*groups)) if not identifying(column)]
        learnt = self.task.table.select(*kept, *others).with_columns(*named, *(table[name] for name in roles.values()))
        return task_with(self.task, learnt, roles)


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


# -- which of two classes is likely meant as the positive one, where none was given --------------------


_ONE, _NONE = {"1", "1.0"}, {"0", "0.0", "-1", "-1.0"}  # 1 is positive beside these, not beside 2
_POSITIVE = {
    "yes", "y", "true", "t", "pos", "positive", "+", "present", "case", "event", "success", "malignant",
    "abnormal", "sick", "ill", "diseased", "dead", "died", "fraud", "spam", "churn", "churned", "default", "defaulted",
}  # fmt: skip


def likely_positive(task: Task) -> tuple[Level, str]:
    """The positive class of two, and why: the one with a name of positives, else the rarer one, else the last.

    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["yes", "no", "yes"]}, target="y"))
    ('yes', 'by its name')
    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["bad", "good", "good"]}, target="y"))
    ('bad', 'the rarer one')
    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["1", "2", "1"]}, target="y"))
    ('2', 'the rarer one')
    """
    names = {label: str(label).strip().casefold() for label in task.classes}
    positive = _POSITIVE | (_ONE if _NONE & set(names.values()) else set())
    named = [label for label, name in names.items() if name in positive]
    if len(named) == 1:
        return named[0], "by its name"
    counts = np.bincount(task.table[task.target].values, minlength=2)
    if counts[0] < counts[1]:
        return task.classes[0], "the rarer one"
    return task.classes[1], "the rarer one" if counts[1] < counts[0] else "the last of two equally frequent ones"


# -- which columns a study learns from, and why the others are left out --------------------------------


_IDENTIFIES, _NO_WORDS = "identifies the rows", "text without words that rows share"  # another kind may be right


def choose_features(
    task: Task, findings: Findings, dropped: Collection[str] = (), *, keep_sensitive: bool = False
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The features that can teach something, and the reason for each that cannot or should not.

    Identifiers lead to overfitting and mean nothing on new rows. Text is used by its words. Sensitive columns describe
    the groups that scores are compared by, and are features only where they are to be kept.
    """
    _must_be_finite(task, dropped)
    left_out: dict[str, str] = {}
    identifiers = {finding.column for finding in findings if finding.title == "identifier"}
    constants = {finding.column for finding in findings if finding.title == "constant"}
    for column in task.X:
        if column.name in dropped:
            left_out[column.name] = _DROPPED
        elif column.name in task.sensitive and not keep_sensitive:
            left_out[column.name] = "sensitive"
        elif column.missing.all():
            left_out[column.name] = "all values are missing"
        elif column.name in constants and not column.missing.any():
            left_out[column.name] = "the same value in every row"
        elif column.kind is Kind.TEXT and not has_shared_words(column):
            left_out[column.name] = _NO_WORDS
        elif column.name in identifiers:
            left_out[column.name] = _IDENTIFIES
    features = tuple(name for name in task.features if name not in left_out)
    if not features:
        hint = "Set their kinds." if {_IDENTIFIES, _NO_WORDS} & set(left_out.values()) else ""
        reasons = ", ".join(f"{name!r} ({reason})" for name, reason in left_out.items())
        raise DataError(f"no column is left to learn from: {reasons}.", "at least one feature", hint)
    return features, left_out


def _must_be_finite(task: Task, dropped: Collection[str]) -> None:
    """Refuse infinite values: no model takes them, and their meaning is unknown."""
    for column in task.X:
        if column.name not in dropped and column.kind is Kind.NUMERIC and np.isinf(column.values).any():
            raise DataError(
                f"column {column.name!r} holds {int(np.isinf(column.values).sum())} infinite values.",
                "finite numbers",
                f"Pass {as_missing(['inf', '-inf'], '{} to read()')}, or replace them by the largest value that "
                "makes sense.",
            )
