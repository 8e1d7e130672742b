"""Isolation forests, local outlier factors and distances to neighbours against scikit-learn and PyOD."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import ensemble, neighbors
from sklearn.metrics import roc_auc_score

from benchmarks.measure import Contest, peak_memory
from probus.anomaly import IsolationForest, KNearestDistance, LocalOutlierFactor


def contests() -> Iterator[Contest]:
    yield _forest(200_000, 20)
    yield from _neighbours(50_000, 10)
    yield _gower_memory(20_000)


def spread_out(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows, of which two in a hundred are 1.5 times as far out."""
    rng = np.random.default_rng(0)
    X, odd = rng.normal(size=(n, d)), np.arange(n) < n // 50
    X[odd] *= 1.5
    return X, odd


def _forest(n: int, d: int) -> Contest:
    X, odd = spread_out(n, d)

    def scores(model: Any) -> np.ndarray:
        return model.fit(X).score_samples(X)

    return Contest(
        f"isolation forest, fit and score, {n:,} × {d}",
        lambda: scores(IsolationForest(random_state=0)),
        "scikit-learn",
        lambda: scores(ensemble.IsolationForest(random_state=0, n_jobs=-1)),
        3.0,
        lambda a, b: f"AUC {roc_auc_score(odd, -a):.4f} and {roc_auc_score(odd, -b):.4f}",
        rounds=3,
    )


def _neighbours(n: int, d: int) -> Iterator[Contest]:
    X, _ = spread_out(n, d)

    def difference(a: np.ndarray, b: np.ndarray) -> str:
        return f"largest difference {np.abs(a - b).max():.0e}"

    yield Contest(
        f"local outlier factors, {n:,} × {d}",
        lambda: LocalOutlierFactor().fit(X).negative_outlier_factor_,
        "scikit-learn",
        lambda: neighbors.LocalOutlierFactor(n_jobs=-1).fit(X).negative_outlier_factor_,
        2.0,
        difference,
        rounds=2,
    )
    yield _duplicates(16_000, 3)
    try:
        from pyod.models.knn import KNN
    except ImportError:
        return
    yield Contest(
        f"distance to the fifth neighbour, {n:,} × {d}",
        lambda: -KNearestDistance().fit(X).training_scores_,
        "PyOD, KNN",
        lambda: KNN(n_jobs=-1).fit(X).decision_scores_,
        5.0,
        difference,
        rounds=1,
    )


def _duplicates(n: int, d: int) -> Contest:
    X, _ = spread_out(n, d)
    X[::2] = X[0]
    return Contest(
        f"local outlier factors, {n:,} × {d}, half of the rows equal",
        lambda: _unwarned(LocalOutlierFactor(), X),
        "scikit-learn",
        lambda: _unwarned(neighbors.LocalOutlierFactor(n_jobs=-1), X),
        1.0,
        lambda a, b: f"equal distances to the 20th neighbour: {np.allclose(a, b)}",
        rounds=3,
    )


def _unwarned(model: Any, X: np.ndarray) -> np.ndarray:
    """The distances to the last neighbours after a fit, ascending."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # duplicates are reported by both
        return np.sort(model.fit(X).kneighbors()[0][:, -1])


def _gower_memory(n: int) -> Contest:
    """Gower's distances have no peer here; the peak of memory is what counts."""
    from benchmarks.neighbours import mixed
    from probus.data import Table

    memory = peak_memory(
        "from benchmarks.neighbours import mixed\nfrom probus.data import Table\n"
        "from probus.anomaly import LocalOutlierFactor\n"
        f"LocalOutlierFactor(metric='gower').fit(Table.of(mixed({n}), infer=False))"
    )
    table = Table.of(mixed(n), infer=False)
    factors = LocalOutlierFactor(metric="gower")
    return Contest(
        f"local outlier factors, Gower, {n:,} × 10 mixed rows",
        lambda: factors.fit(table),
        "itself",
        lambda: factors.fit(table),
        0.0,
        lambda a, b: f"our process at its peak {memory:.0f} MB",
        rounds=1,
    )


if __name__ == "__main__":
    from benchmarks.__main__ import main

    main(["anomaly"])
