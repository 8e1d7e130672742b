"""``python -m research.verdicts [size | power | groups] [--samples N]``: are equal models called worse?

Every model has two features of its own, of one normal population with two classes, so that models which get equally
informative features are equally good and their order is chance. Size: the share of samples in which any model is called
worse. Power: the share in which the second of two models, which has the features of the first with noise, is called so;
beside it, the share that a test which knew the variance of the difference would find. Groups: size with rows in few
groups, whose features have the group's shift in each model; these cells were written down after the degrees of freedom
of few groups had been chosen, on linear and tree regressions of other populations.
"""

from __future__ import annotations

import sys
import warnings
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.comparison import Leaderboard
from probus.data import Task
from probus.metrics import Outcome, measure
from probus.model_selection import Resampled, Splits, splits_of
from research.cross_validation import halves_of

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

# model, groups, their sizes, shift of a group's features, spread of its log-odds or of its mean
GROUPS = [
    (model, g, sizes, shift, spread)
    for model in (
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        LinearRegression(),
        KNeighborsRegressor(),
        DecisionTreeRegressor(max_depth=4, random_state=0),
    )
    for g, sizes, shift, spread in (
        (20, "10", 0.7, 0.0),
        (20, "2 to 60", 0.7, 0.0),
        (40, "5", 0.7, 0.7),
        (40, "2 to 60", 0.7, 0.7),
    )
]

Sample = tuple[list[np.ndarray], np.ndarray]


def equal(rng: np.random.Generator, m: int, share: float, n: int) -> Sample:
    y = (rng.random(n) < share).astype(int)
    return [rng.normal(size=(n, 2)) + y[:, None] * np.array([1.0, 0.5]) for _ in range(m)], y


def unequal(rng: np.random.Generator, shift: float, noise: float, n: int) -> Sample:
    y = (rng.random(n) < 0.5).astype(int)
    X = rng.normal(size=(n, 2)) + y[:, None] * np.array([shift, shift / 2])
    return [X, X + noise * rng.normal(size=(n, 2))], y


def grouped(
    rng: np.random.Generator, g: int, sizes: str, shift: float, spread: float, numbers: bool
) -> tuple[*Sample, np.ndarray]:
    """Two equal models of two classes, or of numbers; the sizes of groups are one number, or log-normal between two."""
    size = np.full(g, int(sizes.split()[0]))
    if " to " in sizes:
        size = np.clip(np.exp(rng.normal(2.0, 0.9, g)), *map(int, sizes.split(" to "))).astype(int)
    group = np.repeat(np.arange(g), size)
    shifts = [shift * rng.normal(size=(g, 2))[group] for _ in range(2)]
    of_group = spread * rng.normal(size=g)[group]
    if numbers:
        features = [rng.normal(size=(len(group), 2)) + each for each in shifts]
        own = [np.sin(each[:, 0]) + each[:, 1] / 2 for each in features]
        return features, own[0] + own[1] + of_group + rng.standard_t(6, len(group)) / 2, group
    y = (rng.random(len(group)) < 1 / (1 + np.exp(-of_group))).astype(int)
    return [rng.normal(size=(len(y), 2)) + y[:, None] * np.array([1.2, 0.6]) + each for each in shifts], y, group


def board_of(
    model: Any, features: list[np.ndarray], y: np.ndarray, seed: int, group: np.ndarray | None = None
) -> Leaderboard:
    table = {"y": y.astype(str), "x": features[0][:, 0]} | ({} if group is None else {"group": group.astype(str)})
    numbers = is_regressor(model)
    if numbers:
        table["y"] = y
    task = Task(table, target="y", group=None if group is None else "group")
    splits = splits_of(None, task, random_state=seed)
    measures = (measure("rmse" if numbers else "accuracy" if group is None else "brier"),)
    results = []
    for m, own in enumerate(features):
        outcomes = _outcomes(model, own, y, splits)
        halved = halves_of(task, splits, outcomes, lambda drawn, own=own: _outcomes(model, own, y, drawn))
        seconds = np.ones(len(splits))
        results.append(Resampled(f"model {m}", task, splits, tuple(outcomes), measures, seconds=seconds, halves=halved))
    return Leaderboard.of(results, measures, margin=0.0)


def _outcomes(model: Any, X: np.ndarray, y: np.ndarray, splits: Splits) -> list[Outcome]:
    found = []
    for train, test in splits.pairs:
        fitted = clone(model).fit(X[train], y[train])
        if is_regressor(model):
            found.append(Outcome(y[test], fitted.predict(X[test])))
        else:
            truth = Outcome(y[test], classes=("0", "1"), positive=1)
            found.append(truth.with_probabilities(fitted.predict_proba(X[test])))
    return found


def size(model: Any, m: int, share: float, n: int, samples: int) -> str:
    boards = (board_of(model, *equal(np.random.default_rng([s, n, m]), m, share, n), s) for s in range(samples))
    called = [bool(board.with_verdict("worse")) for board in boards]
    return f"| size | {_name(model)} | {m} | {share:.0%} | {n} | {100 * np.mean(called):.1f} % | |"


def size_of_groups(model: Any, g: int, sizes: str, shift: float, spread: float, samples: int) -> str:
    called = []
    for s in range(samples):
        rng = np.random.default_rng([s, g, len(sizes)])
        features, y, group = grouped(rng, g, sizes, shift, spread, is_regressor(model))
        called.append(bool(board_of(model, features, y, s, group).with_verdict("worse")))
    where = f"{_name(model)} | 2 | 50% | {g} groups of {sizes}"
    return (
        f"| size, by {'RMSE' if is_regressor(model) else 'Brier score'} | {where} | {100 * np.mean(called):.1f} % | |"
    )


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
    if "groups" in given:
        for each in GROUPS:
            print(size_of_groups(*each, samples), flush=True)
        return
    for cell in SIZE if "power" not in given else []:
        print(size(*cell, samples if cell[1] < 13 else samples // 2), flush=True)
    for cell in POWER if "size" not in given else []:
        print(power(*cell, samples), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
