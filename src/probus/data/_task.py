"""A task: a table, and the role of each of its columns."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from probus.data._column import Column, Level
from probus.data._frames import is_frame
from probus.data._kind import Kind
from probus.data._roles import (
    check_is_no_feature,
    check_present,
    check_roles,
    check_time,
    check_weights,
    checked_target,
    pos_label_of,
)
from probus.data._table import Table
from probus.display import Cells, Displayed, counted, percent
from probus.errors import DataError
from probus.synonyms import answering_synonyms


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Task(Displayed):
    """The target, the features, and the columns of weights, groups and time.

    The target decides the ``kind`` unless it is given. A target with levels is a classification, as is a numeric target
    with exactly two values. Any other numeric target is a regression. The weight, group and time columns are not
    features. Sensitive columns remain features, since dropping a column does not remove its information.

    Parameters
    ----------
    table : anything ``Table.of`` takes.
    target : the column to predict, by name, or its values where the table holds the features only; no label may be
        missing.
    weight : column of row weights: numbers, none negative.
    group : column of group labels; rows of one group are never in both training and test rows.
    sensitive : column or columns whose groups should be treated alike.
    time : column of numbers or dates that orders the rows.
    pos_label : the positive class; by default the last level of a binary target.
    kind : "classification" treats numbers as classes, "regression" treats two numbers as numbers.

    >>> task = Task({"age": [22, 38, 4, 35], "sex": ["m", "f", "f", "m"], "survived": ["no", "yes", "yes", "no"]},
    ...             target="survived", sensitive="sex")
    >>> task
    Task: classify survived from 2 features, 4 rows
      classes    no: 2 (50 %), yes: 2 (50 %); positive: yes
      sensitive  sex
    >>> task.X.names, task.y, task.pos_label
    (('age', 'sex'), array(['no', 'yes', 'yes', 'no'], dtype=object), 'yes')
    >>> len(task.take([0, 1, 2]))
    3
    >>> Task([[22.0], [38.0], [4.0]], [0, 1, 1]).target
    'y'
    """

    table: Table
    target: str
    weight: str | None
    group: str | None
    sensitive: tuple[str, ...]
    time: str | None
    pos_label: Level | None
    _source: tuple[Any, tuple[str, ...]] | None  # the frame or array that the table was made of, and names of columns

    @answering_synonyms
    def __init__(
        self,
        table: Any,
        target: Any,
        *,
        weight: str | None = None,
        group: str | None = None,
        sensitive: str | Sequence[str] | None = None,
        time: str | None = None,
        pos_label: Level | None = None,
        kind: Literal["classification", "regression"] | None = None,
    ):
        source, table = table, Table.of(table)
        names = table.names
        if isinstance(target, Column) or np.ndim(target):
            column = _column_of(target, "y", table, infer=True)
            table, target = table.with_columns(column), column.name
        sensitive = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive or ())
        singles = (("target", target), ("weight", weight), ("group", group), ("time", time))
        check_roles(
            table, [(role, name) for role, name in singles if name is not None] + [("sensitive", n) for n in sensitive]
        )
        label = checked_target(table[target], kind)
        if weight:
            check_weights(table[weight])
        if group:
            check_present(table[group], "group")
        if time:
            check_time(table[time])
        roles = {"target": target, "weight": weight, "group": group, "sensitive": sensitive, "time": time}
        for name, value in roles.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "table", table.with_columns(label))
        object.__setattr__(self, "_source", _source(source, names))
        object.__setattr__(self, "pos_label", pos_label_of(label, pos_label))
        if not self.features:
            raise DataError("no column is left to predict from.", "at least one feature")

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        target: str | None = None,
        model: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        pos_label: Level | None = None,
    ) -> Task:
        """A Task, returned unchanged, or one made of features ``X`` and target ``y``.

        Names of columns are kept; dtypes decide the kinds. A ``model`` that is a classifier or a regressor decides
        whether numbers are classes. ``groups`` and ``sample_weight`` have a value per row.

        With the name of a ``target`` (or as ``y``), X is a table with that column: kinds are inferred, rows without a
        label are left out, and ``groups`` and ``sample_weight`` may be names of columns too.

        >>> Task.of([[22.0], [38.0], [4.0]], ["no", "yes", "yes"])
        Task: classify y from 1 feature, 3 rows
          classes    no: 1 (33 %), yes: 2 (67 %); positive: yes
        """
        beside = {"y": y, "target": target, "groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
        if isinstance(X, Task):
            for name, value in beside.items():
                if value is not None:
                    raise DataError(f"a Task together with {name}.", "a Task alone, or X and y", _TASK_HINTS[name])
            return X
        if target is not None and y is not None:
            raise DataError(f"target={target!r} together with y.", "one of them", "The target is a column of X, or y.")
        if y is None and target is None:
            raise DataError(
                "no data." if X is None else f"found {type(X).__name__} without y.",
                "a Task, or X and y",
                "Pass target=… with the name of a column of the table, or y as the next argument.",
            )
        named = isinstance(y, str) or target is not None  # the name of a column, in place of values
        table = Table.of(X, infer=named)
        source, roles = _source(X, table.names), {}
        values = {"y": y if target is None else target, "groups": groups, "sample_weight": sample_weight}
        for role, each in values.items():
            if isinstance(each, str) and named:
                roles[role] = each
            elif each is not None:
                column = _column_of(each, role, table, infer=role == "groups")
                table, roles[role] = table.with_columns(column), column.name
        if named and roles["y"] in table and (unlabelled := table[roles["y"]].missing).any():
            table, source = table.take(~unlabelled), None
        weight, group = roles.get("sample_weight"), roles.get("groups")
        task = cls(table, roles["y"], weight=weight, group=group, pos_label=pos_label, kind=_kind_for(model))
        object.__setattr__(task, "_source", source)
        return task

    # -- target -----------------------------------------------------------------------------

    @property
    def kind(self) -> Literal["classification", "regression"]:
        """Classification where the target has levels, regression where it is a number."""
        return "classification" if self.table[self.target].kind.has_levels else "regression"

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, in the order of the levels; empty for a regression."""
        return self.table[self.target].levels

    @property
    def y(self) -> np.ndarray:
        """The target: labels, or float64."""
        return self.table[self.target].decoded()

    # -- features -------------------------------------------------------------------------------------

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns to predict from."""
        others = {self.target, self.weight, self.group, self.time}
        return tuple(name for name in self.table.names if name not in others)

    @property
    def X(self) -> Table:
        """The columns to predict from."""
        return self.table.select(*self.features)

    @property
    def given(self) -> Any:
        """The features as rows of the frame (pandas or polars) or array that the task was made of, else None."""
        if self._source is None:
            return None
        from probus.sklearn_seam import safe_indexing

        rows, names = self._source
        places = [names.index(name) for name in self.features]
        return rows if places == list(range(len(names))) else safe_indexing(rows, places, axis=1)

    # -- weights, groups, time ----------------------------------------------------------------------------

    @property
    def sample_weight(self) -> np.ndarray | None:
        """The row weights as float64, or None."""
        return self.table[self.weight].numbers_array() if self.weight else None

    @property
    def groups(self) -> np.ndarray | None:
        """The group of each row, or None."""
        return self.table[self.group].decoded() if self.group else None

    @property
    def times(self) -> np.ndarray | None:
        """The time of each row as float64 (days since 1970-01-01 for dates), or None."""
        return self.table[self.time].numbers_array() if self.time else None

    def take(self, rows: Any) -> Task:
        """The task on those rows; it keeps its classes and its positive class, also classes without a row."""
        part = copy.copy(self)
        object.__setattr__(part, "table", self.table.take(rows))
        if self._source is not None:
            from probus.sklearn_seam import safe_indexing

            places = np.arange(len(self))[rows if isinstance(rows, slice) or len(rows) else slice(0)]
            object.__setattr__(part, "_source", (safe_indexing(self._source[0], places), self._source[1]))
        return part

    def __len__(self) -> int:
        return self.table.n_rows

    def _parts(self) -> list[Cells | str]:
        verb = "classify" if self.kind == "classification" else "predict"
        size = f"{counted(len(self.features), 'feature')}, {counted(len(self), 'row')}"
        return [f"Task: {verb} {self.target} from {size}", Cells(self._details(), margin=2, header=False)]

    def _details(self) -> list[tuple[str, str]]:
        label = self.table[self.target]
        if self.kind == "classification":
            counts = np.bincount(label.values, minlength=len(label.levels))
            shares = counts / max(len(self), 1)
            classes = [f"{c}: {n:,} ({percent(s)})" for c, n, s in zip(label.levels, counts, shares, strict=True)]
            shown = ", ".join(classes[:8]) + (f", … ({len(classes)} in all)" if len(classes) > 8 else "")
            details = [("classes", shown + (f"; positive: {self.pos_label}" if self.pos_label is not None else ""))]
        else:
            details = [("values", f"{label.values.min():g} – {label.values.max():g}")] if len(self) else []
        roles = {"weight": self.weight, "group": self.group, "time": self.time, "sensitive": ", ".join(self.sensitive)}
        return details + [(role, name) for role, name in roles.items() if name]


_TASK_HINTS = {
    "y": "The target is part of the Task.",
    "target": "The target is part of the Task.",
    "groups": "Pass group=COLUMN to the Task.",
    "sample_weight": "Pass weight=COLUMN to the Task.",
    "pos_label": "Pass pos_label to the Task.",
}


def _source(data: Any, names: tuple[str, ...]) -> tuple[Any, tuple[str, ...]] | None:
    """The data and the names of its columns, where models of other libraries take rows of it."""
    library = type(data).__module__.partition(".")[0]
    frame = is_frame(data) and library in ("pandas", "polars") and type(data).__name__ == "DataFrame"
    return (data, names) if frame or (isinstance(data, np.ndarray) and data.ndim == 2) else None


def _kind_for(model: Any) -> Literal["classification", "regression"] | None:
    from sklearn.base import is_classifier, is_regressor

    ready = hasattr(model, "fit") and hasattr(model, "__sklearn_tags__")
    if not ready or isinstance(model, type):  # both are refused by what prepares the model
        return None
    return "classification" if is_classifier(model) else "regression" if is_regressor(model) else None


def _column_of(values: Any, role: str, table: Table, *, infer: bool) -> Column:
    """One value per row as a column: under its own name, or that of the role, changed where the table has it."""
    if not isinstance(values, Column):
        series = values if np.ndim(values) == 1 else np.ravel(values)
        name = getattr(values, "name", None)
        (values,) = Table.of({name if isinstance(name, str) and name else role: series}, infer=infer)
    if len(values) != table.n_rows:
        raise DataError(f"X has {table.n_rows:,} rows and {role} has {len(values):,}.", "one value per row")
    name = values.name
    if role == "y" and name in table:
        check_is_no_feature(values, table[name])
    while name in table:
        name += "_"
    return (values.as_kind(Kind.NOMINAL) if values.kind is Kind.TEXT else values).renamed(name)
