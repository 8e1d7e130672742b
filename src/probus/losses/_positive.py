"""Losses for non-negative targets with a log link: Poisson and gamma."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from probus.compiling import read_only
from probus.errors import DataError
from probus.losses._loss import Loss, average
from probus.losses._search import LARGEST_STEP
from probus.losses.derivatives import EXPONENT_LIMIT, gamma_derivatives, poisson_derivatives


def bounded_exp(raw: np.ndarray) -> np.ndarray:
    """The exponential, clipped as in the kernels.

    >>> np.isfinite(bounded_exp(np.array([1e9])))
    array([ True])
    """
    return np.exp(np.clip(raw, -EXPONENT_LIMIT, EXPONENT_LIMIT))


class LogLinkLoss(Loss):
    """A loss with log link; its value is half the deviance."""

    bounded_curvature = True

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The logarithm of the mean."""
        return np.array([np.log(average(y, weight))])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The exponential of the raw prediction."""
        return bounded_exp(raw)

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """The logarithm of the mean, which is raised to a small positive number if it is not positive."""
        return np.log(np.maximum(mean, np.exp(-LARGEST_STEP)))

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """The logarithm of the ratio of observed to predicted totals."""
        found, expected = self._balance(y, raw)
        ratio = average(found, weight) / average(expected, weight)
        return float(np.log(ratio)) if ratio > 0.0 else -LARGEST_STEP

    @abstractmethod
    def _balance(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Two arrays whose sums are equal if the best step is 0."""


@dataclass(frozen=True)
class Poisson(LogLinkLoss):
    r"""Half the Poisson deviance, :math:`e^f - y f + y \log y - y`: predicts a mean above 0.

    >>> Poisson().constant(np.array([0.0, 2.0]), None)
    array([0.])
    """

    name = "poisson"
    sklearn_names = ("HalfPoissonLoss",)

    def check(self, y: np.ndarray) -> None:
        """No value may be negative, and not all may be 0."""
        below = int((y < 0.0).sum())
        if below or not y.any():
            found = f"{below} of {len(y)} values are negative" if below else f"all {len(y)} values are 0"
            raise DataError(
                f"loss='poisson' requires non-negative y and sum(y) > 0. Here {found}.",
                "counts or rates",
                "Use loss='squared_error' for other numbers.",
            )

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return bounded_exp(raw) - y * raw + xlogy(y, y) - y

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        poisson_derivatives(read_only(y), raw, gradient, hessian)

    def _balance(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y, bounded_exp(raw)


@dataclass(frozen=True)
class Gamma(LogLinkLoss):
    r"""Half the gamma deviance, :math:`f + y e^{-f} - \log y - 1`: errors are relative to the prediction.

    >>> Gamma().value(np.array([1.0, 2.0]), np.log([1.0, 1.0])).round(3)
    array([0.   , 0.307])
    """

    name = "gamma"
    sklearn_names = ("HalfGammaLoss",)

    def check(self, y: np.ndarray) -> None:
        """Every value must be above 0."""
        below = int((y <= 0.0).sum())
        if below:
            raise DataError(
                f"loss='gamma' requires strictly positive y. Here {below} of {len(y)} values are 0 or negative.",
                "amounts, durations or sizes",
                "Use loss='poisson' if y has zeros.",
            )

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return raw - np.log(y) + y * bounded_exp(-raw) - 1.0

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        gamma_derivatives(read_only(y), raw, gradient, hessian)

    def _balance(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y * bounded_exp(-raw), np.ones(len(y))
