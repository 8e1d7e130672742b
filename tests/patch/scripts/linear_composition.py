"""Linear models inside scikit-learn's robust regression, selection, calibration and chains."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import AdaBoostRegressor, BaggingClassifier, StackingClassifier, StackingRegressor
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    RANSACRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputRegressor, RegressorChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC, LinearSVR

X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = (y - y.mean()) / y.std()
outliers = y.copy()
outliers[::20] += 50.0
Y = np.column_stack([y, -y])
scores = {}
for name, model in {
    "RANSAC": RANSACRegressor(random_state=0),
    "RANSAC of least squares": RANSACRegressor(LinearRegression(), residual_threshold=1.0, random_state=0),
    "RANSAC of ridge": RANSACRegressor(Ridge(), min_samples=20, residual_threshold=1.0, random_state=0),
}.items():
    scores[name] = np.median(np.abs(model.fit(X, outliers).predict(X) - y))
for name, model in {
    "from lasso": make_pipeline(SelectFromModel(Lasso(alpha=0.05)), LinearRegression()),
    "from lasso path": make_pipeline(SelectFromModel(LassoCV(cv=3)), LinearRegression()),
    "from elastic net": make_pipeline(SelectFromModel(ElasticNet(alpha=0.05, l1_ratio=1.0)), LinearRegression()),
    "from elastic net path": make_pipeline(SelectFromModel(ElasticNetCV(l1_ratio=1.0, cv=3)), LinearRegression()),
    "RFE": make_pipeline(RFE(LinearSVR(), n_features_to_select=4), Ridge()),
    "sequential": make_pipeline(SequentialFeatureSelector(LinearRegression(), n_features_to_select=3), Ridge()),
    "stacking": StackingRegressor([("a", Ridge()), ("b", LinearSVR())], LinearRegression()),
    "target": TransformedTargetRegressor(LinearRegression(), func=np.arcsinh, inverse_func=np.sinh),
    "boosting": AdaBoostRegressor(LinearRegression(), n_estimators=3, random_state=0),
}.items():
    scores[name] = model.fit(X, y).score(X, y)
for model in (RegressorChain(Ridge()), MultiOutputRegressor(LinearSVR())):
    scores[type(model).__name__] = model.fit(X, Y).score(X, Y)

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :10]
for name, selector in {
    "from l1": SelectFromModel(LinearSVC(penalty="l1", dual=False, C=0.05)),
    "from logistic l1": SelectFromModel(LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.1)),
    "from logistic path": SelectFromModel(
        LogisticRegressionCV(l1_ratios=(1.0,), solver="liblinear", cv=3, Cs=3, use_legacy_attributes=False)
    ),
}.items():
    scores[f"threshold {name}"] = selector.fit(X, y).threshold_
    scores[name] = LogisticRegression().fit(selector.transform(X), y).score(selector.transform(X), y)
partly = np.where(np.arange(len(y)) % 3 == 0, y, -1)
for name, model in {
    "calibrated": CalibratedClassifierCV(LinearSVC()),
    "calibrated kernel": CalibratedClassifierCV(SVC(), method="isotonic", cv=3),
    "stacking of classes": StackingClassifier([("a", LinearSVC()), ("b", RidgeClassifier())], LogisticRegression()),
    "bagging": BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0),
    "one versus rest": OneVsRestClassifier(LinearSVC()),
    "one versus one": OneVsOneClassifier(SGDClassifier(random_state=0)),
    "output code": OutputCodeClassifier(LogisticRegression(), random_state=0),
    "RFECV": RFECV(SVC(kernel="linear"), step=3, cv=3),
}.items():
    scores[name] = model.fit(X, y).score(X, y)
scores["self-training"] = SelfTrainingClassifier(LogisticRegression()).fit(X, partly).score(X, y)
both = np.column_stack([y, 1 - y])
scores["chain"] = ClassifierChain(LogisticRegression()).fit(X, both).score(X, both)
