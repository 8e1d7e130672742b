"""Observed values and their weights, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Column
from probus.errors import DataError


def checked_numbers(x: Any, name: str) -> np.ndarray:
    """The observed numbers as float64; ``name`` is the distribution that wants them."""
    if isinstance(x, Column):
        x = x.numbers_array() if x.is_number_like else x.decoded()
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        odd = next((each for each in np.ravel(np.asarray(x, dtype=object)) if not isinstance(each, (int, float))), x)
        raise DataError(
            f"{odd!r} among the values.", f"numbers for a {name} distribution", "Categorical() takes labels."
        ) from error
    if values.ndim != 1:
        raise DataError(f"an array of {values.ndim} dimensions.", "one variable: a sequence of numbers")
    check_complete(np.isnan(values), len(values))
    if np.isinf(values).any():
        raise DataError(f"{int(np.isinf(values).sum())} of {len(values)} values are infinite.", "finite numbers")
    return values


def check_complete(missing: np.ndarray, n: int, hint: str = "Leave them out: x[~np.isnan(x)].") -> None:
    """Refuse no values, and missing ones."""
    if n == 0:
        raise DataError("no values.", "at least one")
    if missing.any():
        raise DataError(f"{int(missing.sum())} of {n} values are missing.", "known values", hint)


def checked_support(values: np.ndarray, inside: np.ndarray, name: str, support: str) -> None:
    """Refuse values that the distribution cannot have."""
    if not inside.all():
        raise DataError(f"the value {values[~inside][0]:g}.", f"{support} for a {name} distribution")


def check_varied(values: np.ndarray, weights: np.ndarray, hint: str = "") -> None:
    """Refuse values that are all the same, which have no most likely spread."""
    if np.ptp(values[weights > 0]) == 0:
        raise DataError("values that are all the same.", "values that differ", hint)


def checked_weights(sample_weight: Any, n: int) -> np.ndarray:
    """How often each value was observed."""
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise DataError(f"sample_weight has shape {weights.shape} and there are {n} values.", "one weight per value")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise DataError("negative, infinite or missing weights, or none above 0.", "weights of 0 or more")
    return weights
