"""Predicting a single row: what is left when there is nothing to compute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn import naive_bayes as sklearn_naive_bayes
from sklearn import neighbors as sklearn_neighbors

from benchmarks.measure import Contest
from probus import naive_bayes, neighbors


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 10))
    counts = rng.integers(0, 5, (2_000, 10))
    y = rng.integers(0, 3, 2_000)
    pairs = [
        (naive_bayes.GaussianNB(), sklearn_naive_bayes.GaussianNB(), X),
        (naive_bayes.MultinomialNB(), sklearn_naive_bayes.MultinomialNB(), counts),
        (naive_bayes.BernoulliNB(), sklearn_naive_bayes.BernoulliNB(), counts),
        (naive_bayes.CategoricalNB(), sklearn_naive_bayes.CategoricalNB(), counts),
        (neighbors.KNeighborsClassifier(), sklearn_neighbors.KNeighborsClassifier(), X),
        (neighbors.KNeighborsRegressor(), sklearn_neighbors.KNeighborsRegressor(), X),
    ]
    for ours, theirs, data in pairs:
        ours.fit(data, y)
        theirs.fit(data, y)
        row = data[:1]
        yield Contest(
            f"one-row predict, {type(ours).__name__}",
            lambda ours=ours, row=row: ours.predict(row),
            "scikit-learn",
            lambda theirs=theirs, row=row: theirs.predict(row),
            1.0,
            lambda a, b: "same answer" if np.allclose(a, b) else f"{a} and {b}",
            repeat=300,
        )
