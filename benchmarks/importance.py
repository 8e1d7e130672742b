"""Permutation importance and partial dependence of our models, against scikit-learn's functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor as TheirForest
from sklearn.inspection import partial_dependence as theirs
from sklearn.inspection import permutation_importance

import probus
from benchmarks.measure import Contest
from benchmarks.trees import made
from probus.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from probus.inspection import partial_dependence

_ROWS, _REPEATS = 100_000, 10


def contests() -> Iterator[Contest]:
    X, y, z = made(2 * _ROWS, 28)
    train, test = slice(_ROWS), slice(_ROWS, 2 * _ROWS)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=-1).fit(X[train], y[train])
    held_out = X[test], y[test]
    yield Contest(
        f"permutation importance, 100 trees, {_ROWS:,} × 28, {_REPEATS} repeats",
        lambda: probus.importance(forest, *held_out, scoring="accuracy", n_repeats=_REPEATS),
        "scikit-learn's function on our forest",
        lambda: permutation_importance(forest, *held_out, scoring="accuracy", n_repeats=_REPEATS, random_state=0),
        4.0,
        _furthest,
        rounds=1,
    )
    few, numbers = X[:10_000], z[:10_000]
    ours, others = (
        kind(100, random_state=0, n_jobs=-1).fit(few, numbers) for kind in (RandomForestRegressor, TheirForest)
    )
    boosting = HistGradientBoostingRegressor(max_iter=100, early_stopping=False).fit(few, numbers)
    how: dict[str, Any] = {"features": [0], "method": "brute"}
    for what, peer, model, other, goal in (
        ("forest of 100 trees", "scikit-learn's forest", ours, others, 5.0),
        ("forest of 100 trees", "scikit-learn's function on our forest", ours, ours, 5.0),
        ("boosting of 100 trees", "scikit-learn's function on our boosting", boosting, boosting, 5.0),
    ):
        yield Contest(
            f"partial dependence, {what}, 10,000 rows × 100 points",
            lambda model=model: partial_dependence(model, few, **how)["average"],
            peer,
            lambda other=other: theirs(other, few, **how)["average"],
            goal,
            lambda a, b: f"at most {np.abs(a - b).max():.1g} apart",
            rounds=2,
        )


def _furthest(ours: Any, other: Any) -> str:
    apart = max(abs(ours[f"x{j}"].value - mean) for j, mean in enumerate(other.importances_mean))
    return f"at most {apart:.4f} apart"
