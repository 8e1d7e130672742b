"""Rows at random: what every strategy has to beat."""

from __future__ import annotations

import numpy as np

from probus.active.queries._query import Query, Situation


class RandomRows(Query):
    """A random number for each row."""

    name = "random"
    why = "it was drawn at random"
    probabilistic = False

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        return situation.random.uniform(size=len(situation.candidates))
