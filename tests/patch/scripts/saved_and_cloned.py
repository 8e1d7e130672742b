"""Models that are cloned, pickled, and compared by type."""

import io
import pickle

import joblib
import numpy as np
import sklearn.ensemble
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
scores = {}
for model in (
    RandomForestClassifier(10, random_state=0, n_jobs=2),
    ExtraTreesClassifier(10, random_state=0),
    GradientBoostingClassifier(n_estimators=10, random_state=0),
    HistGradientBoostingClassifier(max_iter=10, random_state=0),
    DecisionTreeClassifier(random_state=0),
    KNeighborsClassifier(weights="distance"),
    GaussianNB(),
):
    fitted = clone(model).set_params(**model.get_params()).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    np.testing.assert_array_equal(again.predict_proba(X), joblib.load(buffer).predict_proba(X))
    assert is_classifier(again)
    assert not is_regressor(again)
    assert list(again.feature_names_in_) == list(X.columns)
    assert again.n_features_in_ == 13
    assert fitted._repr_html_() is not None
    scores[type(model).__name__] = again.score(X, y)
assert isinstance(RandomForestRegressor(), sklearn.ensemble.RandomForestRegressor)
