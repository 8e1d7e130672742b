"""An ensemble of the tuned families, weighted by their predictions on inner test rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.metrics import Measure, Outcome
from probus.model_selection import Resampled, joined

ENSEMBLE = "Ensemble"
_STEPS = 20  # members that are chosen one after the other, the same one perhaps several times


class Stack:
    """Weighted means of the predictions of families, by Caruana's greedy selection (2004).

    In each run the weights are chosen by the predictions for its inner test rows, so that the outer test rows are new
    to them, as they are to the tuning.
    """

    def __init__(self, searches: Mapping[str, FamilySearch]):
        self.members = {name: each for name, each in searches.items() if not each.failed and _usable(each)}
        self._weights: dict[int, dict[str, float]] = {}

    @property
    def possible(self) -> bool:
        """Whether there are at least two families with predictions on inner test rows."""
        return len(self.members) > 1

    @property
    def _fits(self) -> FamilyFits:
        return next(iter(self.members.values())).fits

    def seconds(self, now: Callable[[], float]) -> float:
        """About how long it takes: the weights of each run, of which one is timed, and the fits on all rows."""
        started = now()
        members = self.weights(self._fits.last)
        return (now() - started) * self._fits.last + sum(self.members[name].final_seconds for name in members)

    def weights(self, run: int) -> dict[str, float]:
        """The weight of each family in a run."""
        if run not in self._weights:
            self._weights[run] = self._chosen(run)
        return self._weights[run]

    def _chosen(self, run: int) -> dict[str, float]:
        inner = {name: joined(search.inner[run]) for name, search in self.members.items()}
        chosen: list[str] = []
        for _ in range(_STEPS):
            chosen.append(max(inner, key=lambda name: self._score([inner[each] for each in [*chosen, name]])))
        return {name: chosen.count(name) / _STEPS for name in inner if name in chosen}

    def resampled(self, measures: Sequence[Measure]) -> Resampled:
        """The predictions on outer test rows."""
        fits, outcomes, seconds = self._fits, [], []
        for run in range(fits.last):
            weights = self.weights(run)
            outcomes.append(_mean([self.members[name].outer[run].outcome for name in weights], [*weights.values()]))
            seconds.append(sum(self.members[name].outer[run].seconds for name in weights))
        return Resampled(ENSEMBLE, fits.task, fits.outer, tuple(outcomes), tuple(measures), seconds=np.array(seconds))

    def model(self, models: Mapping[str, Any]) -> Any:
        """The ensemble, not fitted, of configured models."""
        from probus.ensemble import VotingClassifier, VotingRegressor

        weights = self.weights(self._fits.last)
        named = [(name.replace(" ", "_").lower(), models[name]) for name in weights]
        if self._fits.task.classes:
            return VotingClassifier(named, voting="soft", weights=[*weights.values()])
        return VotingRegressor(named, weights=[*weights.values()])

    def _score(self, outcomes: Sequence[Outcome]) -> float:
        try:
            return self._fits.score(_mean(outcomes, [1 / len(outcomes)] * len(outcomes)))
        except DataError:
            return -np.inf


def _usable(search: FamilySearch) -> bool:
    """Whether its predictions can be averaged, in every run."""
    outcomes = [each.outcome for each in search.outer]
    has = all(each.probabilities is not None or not each.classes for each in outcomes)
    return has and all(search.inner)


def _mean(outcomes: Sequence[Outcome], weights: Sequence[float]) -> Outcome:
    """The weighted mean of predictions for the same rows."""
    first, part = outcomes[0], "probabilities" if outcomes[0].classes else "predicted"
    mean = np.average([outcome.need(part) for outcome in outcomes], axis=0, weights=weights)
    if not first.classes:
        return replace(first, predicted=mean)
    return replace(first, predicted=None, probabilities=None, scores=None).with_probabilities(mean)
