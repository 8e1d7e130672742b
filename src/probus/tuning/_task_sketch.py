"""A few hashes of the rows of a search, by which a later search notices that its rows are some of them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from probus.data import Column, Kind, Task
from probus.errors import DataError

_KEPT = 128  # hashes
_FEWEST = 3  # rows that are compared, at least
_ALIKE = 0.9  # of the rows are rows of the former search; as many of its rows differ, since others are met by chance
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def task_sketch(task: Task) -> dict[str, Any]:
    """How many rows there are, how many of them differ, and the smallest hashes of rows.

    The rows of any part of the table that have a hash below the largest of these are then among them.

    >>> task = Task({"x": [1.0, 2.0, 2.0], "y": ["a", "b", "b"]}, target="y")
    >>> {name: value for name, value in task_sketch(task).items() if name != "smallest"}
    {'rows': 3, 'different': 2}
    """
    found = np.unique(_row_hashes(task))
    smallest = found[:_KEPT].astype(">u8").tobytes().hex()
    return {"rows": len(task), "different": len(found), "smallest": smallest}


def is_part_of(task: Task, sketch: Mapping[str, Any]) -> bool:
    """Whether the rows of a task are rows of a former search, which had others too, as far as a sketch can say.

    >>> task = Task({"x": np.arange(9.0), "y": np.arange(9) % 2}, target="y")
    >>> is_part_of(task.take(np.arange(6)), task_sketch(task)), is_part_of(task, task_sketch(task))
    (True, False)
    """
    try:
        n_rows, n_different = int(sketch["rows"]), int(sketch["different"])
        theirs = np.frombuffer(bytes.fromhex(sketch["smallest"]), dtype=">u8").astype(np.uint64)
    except (KeyError, OverflowError, TypeError, ValueError):
        raise DataError(
            "the former search is damaged: its header has no hashes of rows.",
            "what a tuning stored",
            "Restore it from a copy.",
        ) from None
    if n_different < _ALIKE * n_rows or not len(theirs):
        return False
    ours = _row_hashes(task)
    if n_different > len(theirs):
        ours = ours[ours <= theirs.max()]
    if len(ours) < _FEWEST or np.isin(ours, theirs).mean() < _ALIKE:
        return False
    return len(task) < n_rows or not np.isin(theirs, ours).all()


def _row_hashes(task: Task) -> np.ndarray:
    """A hash of the features and the target of each row, in the order of the columns, whatever their names."""
    found = np.zeros(len(task), dtype=np.uint64)
    for name in (*task.features, task.target):
        found = _mixed(found ^ _value_hashes(task.table[name]))
    return _mixed(found)


def _mixed(values: np.ndarray) -> np.ndarray:
    values = values * _MULTIPLIER
    return values ^ (values >> _SHIFT)


def _value_hashes(column: Column) -> np.ndarray:
    """A hash of each value; of a number the same in a column of numbers and as a level."""
    if column.kind is Kind.NUMERIC:
        return _number_hashes(column.values)
    if column.kind is Kind.TEXT:
        known = {text: _text_hash(text) for text in set(column.values.tolist())}
        return np.array([known[text] for text in column.values.tolist()], dtype=np.uint64)
    levels = np.array([_level_hash(level) for level in (*column.levels, None)], dtype=np.uint64)
    return levels[column.values]  # a missing value is −1: the last


def _level_hash(level: Any) -> Any:
    return _number_hashes(np.array([level]))[0] if isinstance(level, (bool, int, float)) else _text_hash(level)


def _number_hashes(values: np.ndarray) -> np.ndarray:
    numbers = np.asarray(values, dtype=np.float64) + 0.0  # without −0
    return np.where(np.isnan(numbers), np.uint64(_text_hash(None)), _mixed(numbers.view(np.uint64)))


def _text_hash(text: Any) -> int:
    return int.from_bytes(blake2b(repr(text).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
