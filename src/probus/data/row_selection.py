"""Some rows of any container of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data._table import Table
from probus.sklearn_seam import safe_indexing

__all__ = ["drawn_rows", "take_rows", "train_every_class"]

_OF_EACH = 2  # rows of a class: enough for a variance, few enough to leave the shares of the classes as they are


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Those rows of a table, a frame, an array, a sparse matrix, a list, or a dict of columns.

    >>> take_rows(np.array([[1], [2], [3]]), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if type(X) is dict:
        X = Table.of(X, infer=False)
    return X.take(rows) if isinstance(X, Table) else safe_indexing(X, rows)


def drawn_rows(rows: np.ndarray, most: int, random: np.random.Generator, codes: np.ndarray | None = None) -> np.ndarray:
    """At most so many of the rows, drawn at random, in their order, and beyond that two of each rare class.

    codes : the class of each row. A class of which fewer than two rows are drawn has two, or all it has: a model
    that is fitted on them then knows every class.

    >>> random = np.random.default_rng(0)
    >>> drawn_rows(np.arange(1000), 4, random, np.arange(1000) // 998)[-2:].tolist()
    [998, 999]
    """
    if len(rows) <= most:
        return rows
    kept = np.zeros(len(rows), bool)
    kept[random.choice(len(rows), most, replace=False)] = True
    if codes is not None:
        drawn = np.bincount(codes[kept], minlength=codes.max() + 1)
        for code in np.flatnonzero((drawn < _OF_EACH) & (np.bincount(codes) > drawn)):
            others = np.flatnonzero((codes == code) & ~kept)
            kept[random.permutation(others)[: _OF_EACH - drawn[code]]] = True
    return rows[kept]


def train_every_class(
    train: np.ndarray, held: np.ndarray, y: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The split without classes that are only held out, unless there are no others.

    Their rows, or groups, become training rows.

    >>> train_every_class(np.array([0, 1]), np.array([2, 3]), np.array(["a", "b", "c", "a"]), None)
    (array([0, 1, 2]), array([3]))
    """
    known = set(y[train].tolist())
    moved = np.array([label not in known for label in y[held].tolist()], bool)
    if not moved.any() or moved.all():
        return train, held
    if groups is not None:
        moved = np.isin(groups[held], groups[held][moved])
    return np.sort(np.concatenate([train, held[moved]])), held[~moved]
