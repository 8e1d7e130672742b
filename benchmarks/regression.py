"""Robust, Bayesian and multi-task regressions against scikit-learn's, at equal or better objectives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.linear_model as peer

from benchmarks.measure import Contest
from probus import linear_model


def contests() -> Iterator[Contest]:
    yield from robust()
    yield from bayesian()
    yield from several_targets()


def drawn(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of different scales, and a target with heavy tails."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.geomspace(0.1, 10, p)
    return X, X @ (rng.normal(size=p) / np.geomspace(0.1, 10, p)) + rng.standard_t(2, n)


def robust() -> Iterator[Contest]:
    for n, p in ((1_000, 10), (100_000, 20)):
        X, y = drawn(n, p)
        yield Contest(
            f"HuberRegressor, {n:,} × {p}",
            lambda X=X, y=y: linear_model.HuberRegressor().fit(X, y),
            "scikit-learn",
            lambda X=X, y=y: peer.HuberRegressor(max_iter=10_000).fit(X, y),
            1.3,
            lambda ours, theirs, X=X, y=y: "objective {:.9g}, {:.9g}".format(*(huber(m, X, y) for m in (ours, theirs))),
            rounds=3,
        )
    for n, p in ((200, 5), (1_000, 10), (10_000, 20)):
        X, y = drawn(n, p)
        yield Contest(
            f"QuantileRegressor, 0.3, {n:,} × {p}",
            lambda X=X, y=y: linear_model.QuantileRegressor(quantile=0.3, alpha=0.0).fit(X, y),
            "scikit-learn (HiGHS)",
            lambda X=X, y=y: peer.QuantileRegressor(quantile=0.3, alpha=0.0).fit(X, y),
            1.0 if n <= 200 else 3.0,
            lambda ours, theirs, X=X, y=y: "loss {:.9g}, {:.9g}; gap {:.0e}".format(
                *(pinball(m, X, y) for m in (ours, theirs)), ours.dual_gap_
            ),
            rounds=1 if n > 1_000 else 3,
        )


def huber(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The joint objective of coefficients and scale."""
    size, e, s = np.abs(y - model.predict(X)), model.epsilon, model.scale_
    loss = np.where(size <= e * s, size**2 / s, 2 * e * size - e**2 * s)
    return float((s + loss).sum() + model.alpha * model.coef_ @ model.coef_)


def pinball(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The mean loss."""
    r = y - model.predict(X)
    return float(np.where(r > 0, model.quantile * r, (model.quantile - 1) * r).mean())


def bayesian() -> Iterator[Contest]:
    for name, n, p in (("BayesianRidge", 100_000, 50), ("ARDRegression", 20_000, 100), ("BayesianRidge", 100, 5)):
        X, y = drawn(n, p)
        yield Contest(
            f"{name}, {n:,} × {p}",
            lambda name=name, X=X, y=y: getattr(linear_model, name)().fit(X, y),
            "scikit-learn",
            lambda name=name, X=X, y=y: getattr(peer, name)().fit(X, y),
            1.0 if n <= 100 else 3.0,
            lambda ours, theirs: f"coefficients differ by {np.abs(ours.coef_ - theirs.coef_).max():.0e}",
            rounds=2,
            repeat=20 if n <= 100 else 1,
        )


def several_targets() -> Iterator[Contest]:
    """Both to a duality gap of 1e-6 of the sum of squares."""
    rng = np.random.default_rng(0)
    for n, p, k, shared in ((2_000, 300, 10, 3.0), (100, 3_000, 5, 1.0), (200, 1_000, 5, 0.0)):
        X = rng.normal(size=(n, p)) + shared * rng.normal(size=(n, 1))
        Y = X[:, :10] @ rng.normal(size=(10, k)) + rng.normal(size=(n, k))
        alpha = 0.05 * np.linalg.norm((X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)), axis=1).max() / n
        yield Contest(
            f"MultiTaskLasso, {n:,} × {p:,}, {k} targets",
            lambda X=X, Y=Y, alpha=alpha: linear_model.MultiTaskLasso(alpha, max_iter=50_000).fit(X, Y),
            "scikit-learn",
            lambda X=X, Y=Y, alpha=alpha: peer.MultiTaskLasso(alpha, tol=1e-6, max_iter=50_000).fit(X, Y),
            1.0,
            lambda ours, theirs: f"gaps {ours.dual_gap_:.0e}, {theirs.dual_gap_:.0e}",
            rounds=2,
        )
