"""The loss of a learner as it gets more rows: a + b n⁻ᶜ, fitted to a learning curve and followed a little beyond it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.metrics import Estimate

METHOD = "power law a + b·n^−c, bootstrap of splits widened for their overlap"

_EXPONENTS = np.linspace(0.2, 2.0, 19)
_RESAMPLES = 200


@dataclass(frozen=True)
class PowerLaw:
    """Loss at n rows: a, what no number of rows removes, and b (n/unit)⁻ᶜ, what more rows do; neither is negative."""

    a: float
    b: float
    c: float
    unit: float

    def __call__(self, n: float) -> float:
        """The loss at n rows."""
        return self.a + self.b * (n / self.unit) ** -self.c

    @classmethod
    def fitted(cls, sizes: np.ndarray, losses: np.ndarray, weights: np.ndarray) -> PowerLaw:
        """The least weighted squares: for each exponent a and b are a linear problem, and exponents are few.

        >>> n = np.array([10.0, 20.0, 40.0, 80.0])
        >>> law = PowerLaw.fitted(n, 0.1 + 2 / n, np.ones(4))
        >>> round(law.a, 6), round(law.c, 6), round(law(160), 6)
        (0.1, 1.0, 0.1125)
        """
        from scipy.optimize import nnls

        fits = []
        for c in _EXPONENTS:
            columns = np.column_stack([np.ones(len(sizes)), (sizes / sizes[0]) ** -c])
            (a, b), misfit = nnls(columns * weights[:, None], losses * weights)
            fits.append((misfit, float(a), float(b), float(c)))
        _, a, b, c = min(fits)
        return cls(a, b, c, float(sizes[0]))


def extrapolated(
    sizes: np.ndarray, losses: np.ndarray, size: float, test_to_train: float, level: float = 0.95
) -> Estimate:
    """The loss at another size, from losses [sizes, splits].

    Splits are drawn with replacement and the law is fitted to the mean of each draw. The spread of their predictions is
    widened by √(1 + J n_test/n_train), for splits that share rows, and from the normal to the t distribution.
    """
    from scipy.stats import norm, t

    splits = losses.shape[1]
    spread = losses.std(axis=1, ddof=1)
    weights = 1 / np.maximum(spread, 1e-3 * spread.max() + np.finfo(np.float64).tiny)
    weights /= weights.max()
    value = PowerLaw.fitted(sizes, losses.mean(axis=1), weights)(size)
    rng = np.random.default_rng(0)
    extrapolations = np.array(
        [
            PowerLaw.fitted(sizes, losses[:, rng.integers(splits, size=splits)].mean(axis=1), weights)(size)
            for _ in range(_RESAMPLES)
        ]
    )
    tail = (1 + level) / 2
    wider = np.sqrt((1 + splits * test_to_train) * splits / (splits - 1)) * t.ppf(tail, splits - 1) / norm.ppf(tail)
    low, high = value + wider * np.quantile(extrapolations - value, [1 - tail, tail])
    return Estimate(value, float(min(low, value)), float(max(high, value)), level, METHOD, splits)
