"""The scale of row weights: integers that count repeated rows, or weights of which only the ratios matter."""

from __future__ import annotations

import numpy as np

_REPEATED = 10  # the largest mean of integer weights that are counts of rows


def are_counts(weight: np.ndarray) -> bool:
    """Whether weights count repeated rows: integers with a mean of at most ten.

    >>> are_counts(np.array([0.0, 1.0, 3.0])), are_counts(np.array([0.5, 1.0])), are_counts(np.array([1e6, 2e6]))
    (True, False, False)
    """
    with np.errstate(over="ignore"):
        return bool(weight.sum() <= _REPEATED * len(weight) and (weight == np.floor(weight)).all())


def in_range(weight: np.ndarray) -> np.ndarray:
    """Weights times a power of two, of at most one: their sums do not overflow, and their ratios are exact.

    >>> in_range(np.array([2.0**1023, 2.0**1022]))
    array([0.5 , 0.25])
    """
    return np.ldexp(weight, -np.frexp(weight.max())[1])


def mean_one(weight: np.ndarray) -> np.ndarray:
    """Weights with a mean of one; equal ones are exactly one.

    >>> mean_one(np.array([4e307, 12e307])), mean_one(np.full(3, 1e-320))
    (array([0.5, 1.5]), array([1., 1., 1.]))
    """
    scaled = in_range(weight)
    return np.ones(len(weight)) if scaled.min() == scaled.max() else scaled / scaled.mean()
