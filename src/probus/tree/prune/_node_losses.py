"""The losses of rows at the nodes of their paths, for pruning by validation rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from probus.errors import DataError
from probus.tree._trees import Tree
from probus.tree.preparation._scale_units import target_unit

LossAt = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The loss of rows if they end at given nodes: a function of arrays of rows and nodes."""


def loss_at(loss: str, value: np.ndarray, y: np.ndarray) -> LossAt:
    """The named loss for nodes with values (m × K frequencies, or m × 1 numbers) and rows with targets y.

    Classes are codes 0 to K - 1. "error" is 1 for a wrong class, "brier" the squared distance of the frequencies from
    the true class, "squared_error" and "absolute_error" are those of numbers.
    """
    if loss not in LOSSES:
        raise DataError(f"loss={loss!r}.", "one of " + ", ".join(map(repr, LOSSES)))
    return LOSSES[loss](value, y)


def _error(value: np.ndarray, y: np.ndarray) -> LossAt:
    label = value.argmax(axis=1)
    return lambda rows, nodes: (label[nodes] != y[rows]).astype(np.float64)


def _brier(value: np.ndarray, y: np.ndarray) -> LossAt:
    squares = (value**2).sum(axis=1)
    return lambda rows, nodes: squares[nodes] - 2 * value[nodes, y[rows]] + 1


def _squared_error(value: np.ndarray, y: np.ndarray) -> LossAt:
    unit = target_unit(y)  # squares of very large numbers would overflow
    return lambda rows, nodes: (value[nodes, 0] / unit - y[rows] / unit) ** 2


def _absolute_error(value: np.ndarray, y: np.ndarray) -> LossAt:
    return lambda rows, nodes: np.abs(value[nodes, 0] - y[rows])


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], LossAt]] = {
    "error": _error,
    "brier": _brier,
    "squared_error": _squared_error,
    "absolute_error": _absolute_error,
}


def climb(tree: Tree, leaves: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Move rows from their leaves to the root, one step at a time: the rows, their nodes and the parents."""
    rows, below = np.arange(len(leaves)), leaves
    while True:
        above = tree.parents[below]
        going = above >= 0
        rows, below, above = rows[going], below[going], above[going]
        if not len(rows):
            return
        yield rows, below, above
        below = above
