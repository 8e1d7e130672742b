"""Query by committee: rows that models of the same labels disagree on (Seung, Opper and Sompolinsky 1992)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.active.queries._query import Query, Situation, entropy
from probus.ensemble import fit_member

_MEMBERS = 7


class Committee(Query):
    """Vote entropy: −Σ V(y)/C log V(y)/C, with V(y) the votes of C members for a class.

    The members are the given models, or the model on samples of the labelled rows with replacement, each of which has
    every class.
    """

    name = "committee"
    why = "models of the same labels disagree on its class"
    probabilistic = False

    def __init__(self, members: Sequence[Any] | int = _MEMBERS):
        self.members = members

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        votes = self.votes(situation)
        return entropy(votes / votes.sum(axis=1, keepdims=True))

    def votes(self, situation: Situation) -> np.ndarray:
        """The number of votes of each candidate and class."""
        rows = situation.pool.rows.take(situation.candidates)
        votes = np.zeros((len(rows), len(situation.classes)))
        for model in self._fitted(situation):
            codes = np.searchsorted(situation.classes, model.predict(rows))
            votes[np.arange(len(rows)), codes] += 1
        return votes

    def _fitted(self, situation: Situation) -> list[Any]:
        labelled = situation.pool.rows.take(situation.labelled)
        if not isinstance(self.members, int):
            labels = situation.classes[situation.codes]
            return [fit_member(clone(member), labelled, labels) for member in self.members]
        samples = (_with_every_class(situation.codes, situation.random) for _ in range(self.members))
        return [situation.fit(situation.labelled[sample], situation.codes[sample]) for sample in samples]


def _with_every_class(codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """As many rows, drawn with replacement from each class on its own."""
    parts = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    return np.concatenate([part[random.randint(len(part), size=len(part))] for part in parts])
