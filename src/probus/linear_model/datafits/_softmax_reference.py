"""The logarithmic loss of several classes, one of which is the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.losses import Loss, Softmax


@dataclass(frozen=True)
class SoftmaxAgainst(Loss):
    """Softmax of K classes with K − 1 raw predictions: the log-odds of the others against the reference.

    >>> SoftmaxAgainst(3, 0).mean(np.zeros((1, 2))).round(3)
    array([[0.333, 0.333]])
    """

    n_classes: int
    reference: int

    name = "log_loss"
    for_classes = True
    bounded_curvature = True

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """One for each class but the reference."""
        return self.n_classes - 1

    @property
    def _others(self) -> np.ndarray:
        return np.delete(np.arange(self.n_classes), self.reference)

    def _whole(self, raw: np.ndarray) -> np.ndarray:
        whole = np.zeros((len(raw), self.n_classes))
        whole[:, self._others] = raw
        return whole

    def check(self, y: np.ndarray) -> None:
        """Every value must be the code of a class."""
        Softmax(self.n_classes).check(y)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return Softmax(self.n_classes).value(y, self._whole(raw))

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        whole = self._whole(raw)
        first, second = np.empty_like(whole), np.empty_like(whole)
        Softmax(self.n_classes).derivatives(y, whole, first, second)
        gradient[:] = first[:, self._others]
        if hessian is not None:
            hessian[:] = second[:, self._others]

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The log-odds of the class frequencies."""
        whole = Softmax(self.n_classes).constant(y, weight)
        return whole[self._others] - whole[self.reference]

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probabilities of the classes but the reference."""
        return Softmax(self.n_classes).mean(self._whole(raw))[:, self._others]

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """See :class:`Loss`."""
        return Softmax(self.n_classes).step(y, self._whole(raw), weight, int(self._others[output]))
