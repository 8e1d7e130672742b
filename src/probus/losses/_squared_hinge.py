"""The squared hinge loss, whose gradient has no jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.errors import DataError
from probus.losses._class_losses import TwoClassLoss
from probus.losses._loss import Loss, average
from probus.losses._search import best_step


@dataclass(frozen=True)
class SquaredHinge(TwoClassLoss):
    r"""Half the squared shortfall of the margin, :math:`\frac12 \max(0, 1 - s f)^2`; s is 1 for class 1, else −1.

    Its minimum for a probability p of class 1 is at f = 2p − 1, which gives the link.

    >>> SquaredHinge().value(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    array([0.125, 1.125])
    """

    name = "squared_hinge"

    @classmethod
    def of_classes(cls, n_classes: int) -> Loss:
        """This loss, for two classes only."""
        if n_classes > 2:
            raise DataError(
                f"loss='squared_hinge' is for two classes, and there are {n_classes}.",
                "two classes",
                "Use loss='log_loss', or OneVsRestClassifier.",
            )
        return cls()

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return 0.5 * np.maximum(1.0 - (2.0 * y - 1.0) * raw, 0.0) ** 2

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        sign = 2.0 * y - 1.0
        short = np.maximum(1.0 - sign * raw, 0.0)
        np.multiply(-sign, short, out=gradient)
        if hessian is not None:
            hessian[:] = short > 0.0

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The link of the share of class 1."""
        return np.array([2.0 * average(y, weight) - 1.0])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probabilities of the two classes, 0 or 1 beyond the margin."""
        share = np.clip(0.5 * (1.0 + raw), 0.0, 1.0)
        return np.column_stack([1.0 - share, share])

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """The inverse of :meth:`mean`."""
        return 2.0 * mean[:, 1] - 1.0

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """See :class:`Loss`."""
        sign = 2.0 * y - 1.0
        return best_step(lambda step: average(-sign * np.maximum(1.0 - sign * (raw + step), 0.0), weight))
