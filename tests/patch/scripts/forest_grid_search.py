"""A pipeline with a forest, tuned by grid search."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

pipe = Pipeline([("scale", StandardScaler()), ("forest", RandomForestClassifier(random_state=0))])
grid = {
    "forest__n_estimators": [5, 15],
    "forest__max_features": ["sqrt", 0.5],
    "forest__criterion": ["gini", "entropy"],
}
search = GridSearchCV(pipe, grid, cv=3, scoring="roc_auc", return_train_score=True).fit(X_train, y_train)
print(search.best_params_, classification_report(y_test, search.predict(X_test)))

best = search.best_estimator_.named_steps["forest"]
assert isinstance(best, RandomForestClassifier)
assert len(best.estimators_) == best.n_estimators
scores = {
    "best cross-validated AUC": search.best_score_,
    "test accuracy": accuracy_score(y_test, search.predict(X_test)),
    "cross_val_score": cross_val_score(best, X, y, cv=3).mean(),
    "importances": best.feature_importances_.sum(),
}
