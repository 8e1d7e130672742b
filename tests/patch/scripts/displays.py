"""The displays of scikit-learn, from estimators."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_iris, make_moons
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
)
from sklearn.model_selection import LearningCurveDisplay, StratifiedKFold, ValidationCurveDisplay, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

X, y = make_moons(300, noise=0.3, random_state=0)
scores = {}
for model in (RandomForestClassifier(10, random_state=0), KNeighborsClassifier(7), DecisionTreeClassifier(max_depth=4)):
    model.fit(X[:200], y[:200])
    name = type(model).__name__
    scores[name] = RocCurveDisplay.from_estimator(model, X[200:], y[200:]).roc_auc
    PrecisionRecallDisplay.from_estimator(model, X[200:], y[200:], plot_chance_level=True)
    DetCurveDisplay.from_estimator(model, X[200:], y[200:])
    shown = ConfusionMatrixDisplay.from_estimator(model, X[200:], y[200:], normalize="true")
    scores[f"{name}, recall"] = np.diag(shown.confusion_matrix).mean()
    for response in ("predict", "predict_proba", "auto"):
        DecisionBoundaryDisplay.from_estimator(model, X, response_method=response, grid_resolution=20)

folds = cross_validate(KNeighborsClassifier(), X, y, cv=StratifiedKFold(3), return_estimator=True, return_indices=True)
RocCurveDisplay.from_cv_results(folds, X, y)
iris = load_iris()
many = KNeighborsClassifier(3).fit(iris.data[:, :2], iris.target)
DecisionBoundaryDisplay.from_estimator(many, iris.data[:, :2], multiclass_colors="viridis", grid_resolution=20)

X, y = load_diabetes(return_X_y=True, as_frame=True)
X, y = X[:150], y[:150]
for model in (
    RandomForestRegressor(5, random_state=0),
    ExtraTreesRegressor(5, random_state=0),
    GradientBoostingRegressor(n_estimators=10, random_state=0),
    HistGradientBoostingRegressor(max_iter=10, random_state=0),
):
    model.fit(X, y)
    PartialDependenceDisplay.from_estimator(model, X, ["bmi", "age", ("bmi", "s5")], grid_resolution=4)
    PartialDependenceDisplay.from_estimator(model, X, ["bmi"], kind="both", grid_resolution=4, subsample=20)
    PredictionErrorDisplay.from_estimator(model, X, y)

LearningCurveDisplay.from_estimator(KNeighborsClassifier(), iris.data, iris.target, cv=2)
ValidationCurveDisplay.from_estimator(
    DecisionTreeClassifier(), iris.data, iris.target, param_name="max_depth", param_range=[1, 2, 3], cv=2
)
plt.close("all")
