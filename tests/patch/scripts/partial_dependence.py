"""Partial dependence by recursion over the trees."""

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.tree import DecisionTreeRegressor

X, y = make_friedman1(400, random_state=0)
labels = (y > np.median(y)).astype(int)
scores = {}
for model in (
    DecisionTreeRegressor(max_depth=5, random_state=0),
    RandomForestRegressor(40, max_features=0.5, random_state=0),
    GradientBoostingRegressor(n_estimators=40, random_state=0),
    HistGradientBoostingRegressor(max_iter=40, random_state=0),
    GradientBoostingClassifier(n_estimators=40, random_state=0),
    HistGradientBoostingClassifier(max_iter=40, random_state=0),
):
    name = type(model).__name__
    model.fit(X, labels if "Classifier" in name else y)
    curve = partial_dependence(model, X, [3], method="recursion", grid_resolution=10)["average"][0]
    pair = partial_dependence(model, X, [(0, 1)], method="recursion", grid_resolution=4)["average"]
    assert pair.shape == (1, 4, 4)
    importance = permutation_importance(model, X, labels if "Classifier" in name else y, n_repeats=3, random_state=0)
    scores[f"{name}, slope"] = (curve[-1] - curve[0]) / 10
    scores[f"{name}, most important"] = float(importance.importances_mean.argmax()) / 100
