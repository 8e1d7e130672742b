"""Fitted models that contain others or predict several outputs, for ``fuzz_files``."""

from __future__ import annotations

from typing import Any

import numpy as np

import probus
from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.ensemble import (
    BaggingRegressor,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingRegressor,
)
from probus.gaussian_process import GaussianProcessRegressor
from probus.linear_model import LogisticRegression, Ridge
from probus.mixture import GaussianMixture
from probus.multiclass import OneVsRestClassifier
from probus.naive_bayes import GaussianNB
from probus.pipeline import by_kind
from probus.preprocessing import TableEncoder
from probus.svm import SVC, SVR
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tuning import Tuned

__all__ = ["composed_models"]


def composed_models() -> list[tuple[Any, Any]]:
    """Fitted models, each with rows that it takes."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)), np.arange(60) % 3
    numbers = X[:, 0] + rng.normal(scale=0.1, size=60)
    two_labels, two_numbers = np.column_stack([labels, X[:, 0] > 0]), np.column_stack([numbers, X[:, 1]])
    mixed = probus.Table.of({"x": X[:, 0], "level": np.array(list("abc"))[rng.integers(0, 3, 60)]})
    coded = by_kind(numeric="passthrough", nominal=TableEncoder())
    stack = StackingClassifier([("forest", RandomForestClassifier(2)), ("bayes", GaussianNB())], LogisticRegression())
    made = [
        (DecisionTreeClassifier(max_depth=3), X, two_labels),
        (DecisionTreeRegressor(max_depth=3), X, two_numbers),
        (RandomForestClassifier(2), X, two_labels),
        (RandomForestRegressor(2), X, two_numbers),
        (Ridge(), X, two_numbers),
        (GaussianProcessRegressor(normalize_y=True), X, numbers),
        (ConformalClassifier(SVC(probability=True), cv=2), X, labels),
        (ConformalRegressor(RandomForestRegressor(2), cv=2), X, numbers),
        (ConformalRegressor(VotingRegressor([("a", SVR()), ("b", Ridge())]), cv=2), X, numbers),
        (OneVsRestClassifier(HistGradientBoostingClassifier(max_iter=2)), X, labels),
        (BaggingRegressor(GaussianProcessRegressor(), 2), X, numbers),
        (stack, X, labels),
        (Tuned(DecisionTreeClassifier(), cv=2, evaluations=2), mixed, labels),
        (coded >> stack, mixed, labels),
        (coded >> Tuned(SVC(), cv=2, evaluations=2), mixed, labels),
        (probus.tabular(ExtraTreesClassifier(2)), mixed, labels),
        (GaussianMixture(2, covariance_type="tied", random_state=0), X, None),
    ]
    return [(model.fit(X, y), X[:8]) for model, X, y in made]
