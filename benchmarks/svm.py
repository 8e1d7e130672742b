"""Support vector machines against scikit-learn's (LIBSVM and LIBLINEAR), with accuracy and objective of both."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm as peer
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import Contest
from probus import svm


def contests() -> Iterator[Contest]:
    yield from kernels()
    yield from predictions()
    yield from linear()
    yield from tiny()


def rows(n: int, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Two classes with twenty informative columns and labels of which a twentieth is random."""
    X, y = make_classification(n, d, n_informative=20, n_redundant=10, flip_y=0.05, class_sep=0.7, random_state=0)
    return StandardScaler().fit_transform(X), y


def letters() -> tuple[np.ndarray, np.ndarray] | None:
    """LetterRecognition (UCI), 20,000 × 16, 26 classes, from the folder PROBUS_BENCH_DATA."""
    path = Path(os.environ.get("PROBUS_BENCH_DATA", ".")) / "LetterRecognition.csv"
    if not path.exists():
        return None
    table = np.genfromtxt(path, delimiter=",", dtype=str, skip_header=1)
    return table[:, 1:].astype(float), np.char.strip(table[:, 0], '"')


def objective(model: Any, X: np.ndarray, gamma: float) -> float:
    """½ βᵀKβ − Σ|β| of a machine of two classes."""
    beta, vectors = model.dual_coef_[0], X[model.support_]
    products = np.concatenate([rbf_kernel(part, vectors, gamma=gamma) @ beta for part in np.array_split(vectors, 20)])
    return float(0.5 * beta @ products - np.abs(beta).sum())


def kernels() -> Iterator[Contest]:
    for n in (10_000, 20_000):
        X, y = rows(n + n // 10)
        fresh, labels = X[n:], y[n:]
        X, y = X[:n], y[:n]
        gamma = 1 / (X.shape[1] * X.var())

        def quality(ours: Any, theirs: Any, X: Any = X, test: Any = (fresh, labels), gamma: float = gamma) -> str:
            values = [objective(model, X, gamma) for model in (ours, theirs)]
            accuracy = [model.score(*test) for model in (ours, theirs)]
            return (
                f"accuracy {accuracy[0]:.4f}, {accuracy[1]:.4f}; dual objective {values[0] / values[1] - 1:+.0e}; "
                f"gap {ours.dual_gap_[0]:.0e}"
            )

        yield Contest(
            f"SVC, rbf, {len(X):,} × 50",
            lambda X=X, y=y: svm.SVC().fit(X, y),
            "scikit-learn",
            lambda X=X, y=y: peer.SVC().fit(X, y),
            5.0,
            quality,
            rounds=3,
        )
    if (found := letters()) is not None:
        X, y = found
        yield Contest(
            "SVC, rbf, letters, 18,000 × 16, 26 classes",
            lambda X=X, y=y: svm.SVC().fit(X[:18_000], y[:18_000]),
            "scikit-learn",
            lambda X=X, y=y: peer.SVC().fit(X[:18_000], y[:18_000]),
            5.0,
            lambda ours, theirs, X=X, y=y: "accuracy {:.4f}, {:.4f}".format(
                *(model.score(X[18_000:], y[18_000:]) for model in (ours, theirs))
            ),
            rounds=3,
        )


def predictions() -> Iterator[Contest]:
    X, y = rows(10_000)
    ours, theirs = svm.SVC().fit(X[:5_000], y[:5_000]), peer.SVC().fit(X[:5_000], y[:5_000])
    yield Contest(
        f"SVC.predict, 5,000 rows, {ours.support_.size:,} support vectors",
        lambda: ours.predict(X[5_000:]),
        "scikit-learn",
        lambda: theirs.predict(X[5_000:]),
        5.0,
        lambda a, b: f"{np.mean(a == b):.2%} of the classes agree",
    )


def linear() -> Iterator[Contest]:
    X, y = rows(100_000)
    rng = np.random.default_rng(0)
    words = sparse.random_array((20_000, 50_000), density=0.001, rng=rng, format="csr")
    words.data = np.abs(rng.normal(size=words.nnz)) + 0.1
    topic = words[:, :2_000] @ rng.normal(size=2_000) + 0.3 * rng.normal(size=20_000) > 0
    for what, data, labels, how in (
        ("dense 100,000 × 50", X, y, {}),
        ("dense 100,000 × 50, hinge", X, y, {"loss": "hinge", "C": 0.01}),
        ("dense 100,000 × 50, l1", X, y, {"penalty": "l1", "C": 0.01}),
        ("sparse 20,000 × 50,000", words, topic, {}),
        ("sparse 20,000 × 50,000, hinge", words, topic, {"loss": "hinge"}),
    ):
        # by its default, the peer stops 1e-4 above the minimum of the last problem
        equal = {"tol": 1e-6, "max_iter": 10_000} if "sparse" in what and how else {}

        def quality(ours: Any, theirs: Any, data: Any = data, labels: Any = labels, how: Any = how) -> str:
            values = [primal(model, data, labels, how) for model in (ours, theirs)]
            return f"objective {values[0] / values[1] - 1:+.0e}; gap {ours.dual_gap_:.0e}"

        yield Contest(
            f"LinearSVC, {what}",
            lambda data=data, labels=labels, how=how: svm.LinearSVC(**how).fit(data, labels),
            "scikit-learn" + ", tol=1e-6" * bool(equal),
            lambda data=data, labels=labels, how=how | equal: peer.LinearSVC(**how).fit(data, labels),
            1.0,
            quality,
            rounds=3,
        )


def primal(model: Any, X: Any, y: np.ndarray, how: dict[str, Any]) -> float:
    """The penalty, of the intercept too, and C times the losses."""
    weights = np.append(model.coef_[0], model.intercept_[0])
    slack = np.maximum(1 - np.where(y == model.classes_[1], 1, -1) * model.decision_function(X), 0)
    penalty = np.abs(weights).sum() if how.get("penalty") == "l1" else 0.5 * weights @ weights
    losses = slack if how.get("loss") == "hinge" else slack**2
    return float(penalty + how.get("C", 1.0) * losses.sum())


def tiny() -> Iterator[Contest]:
    X, y = rows(100)
    X = np.ascontiguousarray(X[:, :5])
    for name in ("SVC", "SVR", "LinearSVC"):
        yield Contest(
            f"{name}, 100 × 5",
            lambda name=name: getattr(svm, name)().fit(X, y),
            "scikit-learn",
            lambda name=name: getattr(peer, name)().fit(X, y),
            1.0,
            lambda ours, theirs: f"score {ours.score(X, y):.3f}, {theirs.score(X, y):.3f}",
            repeat=50,
        )
