"""Checks of given class labels and class probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.base import encoded_classes


def codes_among(classes: np.ndarray, y: Any, n_rows: int) -> np.ndarray:
    """The codes of labels into sorted classes; a label that is not among them is an error.

    >>> codes_among(np.array([1, 2, 5]), [5, 1], 2)
    array([2, 0])
    """
    seen, codes = encoded_classes(y, n_rows)
    unknown = seen[~np.isin(seen, classes)]
    if len(unknown):
        raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes {classes}")
    return np.searchsorted(classes, seen)[codes]


def checked_priors(priors: Any, n_classes: int) -> np.ndarray:
    """The given prior probabilities as an array: one per class, not negative, with sum 1."""
    given = np.array(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError("Number of priors must match number of classes.")
    if not np.isclose(given.sum(), 1.0):
        raise ValueError("The sum of the priors should be 1.")
    if (given < 0).any():
        raise ValueError("Priors must be non-negative.")
    return given
