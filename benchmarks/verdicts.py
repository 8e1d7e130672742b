"""``python -m benchmarks.verdicts [--samples N]``: how often is an equal model called worse, and a worse one found?

Every model has two features of its own, of one normal population with two classes, so that models which get equally
informative features are equally good and their order is chance. Size: the share of samples in which any model is called
worse. Power: the share in which the second of two models, worse by the difference that is printed, is called so.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from probus.comparison import Leaderboard
from probus.data import Task
from probus.metrics import Outcome, measure
from probus.model_selection import Resampled, splits_of

ACCURACY = measure("accuracy")

# models, shift of each model's features, share of positives, rows
SIZE = [
    (model, (1.0,) * m, share, n)
    for model in (GaussianNB(), DecisionTreeClassifier(random_state=0))
    for m, share, n in ((2, 0.5, 300), (2, 0.1, 1000), (5, 0.3, 300), (13, 0.5, 300))
]
POWER = [
    (GaussianNB(), (1.0, 0.748), 0.5, 1000),
    (LogisticRegression(), (1.0, 0.748), 0.5, 1000),
    (DecisionTreeClassifier(max_depth=4, random_state=0), (1.0, 0.748), 0.5, 1000),
    (DecisionTreeClassifier(random_state=0), (1.2, 0.72), 0.5, 1000),
]


def sample(rng: np.random.Generator, shifts: tuple[float, ...], share: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = (rng.random(n) < share).astype(int)
    by = np.repeat(shifts, 2) * np.tile([1.0, 0.5], len(shifts))
    return rng.normal(size=(n, len(by))) + y[:, None] * by, y


def board_of(model: Any, shifts: tuple[float, ...], share: float, n: int, seed: int) -> Leaderboard:
    X, y = sample(np.random.default_rng([seed, n, len(shifts)]), shifts, share, n)
    task = Task({"y": y.astype(str), "x": X[:, 0]}, target="y")
    splits = splits_of(None, task, random_state=seed)
    results = []
    for m in range(len(shifts)):
        own, outcomes = X[:, 2 * m : 2 * m + 2], []
        for train, test in splits.pairs:
            p = clone(model).fit(own[train], y[train]).predict_proba(own[test])
            outcomes.append(Outcome(y[test], classes=("0", "1"), positive=1).with_probabilities(p))
        results.append(
            Resampled(f"model {m}", task, splits, tuple(outcomes), (ACCURACY,), seconds=np.ones(len(splits)))
        )
    return Leaderboard.of(results, ["accuracy"], margin=0.0)


def lines(samples: int) -> Iterator[str]:
    yield "| | model | models | positive | rows | called worse |"
    yield "|---|---|---|---|---|---|"
    for what, cells in (("size", SIZE), ("power", POWER)):
        for model, shifts, share, n in cells:
            times = samples if len(shifts) < 13 else samples // 2
            called, apart = [], []
            for seed in range(times):
                board = board_of(model, shifts, share, n, seed)
                worse = {standing.name for standing in board.with_verdict("worse")}
                called.append("model 1" in worse if what == "power" else bool(worse))
                scores = {standing.name: standing.scores["accuracy"].value for standing in board}
                apart.append(scores["model 0"] - scores["model 1"])
            label = what if what == "size" else f"power at {np.mean(apart):.3f}"
            name = (
                str(model).replace("DecisionTree", "Tree").replace(", random_state=0", "").replace("random_state=0", "")
            )
            yield f"| {label} | {name} | {len(shifts)} | {share:.0%} | {n} | {100 * np.mean(called):.1f} % |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given = sys.argv[1:]
    for line in lines(int(given[given.index("--samples") + 1]) if "--samples" in given else 400):
        print(line, flush=True)
