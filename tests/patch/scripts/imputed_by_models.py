"""Missing values filled by models, and models that take them."""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

X, y = load_diabetes(return_X_y=True)
X = X[:200, :5]
y = y[:200]
X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
scores = {}
for estimator in (
    DecisionTreeRegressor(max_features="sqrt", random_state=0),
    ExtraTreesRegressor(n_estimators=5, random_state=0),
    KNeighborsRegressor(n_neighbors=15),
):
    imputer = IterativeImputer(estimator=estimator, max_iter=2, random_state=0, tol=1.0)
    scores[type(estimator).__name__] = cross_val_score(
        make_pipeline(imputer, KNeighborsRegressor(15)), X, y, cv=3
    ).mean()
for estimator in (
    RandomForestRegressor(30, min_samples_leaf=3, random_state=0),
    HistGradientBoostingRegressor(max_iter=20),
):
    scores[f"{type(estimator).__name__}, missing"] = cross_val_score(estimator, X, y, cv=3).mean()
