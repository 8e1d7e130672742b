"""Calibrated probabilities, thresholds, and their display."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay, calibration_curve
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss, f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV, train_test_split
from sklearn.naive_bayes import GaussianNB

X, y = make_classification(1200, 12, n_informative=4, n_redundant=6, weights=[0.7], random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

scores = {}
fig, ax = plt.subplots()
for name, model in [
    ("bayes", GaussianNB()),
    ("isotonic", CalibratedClassifierCV(GaussianNB(), cv=3, method="isotonic")),
    ("sigmoid", CalibratedClassifierCV(RandomForestClassifier(20, random_state=0), cv=3)),
    (
        "frozen",
        CalibratedClassifierCV(FrozenEstimator(RandomForestClassifier(20, random_state=0).fit(X_train, y_train))),
    ),
]:
    model.fit(X_train, y_train)
    scores[name] = brier_score_loss(y_test, model.predict_proba(X_test)[:, 1])
    CalibrationDisplay.from_estimator(model, X_test, y_test, n_bins=5, ax=ax)
    calibration_curve(y_test, model.predict_proba(X_test)[:, 1], n_bins=5)
plt.close(fig)

threshold = TunedThresholdClassifierCV(GaussianNB(), scoring=make_scorer(f1_score), cv=3).fit(X_train, y_train)
fixed = FixedThresholdClassifier(GaussianNB(), threshold=0.3).fit(X_train, y_train)
scores["tuned threshold"] = f1_score(y_test, threshold.predict(X_test))
scores["fixed threshold"] = f1_score(y_test, fixed.predict(X_test))
