"""A target for screening: classes or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from probus.base import encoded_classes
from probus.data import Column
from probus.errors import DataError

_FEW = 20  # integers with at most this many distinct values are treated as classes


@dataclass(frozen=True)
class ScreeningTarget:
    """A target: codes of ``n_classes`` classes, or numbers where ``n_classes`` is 0.

    >>> ScreeningTarget.of(["no", "yes", "no"], 3)
    ScreeningTarget(values=array([0, 1, 0]), n_classes=2)
    """

    values: np.ndarray
    n_classes: int = 0

    @classmethod
    def of(cls, y: Any, n_rows: int) -> ScreeningTarget:
        """Classes if y holds labels or few distinct integers, else numbers."""
        labels = y.decoded() if isinstance(y, Column) else np.asarray(y)
        if labels.ndim == 1 and _is_quantity(labels):
            if len(labels) != n_rows:
                raise DataError(
                    f"X has {n_rows} rows and y has {len(labels)}: inconsistent numbers of samples.", "one y per row"
                )
            if not np.isfinite(labels).all():
                raise DataError("Input y contains NaN or infinity.", "a number for every row", "Drop those rows.")
            return cls(labels.astype(np.float64))
        classes, codes = encoded_classes(y, n_rows)
        return cls(codes, len(classes))

    def take(self, rows: np.ndarray) -> ScreeningTarget:
        """The target of some rows."""
        return ScreeningTarget(self.values[rows], self.n_classes)

    def p_value_of_groups(self, group: np.ndarray) -> float:
        """The p-value of the difference of the target between a group and the other rows."""
        if not self.n_classes:
            return float(stats.mannwhitneyu(self.values[group], self.values[~group]).pvalue)
        counts = np.array([np.bincount(self.values[rows], minlength=self.n_classes) for rows in (group, ~group)])
        counts = counts[:, counts.any(axis=0)]
        return float(stats.chi2_contingency(counts).pvalue)


def _is_quantity(labels: np.ndarray) -> bool:
    """Whether these are numbers rather than class labels."""
    if labels.dtype.kind not in "iuf":
        return False
    return bool((labels != np.floor(labels)).any()) or len(np.unique(labels)) > _FEW
