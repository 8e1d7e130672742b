"""Losses for classification: logarithmic for two and for several classes, and exponential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, logsumexp, softmax

from probus.compiling import read_only
from probus.errors import DataError
from probus.losses._loss import Loss, average
from probus.losses._positive import bounded_exp
from probus.losses._search import LARGEST_STEP, best_step
from probus.losses.derivatives import (
    exponential_derivatives,
    log_loss_derivatives,
    log_loss_total,
    softmax_derivatives,
    softmax_values,
)
from probus.state import Size, Spec


class TwoClassLoss(Loss):
    """A loss of y in {0, 1}."""

    for_classes = True
    bounded_curvature = True

    def check(self, y: np.ndarray) -> None:
        """Every value must be 0 or 1."""
        _check_codes(self, y, 2)


@dataclass(frozen=True)
class LogLoss(TwoClassLoss):
    r"""The logarithmic loss of two classes, :math:`\log(1 + e^f) - y f`; the raw prediction is the log-odds of class 1.

    >>> LogLoss().mean(np.array([0.0, np.log(3.0)]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """

    name = "log_loss"
    halved = True
    sklearn_names = ("HalfBinomialLoss", "HalfMultinomialLoss")

    @classmethod
    def of_classes(cls, n_classes: int) -> Loss:
        """This loss for two classes, :class:`Softmax` for more."""
        return cls() if n_classes <= 2 else Softmax(n_classes)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return np.logaddexp(0.0, (1.0 - 2.0 * y) * raw)

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        log_loss_derivatives(read_only(y), raw, gradient, hessian)

    def total(
        self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, gradient: np.ndarray, hessian: np.ndarray
    ) -> float:
        """See :class:`Loss`."""
        if weight is not None:
            return super().total(y, raw, weight, gradient, hessian)
        return log_loss_total(read_only(y), raw, gradient, hessian)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The log-odds of class 1."""
        return np.array([_log_odds(average(y, weight))])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probabilities of the two classes."""
        return np.column_stack([expit(-raw), expit(raw)])

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """See :class:`Loss`; a large number if all rows are of one class."""
        return best_step(lambda step: average(expit(raw + step) - y, weight))


@dataclass(frozen=True)
class Exponential(TwoClassLoss):
    r"""AdaBoost's loss, :math:`e^{-f}` for class 1 and :math:`e^f` for class 0; 2f is the log-odds of class 1.

    >>> Exponential().constant(np.array([0.0, 1.0, 1.0, 1.0]), None) / np.log(3.0)
    array([0.5])
    """

    name = "exponential"
    sklearn_names = ("ExponentialLoss",)

    @classmethod
    def of_classes(cls, n_classes: int) -> Loss:
        """This loss, for two classes only."""
        if n_classes > 2:
            raise DataError(
                f"loss='exponential' is only suitable for a binary classification problem, you have {n_classes=}.",
                "two classes",
                "Use loss='log_loss'.",
            )
        return cls()

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        return bounded_exp((1.0 - 2.0 * y) * raw)

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        exponential_derivatives(read_only(y), raw, gradient, hessian)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """Half the log-odds of class 1."""
        return np.array([0.5 * _log_odds(average(y, weight))])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probabilities of the two classes."""
        return np.column_stack([expit(-2.0 * raw), expit(2.0 * raw)])

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """Half the log-odds of class 1."""
        return 0.5 * super().linked(mean)

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """Half the log-odds of class 1, rows weighted by their loss."""
        loss = self.value(y, raw)
        loss = loss if weight is None else loss * weight
        return 0.5 * _log_odds(average(y, loss))


@dataclass(frozen=True)
class Softmax(Loss):
    r"""The logarithmic loss of several classes, :math:`\log \sum_k e^{f_k} - f_y`; one raw prediction for each.

    Parameters
    ----------
    n_classes : the number of classes.

    >>> Softmax(3).constant(np.array([0.0, 1.0, 2.0, 2.0]), None) == np.log([0.25, 0.25, 0.5])
    array([ True,  True,  True])
    """

    n_classes: int

    declared: ClassVar[dict[str, Spec]] = {"n_classes": Size("K")}
    name = "log_loss"
    for_classes = True
    bounded_curvature = True

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """One for each class."""
        return self.n_classes

    def check(self, y: np.ndarray) -> None:
        """Every value must be the code of a class."""
        _check_codes(self, y, self.n_classes)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        out = np.empty(len(y))
        softmax_values(read_only(y), raw, out)
        return out

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        softmax_derivatives(read_only(y), raw, gradient, hessian)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The logarithms of the class frequencies."""
        counts = np.bincount(y.astype(np.intp), weight, self.n_classes)
        return np.log(np.maximum(counts / counts.sum(), np.exp(-LARGEST_STEP)))

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probabilities of the classes."""
        return softmax(raw, axis=1)

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """See :class:`Loss`; a large number if all rows or none are of that class."""
        others = logsumexp(np.delete(raw, output, axis=1), axis=1)
        odds, hit = raw[:, output] - others, (y == output).astype(np.float64)
        return LogLoss().step(hit, odds, weight)


def _log_odds(share: float) -> float:
    """The logarithm of share / (1 - share), finite if a class is absent."""
    share = min(max(share, 0.0), 1.0)  # a weighted mean of ones may be rounded above 1
    with np.errstate(divide="ignore"):
        return float(np.clip(np.log(share) - np.log1p(-share), -LARGEST_STEP, LARGEST_STEP))


def _check_codes(loss: Loss, y: np.ndarray, n_classes: int) -> None:
    strange = y[~np.isin(y, np.arange(n_classes))]
    if len(strange):
        raise DataError(
            f"loss {loss.name!r}: {len(strange)} of {len(y)} values of y are not codes of {n_classes} classes, "
            f"such as {strange[0]:g}.",
            f"codes from 0 to {n_classes - 1}",
        )
