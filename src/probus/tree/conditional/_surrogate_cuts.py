"""Surrogate splits for rows with a missing value at the primary split."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probus.tree.conditional._cut import Cut, best_cut
from probus.tree.conditional._independence import IndependenceData
from probus.tree.conditional._pvalue import log_pvalues


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
        surrogate = None if cut is None else _compared(cut, cut.sides(cases.columns[j, rows]), left, cases.w[rows])
        if surrogate is not None and surrogate.adjusted > 0:
            found.append(surrogate)
    return found


def _compared(cut: Cut, sides: np.ndarray, left: np.ndarray, w: np.ndarray) -> Surrogate:
    """A split in the direction in which it agrees more often with the sides of the rows."""
    known = sides >= 0
    n, alike = w[known].sum(), w[known & (sides == left)].sum()
    flipped = alike < n - alike
    agree = max(alike, n - alike)
    majority = max(w[known & (left == 1)].sum(), w[known & (left == 0)].sum())
    if flipped and cut.left is not None and cut.known is not None:
        cut, flipped = replace(cut, left=cut.known & ~cut.left), False
    return Surrogate(cut, bool(flipped), float(agree / n), float((agree - majority) / (n - majority)))
