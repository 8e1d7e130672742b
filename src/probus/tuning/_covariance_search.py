"""Search by adapting the covariance of a normal distribution: CMA-ES."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.tuning._neighbourhood import reflected
from probus.tuning._tuner import Proposer, Trial
from probus.tuning._unit_cube import UnitCube


@dataclass(repr=False)
class CMAES(Proposer):
    """The covariance matrix adaptation evolution strategy, for numbers; choices are drawn by adapted frequencies.

    Configurations are drawn from a normal distribution in the unit cube, reflected at its faces. After each generation
    its mean moves to the better half, and its covariance and step size adapt to the steps that were successful
    (Hansen 2016, arXiv:1604.00772, with its default settings). The values of a choice without order are drawn with
    frequencies that move towards those of the better half, and no value becomes rarer than a fifth of its first
    frequency. A parameter that is not active in a configuration keeps the place that was drawn for it.

    >>> from probus.spaces import Real, Space
    >>> tuner = CMAES().start(Space({"x": Real(-1, 1), "y": Real(-1, 1)}), random_state=0)
    >>> for _ in range(150):
    ...     (trial,) = tuner.ask()
    ...     tuner.tell(trial, -(trial.config["x"] - 0.3) ** 2 - trial.config["y"] ** 2)
    >>> round(max(tuner.told, key=lambda each: each[1])[0].config["x"], 2)
    0.3
    """

    name = "cmaes"
    step: float = parameter("The first standard deviation, in the unit cube.", default=0.3, above=0, at_most=1)
    population: int | None = parameter(
        "The size of a generation; None is 4 + 3 ln d for d numbers.", default=None, at_least=4
    )

    def _begin(self) -> None:
        self._cube = UnitCube(self.space)
        start = np.full(len(self.space), 0.5)
        if self.space.default is not None:
            start = np.nan_to_num(self.space.to_unit(self.space.default), nan=0.5)
        self._normal = _Normal(start[self._cube.numeric], self.step, self.population)
        sizes = {place: int(self.space[self._cube.names[place]].size) for place in self._cube.nominal}
        self._frequencies = {place: np.full(size, 1.0 / size) for place, size in sizes.items()}
        self._drawn: dict[int, np.ndarray] = {}
        self._seen = 0

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        self._adapt()
        place = np.full(len(self.space), 0.5)
        place[self._cube.numeric] = self._normal.draw(random)
        for column, frequencies in self._frequencies.items():
            place[column] = (random.choice(len(frequencies), p=frequencies) + 0.5) / len(frequencies)
        self._drawn[number] = place
        return self.space.from_unit(place)

    def _adapt(self) -> None:
        """Learn from every generation that is complete since the last proposal."""
        size = self._normal.population
        while len(self.told) - self._seen >= size:
            generation = self.told[self._seen : self._seen + size]
            self._seen += size
            scored = [(score, self._place(trial)) for trial, score in generation if isinstance(score, float)]
            if len(scored) < 2:
                continue
            order = np.argsort([-score for score, _ in scored], kind="stable")
            places = np.array([scored[rank][1] for rank in order])
            self._normal.learn(places[:, self._cube.numeric])
            self._learn_choices(places[: max(len(places) // 2, 1)])

    def _place(self, trial: Trial) -> np.ndarray:
        """Where a trial is in the cube; what it does not say is taken from what was drawn for it, or the mean."""
        place = self.space.to_unit(trial.config)
        drawn = self._drawn.pop(trial.number, None)
        if drawn is None:
            drawn = np.full(len(place), 0.5)
            drawn[self._cube.numeric] = self._normal.mean
        exact = self.space.from_unit(drawn) == trial.config
        return drawn if exact else np.where(np.isnan(place), drawn, place)

    def _learn_choices(self, better: np.ndarray) -> None:
        for column, frequencies in self._frequencies.items():
            size = len(frequencies)
            numbers = np.minimum((better[:, column] * size).astype(int), size - 1)
            moved = 0.8 * frequencies + 0.2 * np.bincount(numbers, minlength=size) / len(numbers)
            floored = np.maximum(moved, 0.2 / size)
            self._frequencies[column] = floored / floored.sum()


class _Normal:
    """The normal distribution of CMA-ES and its paths, in the notation of Hansen's tutorial."""

    def __init__(self, mean: np.ndarray, sigma: float, population: int | None):
        n = max(len(mean), 1)
        self.mean, self.sigma, self.C = mean, sigma, np.eye(len(mean))
        self.population = 4 + int(3 * math.log(n)) if population is None else population
        self.p_sigma, self.p_c = np.zeros(len(mean)), np.zeros(len(mean))
        self.generation = 0
        raw = math.log((self.population + 1) / 2) - np.log(np.arange(1, self.population // 2 + 1))
        self.weights = raw / raw.sum()
        mu = 1.0 / float(self.weights @ self.weights)
        self.mu_eff = mu
        self.c_sigma = (mu + 2) / (n + mu + 5)
        self.d_sigma = 1 + 2 * max(0.0, math.sqrt((mu - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + mu / n) / (n + 4 + 2 * mu / n)
        self.c_1 = 2 / ((n + 1.3) ** 2 + mu)
        self.c_mu = min(1 - self.c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        self.chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # E‖N(0, I)‖
        self._decompose()

    def _decompose(self) -> None:
        values, vectors = np.linalg.eigh(self.C)
        scale = np.sqrt(np.maximum(values, 1e-20))
        self.root, self.inverse_root = (vectors * scale) @ vectors.T, (vectors / scale) @ vectors.T

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """A place drawn from the distribution."""
        return reflected(self.mean + self.sigma * (self.root @ random.normal(size=len(self.mean))))

    def learn(self, places: np.ndarray) -> None:
        """Move and adapt to the places of a generation, the best first."""
        if not len(self.mean):
            return
        weights = self.weights[: len(places)] / self.weights[: len(places)].sum()
        steps = (places[: len(weights)] - self.mean) / self.sigma
        step = weights @ steps
        self.generation += 1
        self.mean = self.mean + self.sigma * step
        c, n = self.c_sigma, len(self.mean)
        self.p_sigma = (1 - c) * self.p_sigma + math.sqrt(c * (2 - c) * self.mu_eff) * (self.inverse_root @ step)
        length = float(np.linalg.norm(self.p_sigma))
        steady = length / math.sqrt(1 - (1 - c) ** (2 * self.generation)) < (1.4 + 2 / (n + 1)) * self.chi
        c = self.c_c
        self.p_c = (1 - c) * self.p_c + steady * math.sqrt(c * (2 - c) * self.mu_eff) * step
        lost = (1 - steady) * c * (2 - c)  # variance that a stalled path does not contribute
        self.C = (
            (1 + self.c_1 * lost - self.c_1 - self.c_mu) * self.C
            + self.c_1 * np.outer(self.p_c, self.p_c)
            + self.c_mu * (steps.T * weights) @ steps
        )
        self.sigma *= math.exp(min((self.c_sigma / self.d_sigma) * (length / self.chi - 1), 1.0))
        self.sigma = min(max(self.sigma, 1e-8), 1.0)
        self._decompose()
