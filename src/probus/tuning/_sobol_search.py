"""Search on a sequence of low discrepancy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from probus.spaces import Space
from probus.tuning._tuner import Proposer


class SobolPoints:
    """The points of a scrambled Sobol' sequence (SciPy's), by number."""

    def __init__(self, space: Space, seed: int):
        self._engine = qmc.Sobol(max(len(space), 1), seed=np.random.default_rng([seed, 0]))
        self._points = np.empty((0, max(len(space), 1)))
        self._width = len(space)

    def __getitem__(self, number: int) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the first points are not a power of two
            while number >= len(self._points):
                self._points = np.vstack([self._points, self._engine.random(64)])
        return self._points[number, : self._width]


@dataclass(repr=False)
class Sobol(Proposer):
    """The points of a scrambled Sobol' sequence, which fill the space more evenly than independent draws.

    >>> from probus.spaces import Real, Space
    >>> tuner = Sobol().start(Space({"x": Real(0, 1)}), random_state=0)
    >>> sorted(int(4 * trial.config["x"]) for trial in tuner.ask(4))
    [0, 1, 2, 3]
    """

    name = "sobol"
    several_objectives = True

    def _begin(self) -> None:
        self._points = SobolPoints(self.space, self.seed)
        self._place = 0

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        self._place += 1
        return self.space.from_unit(self._points[self._place - 1])
