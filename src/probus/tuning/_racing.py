"""Iterated racing: configurations race over the splits, and the next ones are drawn around the winners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.parameters import check_parameters, parameter
from probus.spaces import Choice, Space
from probus.tuning._tuner import Score, Trial, Tuner

_RETRIES = 30
_FIRST_SPREAD = 0.5  # of the range, around the first elites


@dataclass(repr=False)
class IteratedRacing(Tuner):
    """Races over the splits of the resampling, each with configurations drawn around the winners of the one before.

    López-Ibáñez et al. (2016), Operations Research Perspectives 3 (irace). In a race, all configurations are evaluated
    on some splits. Then those that are significantly worse than the best (Friedman's test and Conover's comparisons; a
    paired t-test between two) leave it, and the others go on to the next split. ``cv_results_`` has the scores of the
    splits that were evaluated. A resampling with repeats has more splits, and so more power.

    >>> from probus.spaces import Real
    >>> tuner = IteratedRacing(configurations=4, iterations=1)
    >>> [trial.fidelity for trial in tuner.start(Space({"x": Real(0, 1)})).ask(9)]
    [3, 3, 3, 3]
    """

    name = "racing"
    configurations: int = parameter("How many begin each race.", default=20, at_least=2)
    iterations: int | None = parameter(
        "The number of races; None is ⌊2 + log₂(number of parameters)⌋.", default=None, at_least=1
    )
    elites: int = parameter("How many winners stay, and are parents of the next configurations.", default=3, at_least=1)
    first_test: int = parameter("The number of splits before the first test.", default=3, at_least=1)
    alpha: float = parameter("The level of the tests.", default=0.05, above=0, below=1)

    fidelity = "splits"
    max_fidelity = 5  # the number of splits, which the search sets
    batch = 1000

    def start(self, space: Space, random_state: int = 0, n_objectives: int = 1) -> IteratedRacing:
        """Begin a new search of a space; returns the tuner itself."""
        check_parameters(self)
        if n_objectives > 1:
            raise DataError(f"{type(self).__name__} with {n_objectives} objectives.", "one objective")
        self.space, self.seed = space, int(random_state)
        self._numbers, self._drawn, self._race = 0, 0, 0
        self._scores: dict[str, list[float]] = {}
        self._configs: dict[str, dict[str, Any]] = {}
        self._winners: list[str] = []
        self._open: dict[int, tuple[Trial, str]] = {}
        self._begin_race()
        return self

    def on_splits(self, n: int) -> None:
        """Set the number of splits of the resampling."""
        self.max_fidelity = n

    def ask(self, n: int = 1) -> list[Trial]:
        """The next configurations of the round; none where it waits for scores."""
        self._check_started()
        asked: list[Trial] = []
        while len(asked) < n and self._waiting:
            key = self._waiting.pop(0)
            trial = Trial(self._numbers, self._configs[key], self._splits)
            self._open[trial.number] = (trial, key)
            self._numbers += 1
            asked.append(trial)
        return asked

    def tell(self, trial: Trial, score: Score) -> None:
        """The score of a trial and of its splits; a full one that was not asked for takes part in the first race."""
        known, key = self._open.pop(trial.number, (None, repr(sorted(trial.config.items()))))
        each = list(getattr(score, "splits", () if score is None else (score,)))
        self._configs[key], self._scores[key] = trial.config, [] if score is None else each
        if known != trial:
            self._numbers = max(self._numbers, trial.number + 1)
            if score is not None and len(each) == self.max_fidelity:
                self._alive.append(key)
            return
        if not self._waiting and not self._open:
            self._end_round()

    @property
    def finished(self) -> bool:
        """Whether all races are run."""
        return self._race >= self._n_races

    @property
    def ends(self) -> bool:
        """Whether the tuner ends by itself: with the last race."""
        return True

    # -- races -----------------------------------------------------------------------------------------

    @property
    def _n_races(self) -> int:
        return math.floor(2 + math.log2(max(len(self.space), 1))) if self.iterations is None else self.iterations

    def _begin_race(self) -> None:
        new = []
        for _ in range(self.configurations - (len(self._winners) if self._race else 0)):
            for _ in range(_RETRIES):
                config = self._proposed(np.random.default_rng([self.seed, self._drawn]))
                self._drawn += 1
                key = repr(sorted(config.items()))
                if key not in self._configs:
                    self._configs[key] = config
                    new.append(key)
                    break
        self._alive = [*self._winners, *new]
        self._splits = int(min(self.first_test, self.max_fidelity))
        self._waiting = list(new)
        if not new:
            self._race = self._n_races

    def _end_round(self) -> None:
        """Remove those that are significantly worse; begin the next round, or the next race."""
        self._alive = [key for key in self._alive if len(self._scores.get(key, [])) >= self._splits]
        if self._alive:
            scores = np.array([self._scores[key][: self._splits] for key in self._alive])
            kept = survivors(np.nan_to_num(scores, nan=-np.inf), self.alpha)
            self._alive = [key for key, stays in zip(self._alive, kept, strict=True) if stays]
        if self._splits < self.max_fidelity:
            self._splits += 1
            self._waiting = [key for key in self._alive if len(self._scores[key]) < self._splits]
            if self._waiting:
                return
            if self._alive:
                self._end_round()  # all that are left were evaluated on every split before
                return
        ranked = sorted(self._alive, key=lambda key: -float(np.nanmean(self._scores[key])))
        self._winners = ranked[: self.elites]
        self._race += 1
        if not self.finished:
            self._begin_race()

    # -- proposals -------------------------------------------------------------------------------------

    def _proposed(self, random: np.random.Generator) -> dict[str, Any]:
        """A random configuration in the first race; then one near a winner, the better ones more often, ever nearer."""
        if not self._winners:
            return self.space.sample(random)[0]
        weights = np.arange(len(self._winners), 0, -1.0)
        parent = self._configs[self._winners[random.choice(len(weights), p=weights / weights.sum())]]
        unit = self.space.to_unit(parent)
        spread = _FIRST_SPREAD * (1.0 / self.configurations) ** (self._race / max(len(self.space), 1))
        stay = self._race / self._n_races
        for j, (_, each) in enumerate(self.space.items()):
            if np.isnan(unit[j]) or (isinstance(each, Choice) and not each.ordered):
                if np.isnan(unit[j]) or random.random() > stay:
                    unit[j] = random.random()
            else:
                unit[j] = _near(unit[j], spread, random)
        return self.space.from_unit(unit)


def _near(place: float, spread: float, random: np.random.Generator) -> float:
    """A normal number around a place, between 0 and 1."""
    for _ in range(100):
        moved = random.normal(place, spread)
        if 0.0 <= moved <= 1.0:
            return float(moved)
    return place


def survivors(scores: np.ndarray, alpha: float = 0.05) -> np.ndarray:
    """Which configurations are not significantly worse than the best, by their scores on common splits.

    Friedman's test over all; where it is significant, those whose sum of ranks is further from the best than Conover's
    critical difference are worse. Two configurations are compared by a paired t-test.

    Parameters
    ----------
    scores : float64[configurations, splits], the higher the better; failures are -inf.
    alpha : the level.

    >>> survivors(np.array([[3.0, 3.1, 2.9, 3.2, 3.0], [2.9, 3.2, 3.0, 3.1, 3.1], [1.0, 1.1, 0.9, 1.2, 1.0]]))
    array([ True,  True, False])
    """
    from scipy.stats import friedmanchisquare, rankdata, t, ttest_rel

    k, n = scores.shape
    if k < 2 or n < 2:
        return np.ones(k, dtype=bool)
    if k == 2:
        difference = scores[0] - scores[1]
        if not np.isfinite(difference).all() or np.ptp(difference) == 0.0:
            return scores.mean(axis=1) == scores.mean(axis=1).max()
        worse = ttest_rel(scores[0], scores[1]).pvalue < alpha
        return ~(worse & (scores.mean(axis=1) < scores.mean(axis=1).max()))
    ranks = rankdata(-scores, axis=0)
    if np.ptp(ranks, axis=0).max() == 0.0 or not friedmanchisquare(*scores).pvalue < alpha:
        return np.ones(k, dtype=bool)
    sums, squares = ranks.sum(axis=1), float((ranks**2).sum())
    variance = 2.0 * (n * squares - float((sums**2).sum())) / ((n - 1) * (k - 1))
    critical = t.ppf(1.0 - alpha / 2.0, (n - 1) * (k - 1)) * math.sqrt(max(variance, 0.0))
    return sums - sums.min() <= critical
