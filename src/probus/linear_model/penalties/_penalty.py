"""The base class of penalties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.state import Part


class Penalty(Part, ABC):
    """A function of the coefficients float64[p, K] that is added to the mean loss; intercepts have none.

    smooth : whether it has a gradient everywhere, see ``Separable.l2``
    convex : whether a minimum of the sum is the minimum
    """

    smooth: bool = False
    convex: bool = True

    def check_columns(self, p: int) -> None:
        """Raise a DataError where the penalty is for another number of columns."""
        return

    @abstractmethod
    def value(self, w: np.ndarray) -> float:
        """The penalty of the coefficients."""

    @abstractmethod
    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """The proximal operator: the w that minimises ½ ‖w − v‖² + step · value(w)."""

    @abstractmethod
    def violation(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The distance of −slope, the gradient of the loss, from the subdifferential at w, for each coefficient."""


def array_of(values: Any) -> np.ndarray:
    """The values as an array; one of objects where lists are of unequal length, which every check refuses."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.empty((0, 0), dtype=object)


def check_not_negative(penalty: Penalty, name: str) -> None:
    """Raise a DataError where a field is not a finite number of at least 0."""
    value = getattr(penalty, name)
    if not (isinstance(value, (int, float, np.integer, np.floating)) and 0 <= value < np.inf):
        raise DataError(f"{type(penalty).__name__}: {name}={value!r}.", "a finite number of at least 0")
