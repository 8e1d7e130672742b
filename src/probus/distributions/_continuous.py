"""Distributions of real numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.distributions._distribution import Distribution
from probus.distributions._profile import profile_interval
from probus.distributions._values import check_varied
from probus.errors import DataError

_TINY = 1e-300


@dataclass(repr=False, eq=False)
class Normal(Distribution):
    """The normal distribution, exp(−(x − μ)²/(2σ²)) / (σ √(2π)).

    Maximum likelihood divides the sum of squares by n. The intervals are Student's t and χ², which are exact.

    Parameters
    ----------
    mean : μ; None until fitted.
    scale : σ, the standard deviation; None until fitted.

    Examples
    --------
    >>> heights = Normal().fit([1.62, 1.75, 1.81, 1.70])
    >>> round(heights.mean_, 3), round(heights.scale_, 3)
    (1.72, 0.07)
    >>> Normal(scale=0.1).fit([1.62, 1.75, 1.81, 1.70]).posterior(Normal(1.7, 0.05))
    Normal distribution: mean = 1.71, scale = 0.03536
    """

    mean: float | None = None
    scale: float | None = None

    name: ClassVar[str] = "normal"
    support: ClassVar[str] = "numbers"
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"mean": (-np.inf, np.inf), "scale": (0.0, np.inf)}

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return np.ones(len(values), dtype=bool)

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        found = {"mean": self.mean if self.mean is not None else np.average(x, weights=w)}
        found["scale"] = np.sqrt(np.average((x - found["mean"]) ** 2, weights=w))
        if unknown == ["mean", "scale"]:
            check_varied(x, w, "A known scale can be given.")
        if "scale" in unknown and found["scale"] == 0:
            raise DataError("values that are all the known mean.", "values that differ from it")
        return {name: found[name] for name in unknown}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import norm

        return norm(at["mean"], at["scale"])

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        from scipy.stats import chi2, norm, t

        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if parameter == "mean" and self.scale is not None:
            low, high = self.mean_ + norm.ppf(tails) * self.scale / np.sqrt(self.n_)
            return float(low), float(high), "normal"
        free = self.n_ - (self.mean is None)
        if free <= 0:  # weights whose sum is less than one row
            return -np.inf if parameter == "mean" else 0.0, np.inf, "one row or less"
        if parameter == "scale":
            low, high = self.scale_ * np.sqrt(self.n_ / chi2(free).ppf(tails[::-1]))
            return float(low), float(high), "χ²"
        low, high = self.mean_ + t(free).ppf(tails) * self.scale_ / np.sqrt(free)
        return float(low), float(high), "Student's t"

    def _updated(self, prior: Distribution) -> Distribution:
        if self.scale is None:
            raise DataError(
                "a scale that is unknown too.", "one unknown parameter", "Give the scale: Normal(scale=2).fit(x)."
            )
        if not isinstance(prior, Normal):
            raise DataError(f"a prior of a {prior.name} distribution.", "Normal(mean, scale), of the mean")
        before = prior.known_
        precisions = np.array([1 / before["scale"] ** 2, self.n_ / self.scale**2])
        means = np.array([before["mean"], np.average(self.values_, weights=self.weights_)])
        return Normal(float(precisions @ means / precisions.sum()), float(precisions.sum() ** -0.5))

    @property
    def mode(self) -> float:
        """The mean."""
        return self.known_["mean"]


@dataclass(repr=False, eq=False)
class Exponential(Distribution):
    """Waiting times between events at a constant rate, λ exp(−λx).

    Parameters
    ----------
    rate : λ, one by the expected time; None until fitted.

    Examples
    --------
    >>> Exponential().fit([0.5, 1.5, 1.0]).rate_
    1.0
    """

    rate: float | None = None

    name: ClassVar[str] = "exponential"
    support: ClassVar[str] = "numbers of 0 or more"
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"rate": (0.0, np.inf)}

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return values >= 0

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        total = w @ x
        if unknown and total == 0:
            raise DataError("values that are all 0.", "at least one above 0")
        return {"rate": w.sum() / total} if unknown else {}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import expon

        return expon(scale=1 / max(at["rate"], _TINY))

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        low, high = Gamma(self.n_, self.n_ / self.rate_).quantile([(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high), "χ²"

    def _updated(self, prior: Distribution) -> Distribution:
        return posterior_of_rate(prior, events=self.n_, time=self.weights_ @ self.values_)


@dataclass(repr=False, eq=False)
class Gamma(Distribution):
    """Positive numbers, βᵅ xᵅ⁻¹ exp(−βx) / Γ(α); the conjugate prior of a rate.

    Both parameters have intervals of the profile likelihood.

    Parameters
    ----------
    shape : α; None until fitted.
    rate : β; None until fitted.

    Examples
    --------
    >>> Gamma(shape=3.0, rate=2.0).mode
    1.0
    """

    shape: float | None = None
    rate: float | None = None

    name: ClassVar[str] = "gamma"
    support: ClassVar[str] = "numbers above 0"
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"shape": (0.0, np.inf), "rate": (0.0, np.inf)}

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return values > 0

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        from scipy.optimize import brentq
        from scipy.special import digamma

        average, of_logs = np.average(x, weights=w), np.average(np.log(x), weights=w)
        shape = self.shape
        if shape is None and self.rate is not None:
            shape = _root(lambda a: digamma(a) - np.log(self.rate) - of_logs)
        elif shape is None:
            check_varied(x, w)
            gap = np.log(average) - of_logs
            if gap <= 1e-14:
                raise DataError("values that hardly differ.", "values that differ by more than rounding")
            shape = brentq(lambda log_a: log_a - digamma(np.exp(log_a)) - gap, -40.0, 40.0, xtol=1e-14)
            shape = float(np.exp(shape))
        return {name: {"shape": shape, "rate": shape / average}[name] for name in unknown}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import gamma

        return gamma(at["shape"], scale=1 / max(at["rate"], _TINY))

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        return *profile_interval(self, parameter, level), "profile likelihood"

    @property
    def mode(self) -> float:
        """(α − 1)/β, and 0 for a shape of at most 1."""
        known = self.known_
        return max(known["shape"] - 1, 0.0) / known["rate"]


@dataclass(repr=False, eq=False)
class Beta(Distribution):
    """Numbers between 0 and 1, xᵃ⁻¹ (1 − x)ᵇ⁻¹ / B(a, b); the conjugate prior of a probability.

    Both parameters have intervals of the profile likelihood.

    Parameters
    ----------
    a : the exponent of x plus 1; None until fitted.
    b : the exponent of 1 − x plus 1; None until fitted.

    Examples
    --------
    >>> Beta(3, 2).mode, Beta(3, 2).average
    (0.6666666666666666, 0.6)
    """

    a: float | None = None
    b: float | None = None

    name: ClassVar[str] = "beta"
    support: ClassVar[str] = "numbers between 0 and 1, without these,"
    shapes: ClassVar[dict[str, tuple[float, float]]] = {"a": (0.0, np.inf), "b": (0.0, np.inf)}

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return (values > 0) & (values < 1)

    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        logs = np.array([np.average(np.log(x), weights=w), np.average(np.log1p(-x), weights=w)])
        average, spread = np.average(x, weights=w), np.average((x - np.average(x, weights=w)) ** 2, weights=w)
        check_varied(x, w)
        size = max(average * (1 - average) / max(spread, _TINY) - 1, 0.1)  # by the moments, to begin with
        start = [average * size, (1 - average) * size]
        given = [self.a, self.b]
        found = np.array([begin if each is None else each for begin, each in zip(start, given, strict=True)])
        found = _most_likely_shapes(found, np.array([each is None for each in given]), logs)
        return {name: found[place] for place, name in enumerate(("a", "b")) if name in unknown}

    def _frozen(self, **at: Any) -> Any:
        from scipy.stats import beta

        return beta(max(at["a"], _TINY), max(at["b"], _TINY))

    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        return *profile_interval(self, parameter, level), "profile likelihood"

    @property
    def mode(self) -> float:
        """(a − 1)/(a + b − 2); an end where one exponent is not positive; NaN where there is not one highest value."""
        a, b = self.known_["a"], self.known_["b"]
        if a > 1 and b > 1:
            return (a - 1) / (a + b - 2)
        if (a < 1 and b < 1) or a == b == 1:
            return float("nan")
        return float(a >= b)


def posterior_of_rate(prior: Distribution, events: float, time: float) -> Gamma:
    """The posterior of a rate, after so many events in so much time."""
    if not isinstance(prior, Gamma):
        raise DataError(f"a prior of a {prior.name} distribution.", "Gamma(shape, rate), the distribution of a rate")
    before = prior.known_
    return Gamma(float(before["shape"] + events), float(before["rate"] + time))


def _most_likely_shapes(shapes: np.ndarray, free: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """The exponents of a beta distribution with these mean logarithms of x and 1 − x, by Newton's method.

    The negative logarithm of the likelihood is convex in them: shorter steps where one does not reduce it are enough.
    """
    from scipy.special import betaln, digamma, polygamma

    def loss(at: np.ndarray) -> float:
        return float(betaln(*at) - at @ logs) if at.min() > 0 else np.inf

    for _ in range(500):
        slope = (digamma(shapes) - digamma(shapes.sum()) - logs)[free]
        curvature = (np.diag(polygamma(1, shapes)) - polygamma(1, shapes.sum()))[np.ix_(free, free)]
        step = np.zeros(2)
        step[free] = np.linalg.solve(curvature, slope)
        here = loss(shapes)
        while loss(shapes - step) > here and np.abs(step / shapes).max() > 1e-13:
            step /= 2
        if np.abs(step / shapes).max() <= 1e-13:
            break
        shapes = shapes - step
    return shapes


def _root(slope: Any) -> float:
    """The positive number at which an increasing function is 0."""
    from scipy.optimize import brentq

    return float(np.exp(brentq(lambda log_a: slope(np.exp(log_a)), -40.0, 40.0, xtol=1e-14)))
