"""What each pass of the network is given: rows, groups of classes, and the random numbers by which passes differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from probus.errors import ModelFileError
from probus.in_context._network import IDENTITY, MOST_CLASSES
from probus.state import Array, Many, Part, Spec


@dataclass(frozen=True, eq=False)
class Plan(Part):
    """The training side of one pass.

    Attributes
    ----------
    rows : which of the kept training rows it has.
    groups : the classes of each output; of numbers there are none.
    identity : the random numbers by which columns are distinguished, with one row more for a further column.
    codes : the numbers that stand for the levels of each nominal column.
    """

    rows: np.ndarray
    groups: list[np.ndarray]
    identity: np.ndarray
    codes: list[np.ndarray]

    declared: ClassVar[Mapping[str, Spec]] = {
        "rows": Array("i4", "n", low=0),
        "groups": Many(Array("i4", "*", low=0)),
        "identity": Array("f4", "d k"),
        "codes": Many(Array("f4", "*")),
    }

    def check(self) -> None:
        """See ``Part``."""
        finite = np.isfinite(self.identity).all() and all(np.isfinite(each).all() for each in self.codes)
        if not len(self.rows) or self.identity.shape[1] != IDENTITY or len(self.groups) > MOST_CLASSES or not finite:
            raise ModelFileError("Plan: no rows, more classes than the network has, or numbers that are not finite.")

    def has_further_column(self, columns: int) -> bool:
        """Whether the pass has a column more than the encoding, of what a regression predicts."""
        return len(self.identity) > columns

    def cells(self, cells: np.ndarray, nominal: np.ndarray) -> np.ndarray:
        """Encoded rows with the numbers that stand for levels."""
        found = cells.copy()
        for j, code in zip(np.flatnonzero(nominal), self.codes, strict=True):
            known = ~np.isnan(found[:, j])
            found[known, j] = code[found[known, j].astype(np.int64)]
        return found

    def targets(self, y: np.ndarray) -> np.ndarray:
        """The targets of the rows of the pass: numbers, or the places of the groups that have their class."""
        if not self.groups:
            return y[self.rows]
        group = np.zeros(1 + max(int(each.max()) for each in self.groups), np.int64)
        for place, classes in enumerate(self.groups):
            group[classes] = place
        return group[y[self.rows]]


def member(
    random: np.random.Generator, y: np.ndarray, n_classes: int, most: int, levels: np.ndarray, further: bool
) -> list[Plan]:
    """The passes of one member: one for numbers and for up to ten classes, more for more classes.

    More than ten classes are divided at random into groups, which one pass distinguishes; each group of several is
    divided by a pass of its own. The probability of a class is the product of those on the way to it.

    Parameters
    ----------
    random : draws rows, groups and numbers.
    y, n_classes : the codes of the classes of training rows, and their number; numbers and 0.
    most : the most rows of a pass, which are drawn with each class as often as its share.
    levels : the number of levels of each column, 0 for numbers.
    further : whether a pass of numbers has a further column.

    Returns
    -------
    The passes, each before those that divide its groups.
    """
    if not n_classes:
        return [_plan(random, _drawn(random, np.arange(len(y)), None, most), [], levels, int(further))]
    plans, open_groups = [], [random.permutation(n_classes)]
    while open_groups:
        classes = open_groups.pop(0)
        groups = _divided(classes)
        rows = np.flatnonzero(np.isin(y, classes))
        plans.append(_plan(random, _drawn(random, rows, y[rows], most), groups, levels))
        open_groups += [group for group in groups if len(group) > 1]
    return plans


def _divided(classes: np.ndarray) -> list[np.ndarray]:
    """Groups of classes, of about the same size: one for each class where there are ten or fewer."""
    n_groups = len(classes) if len(classes) <= MOST_CLASSES else min(-(-len(classes) // MOST_CLASSES), MOST_CLASSES)
    return [group.astype(np.int32) for group in np.array_split(classes, n_groups)]


def _drawn(random: np.random.Generator, rows: np.ndarray, classes: np.ndarray | None, most: int) -> np.ndarray:
    """All rows, or as many as are allowed; every class has its share, and one row at least if there is room."""
    if len(rows) <= most:
        return rows.astype(np.int32)
    order = random.permutation(len(rows))
    if classes is not None:
        own = classes[order]
        sizes = np.bincount(own)
        place = np.empty(len(rows))
        for code in np.flatnonzero(sizes):  # the first row of each class, then each at regular distances
            place[own == code] = np.arange(sizes[code]) / sizes[code]
        order = order[np.argsort(place, kind="stable")]
    return np.sort(rows[order[:most]]).astype(np.int32)


def _plan(
    random: np.random.Generator, rows: np.ndarray, groups: list[np.ndarray], levels: np.ndarray, further: int = 0
) -> Plan:
    identity = random.normal(size=(len(levels) + further, IDENTITY)).astype(np.float32)
    codes = [random.permutation(n).astype(np.float32) for n in levels[levels > 0]]
    return Plan(rows, groups, identity, codes)
