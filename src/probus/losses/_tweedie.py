"""The Tweedie loss, of amounts that are often zero, such as claims or rainfall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.compiling import read_only
from probus.errors import DataError
from probus.losses._positive import LogLinkLoss, bounded_exp
from probus.losses.derivatives import exp, kernel
from probus.parameters import parameter
from probus.state import Number, Spec


@dataclass(frozen=True)
class Tweedie(LogLinkLoss):
    r"""Half the Tweedie deviance for a variance proportional to :math:`μ^p`, with the mean :math:`μ = e^f`.

    It is :math:`\frac{y^{2-p}}{(1-p)(2-p)} - \frac{y μ^{1-p}}{1-p} + \frac{μ^{2-p}}{2-p}`. The power p is between 1
    (Poisson deviance) and 2 (gamma deviance).

    >>> Tweedie(1.5).constant(np.array([0.0, 2.0]), None)
    array([0.])
    """

    power: float = parameter("p, between 1 and 2.", default=1.5, above=1, below=2)

    declared: ClassVar[dict[str, Spec]] = {"power": Number()}
    name = "tweedie"
    sklearn_names = ("HalfTweedieLoss",)

    @classmethod
    def from_sklearn(cls, loss: Any) -> Tweedie:
        """See :class:`Loss`."""
        return cls(loss.closs.power)

    def check(self, y: np.ndarray) -> None:
        """No value may be negative, and not all may be 0."""
        if (y < 0.0).any() or not y.any():
            found = f"{int((y < 0.0).sum())} of {len(y)} values are negative" if y.any() else "all values are 0"
            raise DataError(f"loss='tweedie' requires non-negative y and sum(y) > 0. Here {found}.", "amounts")

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        low, high = 1.0 - self.power, 2.0 - self.power
        return y**high / (low * high) - y * bounded_exp(low * raw) / low + bounded_exp(high * raw) / high

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        tweedie_derivatives(read_only(y), raw, float(self.power), gradient, hessian)

    def _balance(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y * bounded_exp((1.0 - self.power) * raw), bounded_exp((2.0 - self.power) * raw)


@kernel
def tweedie_derivatives(y, raw, power, gradient, hessian):
    """Of exp((2 - p) raw) / (2 - p) - y exp((1 - p) raw) / (1 - p)."""
    for i in range(y.size):
        found, expected = y[i] * exp((1.0 - power) * raw[i]), exp((2.0 - power) * raw[i])
        gradient[i] = expected - found
        hessian[i] = (2.0 - power) * expected + (power - 1.0) * found
