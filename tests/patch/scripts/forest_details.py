"""Out-of-bag errors as a forest grows, leaves, paths, weights and members."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomTreesEmbedding,
)
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight

X, y = make_classification(400, 15, n_informative=6, weights=[0.8], random_state=0)
scores = {}
for label, model in {
    "sqrt": RandomForestClassifier(warm_start=True, oob_score=True, max_features="sqrt", random_state=0),
    "log2": RandomForestClassifier(warm_start=True, oob_score=True, max_features="log2", random_state=0),
    "all": RandomForestClassifier(warm_start=True, oob_score=True, max_features=None, random_state=0),
}.items():
    for n in (20, 40):
        model.set_params(n_estimators=n).fit(X, y)
    assert len(model.estimators_) == 40
    scores[label] = model.oob_score_
    assert model.oob_decision_function_.shape == (400, 2)
forest = RandomForestClassifier(20, max_samples=0.5, class_weight="balanced_subsample", random_state=0).fit(X, y)
assert forest.apply(X).shape == (400, 20)
indicator, n_nodes = forest.decision_path(X)
assert indicator.shape == (400, n_nodes[-1])
votes = np.mean([member.predict_proba(X) for member in forest.estimators_], axis=0)
np.testing.assert_allclose(votes, forest.predict_proba(X), atol=1e-6)
spread = np.std([tree.feature_importances_ for tree in forest.estimators_], axis=0)
scores["importance"] = forest.feature_importances_.max()
scores["spread"] = spread.mean()
scores["depth"] = np.mean([tree.get_depth() for tree in forest.estimators_]) / 100
weights = compute_sample_weight("balanced", y)
scores["weighted"] = (
    ExtraTreesClassifier(30, min_samples_leaf=3, random_state=0).fit(X, y, sample_weight=weights).score(X, y)
)
scores["bagging"] = BaggingClassifier(DecisionTreeClassifier(), 30, oob_score=True, random_state=0).fit(X, y).oob_score_
scores["outliers"] = (IsolationForest(n_estimators=20, contamination=0.1, random_state=0).fit_predict(X) == -1).mean()
assert RandomTreesEmbedding(5, random_state=0).fit_transform(X).shape[0] == 400
