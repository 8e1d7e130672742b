"""What resampling costs beyond the fits and predictions it consists of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import probus
from benchmarks.measure import Contest
from probus.model_selection import splits_of
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier


def contests() -> Iterator[Contest]:
    people = probus.datasets.load("titanic").drop("PassengerId", "Name", "Ticket", "Cabin")
    adult = probus.datasets.load("adult")
    yield _overhead("k-NN (Gower), titanic", KNeighborsClassifier(15, metric="gower"), probus.Task(people, "Survived"))
    yield _overhead("NaiveBayes, adult", NaiveBayes(), probus.Task(adult, "class"))
    yield _overhead("GaussianNB, 10,000 × 10", GaussianNB(), _noise(10_000))
    yield _overhead("scikit-learn's decision tree, 2,000 × 10", DecisionTreeClassifier(random_state=0), _noise(2_000))


def _noise(n: int) -> probus.Task:
    """Ten numbers that say something about two classes: cheap to fit, so that any overhead shows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    labels = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    return probus.Task({**{f"x{j}": X[:, j] for j in range(10)}, "y": labels}, "y")


def _overhead(what: str, model: Any, task: probus.Task) -> Contest:
    splits = splits_of(None, task)
    X, y = task.X, task.y
    ready = probus.tabular(model)

    def bare() -> float:
        hits = []
        for train, test in splits.pairs:
            fitted = clone(ready).fit(X.take(train), y[train])
            held_out = X.take(test)
            fitted.predict_proba(held_out)
            hits.append(np.mean(fitted.predict(held_out) == y[test]))
        return float(np.mean(hits))

    return Contest(
        f"resample, {what}, {len(splits)} splits",
        lambda: probus.resample(model, task, cv=splits).scores("accuracy").mean(),
        "bare loop of fit, predict, predict_proba",
        bare,
        0.95,
        lambda a, b: f"accuracy {a:.4f} and {b:.4f}",
        rounds=25,  # the difference is small, and machines are restless
    )
