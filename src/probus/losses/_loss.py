"""The base class of losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from probus.errors import DataError
from probus.parameters import Declared
from probus.state import Stored


class Loss(Declared, Stored, ABC):
    r"""A loss :math:`L(y, f)` of a target and a raw prediction, to be summed over rows and minimised.

    ``y`` is float64[n]: numbers, or the codes 0, 1, … of classes. ``raw`` is float64[n], or float64[n, K] where the
    loss has K outputs; the inverse link gives the prediction. ``weight`` is float64[n], or None if all are
    equal. Methods that return one value per row ignore weights; the caller applies them.

    n_outputs : raw predictions per row
    newton : whether leaf values are Newton steps :math:`-G / (H + λ)`; otherwise :meth:`step` computes them
    constant_hessian : whether the hessian is 1 everywhere
    bounded_curvature : whether the third derivative is at most the second in absolute value, for any unit of ``y``
    differentiable : whether the gradient has no jumps
    for_classes : whether ``y`` are codes of classes and :meth:`mean` gives probabilities
    name : the name of the loss in parameters and error messages
    halved : whether its value is half of what scikit-learn's classical gradient boosting reports
    sklearn_names : scikit-learn's classes of the same loss, see :meth:`from_sklearn`
    """

    n_outputs: int = 1
    newton: bool = True
    constant_hessian: bool = False
    bounded_curvature: bool = False
    differentiable: bool = True
    for_classes: bool = False
    name: str = "loss"
    halved: bool = False
    sklearn_names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of_classes(cls, n_classes: int) -> Loss:
        """The loss of that many classes."""
        return cls()

    @classmethod
    def from_sklearn(cls, loss: Any) -> Loss:
        """The loss with the parameters of one of scikit-learn's."""
        return cls()

    @abstractmethod
    def check(self, y: np.ndarray) -> None:
        """Raise a DataError if y is outside the domain."""

    @abstractmethod
    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """The loss of each row."""

    @abstractmethod
    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """First and second derivatives by ``raw``, written to ``gradient`` and ``hessian`` (OUT, shaped as ``raw``).

        Rows are independent, so threads may each take a slice of them. ``hessian`` may be None where it is constant.
        """

    def total(
        self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, gradient: np.ndarray, hessian: np.ndarray
    ) -> float:
        """The weighted sum of the loss over rows; the derivatives are written as by :meth:`derivatives`."""
        self.derivatives(y, raw, gradient, hessian)
        values = self.value(y, raw)
        return float(values.sum() if weight is None else values @ weight)

    @abstractmethod
    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The best constant raw prediction: float64[n_outputs]."""

    @abstractmethod
    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The inverse link: the number to predict, or probabilities float64[n, K] of classes."""

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """The link, the inverse of :meth:`mean`; probabilities must be strictly between 0 and 1."""
        if not self.for_classes:
            return mean
        return np.log(mean) if self.n_outputs > 1 else np.log(mean[:, 1]) - np.log(mean[:, 0])

    @abstractmethod
    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """The best constant to add to ``raw`` (to that output of it) for these rows."""

    def at(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> Loss:
        """The loss for one round of boosting; it differs if a parameter depends on residuals (:class:`Huber`)."""
        return self


def average(values: np.ndarray, weight: np.ndarray | None) -> float:
    """The weighted mean."""
    return float(values.mean() if weight is None else values @ weight / weight.sum())


def check_derivatives(loss: Loss, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
    """Raise a DataError if the derivatives of a loss, such as a custom one, are not valid.

    Parameters
    ----------
    loss : the loss of each row.
    gradient : its first derivative.
    hessian : its second derivative.
    """
    for what, found in (("gradient", gradient), ("hessian", hessian)):
        lost = 0 if found is None else found.size - int(np.isfinite(found).sum())
        if found is not None and lost:
            raise DataError(
                f"loss {loss.name!r}: {lost} of {found.size} values of its {what} are not finite.",
                "a number for every row",
                "Avoid overflow and undefined logarithms, or lower the learning rate.",
            )
    if hessian is not None and hessian.min() < 0.0:
        raise DataError(
            f"loss {loss.name!r}: {int((hessian < 0.0).sum())} of {hessian.size} values of its hessian are negative.",
            "values of at least 0",
            "Omit the hessian: leaf values are then found by line search.",
        )
