"""Numbers made of the columns of users or of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.linear_model import Ridge
from probus.pipeline import TabularPipeline, tabular
from probus.recommend._ids import Ids
from probus.recommend._side_tables import SideTable

_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Features:
    """Standardised numbers of each user, or each item; zeros, the mean, for those without a row.

    matrix : float64[n, p]. preparation : the fitted steps that make them of a row; None without a table.
    mean, scale : of each number before it was standardised.
    """

    matrix: np.ndarray
    preparation: Any
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, side: SideTable | None, ids: Ids, means: np.ndarray) -> Features:
        """The numbers of these ids; ``means`` is the mean rating of each, NaN without one.

        Some steps of the preparation, such as that of columns with many levels, are fitted to the mean ratings.
        """
        if side is None:
            return cls(np.empty((len(ids), 0)), None, np.empty(0), np.empty(0))
        codes = side.ids.codes(ids.labels)
        fitted_on = np.flatnonzero((codes >= 0) & ~np.isnan(means))
        if not len(fitted_on):
            fitted_on = np.flatnonzero(codes >= 0)
        target = means[fitted_on]
        steps = tabular(Ridge()).fit(side.rows(codes[fitted_on]), np.where(np.isnan(target), 0.0, target))
        preparation = TabularPipeline(steps.steps[:-1])
        numbers = np.zeros((len(ids), len(_numbers(preparation, side, codes[fitted_on[:1]])[0])))
        known = np.flatnonzero(codes >= 0)
        numbers[known] = _numbers(preparation, side, codes[known])
        mean, scale = numbers[known].mean(axis=0), numbers[known].std(axis=0)
        scale = np.where(scale > _TINY * np.maximum(np.abs(mean), 1.0), scale, np.inf)  # constants become 0
        matrix = np.zeros_like(numbers)
        matrix[known] = (numbers[known] - mean) / scale
        return cls(matrix, preparation, mean, scale)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers."""
        return () if self.preparation is None else tuple(map(str, self.preparation.get_feature_names_out()))


def _numbers(preparation: Any, side: SideTable, codes: np.ndarray) -> np.ndarray:
    return np.asarray(preparation.transform(side.rows(codes)), dtype=np.float64)


def mean_ratings(of: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """The mean rating of each of n users or items, NaN without a rating."""
    count = np.bincount(of, minlength=n)
    total = np.bincount(of, values, minlength=n)
    return np.divide(total, count, out=np.full(n, np.nan), where=count > 0)
