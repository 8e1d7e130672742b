"""Bayesian optimisation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erfcx, ndtr

from probus.parallel import blas_on_one_thread
from probus.parameters import parameter
from probus.tuning._gaussian_surrogate import GaussianSurrogate
from probus.tuning._neighbourhood import mutated
from probus.tuning._pareto import scalarised
from probus.tuning._sobol_search import SobolPoints
from probus.tuning._tuner import BATCH, Proposer, Trial
from probus.tuning._unit_cube import UnitCube

_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


def log_expected_improvement(mean: np.ndarray, deviation: np.ndarray, best: float, kappa: float = 0.0) -> np.ndarray:
    """log E max(score - best, 0), also where the improvement is too small for a float (Ament et al. 2023, NeurIPS).

    With z = (mean - best) / deviation it is log deviation + log(φ(z) + z Φ(z)).

    >>> log_expected_improvement(np.array([0.0, -40.0]), np.array([1.0, 1.0]), 0.0).round(3)
    array([  -0.919, -808.299])
    """
    z = (mean - best) / deviation
    near = np.maximum(z, -1.0)
    value = np.log(np.exp(-0.5 * near * near - _LOG_ROOT) + near * ndtr(near))
    low = np.minimum(z, -1.0)
    # φ(z) + z Φ(z) = φ(z) (1 - |z| m(z)), m = Φ/φ at z: Mills' ratio, which tends to 1/|z|
    mills = math.sqrt(math.pi / 2.0) * erfcx(-low / math.sqrt(2.0))
    rest = np.where(low > -1e3, 1.0 + low * mills, 1.0 / np.maximum(low * low, 1.0))
    far = -0.5 * low * low - _LOG_ROOT + np.log(np.maximum(rest, 1e-300))
    return np.log(deviation) + np.where(z > -1.0, value, far)


def confidence_bound(mean: np.ndarray, deviation: np.ndarray, best: float, kappa: float = 2.0) -> np.ndarray:
    """mean + kappa · deviation: the lower bound of a cost, with its sign changed."""
    return mean + kappa * deviation


ACQUISITIONS: Mapping[str, Callable[..., np.ndarray]] = {"ei": log_expected_improvement, "lcb": confidence_bound}


class ForestSurrogate:
    """Extremely random trees: the mean of their predictions and the deviation between them, as in SMAC.

    Suits spaces with many choices and conditions, and scores with jumps.
    """

    def __init__(self, groups: np.ndarray, n_trees: int = 40):
        self.n_trees = n_trees

    def fit(self, X: np.ndarray, y: np.ndarray, starts: int = 1) -> ForestSurrogate:
        """Grow the trees on bootstrap samples."""
        from probus.ensemble import ExtraTreesRegressor

        forest = ExtraTreesRegressor(
            self.n_trees, min_samples_leaf=2, max_features=0.8, bootstrap=True, n_jobs=1, random_state=len(y)
        )
        self._trees = forest.fit(X, y).estimators_
        self._floor = 1e-3 * (float(y.std()) or 1.0)  # trees that agree leave some doubt
        return self

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation of the trees' predictions."""
        predictions = np.array([tree.predict(X) for tree in self._trees])
        return predictions.mean(axis=0), np.maximum(predictions.std(axis=0), self._floor)


_SURROGATES: Mapping[str, Callable[[np.ndarray], Any]] = {"gp": GaussianSurrogate, "forest": ForestSurrogate}
_MOST = {"gp": 150, "forest": 1000}  # scores that a model is fitted to; the time of a process grows with their cube
_N_INITIAL = 8
_WIDE, _NEAR, _REFINED = 1000, 600, 200  # candidates: anywhere, around the best five, around the most promising five
_STEPS = (0.1, 0.05, 0.02, 0.007)  # their distances


@dataclass(repr=False)
class Bayesian(Proposer):
    """Bayesian optimisation: a surrogate model predicts the scores, and the most promising configuration comes next.

    The search starts with the space's default and points of a Sobol' sequence. Then a surrogate model is fitted to the
    scores, on a scale on which bad ones differ less, and the acquisition function is maximised over candidates from
    everywhere and around the best. Of more than 150 scores (1,000 for a forest), the best half of that number counts,
    and as many of the others, spread over the search, so that proposals do not slow down. Parameters that are not
    active are set to their middle, and the values of a choice have the same distance from each other. Failed
    evaluations count as the worst score.

    Trials without a score are taken to have the score that the model predicts, so that a batch is spread. With several
    objectives each proposal maximises another weighting of them (ParEGO), see ``probus.tuning.pareto_front``.

    >>> from probus.spaces import Real, Space
    >>> tuner = Bayesian().start(Space({"x": Real(-1, 1), "y": Real(-1, 1)}), random_state=0)
    >>> for _ in range(20):
    ...     (trial,) = tuner.ask()
    ...     tuner.tell(trial, -(trial.config["x"] - 0.3) ** 2 - trial.config["y"] ** 2)
    >>> round(max(tuner.told, key=lambda each: each[1])[0].config["x"], 1)
    0.3
    """

    name = "bayesian"
    surrogate: str = parameter(
        'The model of the scores: "gp", a Gaussian process with a length scale for each parameter, or "forest", random '
        "trees.",
        default="gp",
        one_of=_SURROGATES,
    )
    acquisition: str = parameter(
        'What is maximised: "lcb", the confidence bound, or "ei", the expected improvement.',
        default="lcb",
        one_of=ACQUISITIONS,
    )
    kappa: float = parameter("How many standard deviations the confidence bound adds.", default=2.0, at_least=0)
    n_initial: int = parameter("The number of configurations before the first model.", default=_N_INITIAL, at_least=1)
    batch: int = BATCH

    several_objectives = True

    def _begin(self) -> None:
        self._cube = UnitCube(self.space)
        self._points = SobolPoints(self.space, self.seed)
        self._model = _SURROGATES[self.surrogate](self._cube.features(self._cube.snapped(self._points[0][None]))[1])

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any]:
        if number < self.n_initial or all(score is None for _, score in self.told):
            return self.space.from_unit(self._points[number])
        with blas_on_one_thread(True):  # the same sums, and faster for small matrices
            return self._by_model(random)

    def _by_model(self, random: np.random.Generator) -> dict[str, Any]:
        """The most promising configuration, by a model of the scores so far."""
        scores = compressed(scalarised([score for _, score in self.told], self.n_objectives, random))
        used = _representative(scores, _MOST[self.surrogate])
        units, scores = self._units([self.told[place][0] for place in used]), scores[used]
        self._model.fit(self._cube.features(units)[0], scores, starts=2)
        if self.pending:
            waiting = self._units(list(self.pending.values()))
            believed = self._model.predict(self._cube.features(waiting)[0])[0]
            units, scores = np.vstack([units, waiting]), np.concatenate([scores, believed])
            self._model.fit(self._cube.features(units)[0], scores, starts=1)
        return self._most_promising(units, scores, random)

    def _units(self, trials: Sequence[Trial]) -> np.ndarray:
        return np.array([self.space.to_unit(trial.config) for trial in trials])

    def _most_promising(self, units: np.ndarray, scores: np.ndarray, random: np.random.Generator) -> dict[str, Any]:
        """The new configuration with the largest value of the acquisition function that a search finds."""
        best = units[np.argsort(-scores, kind="stable")[:5]]
        near = mutated(best[random.integers(len(best), size=_NEAR)], self._cube, random, _STEPS[0], clip=True)
        places = self._cube.snapped(np.vstack([random.random((_WIDE, len(self.space))), near]))
        promise = self._promise(places, float(scores.max()))
        for step in _STEPS[1:]:
            order = np.argsort(-promise, kind="stable")[:_REFINED]
            refined = mutated(np.repeat(places[order[:5]], _REFINED // 5, axis=0), self._cube, random, step, clip=True)
            refined = self._cube.snapped(refined)
            places = np.vstack([places[order], refined])
            promise = np.concatenate([promise[order], self._promise(refined, float(scores.max()))])
        whole = np.nan_to_num(places[np.argsort(-promise, kind="stable")], nan=0.5)
        configs = (self.space.from_unit(place) for place in whole)
        new = (config for config in configs if not self._was_proposed(config))
        return next(new, self.space.sample(random)[0])

    def _promise(self, places: np.ndarray, best: float) -> np.ndarray:
        mean, deviation = self._model.predict(self._cube.features(places)[0])
        return ACQUISITIONS[self.acquisition](mean, deviation, best, self.kappa)


def _representative(scores: np.ndarray, most: int) -> np.ndarray:
    """The places, in order, of at most that many scores: half of them the best, the others evenly spread.

    >>> _representative(np.array([0.0, 9.0, 1.0, 2.0, 3.0, 8.0]), 4)
    array([0, 1, 4, 5])
    """
    if len(scores) <= most:
        return np.arange(len(scores))
    best = np.argsort(-scores, kind="stable")[: most // 2]
    others = np.setdiff1d(np.arange(len(scores)), best)
    spread = np.linspace(0, len(others) - 1, most - len(best)).astype(np.int64)
    return np.sort(np.concatenate([best, others[spread]]))


def compressed(scores: np.ndarray) -> np.ndarray:
    """-log(1 + (best - score) / s), s the distance of the best from the median: bad scores differ less.

    The scores of tuning have a long tail of bad ones, which a Gaussian process would spend its length scales on.
    """
    best = scores.max()
    spread = best - np.median(scores) or best - scores.min() or 1.0
    return -np.log1p((best - scores) / spread)
