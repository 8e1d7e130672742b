"""Voting, stacking, bagging and AdaBoost of different models."""

from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, y = load_wine(return_X_y=True)
linear = make_pipeline(StandardScaler(), LogisticRegression())
forest = RandomForestClassifier(20, random_state=1)
members = [("linear", linear), ("forest", forest), ("bayes", GaussianNB())]
vote = VotingClassifier(members, voting="soft", weights=[2, 1, 1])
search = GridSearchCV(vote, {"forest__n_estimators": [5, 10], "voting": ["soft", "hard"]}, cv=2).fit(X, y)
stack = StackingClassifier(members, final_estimator=LogisticRegression(), cv=2)
models = {
    "vote": vote,
    "stack": stack,
    "bag": BaggingClassifier(
        make_pipeline(StandardScaler(), KNeighborsClassifier()), n_estimators=20, max_features=0.5, random_state=0
    ),
    "bag of SVC": BaggingClassifier(SVC(), n_estimators=5, random_state=0),
    "adaboost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10, random_state=0),
    "default adaboost": AdaBoostClassifier(n_estimators=10, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
}
scores = {name: cross_val_score(model, X, y, cv=2).mean() for name, model in models.items()}
scores["search"] = search.best_score_
stack.fit(X, y)
assert set(stack.named_estimators_) == {"linear", "forest", "bayes"}
assert len(vote.fit(X, y).transform(X)) == len(X) or vote.transform(X).shape[0] == 3
scores["cross_val_predict"] = (cross_val_predict(forest, X, y, cv=2, method="predict_proba").argmax(axis=1) == y).mean()

X, y = load_diabetes(return_X_y=True)
regressors = {
    "vote": VotingRegressor([("ridge", RidgeCV()), ("near", KNeighborsRegressor(10))]),
    "stack": StackingRegressor([("ridge", RidgeCV()), ("svr", LinearSVR(C=100, random_state=0))], cv=2),
    "bag": BaggingRegressor(DecisionTreeRegressor(max_depth=4), n_estimators=20, oob_score=True, random_state=0),
    "adaboost": AdaBoostRegressor(n_estimators=10, random_state=0),
    "forest": RandomForestRegressor(20, min_samples_leaf=5, random_state=0),
}
scores |= {f"{name}, regression": cross_val_score(model, X, y, cv=2).mean() for name, model in regressors.items()}
