"""Selecting columns by what a model makes of them."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, y = X.iloc[:300, :6], y[:300]
forest = RandomForestClassifier(10, random_state=0)
scores = {}
for name, selector in {
    "from model": SelectFromModel(ExtraTreesClassifier(10, random_state=0), threshold="median"),
    "RFE": RFE(forest, n_features_to_select=4),
    "RFECV": RFECV(DecisionTreeClassifier(max_depth=3, random_state=0), step=4, cv=2),
    "sequential": SequentialFeatureSelector(KNeighborsClassifier(), n_features_to_select=2, cv=2),
}.items():
    model = make_pipeline(StandardScaler(), selector.set_output(transform="pandas"), KNeighborsClassifier())
    scores[name] = cross_val_score(model, X, y, cv=2).mean()
forest.fit(X, y)
importance = permutation_importance(forest, X, y, n_repeats=2, random_state=0, scoring=["accuracy", "roc_auc"])
scores["permutation"] = importance["roc_auc"].importances_mean.max()
chosen = SelectFromModel(forest, prefit=True, max_features=4).set_output(transform="pandas").fit(X).transform(X)
assert set(chosen.columns) <= set(X.columns)
