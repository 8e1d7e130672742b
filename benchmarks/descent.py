"""Discriminant analysis and stochastic gradient descent against scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sklearn.discriminant_analysis as peer

from benchmarks.measure import Contest
from probus import discriminant_analysis


def contests() -> Iterator[Contest]:
    yield from discriminants()


def discriminants() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    for n, d, n_classes, repeat in ((200_000, 50, 3, 1), (20_000, 200, 10, 1), (150, 4, 3, 50)):
        y = rng.integers(0, n_classes, n)
        X = rng.normal(size=(n, d)) + rng.normal(size=(n_classes, d))[y]
        for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"):
            yield Contest(
                f"{name}, {n:,} × {d}, {n_classes} classes",
                lambda name=name, X=X, y=y: getattr(discriminant_analysis, name)().fit(X, y),
                "scikit-learn",
                lambda name=name, X=X, y=y: getattr(peer, name)().fit(X, y),
                1.0 if n < 1000 else 2.0,
                lambda ours, theirs, X=X: (
                    f"probabilities differ by {np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max():.0e}"
                ),
                rounds=3,
                repeat=repeat,
            )
