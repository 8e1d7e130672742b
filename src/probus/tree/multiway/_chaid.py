"""CHAID: levels that do not differ in a chi-squared test are merged; the most significant column is split."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.tree.multiway._coding import ColumnCoding, coding_of
from probus.tree.multiway._gain import LevelTables
from probus.tree.multiway._merging import Grouping, merged
from probus.tree.multiway._multiway_classifier import MultiwayClassifier
from probus.tree.multiway._multiway_growth import SLACK, Cases, GrowingNode, Split, Training, first_best, grow, mixed
from probus.tree.multiway._multiway_tree import SPREAD, STAYS
from probus.tree.preparation._design import Design


class CHAIDClassifier(MultiwayClassifier):
    """Chi-squared automatic interaction detection (Kass 1980).

    At each node the levels of every column are merged as long as they do not differ in a chi-squared test: any two
    levels of nominal columns, adjacent levels of ordinal columns and adjacent quantile bins of numbers. Missing is a
    separate level, which may merge with any other. The column with the smallest p-value, after Bonferroni's correction
    for the number of possible groupings, is split if it is significant; its groups of levels are the branches. A bin or
    ordinal level that does not occur at a node goes with the nearest one. Kass's step of splitting merged groups again
    is omitted.

    The time for merging is cubic in the number of levels with different class frequencies.

    Attributes
    ----------
    tree_ : MultiwayTree
        Its ``score`` contains the adjusted p-values.
    classes_ : array of shape (n_classes,)
    n_classes_ : int

    Examples
    --------
    >>> from probus import datasets
    >>> titanic = datasets.titanic()
    >>> columns = titanic.select("Sex", "Pclass")
    >>> print(CHAIDClassifier(max_depth=1).fit(columns, titanic["Survived"]).export_text())
    Sex = female: yes (314.0/81.0)
    Sex = male: no (577.0/109.0)
    """

    alpha_merge: float = parameter(
        "Levels are merged while the largest p-value of a pair is above it; 1 merges none.",
        default=0.05,
        above=0,
        at_most=1,
    )
    alpha_split: float = parameter(
        "A node is split if the smallest adjusted p-value is at most this.", default=0.05, above=0, at_most=1
    )
    n_bins: int = parameter("The number of quantile bins of numeric columns.", default=10, at_least=2)
    min_parent: int = parameter("The minimum weight of a node to be split.", default=20, at_least=1)
    min_child: int = parameter(
        "The minimum weight of a branch; smaller ones are merged with the most similar branch.", default=7, at_least=1
    )

    @classmethod
    def examples(cls) -> list[Any]:
        """The default, and a larger tree."""
        return [cls(), cls(alpha_split=0.5, min_parent=6, min_child=2)]

    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        return coding_of(design, self._schema, w, n_bins=self.n_bins, ordinal_levels=True)

    def _grown(self, training: Training) -> GrowingNode:
        rule = SmallestPValue(training, self.alpha_merge, self.alpha_split, self.min_parent, self.min_child)
        return grow(training, rule, self.max_depth)


class SmallestPValue:
    """The split rule of CHAID: merge levels, then split the column with the smallest adjusted p-value."""

    once = False

    def __init__(self, training: Training, alpha_merge: float, alpha_split: float, min_parent: float, min_child: float):
        self._training = training
        self._tables = LevelTables.of(training)
        self._alpha_merge = alpha_merge
        self._log_alpha_split = log(alpha_split)
        self._min_parent = min_parent
        self._min_child = min_child

    def may_split(self, counts: np.ndarray) -> bool:
        """Whether there are two classes and enough rows."""
        return mixed(counts, self._min_parent)

    def choose(self, cases: Cases) -> Split | None:
        """See the class."""
        tables = self._tables.counted(self._training, cases)
        groupings = [self._grouping(tables, place) for place in range(len(self._tables.columns))]
        log_p = np.array([1.0 if grouping is None else grouping.log_p for grouping in groupings])
        best = first_best(-log_p)
        grouping = groupings[best]
        if grouping is None or grouping.log_p > self._log_alpha_split:
            return None
        column = int(self._tables.columns[best])
        seen = np.flatnonzero(self._tables.table(tables, best).sum(axis=1) > 0)
        groups = np.full(self._tables.length[best], STAYS)
        groups[-1] = SPREAD
        for child, group in enumerate(grouping.groups):
            groups[seen[group]] = child
        ordered = bool(self._training.coding.ordered[column])
        return Split.by_group(column, groups, exp(grouping.log_p), ordered=ordered)

    def _grouping(self, tables: np.ndarray, place: int) -> Grouping | None:
        """The merged levels of a column, if at least two groups remain."""
        table = self._tables.table(tables, place)
        seen = table.sum(axis=1) > 0
        if seen.sum() < 2:
            return None
        grouping = merged(
            table[seen],
            ordered=bool(self._training.coding.ordered[self._tables.columns[place]]),
            floating=bool(seen[-1]),
            alpha=self._alpha_merge,
            min_child=self._min_child - SLACK,
        )
        return grouping if len(grouping.groups) > 1 else None
