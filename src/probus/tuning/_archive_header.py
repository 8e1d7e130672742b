"""What the evaluations of a run depend on, so that an archive is used only where they would be the same."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

import probus
from probus.data import Column, Table, Task
from probus.metrics import Measure
from probus.model_selection import Splits
from probus.tuning._task_sketch import task_sketch
from probus.wrapping import name_of


def header_of(
    evaluator: Any, space: Any, tuner: Any, seed: int, n_objectives: int = 1, start: Any = ()
) -> dict[str, Any]:
    """The version, the data, the model, the space, the tuner, the measures, the splits, the seed and the start.

    The sketch says which rows the search was given. Of several objectives it has the names, and whether more of each
    is better.
    """
    splits, several = evaluator.splits, evaluator.measures[:n_objectives] if n_objectives > 1 else ()
    return {
        "version": probus.__version__,
        "data": evaluator.fingerprint,
        "model": model_text(evaluator.model),
        "space": _lines(space),
        "tuner": repr(tuner),
        "random_state": seed,
        "scoring": [each.name for each in evaluator.measures],
        "greater_is_better": evaluator.measures[0].greater_is_better,
        "cv": _splits_text(splits),
        "fidelity": "splits, " * evaluator.fidelity.splits_first + evaluator.fidelity.name,
        **({"sketch": task_sketch(evaluator.task)} if isinstance(evaluator.task, Task) else {}),
        **({"start": [repr(config) for config in start]} if start else {}),
        **({"objectives": {each.name: each.greater_is_better for each in several}} if several else {}),
    }


def header_of_study(
    task: Task, models: Mapping[str, Any], splits: Splits, measure: Measure, seed: int, cost: Any = None
) -> dict[str, Any]:
    """The same of a study; ``cost`` is what scores depend on. Its fits stay valid in later versions."""
    return {
        "data": fingerprint(task),
        "models": {name: model_text(model) for name, model in sorted(models.items())},
        "random_state": repr(seed),
        "scoring": measure.name,
        "cv": _splits_text(splits),
        "cost": repr(cost),
    }


def first_difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """The first part in which two headers differ; None where they are the same."""
    return next((key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)), None)


def describe_part(key: str, value: Any, other: Any) -> str:
    """A part of a header in words, shortened: of a dict the entries that differ from the ``other``.

    >>> describe_part("data", {"rows": 3, "time": "day"}, {"rows": 3})
    'data time day'
    """
    if isinstance(value, dict):
        others = other if isinstance(other, dict) else {}
        names = [name for name in {**value, **others} if value.get(name) != others.get(name)]
        value = ", ".join(f"{name} {value.get(name, 'none')}" for name in names)
    text = str(value)
    return f"{key} {text[:80] + '…' if len(text) > 80 else text}"


def fingerprint(task: Task) -> dict[str, Any]:
    """The number of rows, the columns and roles, and a hash of all values.

    >>> task = Task({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, target="y")
    >>> fingerprint(task)["rows"], fingerprint(task) == fingerprint(task.take([0, 1]))
    (3, False)
    """
    roles = {"target": task.target, "weight": task.weight, "group": task.group, "time": task.time}
    return {
        "rows": len(task),
        "columns": task.table.shape[1],
        **{role: name for role, name in roles.items() if name},
        "positive": None if task.pos_label is None else str(task.pos_label),
        "values": table_hash(task.table),
    }


def table_hash(table: Table) -> str:
    """A hash of the columns of a table, in their order."""
    return short_hash(*(part for column in table for part in _parts(column)))


def column_hashes(task: Task) -> dict[str, str]:
    """A hash of the values of each column."""
    return {column.name: short_hash(*_parts(column)) for column in task.table}


def are_same_rows(task: Task, theirs: Mapping[str, str]) -> bool:
    """Whether columns with these hashes are of the rows of a task: the target is, and another column.

    Roles may differ, and columns may have been dropped.

    >>> task = Task({"x": [1.0, 2.0, 3.0], "z": [0.0, 5.0, 0.0], "y": ["a", "b", "a"]}, target="y")
    >>> other = Task({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, target="y")
    >>> are_same_rows(task, column_hashes(other)), are_same_rows(task.take([2, 1, 0]), column_hashes(other))
    (True, False)
    """
    shared = [name for name, each in column_hashes(task).items() if theirs.get(name) == each]
    return task.target in shared and len(shared) > 1


def _splits_text(splits: Splits) -> str:
    rows = [np.concatenate([train, [-1], test]) for train, test in splits.pairs]
    return f"{splits.how} ({short_hash(*rows)})"


def _parts(column: Column) -> tuple[Any, ...]:
    return column.name, str(column.kind), repr(column.levels), column.values


def short_hash(*parts: Any) -> str:
    """A hash of arrays and texts, in 16 letters."""
    found = blake2b(digest_size=8)
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            found.update(np.ascontiguousarray(part).tobytes())
        else:
            texts = part.tolist() if isinstance(part, np.ndarray) else [part]
            found.update("\0".join(map(str, texts)).encode("utf-8", "surrogatepass"))
        found.update(b"\1")
    return found.hexdigest()


def model_text(model: Any) -> str:
    """The class and its parameters, without addresses in memory, which differ from process to process."""
    params = {name: _value(value) for name, value in sorted(model.get_params().items())}
    return f"{name_of(model)} {short_hash(type(model).__qualname__, repr(params))}"


def _value(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return repr(value)
    if isinstance(value, np.ndarray):
        return short_hash(value)
    if isinstance(value, Mapping):
        return repr({str(key): _value(each) for key, each in value.items()})
    if isinstance(value, (list, tuple)):
        return repr([_value(each) for each in value])
    return getattr(value, "__qualname__", type(value).__qualname__)


def _lines(space: Any) -> str:
    return "; ".join(line.strip() for line in repr(space).split("\n")[1:])
