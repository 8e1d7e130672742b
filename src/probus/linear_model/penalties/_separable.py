"""Penalties that are sums over coefficients: absolute values, squares, and bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from probus.errors import DataError
from probus.linear_model.penalties._penalty import Penalty, array_of, check_not_negative
from probus.state import Array, Flag, Number, Spec


@dataclass(frozen=True)
class Kinks:
    """The part of a penalty that has no gradient: l1 |w| of each column, and low ≤ w ≤ high; float64[p] each."""

    l1: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def uniform(cls, p: int, l1: float, *, positive: bool = False) -> Kinks:
        """The same for every column."""
        return cls(np.full(p, l1), np.full(p, 0.0 if positive else -np.inf), np.full(p, np.inf))

    def of(self, columns: np.ndarray) -> Kinks:
        """Those of some columns."""
        return Kinks(self.l1[columns], self.low[columns], self.high[columns])

    @property
    def bounded(self) -> bool:
        """Whether any coefficient has a finite bound."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    def value(self, w: np.ndarray) -> float:
        """The penalty of coefficients float64[p, K] within the bounds."""
        return float(self.l1 @ np.abs(w).sum(axis=1))

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """The proximal operator: towards 0 by step · l1, then into the bounds."""
        soft = np.sign(v) * np.maximum(np.abs(v) - step * self.l1[:, None], 0.0)
        return np.clip(soft, self.low[:, None], self.high[:, None])

    def violation(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The distance of 0 from slope + ∂(l1 |w|) + the normal cone of the bounds."""
        l1 = self.l1[:, None]
        least = slope + np.where(w > 0, l1, -l1)
        most = slope + np.where(w < 0, -l1, l1)
        least = np.where(w <= self.low[:, None], -np.inf, least)
        most = np.where(w >= self.high[:, None], np.inf, most)
        return np.maximum(np.maximum(least, -most), 0.0)


class Separable(Penalty):
    r"""Parent of the penalties :math:`\sum_j a_j |w_j| + \frac12 λ w_j^2` with :math:`low_j ≤ w_j ≤ high_j`."""

    @property
    def l2(self) -> float:
        """The weight λ of half the sum of squares."""
        return 0.0

    @abstractmethod
    def kinks(self, p: int) -> Kinks:
        """The absolute values and bounds of p columns."""

    def value(self, w: np.ndarray) -> float:
        """See :class:`Penalty`."""
        return self.kinks(len(w)).value(w) + 0.5 * self.l2 * float((w**2).sum())

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """See :class:`Penalty`."""
        shrink = 1.0 + step * self.l2
        return self.kinks(len(v)).prox(v / shrink, step / shrink)

    def violation(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """See :class:`Penalty`."""
        return self.kinks(len(w)).violation(w, slope + self.l2 * w)


@dataclass(frozen=True)
class NoPenalty(Separable):
    """Zero: maximum likelihood, where the loss is a likelihood.

    >>> NoPenalty().value(np.ones((2, 1)))
    0.0
    """

    smooth = True

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        return Kinks.uniform(p, 0.0)


@dataclass(frozen=True)
class L2(Separable):
    r"""Half the sum of squares, :math:`\frac12 α ‖w‖^2`.

    Parameters
    ----------
    alpha : the weight of the penalty.

    >>> L2(0.5).value(np.array([[2.0], [0.0]]))
    1.0
    """

    alpha: float = 1.0

    smooth = True
    declared: ClassVar[dict[str, Spec]] = {"alpha": Number()}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")

    @property
    def l2(self) -> float:
        """See :class:`Separable`."""
        return self.alpha

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        return Kinks.uniform(p, 0.0)


@dataclass(frozen=True)
class L1(Separable):
    r"""The absolute values, :math:`α ‖w‖_1`, of any sign or, with ``positive``, of coefficients of at least 0.

    Parameters
    ----------
    alpha : the weight of the penalty.
    positive : whether coefficients are at least 0.

    >>> L1(0.5).prox(np.array([[2.0], [-0.3]]), 1.0).ravel()
    array([ 1.5, -0. ])
    """

    alpha: float = 1.0
    positive: bool = False

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "positive": Flag()}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        return Kinks.uniform(p, self.alpha, positive=self.positive)


@dataclass(frozen=True)
class L1L2(Separable):
    r"""The elastic net, :math:`α ρ ‖w‖_1 + \frac12 α (1 - ρ) ‖w‖^2`; ``l1_ratio`` is ρ.

    Parameters
    ----------
    alpha : the weight of the penalty.
    l1_ratio : ρ, the share of the absolute values: 1 is the lasso.
    positive : whether coefficients are at least 0.

    >>> L1L2(1.0, 0.5).value(np.array([[2.0]]))
    2.0
    """

    alpha: float = 1.0
    l1_ratio: float = 0.5
    positive: bool = False

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "l1_ratio": Number(), "positive": Flag()}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")
        if not (isinstance(self.l1_ratio, Real) and 0.0 <= self.l1_ratio <= 1.0):
            raise DataError(f"L1L2: l1_ratio={self.l1_ratio!r}.", "a number from 0 to 1")

    @property
    def l2(self) -> float:
        """See :class:`Separable`."""
        return self.alpha * (1.0 - self.l1_ratio)

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        return Kinks.uniform(p, self.alpha * self.l1_ratio, positive=self.positive)


@dataclass(frozen=True, eq=False)
class WeightedL1(Separable):
    r"""The absolute values with a weight for each column, :math:`α \sum_j v_j |w_j|`; 0 for no penalty.

    Parameters
    ----------
    alpha : the weight of the penalty.
    weights : the weight of each column in it.

    >>> WeightedL1(1.0, np.array([0.0, 2.0])).value(np.array([[5.0], [1.0]]))
    2.0
    """

    alpha: float
    weights: Any

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "weights": Array("f8", "*")}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")
        weights = array_of(self.weights)
        if weights.ndim != 1 or weights.dtype.kind not in "fiub" or not (np.isfinite(weights) & (weights >= 0)).all():
            raise DataError("WeightedL1: weights are not one finite number of at least 0 per column.", "such numbers")
        object.__setattr__(self, "weights", weights.astype(np.float64))

    def check_columns(self, p: int) -> None:
        """See :class:`Penalty`."""
        if len(self.weights) != p:
            raise DataError(f"WeightedL1 has {len(self.weights)} weights for {p} columns.", "one per column")

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        plain = Kinks.uniform(p, self.alpha)
        return Kinks(self.alpha * self.weights, plain.low, plain.high)


@dataclass(frozen=True)
class Box(Separable):
    """Coefficients between two bounds, with a penalty ``alpha`` on absolute values if wanted.

    Parameters
    ----------
    low, high : the bounds.
    alpha : the weight of a penalty on absolute values.

    >>> Box(0.0, 1.0).prox(np.array([[-1.0], [0.5], [3.0]]), 1.0).ravel()
    array([0. , 0.5, 1. ])
    """

    low: float = 0.0
    high: float = np.inf
    alpha: float = 0.0

    declared: ClassVar[dict[str, Spec]] = {"low": Number(), "high": Number(), "alpha": Number()}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")
        if not (isinstance(self.low, Real) and isinstance(self.high, Real) and self.low <= self.high):
            raise DataError(f"Box: low={self.low!r} and high={self.high!r}.", "two numbers, low ≤ high")

    def kinks(self, p: int) -> Kinks:
        """See :class:`Separable`."""
        return Kinks(np.full(p, self.alpha), np.full(p, float(self.low)), np.full(p, float(self.high)))
