"""A loss defined by NumPy functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from probus.errors import DataError, ModelFileError
from probus.losses._loss import Loss, average, check_derivatives
from probus.losses._positive import bounded_exp
from probus.losses._search import LARGEST_STEP, best_step

Function = Callable[[np.ndarray, np.ndarray], Any]
Link = Literal["identity", "log", "logit"]


def custom(
    value: Function,
    gradient: Function,
    hessian: Function | None = None,
    link: Link = "identity",
    start: float | None = None,
) -> Custom:
    """A loss defined by functions.

    Parameters
    ----------
    value, gradient, hessian : functions of ``(y, raw)``, float64 arrays of n rows, that return n numbers: the loss, and
        its first and second derivative by ``raw``. Without a hessian it is 1, and leaf values are found by line search.
    link : "identity" predicts ``raw``, "log" its exponential, "logit" the probabilities of two classes, coded 0 and 1.
    start : the initial raw prediction of the search for the best constant; by default that of the mean of y.

    Returns
    -------
    The loss.

    Examples
    --------
    >>> log_cosh = custom(lambda y, raw: np.log(np.cosh(raw - y)), lambda y, raw: np.tanh(raw - y))
    >>> log_cosh.constant(np.array([0.0, 1.0, 5.0]), None).round(3)
    array([1.175])
    """
    if link not in ("identity", "log", "logit"):
        raise DataError(f"custom loss: link={link!r}.", "'identity', 'log' or 'logit'")
    return Custom(value, gradient, hessian, link, start)


@dataclass(frozen=True)
class Custom(Loss):
    """A loss defined by functions; see :func:`custom`. It can be pickled if they can.

    Parameters
    ----------
    value_of, gradient_of, hessian_of : the functions.
    link, start : as of :func:`custom`.
    """

    value_of: Function
    gradient_of: Function
    hessian_of: Function | None
    link: Link
    start: float | None

    def parts(self) -> dict[str, Any]:
        """Refuses: the functions cannot be stored."""
        raise ModelFileError("a loss defined by functions.", "a loss of probus.losses", "Loading must not run code.")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of its function."""
        return getattr(self.value_of, "__name__", "custom")

    @property
    def newton(self) -> bool:  # type: ignore[override]
        """Whether there is a hessian for Newton steps."""
        return self.hessian_of is not None

    @property
    def constant_hessian(self) -> bool:  # type: ignore[override]
        """Whether the hessian is 1."""
        return self.hessian_of is None

    @property
    def for_classes(self) -> bool:  # type: ignore[override]
        """Whether the link is the logit."""
        return self.link == "logit"

    def check(self, y: np.ndarray) -> None:
        """Check that y is in the range of the link, and evaluate the loss once."""
        strange = {"identity": y != y, "log": y < 0.0, "logit": (y != 0.0) & (y != 1.0)}[self.link]
        if strange.any():
            domain = {"identity": "numbers", "log": "no negative values", "logit": "0 and 1"}[self.link]
            raise DataError(f"loss {self.name!r} with link={self.link!r}: y holds {y[strange][0]:g}.", f"{domain} in y")
        self.value(y, np.zeros(len(y)))

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        found = self._numbers(self.value_of, "value", y, raw)
        if not np.isfinite(found).all():
            raise DataError(
                f"loss {self.name!r}: {int((~np.isfinite(found)).sum())} of {len(found)} of its values are not finite.",
                "a number for every row",
                "Avoid overflow and undefined logarithms and divisions.",
            )
        return found

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        gradient[:] = self._numbers(self.gradient_of, "gradient", y, raw)
        if hessian is not None:
            hessian[:] = 1.0 if self.hessian_of is None else self._numbers(self.hessian_of, "hessian", y, raw)
        check_derivatives(self, gradient, hessian)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The best constant, found by search from ``start``."""
        start = self._linked(average(y, weight)) if self.start is None else float(self.start)
        return np.array([start + self.step(y, np.full(len(y), start), weight)])

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The inverse of the link."""
        if self.link == "logit":
            return np.column_stack([expit(-raw), expit(raw)])
        return bounded_exp(raw) if self.link == "log" else raw

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """See :class:`Loss`."""
        if self.link == "log":
            return np.log(np.maximum(mean, np.exp(-LARGEST_STEP)))
        return super().linked(mean)

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """The zero of the summed gradient, found by search."""
        gradient = np.empty(len(y))

        def slope(step: float) -> float:
            self.derivatives(y, raw + step, gradient, None)
            return average(gradient, weight)

        if self.link != "identity":
            return best_step(slope)
        scale = float(np.abs(y - raw).max()) or 1.0
        return best_step(slope, scale=scale, limit=1e6 * scale)

    def _linked(self, mean: float) -> float:
        if self.link == "identity":
            return mean
        with np.errstate(divide="ignore"):
            raw = np.log(mean) if self.link == "log" else np.log(mean) - np.log1p(-mean)
        return float(np.clip(raw, -LARGEST_STEP, LARGEST_STEP))

    def _numbers(self, function: Function, what: str, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        found = np.asarray(function(y, raw))
        if found.shape != y.shape or found.dtype.kind not in "biuf":
            raise DataError(
                f"loss {self.name!r}: its {what} has shape {found.shape} and dtype {found.dtype}.",
                f"one number for each of the {len(y)} rows",
                "Return the array, not its sum or mean.",
            )
        return found.astype(np.float64, copy=False)
