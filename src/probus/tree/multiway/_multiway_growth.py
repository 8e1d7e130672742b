"""Growing a multiway tree: nodes with children, and the distribution of rows to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from probus.tree.multiway._coding import ColumnCoding
from probus.tree.multiway._multiway_tree import LEAF, NO_FEATURE, NO_ROUTE, SPREAD, STAYS, MultiwayTree

SLACK = 1e-9  # tolerance for sums of the same weights in another order


@dataclass(frozen=True, eq=False)
class Training:
    """The training rows: coded columns, classes and positive weights."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    n_classes: int
    coding: ColumnCoding

    def counts(self, rows: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The weight of each class."""
        return np.bincount(self.y[rows], w, self.n_classes)


@dataclass(frozen=True, eq=False)
class Cases:
    """The rows of a node with weights ``w``; ``open`` marks the columns that may be split on."""

    rows: np.ndarray
    w: np.ndarray
    counts: np.ndarray
    open: np.ndarray
    depth: int


@dataclass(frozen=True, eq=False)
class Split:
    """A split: the child of each code in ``routes``, missing last, or a ``threshold`` for numbers."""

    feature: int
    n_children: int
    score: float
    threshold: float = np.nan
    routes: np.ndarray | None = None

    @classmethod
    def by_level(cls, feature: int, table: np.ndarray, score: float, *, ordered: bool) -> Split:
        """A child for each code that occurs, by a table of codes × classes whose last row is missing values."""
        seen = table[:-1].sum(axis=1) > 0
        groups = np.append(np.where(seen, np.cumsum(seen) - 1, STAYS), SPREAD)
        return cls.by_group(feature, groups, score, ordered=ordered)

    @classmethod
    def by_group(cls, feature: int, groups: np.ndarray, score: float, *, ordered: bool) -> Split:
        """A child for each group of codes, STAYS for codes that do not occur, missing values last.

        Ordered codes that do not occur go with the nearest code that does, the lower in case of ties.
        """
        routes = groups.astype(np.int32)
        if ordered:
            seen, codes = np.flatnonzero(routes[:-1] >= 0), np.arange(len(routes) - 1)
            above = np.searchsorted(seen, codes)
            low, high = seen[np.maximum(above - 1, 0)], seen[np.minimum(above, len(seen) - 1)]
            routes[:-1] = routes[np.where(codes - low <= high - codes, low, high)]
        return cls(feature, int(routes.max()) + 1, score, routes=routes)

    def branches(self, x: np.ndarray) -> np.ndarray:
        """The child of each value, or STAYS, or SPREAD."""
        if self.routes is None:
            return np.where(np.isnan(x), SPREAD, np.where(x <= self.threshold, 0, 1))
        codes = np.where(np.isnan(x), len(self.routes) - 1, x).astype(np.int64)
        return self.routes[codes].astype(np.int64)


@dataclass(eq=False)
class GrowingNode:
    """A node with its class weights and, if it is split, its children."""

    counts: np.ndarray
    split: Split | None = None
    children: list[GrowingNode] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """The weight of its rows."""
        return float(self.counts.sum())

    @property
    def errors(self) -> float:
        """The weight of the rows outside its largest class."""
        return self.weight - float(self.counts.max())

    def become_leaf(self) -> None:
        """Remove the split."""
        self.split, self.children = None, []

    def become(self, other: GrowingNode) -> None:
        """Copy the split and children of another node."""
        self.split, self.children = other.split, other.children


def first_best(scores: np.ndarray) -> int:
    """The position of the largest score, the first in case of ties."""
    return int(np.argmax(scores > scores.max() - SLACK))


def mixed(counts: np.ndarray, least: float) -> bool:
    """Whether a node has two classes and at least so many rows, by weight."""
    return bool(np.count_nonzero(counts) > 1 and counts.sum() >= least - SLACK)


class GrowthRule(Protocol):
    """The rule of an algorithm: which nodes may be split, and the choice of the split."""

    once: bool  # whether a column of codes is used at most once on a path

    def may_split(self, counts: np.ndarray) -> bool:
        """Whether a node with these classes may be split."""

    def choose(self, cases: Cases) -> Split | None:
        """The split of a node, or None."""


def grow(training: Training, rule: GrowthRule, max_depth: int | None) -> GrowingNode:
    """The tree that a rule grows, depth first."""
    everything = np.arange(len(training.y))
    cases = Cases(
        everything, training.w, training.counts(everything, training.w), np.ones(training.X.shape[1], bool), 0
    )
    root = GrowingNode(cases.counts)
    waiting = [(root, cases)] if rule.may_split(cases.counts) else []
    while waiting:
        node, cases = waiting.pop()
        if max_depth is not None and cases.depth >= max_depth:
            continue
        node.split = rule.choose(cases)
        if node.split is None:
            continue
        still_open = cases.open
        if rule.once and node.split.routes is not None:
            still_open = cases.open.copy()
            still_open[node.split.feature] = False
        for _, rows, w in divided(node.split, training.X, cases.rows, cases.w):
            child = GrowingNode(training.counts(rows, w))
            node.children.append(child)
            if rule.may_split(child.counts):
                waiting.append((child, Cases(rows, w, child.counts, still_open, cases.depth + 1)))
    return root


def divided(
    split: Split, X: np.ndarray, rows: np.ndarray, w: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The rows of each child, with weights; rows with missing values are distributed over all children.

    They are distributed in proportion to the known rows of the children. Rows of a level without a child form separate
    groups, numbered from ``n_children`` on by their code.
    """
    x = X[rows, split.feature]
    branches = split.branches(x)
    lone = branches == STAYS
    branches[lone] = split.n_children + x[lone].astype(np.int64)
    order = np.argsort(branches, kind="stable")
    order = order[np.searchsorted(branches[order], 0) :]
    known_w = w[order]
    known = known_w.sum()
    lost = branches == SPREAD
    lost_rows, lost_w = rows[lost], w[lost]
    starts = np.flatnonzero(np.diff(branches[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    for start, end in zip(starts, ends, strict=True):
        share = known_w[start:end].sum() / known
        group = order[start:end]
        if not len(lost_rows):
            yield int(branches[group[0]]), rows[group], w[group]
        else:
            whole = np.concatenate([rows[group], lost_rows])
            yield int(branches[group[0]]), whole, np.concatenate([w[group], share * lost_w])


def flattened(root: GrowingNode, coding: ColumnCoding, laplace: bool) -> MultiwayTree:
    """The tree as flat arrays; with ``laplace`` one row of each class is added for probabilities."""
    nodes = []
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        nodes.append(node)
        waiting.extend(node.children)
    splits = [node.split for node in nodes]
    n_children = np.array([len(node.children) for node in nodes], np.int64)
    lengths = np.array([0 if s is None or s.routes is None else len(s.routes) for s in splits], np.int64)
    routes = [s.routes for s in splits if s is not None and s.routes is not None]
    counts = np.array([node.counts for node in nodes])
    smoothed = counts + laplace
    return MultiwayTree(
        first_child=np.where(n_children > 0, 1 + np.cumsum(n_children) - n_children, LEAF),
        n_children=n_children,
        feature=np.array([NO_FEATURE if s is None else s.feature for s in splits], np.int64),
        threshold=np.array([np.nan if s is None else s.threshold for s in splits]),
        route=np.where(lengths > 0, np.cumsum(lengths) - lengths, NO_ROUTE),
        routes=np.concatenate([*routes, np.empty(0)]).astype(np.int32),
        score=np.array([np.nan if s is None else s.score for s in splits]),
        counts=counts,
        value=smoothed / smoothed.sum(axis=1, keepdims=True),
        coding=coding,
    )
