"""Uncertainty sampling: rows whose class the model is least sure of."""

from __future__ import annotations

import numpy as np

from probus.active.queries._query import Query, Situation, entropy


class LeastConfidence(Query):
    """1 − P(y₁ | x): the smallest probability of the most probable class."""

    name = "least_confidence"
    why = "the model is least sure of its class"

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        return 1.0 - situation.probabilities.max(axis=1)


class Margin(Query):
    """−(P(y₁ | x) − P(y₂ | x)): the smallest difference between the two most probable classes."""

    name = "margin"
    why = "the model cannot decide between two classes"

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        if situation.probabilities.shape[1] < 2:
            return np.zeros(len(situation.candidates))
        two = np.sort(situation.probabilities, axis=1)[:, -2:]
        return two[:, 0] - two[:, 1]


class Entropy(Query):
    """−Σ P(y | x) log P(y | x): the least certain distribution over all classes."""

    name = "entropy"
    why = "the probabilities of the classes are most alike"

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        return entropy(situation.probabilities)
