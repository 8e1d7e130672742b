"""What a splitter moves as one piece: a row, or the rows of a group."""

from __future__ import annotations

from typing import Any

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def units_of(X: Any, groups: Any = None) -> list[np.ndarray]:
    """The rows of each group, or each row alone where there are no groups.

    >>> units_of(["a", "b", "c"], groups=[1, 2, 1])
    [array([0, 2]), array([1])]
    """
    if groups is None:
        return list(np.arange(len(X)).reshape(-1, 1))
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])
