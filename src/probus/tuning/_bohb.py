"""BOHB: Hyperband whose configurations are drawn where good ones were dense."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.spaces import Choice
from probus.tuning._hyperband import Hyperband

_WIDEST, _NARROWEST = 1.0, 1e-3
_FACTOR = 3.0  # by which candidates are drawn wider than the density, so that they do not collapse


@dataclass(repr=False)
class BOHB(Hyperband):
    """Hyperband with a model: new configurations are drawn where good ones are dense and bad ones are not.

    Falkner, Klein and Hutter (2018), ICML. The scores of the largest effort that has enough of them are split into the
    best and the others. A kernel density is fitted to each, and of random candidates near good configurations the one
    with the largest ratio of the densities is taken.

    >>> BOHB(eta=3, max_fidelity=9).brackets()
    [[(1.0, 9), (3.0, 3), (9.0, 1)], [(3.0, 5), (9.0, 1)], [(9.0, 3)]]
    """

    name = "bohb"
    random_fraction: float = parameter(
        "The share of configurations that are drawn at random.", default=1 / 3, at_least=0, at_most=1
    )
    good_fraction: float = parameter("The share of scores that count as good.", default=0.15, above=0, below=1)
    candidates: int = parameter("How many are compared by the ratio of the densities.", default=64, at_least=1)

    def _propose(self, random: np.random.Generator) -> dict[str, Any]:
        data = self._densities()
        if data is None or random.random() < self.random_fraction:
            return self.space.sample(random)[0]
        good, bad = data
        drawn = good.drawn(self.candidates, random)
        return self.space.from_unit(drawn[np.argmax(good.log(drawn) - bad.log(drawn))])

    def _densities(self) -> tuple[_Density, _Density] | None:
        """The densities of good and of other configurations, at the largest effort with enough of both."""
        enough = len(self.space) + 2
        known = [(trial, score) for trial, score in self.told if score is not None]
        for fidelity in sorted({_effort(trial.fidelity) for trial, _ in known}, reverse=True):
            some = [(trial.config, score) for trial, score in known if _effort(trial.fidelity) == fidelity]
            n_good = max(enough, math.ceil(self.good_fraction * len(some)))
            if len(some) - n_good < enough:
                continue
            some.sort(key=lambda pair: -pair[1])
            units = np.array([self.space.to_unit(config) for config, _ in some])
            discrete = np.array([_values(parameter) for _, parameter in self.space.items()])
            return _Density(units[:n_good], discrete), _Density(units[n_good:], discrete)
        return None


def _effort(fidelity: float | None) -> float:
    return math.inf if fidelity is None else fidelity


def _values(parameter: Any) -> int:
    """The number of values without an order, 0 for a number."""
    return len(parameter.values) if isinstance(parameter, Choice) and not parameter.ordered else 0


class _Density:
    """A product of kernels: normal for numbers, Aitchison and Aitken's for choices; what is inactive is left out.

    units : float64[n, d], places between 0 and 1, NaN where a parameter is not active.
    discrete : int[d], the number of values of each choice, 0 for numbers.
    """

    def __init__(self, units: np.ndarray, discrete: np.ndarray):
        self.units, self.discrete = units, discrete
        spread = np.array([_spread(column) for column in units.T])
        scott = len(units) ** (-1.0 / (len(discrete) + 4))
        self.width = np.clip(spread * scott, _NARROWEST, _WIDEST)

    def log(self, points: np.ndarray) -> np.ndarray:
        """The logarithm of the density at each point."""
        total = np.zeros((len(points), len(self.units)))
        for j, n_values in enumerate(self.discrete):
            x, own, width = points[:, j][:, None], self.units[:, j][None, :], self.width[j]
            if n_values:
                other = min(width, (n_values - 1) / n_values) if n_values > 1 else 0.0
                same = np.isclose(x, own)
                kernel = np.where(same, 1.0 - other, other / max(n_values - 1, 1))
            else:
                kernel = np.exp(-0.5 * ((x - own) / width) ** 2) / width
            either = np.isnan(x) | np.isnan(own)
            total += np.log(np.where(either, 1.0, kernel) + 1e-12)
        return np.logaddexp.reduce(total, axis=1)

    def drawn(self, n: int, random: np.random.Generator) -> np.ndarray:
        """Points near those of the density."""
        points = self.units[random.integers(len(self.units), size=n)].copy()
        for j, n_values in enumerate(self.discrete):
            inactive = np.isnan(points[:, j])
            points[inactive, j] = random.random(int(inactive.sum()))
            if n_values:
                other = random.random(n) < min(self.width[j], 1.0)
                points[other, j] = (random.integers(n_values, size=n)[other] + 0.5) / n_values
            else:
                moved = points[:, j] + _FACTOR * self.width[j] * random.normal(size=n)
                outside = (moved < 0.0) | (moved > 1.0)
                points[:, j] = np.where(outside, random.random(n), moved)
        return points


def _spread(column: np.ndarray) -> float:
    known = column[~np.isnan(column)]
    return float(known.std()) if len(known) else _WIDEST
