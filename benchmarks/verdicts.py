"""``python -m benchmarks.verdicts [size | power] [--samples N]``: are equal models called worse, and worse ones found?

Every model has two features of its own, of one normal population with two classes, so that models which get equally
informative features are equally good and their order is chance. Size: the share of samples in which any model is called
worse. Power: the share in which the second of two models, which has the features of the first with noise, is called so;
beside it, the share that a test which knew the variance of the difference would find.
"""

from __future__ import annotations

import sys
import warnings
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.cross_validation import halves_of
from probus.comparison import Leaderboard
from probus.data import Task
from probus.metrics import Outcome, measure
from probus.model_selection import Resampled, Splits, splits_of

ACCURACY = measure("accuracy")

# model, number of models, share of positives, rows
SIZE = [
    (model, m, share, n)
    for model in (GaussianNB(), DecisionTreeClassifier(random_state=0))
    for m, share, n in ((2, 0.5, 300), (2, 0.1, 1000), (5, 0.3, 300), (13, 0.5, 300))
]
# model, shift of the features, noise added for the second model, rows
POWER = [
    (GaussianNB(), 1.0, 0.9, 1000),
    (LogisticRegression(), 1.0, 0.9, 1000),
    (DecisionTreeClassifier(max_depth=4, random_state=0), 1.2, 0.9, 1000),
    (DecisionTreeClassifier(random_state=0), 1.5, 0.9, 1000),
]

Sample = tuple[list[np.ndarray], np.ndarray]


def equal(rng: np.random.Generator, m: int, share: float, n: int) -> Sample:
    y = (rng.random(n) < share).astype(int)
    return [rng.normal(size=(n, 2)) + y[:, None] * np.array([1.0, 0.5]) for _ in range(m)], y


def unequal(rng: np.random.Generator, shift: float, noise: float, n: int) -> Sample:
    y = (rng.random(n) < 0.5).astype(int)
    X = rng.normal(size=(n, 2)) + y[:, None] * np.array([shift, shift / 2])
    return [X, X + noise * rng.normal(size=(n, 2))], y


def board_of(model: Any, features: list[np.ndarray], y: np.ndarray, seed: int) -> Leaderboard:
    task = Task({"y": y.astype(str), "x": features[0][:, 0]}, target="y")
    splits = splits_of(None, task, random_state=seed)
    results = []
    for m, own in enumerate(features):
        outcomes = _outcomes(model, own, y, splits)
        halved = halves_of(task, splits, outcomes, lambda drawn, own=own: _outcomes(model, own, y, drawn))
        seconds = np.ones(len(splits))
        results.append(
            Resampled(f"model {m}", task, splits, tuple(outcomes), (ACCURACY,), seconds=seconds, halves=halved)
        )
    return Leaderboard.of(results, ["accuracy"], margin=0.0)


def _outcomes(model: Any, X: np.ndarray, y: np.ndarray, splits: Splits) -> list[Outcome]:
    truth = [Outcome(y[test], classes=("0", "1"), positive=1) for _, test in splits.pairs]
    return [
        each.with_probabilities(clone(model).fit(X[train], y[train]).predict_proba(X[test]))
        for each, (train, test) in zip(truth, splits.pairs, strict=True)
    ]


def size(model: Any, m: int, share: float, n: int, samples: int) -> str:
    boards = (board_of(model, *equal(np.random.default_rng([s, n, m]), m, share, n), s) for s in range(samples))
    called = [bool(board.with_verdict("worse")) for board in boards]
    return f"| size | {_name(model)} | {m} | {share:.0%} | {n} | {100 * np.mean(called):.1f} % | |"


def power(model: Any, shift: float, noise: float, n: int, samples: int) -> str:
    called, apart = [], []
    for s in range(samples):
        board = board_of(model, *unequal(np.random.default_rng([s, n]), shift, noise, n), s)
        called.append(board["model 1"].verdict == "worse")
        apart.append(board["model 0"].scores["accuracy"].value - board["model 1"].scores["accuracy"].value)
    mean, found = float(np.mean(apart)), 100 * np.mean(called)
    known = 100 * NormalDist().cdf(mean / float(np.std(apart, ddof=1)) - 1.96)
    return f"| power at {mean:.3f} | {_name(model)} | 2 | 50% | {n} | {found:.1f} % | {known:.0f} % |"


def _name(model: Any) -> str:
    return str(model).replace("DecisionTree", "Tree").replace("random_state=0", "").replace(", )", ")")


def main(given: list[str]) -> None:
    warnings.simplefilter("ignore")
    samples = int(given[given.index("--samples") + 1]) if "--samples" in given else 400
    print("| | model | models | positive | rows | called worse | with a known variance |")
    print("|---|---|---|---|---|---|---|")
    for cell in SIZE if "power" not in given else []:
        print(size(*cell, samples if cell[1] < 13 else samples // 2), flush=True)
    for cell in POWER if "size" not in given else []:
        print(power(*cell, samples), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
