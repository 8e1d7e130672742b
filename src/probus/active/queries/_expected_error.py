"""Expected error reduction: the row whose label is expected to leave the fewest errors (Roy and McCallum 2001)."""

from __future__ import annotations

import numpy as np

from probus.active.queries._query import Query, Situation

_CANDIDATES, _ROWS = 20, 200


class ExpectedError(Query):
    """−Σ P(y | x) Σ (1 − max P₊(y' | x')) over rows x' of the pool, with P₊ the model that has the label y for x too.

    It takes a fit for each candidate and class. So it considers the most uncertain candidates only, and judges by some
    rows of the pool, drawn at random.
    """

    name = "expected_error"
    why = "its label is expected to leave the fewest errors on the other rows"

    def __init__(self, candidates: int = _CANDIDATES, rows: int = _ROWS):
        self.candidates, self.rows = candidates, rows

    def scores(self, situation: Situation) -> np.ndarray:
        """See the class."""
        everyone = situation.candidates
        judged = everyone[situation.random.permutation(len(everyone))[: self.rows]]
        uncertain = 1.0 - situation.probabilities.max(axis=1)
        chosen = np.argsort(-uncertain, kind="stable")[: self.candidates]
        errors = np.full(len(everyone), np.inf)
        for place in chosen:
            rows = np.append(situation.labelled, everyone[place])
            errors[place] = sum(
                share * self._errors(situation, rows, np.append(situation.codes, code), judged)
                for code, share in enumerate(situation.probabilities[place])
                if share > 0
            )
        return -errors

    def _errors(self, situation: Situation, rows: np.ndarray, codes: np.ndarray, judged: np.ndarray) -> float:
        """The mean error that a model expects of itself."""
        found = situation.probabilities_of(situation.fit(rows, codes), judged)
        return float((1.0 - found.max(axis=1)).mean())
