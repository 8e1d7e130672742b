"""How often the bands of ``choose_k`` contain the expected value of a criterion: ``python -m research.bands``.

The rule, 1.645 standard deviations over bootstrap samples about the value, was chosen among four on normal clusters,
normal noise and heavy tails; these populations are others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from probus.cluster import KMeans, choose_k
from probus.mixture import GaussianMixture

NUMBERS = range(1, 6)


def uniform(rng: np.random.Generator) -> np.ndarray:
    """One square without clusters."""
    return rng.random((120, 2))


def unequal(rng: np.random.Generator) -> np.ndarray:
    """Four normal clusters of unequal sizes and widths in five columns."""
    group = rng.choice(4, 200, p=[0.5, 0.3, 0.15, 0.05])
    middles = 3 * np.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]])
    return middles[group] + rng.normal(size=(200, 5)) * np.array([0.5, 1.0, 1.0, 0.3])[group, None]


def skewed(rng: np.random.Generator) -> np.ndarray:
    """Two clusters of exponential rows."""
    return rng.exponential(size=(150, 3)) + 4 * (rng.random(150) < 0.4)[:, None]


def coverage(
    population: Callable[[np.random.Generator], np.ndarray], model: object, repetitions: int = 60
) -> dict[str, tuple[float, float]]:
    """Of each criterion, the share of bands that contain its expectation: the mean and the least over k."""
    rows = [population(np.random.default_rng(90_000 + seed)) for seed in range(4 * repetitions)]
    found = [choose_k(model, X, NUMBERS, n_bootstrap=20 * (i < repetitions)) for i, X in enumerate(rows)]
    shares = {}
    for name in found[0].values:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            truth = np.nanmean([each.values[name] for each in found], axis=0)
        known = np.isfinite(truth)
        inside = [(each.low[name] <= truth) & (truth <= each.high[name]) for each in found[:repetitions]]
        by_number = np.mean(inside, axis=0)[known]
        shares[name] = (float(by_number.mean()), float(by_number.min()))
    return shares


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for population in (uniform, unequal, skewed):
        for model in (KMeans(random_state=0), GaussianMixture(random_state=0)):
            shares = coverage(population, model)
            texts = (f"{name} {mean:.2f} (least {least:.2f})" for name, (mean, least) in shares.items())
            print(f"{population.__name__:8s} {type(model).__name__:16s} {', '.join(texts)}", flush=True)
