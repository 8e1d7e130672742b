"""A start from few rows: k-means of a small weighted sample, whose optimum is near that of all rows."""

from __future__ import annotations

import numpy as np

from probus.cluster._lloyd import WeightedRows, lloyd
from probus.cluster._seeding import plus_plus

_ROWS_PER_CENTRE = 256
_WORTH_IT = 4  # times as many rows as the sample has


def coreset(rows: WeightedRows, m: int, random: np.random.RandomState) -> WeightedRows:
    """A sample of at most m rows whose weighted sum of squares is near that of all rows, for any centres.

    Half of the probability is by weight, half by weight · squared distance to the mean, so that small groups far away
    are drawn too; a row's weight is divided by its probability (Bachem, Lucic & Krause 2018, "Scalable k-means
    clustering via lightweight coresets").
    """
    away = rows.w * rows.squares
    share = rows.w / (2.0 * rows.w.sum()) + away / (2.0 * (away.sum() or 1.0))
    ends = np.cumsum(share)
    drawn = np.searchsorted(ends, random.uniform(size=m) * ends[-1], side="right")
    chosen, times = np.unique(np.minimum(drawn, len(ends) - 1), return_counts=True)
    return WeightedRows(rows.X[chosen], rows.w[chosen] * times / share[chosen], rows.n_jobs)


def coreset_start(rows: WeightedRows, k: int, random: np.random.RandomState, max_iter: int, tol: float) -> np.ndarray:
    """Centres of a coreset by k-means++ and Lloyd's iteration; of all rows by k-means++ where these are not many.

    rows : centred at their mean.
    """
    m = _ROWS_PER_CENTRE * k
    if len(rows.X) < _WORTH_IT * m:
        return plus_plus(rows, k, random)
    few = coreset(rows, m, random)
    return lloyd(few, plus_plus(few, k, random), max_iter, tol).centres
