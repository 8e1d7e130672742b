"""Growing from the root: test, select a column, split, and repeat on both sides."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from probus.tree.conditional._cut import Cut, best_cut
from probus.tree.conditional._independence import Independence, IndependenceData, Tests
from probus.tree.conditional._pvalue import log_pvalues

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


# -- surrogate splits for rows with a missing value at the primary split -------------------------------


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A split that sends most rows to the same side as the primary one, and its agreement.

    ``flipped`` if rows at or below its threshold go right. ``agreement`` is the share of rows sent to the same
    side, ``adjusted`` the improvement over sending all rows to the larger side.
    """

    cut: Cut
    flipped: bool
    agreement: float
    adjusted: float


def surrogates_for(
    primary: Cut, sides: np.ndarray, cases: IndependenceData, rows: np.ndarray, most: int
) -> list[Surrogate]:
    """The columns with the strongest association with the side of the rows, each with its best split.

    The sides are used as the response, as in Hothorn, Hornik and Zeileis (2006), section 3.3; splits that do not agree
    more often than the larger side are dropped.

    sides : of each row, as ``Cut.sides`` gives them.
    """
    known = sides >= 0
    rows, left = rows[known], sides[known].astype(np.float64)
    moved = replace(cases, h=left[:, None])
    statistic, freedom = moved.statistics(rows, np.arange(len(rows)), False)
    log_p = log_pvalues(statistic, freedom, False)
    log_p[primary.feature] = np.nan
    order = np.argsort(log_p.round(9), kind="stable")
    found: list[Surrogate] = []
    for j in order[: np.count_nonzero(~np.isnan(log_p))]:
        if len(found) == most:
            break
        cut = best_cut(int(j), cases.columns[j, rows], int(cases.n_levels[j]), moved.h, cases.w[rows], 0.0)
        surrogate = None if cut is None else _compare(cut, cut.sides(cases.columns[j, rows]), left, cases.w[rows])
        if surrogate is not None and surrogate.adjusted > 0:
            found.append(surrogate)
    return found


def _compare(cut: Cut, sides: np.ndarray, left: np.ndarray, w: np.ndarray) -> Surrogate:
    """A split in the direction in which it agrees more often with the sides of the rows."""
    known = sides >= 0
    n, alike = w[known].sum(), w[known & (sides == left)].sum()
    flipped = alike < n - alike
    agree = max(alike, n - alike)
    majority = max(w[known & (left == 1)].sum(), w[known & (left == 0)].sum())
    if flipped and cut.left is not None and cut.known is not None:
        cut, flipped = replace(cut, left=cut.known & ~cut.left), False
    return Surrogate(cut, bool(flipped), float(agree / n), float((agree - majority) / (n - majority)))
