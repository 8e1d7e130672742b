"""Rows as points, for finding the rows that are most similar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data.findings._facts import facts, has_classes
from probus.data.findings._target_sharing import some_groups

MOST_ROWS = 1_000  # all pairs of them are compared
MOST_LEVELS = 20  # of a column, each with a coordinate: the others count as one
FARTHEST = 10.0  # standard deviations


def points_of(columns: Sequence[Column], rows: np.ndarray, *, clip: bool = True) -> np.ndarray:
    """A point for each row: standardised numbers, missing ones at the median, and an indicator for each frequent level.

    With ``clip``, outliers are no farther than 10 standard deviations.
    """
    parts = [each for column in columns for each in _coordinates(column, rows, FARTHEST if clip else np.inf)]
    return np.stack(parts, axis=1) if parts else np.empty((len(rows), 0))


def _coordinates(column: Column, rows: np.ndarray, farthest: float) -> list[np.ndarray]:
    if column.kind is Kind.NUMERIC:
        values = column.values[rows]
        known = np.isfinite(values)
        if not known.any():
            return []
        low, middle, high = np.quantile(values[known], [0.05, 0.5, 0.95])
        spread = (high - low) / 3.29 or float(values[known].std())
        centred = np.where(known, values - middle, 0.0)
        return [np.clip(centred / spread, -farthest, farthest)] if spread > 0 else []
    seen = facts(column)
    frequent = np.argsort(-seen.counts, kind="stable")[:MOST_LEVELS]
    return [(seen.codes[rows] == code).astype(np.float64) for code in frequent]


def recognition(columns: Sequence[Column], label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """How often the nearest row is of the same group, per time by chance, and how much better it knows the target.

    The latter is the error of the nearest row of another group, beyond that of the nearest row of any, as a share of
    the error of a row drawn at random. Near rows are those that the other columns make so.
    """
    places = some_groups(groups, MOST_ROWS)
    X = points_of(columns, rows[places])
    if X.shape[1] == 0 or len(places) < 3:
        return 1.0, 0.0
    squares = (X**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * (X @ X.T)
    np.fill_diagonal(distances, np.inf)
    own = groups[places]
    same = own[:, None] == own
    nearest = distances.argmin(axis=1)
    often = float(same[np.arange(len(own)), nearest].mean())
    by_chance = float((same.sum() - len(own)) / (len(own) * (len(own) - 1)))
    error = _errors(label, rows[places])
    others = np.where(same, np.inf, distances).argmin(axis=1)
    return often / max(by_chance, 1e-300), float(error(others).mean() - error(nearest).mean())


def _errors(label: Column, rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The error of predicting each row by another one, as a share of that of a row drawn at random."""
    if has_classes(label):
        codes = facts(label).codes[rows]
        guess = 1 - float(((np.bincount(codes) / len(codes)) ** 2).sum())
        return lambda other: (codes[other] != codes) / max(guess, 1e-300)
    from scipy.stats import rankdata

    ranks = rankdata(label.values[rows])
    return lambda other: (ranks[other] - ranks) ** 2 / max(2 * ranks.var(), 1e-300)
