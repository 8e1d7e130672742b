"""Evolutionary search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.tuning._neighbourhood import mutated
from probus.tuning._pareto import pareto_order
from probus.tuning._sobol_search import SobolPoints
from probus.tuning._tuner import BATCH, Proposer, Score, Trial
from probus.tuning._unit_cube import UnitCube


@dataclass(repr=False)
class Evolution(Proposer):
    """A (μ + λ) evolution strategy: the best μ configurations so far have children by crossover and mutation.

    A child takes each parameter from one of two parents, then some change: numbers by a normal step in the unit cube,
    choices to a random value. The size of the steps belongs to a configuration and is inherited with a log-normal
    change, so that it adapts itself (Schwefel 1981). λ is the number of children that are asked for at once. With
    several objectives the best are those on the first Pareto fronts, the less crowded first (Deb et al. 2002: NSGA-II).

    >>> from probus.spaces import Real, Space
    >>> tuner = Evolution().start(Space({"x": Real(-1, 1)}), random_state=0)
    >>> for _ in range(60):
    ...     (trial,) = tuner.ask()
    ...     tuner.tell(trial, -trial.config["x"] ** 2)
    >>> abs(max(tuner.told, key=lambda each: each[1])[0].config["x"]) < 0.05
    True
    """

    name = "evolution"
    population: int = parameter("μ, the number of parents.", default=8, at_least=2)
    crossover: float = parameter("The probability that a child has two parents.", default=0.5, at_least=0, at_most=1)
    step: float = parameter("The standard deviation of the first steps, in the unit cube.", default=0.2, above=0)
    batch: int = BATCH.but(doc="λ, how many configurations ``tune`` asks for at once.")

    several_objectives = True

    def _begin(self) -> None:
        self._cube = UnitCube(self.space)
        self._points = SobolPoints(self.space, self.seed)
        self._steps: dict[int, float] = {}  # by the number of the trial
        self._candidates: list[tuple[Trial, Score]] = []
        self._seen = 0

    def _parents(self) -> list[Trial]:
        """The best trials so far, as many as the population; of one objective, no others are kept to choose from."""
        self._candidates += [(trial, score) for trial, score in self.told[self._seen :] if score is not None]
        self._seen = len(self.told)
        if not self._candidates:
            return []
        order = pareto_order([score for _, score in self._candidates])[: self.population]
        best = [self._candidates[place] for place in order]
        if self.n_objectives == 1:
            self._candidates = best
        return [trial for trial, _ in best]

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        best = self._parents()
        if number < self.population or len(best) < 2:
            return self.space.from_unit(self._points[number])
        first, second = (best[place] for place in random.choice(len(best), 2, replace=False))
        places = np.array([self.space.to_unit(first.config), self.space.to_unit(second.config)])
        crossed = random.random() < self.crossover
        child = np.where(random.random(len(self.space)) < 0.5 * crossed, places[1], places[0])
        step = self._steps.get(first.number, self.step) * math.exp(random.normal() / math.sqrt(2.0 * len(self.space)))
        self._steps[number] = min(max(step, 1e-4), 0.5)
        child = mutated(child[None], self._cube, random, self._steps[number])[0]
        return self.space.from_unit(child)
