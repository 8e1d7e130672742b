"""Several objectives: the configurations that no other beats, an order of all, and one number for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.errors import DataError

_SLOPE = 0.05  # of the sum, as in ParEGO


def pareto_front(scores: Any) -> np.ndarray:
    """The positions of the rows that no other row beats: as good in every column and better in one.

    Parameters
    ----------
    scores : array-like of shape (n, objectives), the higher the better; rows with NaN are never on the front

    Returns
    -------
    The numbers of the rows.

    >>> pareto_front([[1.0, 3.0], [2.0, 2.0], [1.0, 2.0], [3.0, 1.0]])
    array([0, 1, 3])
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise DataError(f"found an array of {values.ndim} dimensions.", "scores of shape (n, objectives)")
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    order = known[np.lexsort(-values[known].T[::-1])]  # a row comes after those that beat it
    kept: list[int] = []
    front = np.empty((len(order), values.shape[1]))
    for place in order:
        row, before = values[place], front[: len(kept)]
        if not ((before >= row).all(axis=1) & (before > row).any(axis=1)).any():
            front[len(kept)] = row
            kept.append(int(place))
    return np.array(sorted(kept), dtype=np.int64)


def pareto_order(scores: Sequence[Any]) -> list[int]:
    """The positions, the best first: front after front, the less crowded of a front first.

    >>> pareto_order([0.1, 0.3, 0.2])
    [1, 2, 0]
    >>> pareto_order([(1.0, 3.0), (0.5, 0.5), (3.0, 1.0), (2.0, 2.0)])
    [0, 2, 3, 1]
    """
    values = np.array([np.atleast_1d(score) for score in scores], dtype=np.float64)
    if values.shape[1] == 1:
        return [int(place) for place in np.argsort(-values[:, 0], kind="stable")]
    order: list[int] = []
    left = np.arange(len(values))
    while len(left):
        front = left[pareto_front(values[left])]
        order += [int(place) for place in front[np.argsort(-_distance_to_others(values[front]), kind="stable")]]
        left = np.setdiff1d(left, front)
    return order


def _distance_to_others(front: np.ndarray) -> np.ndarray:
    """The crowding distance: how far apart the neighbours of each point are, added over the objectives."""
    distance = np.zeros(len(front))
    for column in front.T:
        order = np.argsort(column, kind="stable")
        width = column[order[-1]] - column[order[0]] or 1.0
        distance[order[[0, -1]]] = np.inf
        distance[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / width
    return distance


def scalarised(scores: Sequence[Any], n_objectives: int, random: np.random.Generator) -> np.ndarray:
    """One number for each trial, the higher the better; failed trials have the worst of the others.

    Several objectives are scaled to [0, 1] and weighted at random: minus the largest weighted distance to the best of
    each, and a twentieth of their sum (Knowles 2006, IEEE Trans. Evol. Comp. 10: ParEGO). Other weights each time
    give the whole Pareto front in the end.
    """
    failed = np.array([score is None for score in scores])
    if n_objectives == 1:
        single = np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
    else:
        values = np.array([np.full(n_objectives, np.nan) if score is None else score for score in scores], dtype=float)
        best, worst = np.nanmax(values, axis=0), np.nanmin(values, axis=0)
        distance = (best - values) / np.where(best > worst, best - worst, 1.0)
        weighted = distance * random.dirichlet(np.ones(n_objectives))
        single = -(weighted.max(axis=1) + _SLOPE * weighted.sum(axis=1))
    return np.where(failed, np.nanmin(single), single)
