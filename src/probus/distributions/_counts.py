"""Distributions of 0 and 1 and of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.distributions._continuous import Beta, Gamma, posterior_of_rate
from probus.distributions._distribution import Distribution
from probus.errors import DataError
from probus.metrics.curves import wilson


def _whole(values: np.ndarray) -> np.ndarray:
    return (values >= 0) & (values == np.floor(values))


@dataclass(repr=False, eq=False)
class Bernoulli(Distribution):
    """One trial with two outcomes: P(1) = p.

    Parameters
    ----------
    p : the probability of a 1; None until fitted.

    Examples
    --------
    >>> coin = Bernoulli().fit([1, 1, 0])
    >>> coin
    Bernoulli distribution: p = 0.6667
      parameter  95 % interval      method
      p          0.67 [0.21, 0.94]  Wilson
    """

    p: float | None = None

    name: ClassVar[str] = "Bernoulli"
    support: ClassVar[str] = "0 or 1"
    discrete: ClassVar[bool] = True
    closed: ClassVar[bool] = True
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"p": (0.0, 1.0)}
    trials: ClassVar[int] = 1

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return _whole(values) & (values <= self.trials)

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        return {"p": w @ x / (self.trials * w.sum())} if unknown else {}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import binom

        return binom(self.trials, at["p"])

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        low, high = wilson(np.array([self.p_]), np.array([self.trials * self.n_]), level)
        return float(low[0]), float(high[0]), "Wilson"

    def _updated(self, prior: Distribution) -> Distribution:
        if not isinstance(prior, Beta):
            raise DataError(f"a prior of a {prior.name} distribution.", "Beta(a, b), the distribution of a probability")
        ones = float(self.weights_ @ self.values_)
        shapes = prior.known_
        return Beta(shapes["a"] + ones, shapes["b"] + self.trials * self.n_ - ones)


@dataclass(repr=False, eq=False)
class Binomial(Bernoulli):
    """The number of ones in independent trials, C(n, k) pᵏ (1 − p)ⁿ⁻ᵏ.

    Parameters
    ----------
    trials : n, the number of trials.
    p : the probability of a 1 in each; None until fitted.

    Examples
    --------
    >>> Binomial(trials=10).fit([3, 5, 4]).p_
    0.4
    """

    p: float | None = None
    trials: int = 1  # type: ignore[misc]

    name: ClassVar[str] = "binomial"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.trials, (int, np.integer)) and self.trials >= 1):
            raise DataError(f"trials={self.trials!r}.", "a whole number, at least 1")
        self.support = f"whole numbers from 0 to {self.trials}"  # type: ignore[misc]


@dataclass(repr=False, eq=False)
class Poisson(Distribution):
    """The number of events at a constant rate, λᵏ exp(−λ) / k! with λ the rate.

    The interval of the rate has equal tails of Jeffreys' posterior, which covers about as often as its level says.

    Parameters
    ----------
    rate : λ, the expected number; None until fitted.

    Examples
    --------
    >>> Poisson().fit([2, 3, 1, 2]).rate_
    2.0
    """

    rate: float | None = None

    name: ClassVar[str] = "Poisson"
    support: ClassVar[str] = "whole numbers, 0 or more,"
    discrete: ClassVar[bool] = True
    closed: ClassVar[bool] = True
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"rate": (0.0, np.inf)}

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return _whole(values)

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        return {"rate": w @ x / w.sum()} if unknown else {}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import poisson

        return poisson(at["rate"])

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        events = self.rate_ * self.n_
        low, high = Gamma(events + 0.5, self.n_).quantile([(1 - level) / 2, (1 + level) / 2])
        return 0.0 if events == 0 else float(low), float(high), "Jeffreys"

    def _updated(self, prior: Distribution) -> Distribution:
        return posterior_of_rate(prior, events=self.weights_ @ self.values_, time=self.n_)
