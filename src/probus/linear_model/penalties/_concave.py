"""Penalties that level off, so that large coefficients are not shrunk; they are not convex."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np

from probus.errors import DataError
from probus.linear_model.penalties._penalty import Penalty, check_not_negative
from probus.state import Number, Spec


class Concave(Penalty):
    """Parent of the penalties that are concave in abs(w).

    A local minimum is reached; which one depends on the start, which is that of the lasso here. By the derivative at
    the present coefficients the penalty is bounded by a weighted lasso (Zou and Li 2008).

    Attributes
    ----------
    alpha : the weight of the penalty at 0.
    gamma : where it is constant: from γα on.
    """

    convex = False
    alpha: float
    gamma: float

    @abstractmethod
    def derivative(self, size: np.ndarray) -> np.ndarray:
        """The derivative by abs(w): alpha at 0, falling to 0."""

    def violation(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """See :class:`Penalty`."""
        pull = self.derivative(np.abs(w))
        return np.where(w != 0, np.abs(slope + np.sign(w) * pull), np.maximum(np.abs(slope) - pull, 0.0))

    def _check(self, least: float) -> None:
        check_not_negative(self, "alpha")
        if not (isinstance(self.gamma, Real) and self.gamma > least):
            raise DataError(f"{type(self).__name__}: gamma={self.gamma!r}.", f"a number above {least:g}")


@dataclass(frozen=True)
class MCP(Concave):
    r"""The minimax concave penalty of Zhang (2010): :math:`α|w| - w^2 / (2γ)`, constant from :math:`γα` on.

    >>> MCP(1.0, 3.0).prox(np.array([[0.5], [2.0], [4.0]]), 1.0).ravel()
    array([0. , 1.5, 4. ])
    """

    alpha: float = 1.0
    gamma: float = 3.0

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "gamma": Number()}

    def __post_init__(self) -> None:
        self._check(1.0)

    def value(self, w: np.ndarray) -> float:
        """See :class:`Penalty`."""
        size = np.minimum(np.abs(w), self.gamma * self.alpha)
        return float((self.alpha * size - size**2 / (2.0 * self.gamma)).sum())

    def derivative(self, size: np.ndarray) -> np.ndarray:
        """See :class:`Concave`."""
        return np.maximum(self.alpha - size / self.gamma, 0.0)

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """See :class:`Penalty`."""
        size = np.abs(v)
        if step >= self.gamma:  # concave throughout: zero or untouched
            kept = np.where(0.5 * size**2 > 0.5 * step * self.gamma * self.alpha**2, size, 0.0)
        else:
            inner = np.maximum(size - step * self.alpha, 0.0) / (1.0 - step / self.gamma)
            kept = np.where(size <= self.gamma * self.alpha, inner, size)
        return np.sign(v) * kept


@dataclass(frozen=True)
class SCAD(Concave):
    r"""Fan and Li's (2001) penalty: :math:`α|w|` up to α, levelling off quadratically, constant from :math:`γα` on.

    >>> SCAD(1.0, 3.7).prox(np.array([[0.5], [1.5], [4.0]]), 1.0).ravel()
    array([0. , 0.5, 4. ])
    """

    alpha: float = 1.0
    gamma: float = 3.7

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "gamma": Number()}

    def __post_init__(self) -> None:
        self._check(2.0)

    def value(self, w: np.ndarray) -> float:
        """See :class:`Penalty`."""
        size, a, g = np.abs(w), self.alpha, self.gamma
        middle = (2.0 * g * a * size - size**2 - a**2) / (2.0 * (g - 1.0))
        return float(np.where(size <= a, a * size, np.where(size <= g * a, middle, 0.5 * a**2 * (g + 1.0))).sum())

    def derivative(self, size: np.ndarray) -> np.ndarray:
        """See :class:`Concave`."""
        return np.where(
            size <= self.alpha, self.alpha, np.maximum(self.gamma * self.alpha - size, 0.0) / (self.gamma - 1)
        )

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """See :class:`Penalty`: the best of the minima of its three pieces."""
        size, a, g = np.abs(v), self.alpha, self.gamma
        pieces = [np.clip(size - step * a, 0.0, a), np.maximum(size, g * a)]
        if step < g - 1.0:
            pieces.append(np.clip(((g - 1.0) * size - step * g * a) / (g - 1.0 - step), a, g * a))

        def total(w: np.ndarray) -> np.ndarray:
            middle = (2.0 * g * a * w - w**2 - a**2) / (2.0 * (g - 1.0))
            own = np.where(w <= a, a * w, np.where(w <= g * a, middle, 0.5 * a**2 * (g + 1.0)))
            return 0.5 * (w - size) ** 2 + step * own

        best = np.stack(pieces)[np.argmin([total(w) for w in pieces], axis=0), *np.indices(size.shape)]
        return np.sign(v) * best
