"""Boosting watched stage by stage, stopped early, and continued."""

import numpy as np
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import train_test_split

X, y = make_friedman1(500, noise=1.0, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
params = {"n_estimators": 40, "max_depth": 4, "min_samples_split": 5, "learning_rate": 0.1, "loss": "squared_error"}
model = GradientBoostingRegressor(**params, subsample=0.8, random_state=0).fit(X_train, y_train)
staged = np.array([mean_squared_error(y_test, prediction) for prediction in model.staged_predict(X_test)])
assert len(staged) == len(model.train_score_) == len(model.oob_improvement_) == 40
assert model.estimators_.shape == (40, 1)
scores = {
    "test R²": model.score(X_test, y_test),
    "best stage R²": 1 - staged.min() / y_test.var(),
    "train score": model.train_score_[-1] / y_train.var(),
}
for alpha in (0.1, 0.9):
    quantile = GradientBoostingRegressor(loss="quantile", alpha=alpha, n_estimators=25, random_state=0)
    scores[f"quantile {alpha}"] = (y_test <= quantile.fit(X_train, y_train).predict(X_test)).mean() / 2
hist = HistGradientBoostingRegressor(max_iter=60, early_stopping=True, random_state=0).fit(X_train, y_train)
assert hist.n_iter_ <= 60
assert len(hist.validation_score_) == hist.n_iter_ + 1
scores["hist"] = hist.score(X_test, y_test)
poisson = HistGradientBoostingRegressor(loss="poisson", max_iter=30, monotonic_cst=[1] + [0] * 9, random_state=0)
scores["poisson"] = poisson.fit(X_train, np.clip(y_train, 0, None)).score(X_test, y_test)

X, y = make_classification(500, 10, n_classes=3, n_informative=5, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
warm = GradientBoostingClassifier(n_estimators=10, warm_start=True, random_state=0).fit(X_train, y_train)
warm.set_params(n_estimators=30).fit(X_train, y_train)
assert len(warm.estimators_) == 30
stopped = GradientBoostingClassifier(n_estimators=200, n_iter_no_change=3, random_state=0).fit(X_train, y_train)
assert stopped.n_estimators_ < 200
scores["warm"] = log_loss(y_test, warm.predict_proba(X_test)) / 4
scores["stopped"] = stopped.score(X_test, y_test)
ada = AdaBoostClassifier(n_estimators=30, random_state=0).fit(X_train, y_train)
scores["ada"] = list(ada.staged_score(X_test, y_test))[-1]
classes = HistGradientBoostingClassifier(max_iter=30, class_weight="balanced", random_state=0).fit(X_train, y_train)
scores["classes"] = classes.score(X_test, y_test)
