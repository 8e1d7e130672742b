"""``python -m research.drawn_populations SEED [--samples N] [word …]``: intervals on populations that nobody chose.

Six populations are drawn from the seed: the number, the distributions and the dependence of the features, which of
them matter, linearly, in products or in steps, how strongly, and the share of positives or the distribution of errors.
Four models are cross-validated on samples of 100, 300 and 1,000 rows of each, with the default splits of
``probus.resample``. Printed is, as in ``research.cross_validation``, the share of 95 % intervals that hold the
expected score, and their mean half-width over the needed one. Words choose cells: ``Forest``, ``"Classifier 300"``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from research.cross_validation import Cell, Draw, Sample, coverage

ROWS = (100, 300, 1000)
CLASSES = ("roc_auc", "log_loss", "f1", "kappa")
NUMBERS = ("r2", "mae")
# small, so that a cell takes a minute; leaves of several rows keep the log loss of the forest finite
CLASSIFIERS: tuple[Any, ...] = (
    make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    KNeighborsClassifier(15),
    RandomForestClassifier(15, min_samples_leaf=5, random_state=0),
    GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0),
)
REGRESSORS: tuple[Any, ...] = (
    LinearRegression(),
    KNeighborsRegressor(5),
    RandomForestRegressor(15, min_samples_leaf=3, random_state=0),
    GradientBoostingRegressor(n_estimators=30, max_depth=2, random_state=0),
)
MARGINALS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda z: z,
    lambda z: np.exp(z),
    lambda z: np.tanh(z),
    lambda z: np.sign(z) * np.abs(z) ** 1.7,
    lambda z: np.floor(2 * z),
)


def drawn_population(seed: int, number: int) -> tuple[str, Draw, int]:
    """A name, the population, and its number of classes: 2, or 0 for the last two of six."""
    rng = np.random.default_rng([seed, number])
    d = int(rng.integers(3, 15))
    mixing = rng.normal(size=(d, d)) * rng.uniform(0, 0.6) + np.eye(d)
    marginals = rng.integers(0, len(MARGINALS), d)
    slopes = rng.normal(size=d) * (rng.random(d) < 0.5)
    pairs, steps = rng.integers(0, d, (3, 2)), rng.integers(0, d, 3)
    amounts = rng.normal(size=6) * (rng.random(6) < 0.5)
    strength, share, tail = rng.uniform(0.3, 2.5), rng.uniform(0.05, 0.5), int(rng.integers(0, 3))

    def features(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        z = rng.normal(size=(n, d)) @ mixing
        z = z / np.linalg.norm(mixing, axis=0)
        signal = z @ slopes + (z[:, pairs[:, 0]] * z[:, pairs[:, 1]]) @ amounts[:3] + (z[:, steps] > 0.5) @ amounts[3:]
        return np.column_stack([MARGINALS[m](z[:, j]) for j, m in enumerate(marginals)]), signal

    many = features(np.random.default_rng([seed, number, 1]), 50_000)[1]
    centre, spread = float(many.mean()), float(many.std()) or 1.0
    shift = _intercept(strength * (many - centre) / spread, share)

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X, signal = features(rng, n)
        signal = strength * (signal - centre) / spread
        if number >= 4:
            return X, signal + (rng.normal(size=n), rng.standard_t(5, n), rng.laplace(size=n))[tail]
        return X, (rng.random(n) < 1 / (1 + np.exp(-signal - shift))).astype(int)

    kind = f"{share:.0%} positive" if number < 4 else ("normal", "t₅", "Laplace")[tail] + " errors"
    return f"{seed}/{number}: {d} features, strength {strength:.1f}, {kind}", draw, 2 if number < 4 else 0


def _intercept(signal: np.ndarray, share: float) -> float:
    """What makes this share positive, by bisection."""
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.mean(1 / (1 + np.exp(-signal - middle))) < share else (low, middle)
    return middle


def cells(seed: int) -> Iterator[Cell]:
    populations = [drawn_population(seed, number) for number in range(6)]
    for n in ROWS:
        for kind in range(4):
            for what, draw, classes in populations:
                model = (CLASSIFIERS if classes else REGRESSORS)[kind]
                yield Cell(what, draw, model, n, classes, CLASSES if classes else NUMBERS)


def main(given: list[str]) -> None:
    warnings.simplefilter("ignore")
    samples = int(given[given.index("--samples") + 1]) if "--samples" in given else 100
    words = [word for word in given[1:] if not word.startswith("--") and word != str(samples)]
    print("| population | model | rows | measure | expected | cover | half-width / needed |")
    print("|---|---|---|---|---|---|---|")
    for cell in cells(int(given[0])):
        model = cell.model[-1] if hasattr(cell.model, "steps") else cell.model
        name = f"{type(model).__name__} {cell.n}"
        if words and not any(word in f"{cell.what} {name}" for word in words):
            continue
        for each in coverage(cell, samples):
            found = f"{each.measure} | {each.expected:.3f} | {100 * each.held:.0f} | {each.width:.2f}"
            print(f"| {cell.what} | {type(model).__name__} | {cell.n} | {found} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
