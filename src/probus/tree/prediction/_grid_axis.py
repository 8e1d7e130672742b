"""One axis of a grid of points, and where along it the splits of trees send the points to the other side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.tree._trees import Trees

_ANSWERS = 4_000_000  # of splits to points that are held at once


class GridAxis(NamedTuple):
    """Columns that take the values of points, and the turns of the splits on them.

    points : float64[G, d], rows of which the followed columns count
    nodes : the nodes that split on these columns, in their order
    first_left : for each whether the first point goes left
    turn_start, turns : where the turns of each node begin, and at which points the side changes
    """

    points: np.ndarray
    nodes: np.ndarray
    first_left: np.ndarray
    turn_start: np.ndarray
    turns: np.ndarray

    @classmethod
    def of(cls, trees: Trees, columns: np.ndarray, points: np.ndarray) -> GridAxis:
        """The axis on which these columns have the values of these points."""
        nodes = np.flatnonzero(np.isin(trees.feature, columns))
        first, counts, turns = np.zeros(len(nodes), bool), np.zeros(len(nodes) + 1, np.int64), []
        step = max(_ANSWERS // len(points), 1)
        for start in range(0, len(nodes), step):
            left = _goes_left(trees, nodes[start : start + step], points)
            turned = left[:, 1:] != left[:, :-1]
            first[start : start + step] = left[:, 0]
            counts[start + 1 : start + 1 + step] = turned.sum(axis=1)
            turns.append(np.nonzero(turned)[1] + 1)
        return cls(
            np.ascontiguousarray(points, np.float64), nodes, first, np.cumsum(counts),
            np.concatenate([*turns, np.zeros(0, np.int64)]).astype(np.int64),
        )  # fmt: skip

    def runs(self, trees: Trees) -> tuple[np.ndarray, np.ndarray]:
        """For each tree the points at which its leaves may change, with the first: where they begin, and all."""
        size, tree = len(self.points), trees.tree_of[np.repeat(self.nodes, np.diff(self.turn_start))]
        found = np.unique(np.concatenate([np.arange(len(trees)) * size, tree * size + self.turns]))
        return np.searchsorted(found, np.arange(len(trees) + 1) * size), found % size


def _goes_left(trees: Trees, nodes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether each point goes left at each node: bool[nodes, G]."""
    x, (sets, set_of) = points.T[trees.feature[nodes]], trees.packed.sets
    left = np.where(np.isnan(x), trees.missing_go_to_left[nodes, None] == 1, x <= trees.threshold[nodes, None])
    nominal = set_of[nodes] >= 0
    if nominal.any():
        n_levels = trees.n_levels[trees.feature[nodes[nominal]], None]
        level = np.where(np.isnan(x[nominal]), -1, x[nominal]).astype(np.int64)
        level = np.where((level >= 0) & (level < n_levels), level, n_levels)
        left[nominal] = sets[set_of[nodes[nominal], None] + (level >> 5)] >> (level & 31).astype(np.uint32) & 1
    return left
