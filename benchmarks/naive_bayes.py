"""Naive Bayes against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn import naive_bayes as sklearn_naive_bayes

from benchmarks.measure import Contest
from probus import naive_bayes


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    n, d, classes = 1_000_000, 20, 3
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, d)) + y[:, None] * rng.normal(scale=0.2, size=d)
    codes = (rng.integers(0, 6, (n, d)) + (rng.random((n, d)) < 0.2) * y[:, None]).astype(np.int64)
    for name, data in (("GaussianNB", X), ("CategoricalNB", codes)):
        ours, theirs = getattr(naive_bayes, name), getattr(sklearn_naive_bayes, name)
        yield Contest(
            f"{name} fit + predict, {n:,} × {d}, {classes} classes",
            lambda ours=ours, data=data: ours().fit(data, y).predict(data),
            "scikit-learn",
            lambda theirs=theirs, data=data: theirs().fit(data, y).predict(data),
            2.0,
            lambda a, b: f"accuracy {np.mean(a == y):.4f} and {np.mean(b == y):.4f}, equal {np.mean(a == b):.3%}",
            rounds=3,
        )
