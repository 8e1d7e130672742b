"""What an optimiser minimises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np


class Objective(Protocol):
    """A function of a point, the mean of the functions of n examples.

    Attributes
    ----------
    n_examples : 1 for a function that is not such a mean.
    """

    n_examples: int

    def value(self, w: np.ndarray) -> float:
        """The value at a point."""

    def gradient(self, w: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The gradient at a point, of the mean of all examples or of some."""

    def example_gradients(self, w: np.ndarray) -> np.ndarray:
        """The gradient of each example: float64[n_examples, d]."""


class Function:
    """A function of one's own as an objective.

    Parameters
    ----------
    value : function of a point
    gradient : function of a point, optional
        By default central differences.

    Examples
    --------
    >>> bowl = Function(lambda w: w[0] ** 2 + 10 * w[1] ** 2)
    >>> bowl.gradient(np.array([1.0, 1.0])).round(6)
    array([ 2., 20.])
    """

    n_examples = 1

    def __init__(
        self, value: Callable[[np.ndarray], float], gradient: Callable[[np.ndarray], np.ndarray] | None = None
    ):
        self._value = value
        self._gradient = gradient

    def value(self, w: np.ndarray) -> float:
        """The value at a point."""
        return float(self._value(w))

    def gradient(self, w: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The gradient at a point."""
        return self._differences(w) if self._gradient is None else np.asarray(self._gradient(w), dtype=np.float64)

    def example_gradients(self, w: np.ndarray) -> np.ndarray:
        """The gradient as that of a single example."""
        return self.gradient(w)[None]

    def _differences(self, w: np.ndarray) -> np.ndarray:
        steps = np.cbrt(np.finfo(np.float64).eps) * np.maximum(np.abs(w), 1.0)
        moves = np.diag(steps)
        return np.array([self.value(w + move) - self.value(w - move) for move in moves]) / (2.0 * steps)
