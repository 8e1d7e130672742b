"""Several targets at once, wrapped and native."""

import numpy as np
from sklearn.datasets import make_multilabel_classification, make_regression
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = make_multilabel_classification(300, n_features=10, n_classes=3, random_state=0)
scores = {}
for name, model in {
    "wrapped": MultiOutputClassifier(RandomForestClassifier(20, random_state=0)),
    "chain": ClassifierChain(RandomForestClassifier(20, random_state=0), random_state=0),
    "one against rest": OneVsRestClassifier(DecisionTreeClassifier(max_depth=4, random_state=0)),
    "near": KNeighborsClassifier(),
    "forest": RandomForestClassifier(20, random_state=0),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
}.items():
    scores[name] = f1_score(Y[200:], model.fit(X[:200], Y[:200]).predict(X[200:]), average="micro")
assert len(RandomForestClassifier(5).fit(X, Y).predict_proba(X)) == 3

X, Y = make_regression(300, 6, n_targets=2, noise=5.0, random_state=0)
for name, model in {
    "wrapped": MultiOutputRegressor(GradientBoostingRegressor(n_estimators=50, random_state=0)),
    "near": KNeighborsRegressor(),
    "forest": RandomForestRegressor(30, random_state=0),
    "extra": ExtraTreesRegressor(30, random_state=0),
    "tree": DecisionTreeRegressor(min_samples_leaf=5, random_state=0),
}.items():
    scores[f"{name}, regression"] = r2_score(Y[200:], model.fit(X[:200], Y[:200]).predict(X[200:]))

X, y = X[:, :4], np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
scores["one against one"] = cross_val_score(OneVsOneClassifier(GaussianNB()), X, y, cv=3).mean()
scores["codes"] = cross_val_score(
    OutputCodeClassifier(DecisionTreeClassifier(max_depth=4), random_state=0), X, y, cv=3
).mean()
