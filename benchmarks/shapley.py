"""Shapley values against the library shap, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Contest
from benchmarks.trees import made
from probus.ensemble import HistGradientBoostingClassifier, RandomForestRegressor

_ROWS, _OTHERS = 100_000, 10_000


def contests() -> Iterator[Contest]:
    try:
        import shap
    except ImportError:
        print("shap is not installed: its contests are left out")
        return
    X, y, z = made(_ROWS, 28)
    boosting = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=31, early_stopping=False).fit(X, y)
    forest = RandomForestRegressor(30, random_state=0).fit(X[:5_000], z[:5_000])
    by_paths = shap.TreeExplainer(boosting)
    against = shap.TreeExplainer(boosting, X[:100])
    paths = "100 trees of 31 leaves"
    yield Contest(
        f"Shapley values by paths, {paths}, {_ROWS:,} rows",
        lambda: boosting.shap_values(X).values,
        "shap",
        lambda: by_paths.shap_values(X, check_additivity=False),
        20.0,
        furthest,
        rounds=2,
    )
    yield Contest(
        f"Shapley values, {paths}, {_ROWS:,} rows against {_OTHERS:,}; shap 1,000 rows against 100",
        lambda: boosting.shap_values(X, X[:_OTHERS]).values,
        "shap, 1 of 10,000 pairs of rows",
        lambda: against.shap_values(X[:1_000], check_additivity=False),
        1.0,
        lambda ours, theirs: furthest(boosting.shap_values(X[:1_000], X[:100]).values, theirs),
        rounds=3,
    )
    yield Contest(
        f"Shapley interactions by paths, {paths}, 1,000 rows",
        lambda: boosting.shap_interactions(X[:1_000]),
        "shap",
        lambda: by_paths.shap_interaction_values(X[:1_000]),
        20.0,
        furthest,
        rounds=2,
    )
    deep, grown = shap.TreeExplainer(forest), shap.TreeExplainer(forest, X[-100:])
    yield Contest(
        "Shapley values by paths, 30 trees grown on 5,000 rows, 1,000 rows",
        lambda: forest.shap_values(X[-1_000:]).values,
        "shap",
        lambda: deep.shap_values(X[-1_000:], check_additivity=False),
        5.0,
        furthest,
        rounds=2,
    )
    yield Contest(
        "Shapley values, 30 trees grown on 5,000 rows, 1,000 rows against 100",
        lambda: forest.shap_values(X[-1_000:], X[-100:]).values,
        "shap",
        lambda: grown.shap_values(X[-1_000:], check_additivity=False),
        1.0,
        furthest,
        rounds=2,
    )


def furthest(ours: Any, theirs: Any) -> str:
    return f"at most {np.abs(ours - theirs).max():.0e} apart"
