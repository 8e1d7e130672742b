"""Losses of the residual: squared, absolute, Huber and pinball (quantile)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from probus.compiling import read_only
from probus.errors import DataError
from probus.losses._loss import Loss, average
from probus.losses._order import huber_centre, weighted_quantile
from probus.losses.derivatives import absolute_derivatives, huber_derivatives, quantile_derivatives, squared_derivatives
from probus.parameters import parameter
from probus.state import Maybe, Number, Spec


class LocationLoss(Loss):
    """A loss of ``y - raw`` alone: any number may be predicted, and the best step is the centre of the residuals."""

    constant_hessian = True

    def check(self, y: np.ndarray) -> None:
        """Any number is valid."""
        return

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        self._gradient(y, raw, gradient)
        if hessian is not None:
            hessian.fill(1.0)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The centre of y."""
        return np.array([self._centre(y, weight)])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The raw prediction unchanged."""
        return raw

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """The centre of the residuals."""
        return self._centre(y - raw, weight)

    @abstractmethod
    def _gradient(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray) -> None:
        """The first derivative, written to ``gradient``."""

    @abstractmethod
    def _centre(self, residual: np.ndarray, weight: np.ndarray | None) -> float:
        """The constant that minimises the loss of these residuals."""


@dataclass(frozen=True)
class SquaredError(LocationLoss):
    r"""Half the squared residual, :math:`\frac12 (y - f)^2`: predicts the mean.

    >>> SquaredError().constant(np.array([0.0, 4.0]), np.array([3.0, 1.0]))
    array([1.])
    """

    name = "squared_error"
    halved = True
    sklearn_names = ("HalfSquaredError",)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return 0.5 * (y - raw) ** 2

    def _gradient(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray) -> None:
        squared_derivatives(read_only(y), raw, gradient)

    def _centre(self, residual: np.ndarray, weight: np.ndarray | None) -> float:
        return average(residual, weight)


@dataclass(frozen=True)
class AbsoluteError(LocationLoss):
    """The absolute residual: predicts the median."""

    name = "absolute_error"
    sklearn_names = ("AbsoluteError",)
    newton = False
    differentiable = False

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return np.abs(y - raw)

    def _gradient(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray) -> None:
        absolute_derivatives(read_only(y), raw, gradient)

    def _centre(self, residual: np.ndarray, weight: np.ndarray | None) -> float:
        return weighted_quantile(residual, 0.5, weight)


@dataclass(frozen=True)
class Quantile(LocationLoss):
    r"""The pinball loss, :math:`α (y - f)` above the prediction and :math:`(1 - α)(f - y)` below: an α-quantile.

    >>> Quantile(0.9).constant(np.arange(11.0), None)
    array([9.])
    """

    alpha: float = parameter("The quantile.", default=0.5, above=0, below=1)

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number()}
    name = "quantile"
    sklearn_names = ("PinballLoss",)
    newton = False
    differentiable = False

    @classmethod
    def from_sklearn(cls, loss: Any) -> Quantile:
        """See :class:`Loss`."""
        return cls(loss.closs.quantile)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return np.where(y >= raw, self.alpha, self.alpha - 1.0) * (y - raw)

    def _gradient(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray) -> None:
        quantile_derivatives(read_only(y), raw, float(self.alpha), gradient)

    def _centre(self, residual: np.ndarray, weight: np.ndarray | None) -> float:
        return weighted_quantile(residual, self.alpha, weight)


@dataclass(frozen=True)
class Huber(LocationLoss):
    r"""Half the squared residual up to δ, :math:`δ(|y - f| - δ/2)` beyond: a mean that is robust to outliers.

    δ is the α-quantile of the absolute residuals, updated in each round (Friedman 2001, section 4.4): :meth:`at`
    returns the loss with its δ. The initial constant is the median; with a δ, steps and constants are exact, while
    Friedman takes one step from the median.

    >>> Huber(0.9).at(np.arange(11.0), np.zeros(11), None)
    Huber(alpha=0.9, delta=9.0)
    """

    alpha: float = parameter("The quantile of the absolute residuals that δ is.", default=0.9, above=0, below=1)
    delta: float | None = parameter("δ; None until :meth:`at` sets it.", default=None, at_least=0)

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "delta": Maybe(Number())}
    name = "huber"
    sklearn_names = ("HuberLoss",)
    newton = False

    @classmethod
    def from_sklearn(cls, loss: Any) -> Huber:
        """See :class:`Loss`."""
        return cls(loss.quantile)

    def at(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> Huber:
        """This loss with the δ of these residuals."""
        return replace(self, delta=weighted_quantile(np.abs(y - raw), self.alpha, weight))

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        delta, error = self._delta(), np.abs(y - raw)
        return np.where(error <= delta, 0.5 * error**2, delta * (error - 0.5 * delta))

    def _gradient(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray) -> None:
        huber_derivatives(read_only(y), raw, self._delta(), gradient)

    def _centre(self, residual: np.ndarray, weight: np.ndarray | None) -> float:
        if self.delta is None:
            return weighted_quantile(residual, 0.5, weight)
        return huber_centre(residual, self.delta, weight)

    def _delta(self) -> float:
        if self.delta is None:
            raise DataError(
                f"{self} has no delta yet.", "a delta, or residuals to estimate it from", "Call at(y, raw, weight)."
            )
        return float(self.delta)
