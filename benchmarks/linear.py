"""Linear models against scikit-learn's, at equal or better precision of the solution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.linear_model as peer
from scipy import sparse
from scipy.special import expit

from benchmarks.measure import Contest
from probus import datasets, linear_model


def contests() -> Iterator[Contest]:
    yield from least_squares()
    yield from lasso()
    yield from logistic()
    yield from tiny()


def least_squares() -> Iterator[Contest]:
    """The floor is one matrix product; how far off is in the last column."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 50))
    y = X @ rng.normal(size=50) + rng.normal(size=1_000_000)
    for name in ("LinearRegression", "Ridge"):
        yield Contest(
            f"{name}, 1,000,000 × 50",
            lambda name=name: getattr(linear_model, name)().fit(X, y),
            "one product XᵀX",
            lambda: X.T @ X,
            1 / 1.3,
            lambda ours, theirs: f"R² {ours.score(X[:1000], y[:1000]):.4f}",
        )
        yield Contest(
            f"{name}, 1,000,000 × 50",
            lambda name=name: getattr(linear_model, name)().fit(X, y),
            "scikit-learn",
            lambda name=name: getattr(peer, name)().fit(X, y),
            1.0,
            lambda ours, theirs: f"coefficients differ by {np.abs(ours.coef_ - theirs.coef_).max():.0e}",
            rounds=2,
        )


def lasso() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(1_000, 10_000)))
    y = X[:, :50] @ rng.normal(size=50) + rng.normal(size=1_000)
    yield path("dense 1,000 × 10,000", X, y)
    words = sparse.random_array((20_000, 50_000), density=0.001, rng=rng, format="csc")
    words.data = np.abs(rng.normal(size=words.nnz)) + 0.1
    yield path("sparse 20,000 × 50,000", words, words[:, :100] @ rng.normal(size=100) + 0.1 * rng.normal(size=20_000))


def path(what: str, X: Any, y: np.ndarray) -> Contest:
    """Both to a duality gap of 1e-6 of the sum of squares."""
    y = y - y.mean()

    def gaps(ours: Any, theirs: Any) -> str:
        scale = y @ y / len(y)
        return f"largest gap {ours[2].max() / scale:.0e}, {theirs[2].max() / scale:.0e} of y²"

    return Contest(
        f"lasso path, 100 penalties, {what}",
        lambda: linear_model.lasso_path(X, y, alphas=100),
        "scikit-learn",
        lambda: peer.lasso_path(X, y, alphas=100, tol=1e-6, max_iter=100_000),
        2.0,
        gaps,
        rounds=2,
    )


def logistic() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500_000, 50))
    y = (rng.random(500_000) < expit(X @ rng.normal(size=50) * 0.3)).astype(int)
    table = datasets.load("spam")
    words = table.drop("type").numbers()
    words = (words - words.mean(axis=0)) / words.std(axis=0)
    spam = (table["type"].decoded() == "spam").astype(int)
    for what, data, labels, C in (("500,000 × 50", X, y, 1.0), ("spam, 57 columns", words, spam, 1.0)):
        for solver in ("lbfgs", "newton-cholesky"):
            yield Contest(
                f"LogisticRegression, {what}",
                lambda data=data, labels=labels, C=C: linear_model.LogisticRegression(C=C).fit(data, labels),
                f"scikit-learn, {solver}",
                lambda data=data, labels=labels, C=C, solver=solver: peer.LogisticRegression(
                    C=C, solver=solver, tol=1e-6, max_iter=1_000
                ).fit(data, labels),
                1.3,
                lambda ours, theirs, data=data, labels=labels, C=C: slopes(data, labels, C, ours, theirs),
                rounds=3,
            )
    for solver in ("liblinear", "saga"):
        yield Contest(
            "LogisticRegression, L1, spam, 57 columns",
            lambda: linear_model.LogisticRegression(C=0.1, l1_ratio=1.0).fit(words, spam),
            f"scikit-learn, {solver}",
            lambda solver=solver: peer.LogisticRegression(
                C=0.1, l1_ratio=1.0, solver=solver, tol=1e-6, max_iter=5_000
            ).fit(words, spam),
            5.0,
            lambda ours, theirs: f"{(ours.coef_ != 0).sum()} and {(theirs.coef_ != 0).sum()} coefficients",
            rounds=2,
        )


def slopes(X: np.ndarray, y: np.ndarray, C: float, *models: Any) -> str:
    """The largest gradient of the mean objective at each solution."""
    found = []
    for model in models:
        left = model.predict_proba(X)[:, 1] - y
        found.append(np.abs(left @ X + model.coef_[0] / C).max() / len(y))
    return "largest gradient " + ", ".join(f"{slope:.0e}" for slope in found)


def tiny() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.normal(size=100)
    labels = (y > 0).astype(int)
    for name, target, options in (
        ("LinearRegression", y, {}),
        ("Ridge", y, {}),
        ("Lasso", y, {"alpha": 0.1}),
        ("LogisticRegression", labels, {}),
    ):
        yield Contest(
            f"{name}, 100 × 5",
            lambda name=name, target=target, options=options: getattr(linear_model, name)(**options).fit(X, target),
            "scikit-learn",
            lambda name=name, target=target, options=options: getattr(peer, name)(**options).fit(X, target),
            1.0,
            lambda ours, theirs: f"coefficients differ by {np.abs(ours.coef_ - theirs.coef_).max():.0e}",
            repeat=50,
        )
