"""Information density: uncertain rows that are like many others (Settles and Craven 2008)."""

from __future__ import annotations

import numpy as np

from probus.active.queries._query import Query, Situation, entropy

_ROWS = 500


class Density(Query):
    """Entropy times the mean similarity to the pool, to the power β; similarity is 1 less Gower's distance.

    An outlier is uncertain too, but its label says little about other rows.
    """

    name = "density"
    why = "the model is not sure of its class, and many rows are like it"

    def __init__(self, beta: float = 1.0, rows: int = _ROWS):
        self.beta, self.rows = beta, rows

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        uncertain = entropy(situation.probabilities)
        some = np.sort(situation.random.permutation(len(situation.pool))[: self.rows])
        distances = situation.pool.distances(some)
        if distances is None:
            return uncertain
        similarity = 1.0 - np.clip(distances[:, situation.candidates].mean(axis=0), 0.0, 1.0)
        return uncertain * similarity**self.beta
