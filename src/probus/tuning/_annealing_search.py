"""Simulated annealing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.tuning._neighbourhood import mutated
from probus.tuning._sobol_search import SobolPoints
from probus.tuning._tuner import Proposer, Trial
from probus.tuning._unit_cube import UnitCube


@dataclass(repr=False)
class Annealing(Proposer):
    """Simulated annealing: steps from the current configuration, to worse ones ever more rarely.

    A configuration that is worse by Δ becomes the current one with probability exp(-Δ / (T s)), where s is the standard
    deviation of the first scores and the temperature T falls by a factor after each evaluation (Kirkpatrick et al.
    1983, Science 220). The steps become smaller with the temperature.

    >>> from probus.spaces import Real, Space
    >>> tuner = Annealing().start(Space({"x": Real(-1, 1)}), random_state=0)
    >>> for _ in range(60):
    ...     (trial,) = tuner.ask()
    ...     tuner.tell(trial, -trial.config["x"] ** 2)
    >>> abs(max(tuner.told, key=lambda each: each[1])[0].config["x"]) < 0.05
    True
    """

    name = "annealing"
    temperature: float = parameter("The first temperature.", default=0.5, above=0)
    cooling: float = parameter("The factor of the temperature after each evaluation.", default=0.95, above=0, below=1)
    n_initial: int = parameter(
        "The number of evenly spread configurations at the start; the search goes on from the best of them.",
        default=6,
        at_least=1,
    )

    def _begin(self) -> None:
        self._cube = UnitCube(self.space)
        self._points = SobolPoints(self.space, self.seed)
        self._current: tuple[Trial, float] | None = None
        self._seen = 0

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        self._walk()
        if number < self.n_initial or self._current is None:
            return self.space.from_unit(self._points[number])
        place = self.space.to_unit(self._current[0].config)[None]
        step = 0.02 + 0.2 * self._heat / self.temperature
        return self.space.from_unit(mutated(place, self._cube, random, step)[0])

    @property
    def _heat(self) -> float:
        return self.temperature * self.cooling ** max(len(self.told) - self.n_initial, 0)

    def _walk(self) -> None:
        """Accept or refuse the trials that have a score since the last proposal."""
        for trial, score in self.told[self._seen :]:
            self._seen += 1
            if isinstance(score, float) and (self._current is None or self._accepts(trial, score, self._current[1])):
                self._current = trial, score

    def _accepts(self, trial: Trial, score: float, current: float) -> bool:
        if score >= current or self._seen <= self.n_initial:
            return score >= current
        first = [each for _, each in self.told[: self.n_initial] if isinstance(each, float)]
        heat = self.temperature * self.cooling ** (self._seen - self.n_initial)
        spread = float(np.std(first)) or 1.0
        chance = np.random.default_rng([self.seed, trial.number]).random()
        return chance < math.exp(max((score - current) / (heat * spread), -700.0))
