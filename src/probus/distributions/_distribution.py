"""The base of distributions of one numeric variable."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import fields
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from probus.display import Cells, Displayed
from probus.distributions._values import checked_numbers, checked_support, checked_weights
from probus.errors import DataError
from probus.metrics import Estimate


class Distribution(Displayed):
    """A distribution whose parameters are fields of a dataclass: known numbers, or None until they are fitted.

    The parameters, given or fitted, have an underscore: ``Normal(scale=1).fit(x).mean_``.
    """

    name: ClassVar[str]
    support: ClassVar[str]
    discrete: ClassVar[bool] = False
    shapes: ClassVar[dict[str, tuple[float, float]]]  # the range of each parameter
    closed: ClassVar[bool] = False  # whether the finite ends belong to it

    def __post_init__(self) -> None:
        for parameter in self.shapes:
            value = getattr(self, parameter)
            if value is not None:
                self._check_range(parameter, value)
                setattr(self, f"{parameter}_", float(value))

    def _check_range(self, parameter: str, value: Any) -> None:
        low, high = self.shapes[parameter]
        inside = isinstance(value, Real) and np.isfinite(float(value)) and low <= float(value) <= high
        if not inside or (value in (low, high) and not self.closed):
            ends = f" {'from' if self.closed else 'above'} {low:g}" if np.isfinite(low) else ""
            raise DataError(f"{parameter}={value!r}.", f"a number{ends}{f' to {high:g}' if np.isfinite(high) else ''}")

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and name[:-1] in self.shapes:
            raise AttributeError(f"{name} of a {type(self).__name__} that was not fitted. Call fit(x) first.")
        raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}.")

    # -- fitting ------------------------------------------------------------------------------------------

    def fit(self, x: Any, sample_weight: Any = None) -> Self:
        """Set the parameters that are not known to those under which the values are most likely.

        Parameters
        ----------
        x : the values: a sequence of numbers, or a column.
        sample_weight : how often each was observed; None is once.

        Returns
        -------
        The distribution itself.
        """
        values = checked_numbers(x, self.name)
        checked_support(values, self._inside(values), self.name, self.support)
        weights = checked_weights(sample_weight, len(values))
        self.values_, self.weights_ = values, weights
        self.n_ = float(weights.sum())
        unknown = [name for name in self.shapes if getattr(self, name) is None]
        for name, value in self._most_likely(values, weights, unknown).items():
            setattr(self, f"{name}_", float(value))
        return self

    @abstractmethod
    def _inside(self, values: np.ndarray) -> np.ndarray:
        """Which values the distribution can have."""

    @abstractmethod
    def _most_likely(self, x: np.ndarray, w: np.ndarray, unknown: list[str]) -> dict[str, float]:
        """The unknown parameters that maximise Σ w log p(x)."""

    @abstractmethod
    def _frozen(self, **at: Any) -> Any:
        """SciPy's distribution with these parameters."""

    @abstractmethod
    def _interval(self, parameter: str, level: float) -> tuple[float, float, str]:
        """The ends of the interval of a fitted parameter, and its method."""

    # -- what is known of it ------------------------------------------------------------------------------

    @property
    def known_(self) -> dict[str, float]:
        """The parameters by name."""
        missing = [name for name in self.shapes if not hasattr(self, f"{name}_")]
        if missing:
            raise DataError(
                f"a {type(self).__name__} without {' and '.join(missing)}.", "all parameters", "Call fit(x) first."
            )
        return {name: getattr(self, f"{name}_") for name in self.shapes}

    def density(self, x: Any) -> np.ndarray:
        """The density at x, or the probability of x where values are discrete.

        >>> from probus.distributions import Poisson
        >>> Poisson(rate=2.0).density([0, 1]).round(3)
        array([0.135, 0.271])
        """
        return np.exp(self._log_density(np.asarray(x, dtype=np.float64), self.known_))

    def _log_density(self, x: np.ndarray, at: dict[str, Any]) -> np.ndarray:
        frozen = self._frozen(**at)
        with np.errstate(divide="ignore"):
            return frozen.logpmf(x) if self.discrete else frozen.logpdf(x)

    def cumulative(self, x: Any) -> np.ndarray:
        """The probability of a value of at most x."""
        return self._frozen(**self.known_).cdf(np.asarray(x, dtype=np.float64))

    def quantile(self, share: Any) -> np.ndarray:
        """The values below which a share lies."""
        return self._frozen(**self.known_).ppf(np.asarray(share, dtype=np.float64))

    def sample(self, n: int, random_state: Any = None) -> np.ndarray:
        """Draw n values."""
        return self._frozen(**self.known_).rvs(size=n, random_state=np.random.default_rng(random_state))

    @property
    def average(self) -> float:
        """The expected value."""
        return float(self._frozen(**self.known_).mean())

    @property
    def variance(self) -> float:
        """The expected squared difference from the average."""
        return float(self._frozen(**self.known_).var())

    # -- likelihood ---------------------------------------------------------------------------------------

    def log_likelihood(self, **at: float) -> float:
        """Σ w log p(x) of the values it was fitted to, at its parameters or at others, given by name."""
        self._check_fitted()
        unknown = set(at) - set(self.shapes)
        if unknown:
            raise DataError(f"the parameter {sorted(unknown)[0]!r}.", f"one of {', '.join(self.shapes)}")
        for name, value in at.items():
            self._check_range(name, value)
        logs = self._log_density(self.values_, {**self.known_, **at})
        return float(np.sum(np.where(self.weights_ > 0, self.weights_ * logs, 0.0)))

    def likelihood(self, **at: float) -> float:
        """The probability, or density, of the values it was fitted to.

        >>> from probus.distributions import Bernoulli
        >>> coin = Bernoulli().fit([1, 1, 0])
        >>> [round(coin.likelihood(p=p), 3) for p in (0, 0.5, 2 / 3, 0.75)]
        [0.0, 0.125, 0.148, 0.141]
        """
        return float(np.exp(self.log_likelihood(**at)))

    def estimates(self, level: float = 0.95) -> dict[str, Estimate]:
        """The fitted parameters with intervals.

        Parameters
        ----------
        level : how often an interval holds the parameter of what the values were drawn from.

        Returns
        -------
        An ``Estimate`` for each parameter that was not known.
        """
        self._check_fitted()
        found = {}
        for name in self.shapes:
            if getattr(self, name) is None:
                low, high, method = self._interval(name, level)
                value = getattr(self, f"{name}_")
                found[name] = Estimate(value, min(low, value), max(high, value), level, method, round(self.n_))
        return found

    # -- posterior ----------------------------------------------------------------------------------------

    def posterior(self, prior: Distribution) -> Distribution:
        """The distribution of the unknown parameter after the values, from one before them; both of one family.

        Parameters
        ----------
        prior : the conjugate distribution: ``Beta`` for a probability, ``Gamma`` for a rate, ``Normal`` for a mean.

        Returns
        -------
        The posterior, of the same class as the prior.

        >>> from probus.distributions import Bernoulli, Beta
        >>> Bernoulli().fit([1, 1, 1]).posterior(Beta(2, 2))
        Beta distribution: a = 5, b = 2
        """
        self._check_fitted()
        return self._updated(prior)

    def _updated(self, prior: Distribution) -> Distribution:
        raise DataError(
            f"a prior of a {self.name} distribution.", "a distribution of one unknown parameter with a conjugate prior"
        )

    def map(self, prior: Distribution) -> float:
        """The parameter of the highest posterior density, the maximum a posteriori.

        A flat prior gives the maximum of the likelihood.

        >>> from probus.distributions import Bernoulli, Beta
        >>> coin = Bernoulli().fit([1, 1, 1])
        >>> coin.p_, coin.map(Beta(2, 2)), coin.map(Beta(1, 1))
        (1.0, 0.8, 1.0)
        """
        return self.posterior(prior).mode

    @property
    def mode(self) -> float:
        """The value of the highest density; NaN where there is not one."""
        raise DataError(f"the mode of a {self.name} distribution.", "a distribution that can be a prior")

    def plot(self, ax: Any = None) -> Any:
        """Draw the density, over a histogram of the values it was fitted to; returns the axes."""
        from probus.distributions._pictures import draw_density

        return draw_density(self, ax)

    def plot_likelihood(self, parameter: str | None = None, *, prior: Any = None, ax: Any = None) -> Any:
        """Draw the likelihood as a function of a parameter; the others keep their values.

        Parameters
        ----------
        parameter : its name; None is the first that was fitted.
        prior : a distribution of it: it and the posterior are drawn as well, each relative to its maximum.
        ax : matplotlib axes; None makes new ones.

        Returns
        -------
        The matplotlib axes.
        """
        from probus.distributions._pictures import draw_likelihood

        self._check_fitted()
        return draw_likelihood(self, parameter, prior, ax)

    def _check_fitted(self) -> None:
        if not hasattr(self, "values_"):
            raise DataError(f"a {type(self).__name__} that was not fitted.", "one with values", "Call fit(x) first.")

    def _parts(self) -> Iterable[Any]:
        known = {name: getattr(self, f"{name}_", None) for name in self.shapes}
        texts = [f"{name} = {value:.4g}" if value is not None else f"{name} unknown" for name, value in known.items()]
        yield f"{self.name[0].upper()}{self.name[1:]} distribution: {', '.join(texts)}"
        if hasattr(self, "values_") and any(getattr(self, name) is None for name in self.shapes):
            rows = [[name, str(estimate), estimate.method] for name, estimate in self.estimates().items()]
            yield Cells([["parameter", "95 % interval", "method"], *rows], margin=2)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, f"{each.name}_", getattr(self, each.name))
            == getattr(other, f"{each.name}_", getattr(other, each.name))
            for each in fields(self)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]
