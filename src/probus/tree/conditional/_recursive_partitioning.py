"""Growing from the root: test, select a column, split, and repeat on both sides."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from probus.tree.conditional._cut import Cut, best_cut
from probus.tree.conditional._independence import Independence, IndependenceData, Tests
from probus.tree.conditional._surrogate_cuts import Surrogate, surrogates_for

_TRIES = 2  # significant columns that are tried if the best has no allowed split


@dataclass(frozen=True)
class StoppingRules:
    """Stopping rules: the parameters of the estimators of the same names."""

    alpha: float
    min_samples_split: int
    min_samples_leaf: int
    min_share_leaf: float
    max_depth: float
    max_surrogates: int


@dataclass(eq=False)
class PartitionNode:
    """A node during growing: its rows, its tests if any, and its split if any."""

    rows: np.ndarray
    depth: int
    parent: int
    is_left: bool
    tests: Tests | None = None
    cut: Cut | None = None
    surrogates: list[Surrogate] = field(default_factory=list)
    missing_left: bool = False


def grown(cases: IndependenceData, how: Independence, limits: StoppingRules) -> list[PartitionNode]:
    """All nodes, parents before children and left before right."""
    nodes: list[PartitionNode] = []
    waiting = [PartitionNode(np.flatnonzero(cases.w > 0), 0, -1, False)]
    while waiting:
        node = waiting.pop()
        number = len(nodes)
        nodes.append(node)
        n = cases.w[node.rows].sum()
        if n < limits.min_samples_split or node.depth >= limits.max_depth:
            continue
        node.tests = how.tests(cases, node.rows, number)
        smallest = float(max(limits.min_samples_leaf, np.ceil(limits.min_share_leaf * n)))
        node.cut = _cut(cases, node, limits.alpha, smallest)
        if node.cut is not None:
            left = _sent_left(node.cut, cases, node, limits.max_surrogates)
            waiting.append(PartitionNode(node.rows[~left], node.depth + 1, number, False))
            waiting.append(PartitionNode(node.rows[left], node.depth + 1, number, True))
    return nodes


def _cut(cases: IndependenceData, node: PartitionNode, alpha: float, smallest: float) -> Cut | None:
    """The best split of the most significant column, if any is significant."""
    assert node.tests is not None
    rows = node.rows
    for j in node.tests.significant(alpha)[:_TRIES]:
        cut = best_cut(int(j), cases.columns[j, rows], int(cases.n_levels[j]), cases.h[rows], cases.w[rows], smallest)
        if cut is not None:
            return cut
    return None


def _sent_left(cut: Cut, cases: IndependenceData, node: PartitionNode, max_surrogates: int) -> np.ndarray:
    """The rows that go left: by the split, else by the first surrogate that applies, else to the larger side.

    Stores the surrogates and the larger side in the node.
    """
    rows = node.rows
    sides = cut.sides(cases.columns[cut.feature, rows])
    w = cases.w[rows]
    node.missing_left = bool(w[sides == 1].sum() >= w[sides == 0].sum())
    node.surrogates = surrogates_for(cut, sides, cases, rows, max_surrogates) if max_surrogates else []
    for surrogate in node.surrogates:
        undecided = np.flatnonzero(sides < 0)
        sent = surrogate.cut.sides(cases.columns[surrogate.cut.feature, rows[undecided]])
        sides[undecided] = np.where(sent < 0, sent, sent ^ surrogate.flipped)
    return np.where(sides < 0, node.missing_left, sides == 1)
