"""Discriminant analysis and stochastic gradient descent against scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.discriminant_analysis as peer
import sklearn.linear_model as linear_peer
from scipy import sparse

from benchmarks.measure import Contest
from probus import discriminant_analysis, linear_model
from probus.linear_model.optimisers import LinearObjective


def contests() -> Iterator[Contest]:
    yield from discriminants()
    yield from stochastic()


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
                1.0 if n < 1000 else 2.0 if name.startswith("Linear") else 1.5,
                lambda ours, theirs, X=X: (
                    f"probabilities differ by {np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max():.0e}"
                ),
                rounds=3,
                repeat=repeat,
            )


def stochastic() -> Iterator[Contest]:
    """Both with their own rule for when to stop; epochs and the objective that they reach are in the last column."""
    rng = np.random.default_rng(0)
    for n, d in ((200_000, 20), (50_000, 100), (1_000, 10)):
        X = rng.normal(size=(n, d))
        score = X @ rng.normal(size=d) / np.sqrt(d) + rng.normal(size=n)
        for loss in ("hinge", "log_loss"):
            yield descent("SGDClassifier", loss, X, np.where(score > 0, 1.0, -1.0))
        yield descent("SGDRegressor", "squared_error", X, score)
    words = sparse.random_array((50_000, 20_000), density=0.002, rng=rng, format="csr")
    words.data = np.abs(rng.normal(size=words.nnz))
    yield descent("SGDClassifier", "hinge", words, np.where(words @ rng.normal(size=20_000) > 0, 1.0, -1.0))


def descent(name: str, loss: str, X: Any, y: np.ndarray) -> Contest:
    """Of few rows twenty fits, each with its own order: by the order alone, one takes twice the epochs of another."""
    objective = LinearObjective(X, y, loss=loss, alpha=1e-4, fit_intercept=True)
    seeds = range(1 if X.shape[0] > 10_000 else 20)

    def reached(*fits: list[Any]) -> str:
        epochs = [np.mean([model.n_iter_ for model in models]) for models in fits]
        values = [
            np.mean([objective.value(np.append(model.coef_, model.intercept_)) for model in models]) for models in fits
        ]
        return f"{epochs[0]:.0f} and {epochs[1]:.0f} epochs, objective {values[0]:.4f} and {values[1]:.4f}"

    return Contest(
        f"{name}, {loss}, {'sparse ' * sparse.issparse(X)}{X.shape[0]:,} × {X.shape[1]:,}"
        + f", {len(seeds)} fits" * (len(seeds) > 1),
        lambda: [getattr(linear_model, name)(loss, random_state=seed).fit(X, y) for seed in seeds],
        "scikit-learn",
        lambda: [getattr(linear_peer, name)(loss, random_state=seed).fit(X, y) for seed in seeds],
        1.0,
        reached,
        rounds=3,
    )
