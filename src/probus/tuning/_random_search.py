"""Random search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.tuning._tuner import Proposer


@dataclass(repr=False)
class Random(Proposer):
    """Configurations drawn independently, every parameter evenly over its range.

    >>> from probus.spaces import Real, Space
    >>> tuner = Random().start(Space({"x": Real(0, 1)}), random_state=0)
    >>> [round(trial.config["x"], 2) for trial in tuner.ask(3)]
    [0.64, 0.89, 0.08]
    """

    name = "random"
    several_objectives = True
    batch = 64  # no proposal depends on a score

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        return self.space.sample(random)[0]
