"""Glass boxes against interpret's, where it is installed; ``research.glass_box`` compares their losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Contest
from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor

_GOAL = 10.0


def contests() -> Iterator[Contest]:
    try:
        from interpret import glassbox
    except ImportError:
        print("interpret is not installed: its contests are left out")
        return
    for n, d in ((3_000, 12), (30_000, 12)):
        X, y = made(n, d)
        test, truth = made(20_000, d, seed=1)
        for name, target in (("numbers", y), ("two classes", y > 0)):
            classes = name != "numbers"
            ours = ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor
            theirs = glassbox.ExplainableBoostingClassifier if classes else glassbox.ExplainableBoostingRegressor
            yield Contest(
                f"glass box, {name}, {n:,} × {d}",
                lambda ours=ours, X=X, target=target: ours(random_state=0).fit(X, target),
                "interpret",
                lambda theirs=theirs, X=X, target=target: theirs(random_state=0, n_jobs=-1).fit(X, target),
                _GOAL,
                lambda a, b, test=test, truth=truth, classes=classes: losses(a, b, test, truth, classes),
                rounds=2,
            )


def made(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Curves of four columns and one pair, in noise."""
    rows = np.random.default_rng(seed)
    X = rows.uniform(-1, 1, (n, d))
    sums = np.sin(3 * X[:, 0]) + (X[:, 1] > 0.2) - 0.5 + X[:, 2] ** 2 + X[:, 3] * X[:, 4]
    return X, sums + 0.5 * rows.normal(size=n)


def losses(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, classes: bool) -> str:
    found = []
    for model in (ours, theirs):
        if classes:
            p = np.clip(model.predict_proba(X)[:, 1], 1e-12, 1 - 1e-12)
            found.append(-np.mean(np.where(y > 0, np.log(p), np.log(1 - p))))
        else:
            found.append(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
    return f"{'log loss' if classes else 'RMSE'} {found[0]:.4f} and {found[1]:.4f}"
