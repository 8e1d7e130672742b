"""Linear models against scikit-learn's, at equal or better precision of the solution."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
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
    yield from paths("dense 1,000 × 10,000", X, y)
    words = sparse.random_array((20_000, 50_000), density=0.001, rng=rng, format="csc")
    words.data = np.abs(rng.normal(size=words.nnz)) + 0.1
    y = words[:, :100] @ rng.normal(size=100) + 0.1 * rng.normal(size=20_000)
    yield from paths("sparse 20,000 × 50,000", sparse.csc_matrix(words), y)


def paths(what: str, X: Any, y: np.ndarray) -> Iterator[Contest]:
    """All to a duality gap of 1e-6 of the sum of squares, which is computed here for each of them."""
    y = y - y.mean()
    alphas = np.geomspace(1.0, 1e-3, 100) * np.abs(X.T @ y).max() / len(y)
    peers = {"scikit-learn": lambda: peer.lasso_path(X, y, alphas=alphas, tol=1e-6, max_iter=100_000)[1]}
    if find_spec("celer"):
        peers["celer"] = lambda: celer_path(X, y, alphas)
    if find_spec("skglm"):
        peers["skglm"] = lambda: skglm_path(X, y, alphas)
    for name, theirs in peers.items():
        yield Contest(
            f"lasso path, 100 penalties, {what}",
            lambda: linear_model.lasso_path(X, y, alphas=alphas)[1],
            name,
            theirs,
            2.0,
            lambda *found: "largest gap " + ", ".join(f"{largest_gap(X, y, alphas, c):.0e}" for c in found) + " of y²",
            rounds=2,
        )


def celer_path(X: Any, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    from celer import celer_path as path

    return path(X, y, "lasso", alphas=alphas, tol=1e-6, max_iter=100, max_epochs=100_000)[1]


def skglm_path(X: Any, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Its tolerance is that of the optimality conditions."""
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD

    solver = AndersonCD(tol=1e-5, max_iter=100, max_epochs=100_000, fit_intercept=False)
    return solver.path(X, y, Quadratic(), L1(1.0), alphas=alphas)[1]


def largest_gap(X: Any, y: np.ndarray, alphas: np.ndarray, coefs: np.ndarray) -> float:
    """The largest duality gap of a path, relative to the sum of squares of y."""
    gaps = []
    for alpha, w in zip(alphas * len(y), coefs.T, strict=True):
        residual = y - X @ w
        dual = residual * min(1.0, alpha / np.abs(X.T @ residual).max())
        primal = 0.5 * residual @ residual + alpha * np.abs(w).sum()
        gaps.append(primal - 0.5 * (y @ y - (y - dual) @ (y - dual)))
    return max(gaps) / float(y @ y)


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
        for C in (0.1, 1.0):
            yield Contest(
                f"LogisticRegression, L1, C={C}, spam, 57 columns",
                lambda C=C: linear_model.LogisticRegression(C=C, l1_ratio=1.0).fit(words, spam),
                f"scikit-learn, {solver}",
                lambda solver=solver, C=C: peer.LogisticRegression(
                    C=C, l1_ratio=1.0, solver=solver, tol=1e-6, max_iter=5_000
                ).fit(words, spam),
                5.0,
                lambda ours, theirs, C=C: f"objectives {l1_objectives(words, spam, C, ours, theirs)}",
                rounds=2,
            )


def l1_objectives(X: np.ndarray, y: np.ndarray, C: float, *models: Any) -> str:
    """The objective without a penalty on the intercept, which liblinear has."""
    found = []
    for model in models:
        raw = (X @ model.coef_[0] + model.intercept_[0]) * (1 - 2 * y)
        found.append(C * np.logaddexp(0.0, raw).sum() + np.abs(model.coef_).sum())
    return ", ".join(f"{value:.6f}" for value in found)


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
