"""The degrees of freedom of variances that few rows, or few groups of rows, estimate."""

from __future__ import annotations

import numpy as np

from probus.model_selection._score_variance import ScoreVariance


def degrees_of_freedom(found: ScoreVariance, n_units: int, groups: np.ndarray | None = None) -> float:
    """1/df = 1/(those of the training sets' part) + 1/(U − 1), with U rows, or as many groups of equal size.

    >>> round(degrees_of_freedom(ScoreVariance(1.0, 1.0, df=1e9), 4, np.array([0, 0, 0, 0, 1, 2, 3])), 2)
    1.58
    """
    units = n_units if groups is None else equal_groups(groups)
    return 1 / (1 / found.df + 1 / max(units - 1, 1.0))


def equal_groups(groups: np.ndarray) -> float:
    """How many groups of one size estimate the variance between groups as well as these: (Σ s)²/Σ s².

    >>> equal_groups(np.array(["a", "a", "b", "b"])), round(equal_groups(np.array(["a", "a", "a", "b"])), 2)
    (2.0, 1.6)
    """
    size = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(size.sum() ** 2 / (size @ size))
