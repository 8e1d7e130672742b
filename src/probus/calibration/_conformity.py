"""The ranks of new predictions among those of rows with known targets: what conformal prediction counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from probus.display import counted
from probus.errors import DataError, ModelFileError
from probus.state import Array, Maybe, Number, Part, Spec

_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Conformity(Part):
    """How far the targets of rows were from predictions of models that were not fitted on them.

    Attributes
    ----------
    score : float64[n], larger for targets that are less expected; ascending within a fold.
    fold : int64[n], ascending.
    mass : float64[n], what each row counts.
    label : int64[n], the code of its class; 0 for numbers.
    unit : what a new row counts: the mean of the rows, or a whole group.
    decided : bool[n], whether the label is the one that was predicted; None where that is not known.
    """

    score: np.ndarray
    fold: np.ndarray
    mass: np.ndarray
    label: np.ndarray
    unit: float
    decided: np.ndarray | None = None
    declared: ClassVar[Mapping[str, Spec]] = {
        "score": Array("f8", "n"),
        "fold": Array("i8", "n", low=0),
        "mass": Array("f8", "n"),
        "label": Array("i8", "n", low=0),
        "unit": Number(),
        "decided": Maybe(Array("?", "n")),
    }

    def check(self) -> None:
        """Raise a ModelFileError unless rows are in order."""
        falling = (np.diff(self.score) < 0) & (np.diff(self.fold) == 0)
        if not len(self.score) or falling.any() or (np.diff(self.fold) < 0).any() or not np.all(self.mass >= 0):
            raise ModelFileError("scores that are not in order.", "scores that ascend within each fold")

    @classmethod
    def of(
        cls,
        score: np.ndarray,
        fold: np.ndarray,
        weights: np.ndarray | None,
        groups: np.ndarray | None,
        label: np.ndarray | None = None,
        rows: np.ndarray | None = None,
        decided: np.ndarray | None = None,
    ) -> Conformity:
        """The scores in order; rows of weight zero do not count. rows : the row of each score, by default its own."""
        mass, unit = row_masses(len(score), weights, groups, rows)
        order = np.lexsort((score, fold))
        order = order[mass[order] > 0]
        labels = np.zeros(len(score), np.int64) if label is None else np.asarray(label, np.int64)
        folds = np.asarray(fold, np.int64)
        known = None if decided is None else decided[order]
        return cls(np.asarray(score, np.float64)[order], folds[order], mass[order], labels[order], unit, known)

    @property
    def n_units(self) -> float:
        """The number of rows, or of groups."""
        return float(self.mass.sum() / self.unit)

    def together(self) -> Conformity:
        """The scores of all folds as those of one."""
        order = np.argsort(self.score, kind="stable")
        known = None if self.decided is None else self.decided[order]
        return Conformity(
            self.score[order], np.zeros_like(self.fold), self.mass[order], self.label[order], self.unit, known
        )

    def of_class(self, code: int) -> Conformity:
        """The scores of the rows of one class."""
        mine = self.label == code
        return Conformity(self.score[mine], self.fold[mine], self.mass[mine], self.label[mine], self.unit)

    def cover_of_classes(self, level: float, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
        """The share of the rows of each class that sets of all rows together hold, and how many rows or groups it has.

        A row counts as one new row beside the others; a class that was predicted is in its set.
        """
        whole = self.together()
        own, total = whole.mass, whole.mass.sum() + whole.unit
        shares = (whole.share_above(whole.score[None]) * total - own) / (total - own)
        inside = shares > (1 - level) * (1 + 1e-12)
        if whole.decided is not None:
            inside |= whole.decided
        mass = np.bincount(whole.label, own, n_classes)
        held = np.bincount(whole.label, own * inside, n_classes)
        return np.divide(held, mass, out=np.full(n_classes, np.nan), where=mass > 0), mass / whole.unit

    # -- ranks -----------------------------------------------------------------------------------------

    def share_above(self, scores: np.ndarray, ties: np.ndarray | float = 1.0) -> np.ndarray:
        """The share of rows, the new one among them, whose scores are at least that of the new one.

        It is the p-value of the hypothesis that the new target is the one the score belongs to. ``scores`` is
        float64[F, …], by the model of each fold. ``ties`` is the share of equal scores, the new row's among them, that
        counts: with a number drawn evenly from 0 to 1 the p-value of the true target is even too (Vovk et al. 2005).
        """
        above, equal = np.zeros(scores.shape[1:]), np.full(scores.shape[1:], self.unit)
        for mine, of_fold in zip(self._folds(len(scores)), scores, strict=True):
            below = np.concatenate([[0.0], np.cumsum(self.mass[mine])])
            first, last = (below[np.searchsorted(self.score[mine], of_fold, side=side)] for side in ("left", "right"))
            above += below[-1] - last
            equal += last - first
        return (above + ties * equal) / (self.mass.sum() + self.unit)

    def quantile(self, level: float) -> float:
        """The score that a share of ``level`` of all, and of the new row's, is below, between two by interpolation.

        Scores that are exchangeable with that of the new row exceed it by 1 − level on average, if large scores are
        rarer than small ones, and by at most one row's share more otherwise. The rank rounded up, as in ``upper``,
        never exceeds it, but covers up to one row's share more than the level.
        """
        score, code = np.unique(self.score, return_inverse=True)
        reached = np.cumsum(np.bincount(code, self.mass))
        return float(np.interp(level * (reached[-1] + self.unit), reached, score))

    def upper(self, centres: np.ndarray, scale: np.ndarray, level: float) -> np.ndarray:
        """The bound that a share of ``level`` of all centre + scale · score, and of the new row's, is below.

        centres : float64[F, m], the predictions by the model of each fold. scale : float64[m].

        The mass below a bound is counted by fold, and the bound found by halving an interval that holds it.
        """
        wanted = level * (self.mass.sum() + self.unit) * (1 - 1e-12)
        folds = self._folds(len(centres))
        below = [np.concatenate([[0.0], np.cumsum(self.mass[mine])]) for mine in folds]
        low = centres.min(axis=0) + scale * self.score.min()
        high = centres.max(axis=0) + scale * self.score.max()
        low = low - (high - low) - np.spacing(np.abs(low))
        high = high + np.spacing(np.abs(high)) * 4
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            reached = np.zeros(centres.shape[1])
            for mine, mass, centre in zip(folds, below, centres, strict=True):
                reached += mass[np.searchsorted(self.score[mine], (middle - centre) / scale, side="right")]
            enough = reached >= wanted
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    def _folds(self, n: int) -> list[slice]:
        """The rows of each fold."""
        edges = np.searchsorted(self.fold, np.arange(n + 1))
        return [slice(int(first), int(last)) for first, last in pairwise(edges)]

    def must_reach(self, level: float) -> None:
        """Raise unless there are enough rows for intervals of that level to be finite."""
        if level * (self.mass.sum() + self.unit) * (1 - 1e-12) > self.mass.sum():
            n, least = self.n_units, int(np.ceil(level / (1 - level) * (1 - 1e-9)))
            units = counted(round(n), "row or group", "rows or groups")
            raise DataError(
                f"level={level:g} from {units} with out-of-fold predictions.",
                f"at least {least}, or a level of at most {np.floor(1000 * n / (n + 1)) / 1000:g}",
                "An interval of fewer rows would be infinite.",
            )


def row_masses(
    n: int, weights: np.ndarray | None, groups: np.ndarray | None, rows: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """What each score counts, and what that of a new row counts.

    Rows count by their weights, which the scores of a row share: ``rows`` has the row of each. Where rows of a group
    are alike, it is groups that are exchangeable: all of the rows of a group count as much as one new row (Dunn,
    Wasserman and Ramdas 2023).

    >>> row_masses(3, None, np.array([0, 0, 1]))
    (array([0.5, 0.5, 1. ]), 1.0)
    >>> row_masses(3, np.array([6.0, 6.0, 2.0]), None, np.array([0, 0, 1]))
    (array([3., 3., 2.]), 4.0)
    """
    mass = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    times = np.ones(n) if rows is None else np.bincount(rows)[rows]
    mass = mass / times
    if groups is None:
        counted = mass > 0
        return mass, float(mass[counted].sum() / (1 / times[counted]).sum())
    code = np.unique(groups, return_inverse=True)[1]
    total = np.bincount(code, mass)[code]
    return np.divide(mass, total, out=np.zeros(n), where=total > 0), 1.0


def checked_level(level: float) -> float:
    """The level, between 0 and 1."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise DataError(f"level={level!r}.", "a number between 0 and 1", "90 % is 0.9.")
    return float(level)
