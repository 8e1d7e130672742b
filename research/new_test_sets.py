"""``python -m research.new_test_sets [--times 200]``: how often a new test set scores within its interval.

Samples of populations that were written down before any result was seen; ``flipped`` was added after ``separated`` had
shown that small sets reach the bounds of a measure, to judge the rule for these. A model is resampled on each by 5
folds, fitted on all of it, and scored on new rows of the population: a fifth as many, as many, and five times as many.
Counted is how often the interval of the expected score and that of ``score_of_new_test_set`` hold this score; both are
95 %.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Task
from probus.lifecycle._new_test_set import score_of_new_test_set
from probus.linear_model import LogisticRegression, Ridge
from probus.metrics import Outcome, measure
from probus.model_selection import resample
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

Sample = tuple[np.ndarray, np.ndarray, np.ndarray | None]
SIZES = (0.2, 1.0, 5.0)  # new rows for each row of the sample


def curved(random: np.random.Generator, n: int) -> Sample:
    """A curve of five numbers, and noise of one size."""
    X = random.uniform(size=(n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + random.normal(size=n)
    return X, y, None


def heavy(random: np.random.Generator, n: int) -> Sample:
    """A line, and noise with a long tail."""
    X = random.normal(size=(n, 4))
    return X, X @ [1.0, 0.5, 0.0, 0.0] + random.lognormal(0.0, 1.0, n), None


def overlapping(random: np.random.Generator, n: int) -> Sample:
    """Two classes of equal size that overlap."""
    y = random.integers(0, 2, n)
    return random.normal(size=(n, 4)) + 0.6 * y[:, None], y, None


def rare(random: np.random.Generator, n: int) -> Sample:
    """One row of twelve is of the second class."""
    y = (random.uniform(size=n) < 1 / 12).astype(int)
    return random.normal(size=(n, 4)) + 0.7 * y[:, None], y, None


def separated(random: np.random.Generator, n: int) -> Sample:
    """Two classes that hardly overlap."""
    y = random.integers(0, 2, n)
    return random.normal(size=(n, 3)) + 2.0 * y[:, None], y, None


def flipped(random: np.random.Generator, n: int) -> Sample:
    """Two classes by one number, but for one label of fifty."""
    X = random.normal(size=(n, 4))
    return X, ((X[:, 0] > 0.3) ^ (random.uniform(size=n) < 0.02)).astype(int), None


def grouped(random: np.random.Generator, n: int) -> Sample:
    """Groups of eight rows with an offset of their own."""
    groups = np.arange(n) // 8
    X = random.normal(size=(n, 3))
    return X, X[:, 0] + random.normal(size=groups.max() + 1)[groups] + random.normal(size=n), groups


POPULATIONS: list[tuple[Callable[..., Sample], int, Any, tuple[str, ...]]] = [
    (curved, 200, Ridge(), ("rmse", "mae", "r2")),
    (curved, 200, DecisionTreeRegressor(min_samples_leaf=5), ("rmse", "r2")),
    (heavy, 200, Ridge(), ("rmse", "mae")),
    (overlapping, 200, LogisticRegression(), ("roc_auc", "log_loss", "accuracy")),
    (overlapping, 200, DecisionTreeClassifier(min_samples_leaf=10), ("roc_auc", "accuracy")),
    (rare, 400, LogisticRegression(), ("roc_auc", "log_loss", "balanced_accuracy")),
    (separated, 150, LogisticRegression(), ("roc_auc", "log_loss", "accuracy")),
    (flipped, 120, DecisionTreeClassifier(min_samples_leaf=5), ("roc_auc", "accuracy", "log_loss")),
    (flipped, 120, LogisticRegression(), ("roc_auc", "accuracy", "balanced_accuracy")),
    (grouped, 240, Ridge(), ("rmse", "r2")),
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=200)
    times = options.parse_args().times
    warnings.simplefilter("ignore")
    print("| population | model | measure | expected score: n/5, n, 5n new rows | one new test set: n/5, n, 5n |")
    print("|---" * 5 + "|")
    for place, (draw, n, model, names) in enumerate(POPULATIONS):
        held = np.mean([held_of(draw, n, model, names, seed) for seed in range(1000 * place, 1000 * place + times)], 0)
        for name, (expected, new) in zip(names, held, strict=True):
            texts = [" · ".join(f"{100 * share:.0f}" for share in shares) for shares in (expected, new)]
            print(f"| {draw.__name__}, {n} | {type(model).__name__} | {name} | {texts[0]} | {texts[1]} |", flush=True)


def held_of(draw: Callable[..., Sample], n: int, model: Any, names: tuple[str, ...], seed: int) -> np.ndarray:
    """For each measure whether both intervals hold the score of new sets: measures × 2 × sizes."""
    random = np.random.default_rng(seed)
    X, y, groups = draw(random, n)
    task = Task.of(X, y, groups=groups)
    resampled = resample(model, task, cv=5, scoring=names, random_state=seed, progress=None)
    fitted = model.fit(X, y)
    held = np.zeros((len(names), 2, len(SIZES)))
    for k, size in enumerate(SIZES):
        new_X, new_y, _ = draw(random, round(size * n))
        for i, name in enumerate(names):
            score = resampled.estimate(name)
            found = measure(name).compute(_outcome(fitted, new_X, new_y, classes=len(task.classes) > 0))
            held[i, :, k] = [found in score, found in score_of_new_test_set(score, measure(name), n, len(new_y))]
    return held


def _outcome(fitted: Any, X: np.ndarray, y: np.ndarray, *, classes: bool) -> Outcome:
    if not classes:
        return Outcome(y, predicted=fitted.predict(X))
    return Outcome(y, classes=(0, 1), positive=1).with_probabilities(fitted.predict_proba(X))


if __name__ == "__main__":
    main()
