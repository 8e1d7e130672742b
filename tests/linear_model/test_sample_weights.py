"""Weights of rows in every linear model and kernel machine: repetition, one number for all rows, and zero."""

import numpy as np
import pytest
from sklearn.base import is_classifier

from probus import discriminant_analysis, kernel_ridge, linear_model, svm
from probus.base import accepts_of
from probus.linear_model import (
    L1L2,
    MAP,
    Adaline,
    ARDRegression,
    BayesianRidge,
    BestSubset,
    ElasticNet,
    ElasticNetCV,
    GammaRegressor,
    GeneralizedLinearEstimator,
    HuberRegressor,
    Lasso,
    LassoCV,
    LeastAbsoluteDeviations,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    MultiTaskElasticNet,
    MultiTaskLasso,
    Perceptron,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from probus.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)) + 0.5
NUMBERS = np.abs(X @ [1.0, -2.0, 0.0] + rng.normal(size=60)) + 0.1
COUNTS = rng.integers(0, 4, size=60)  # some rows have none

EXACT = [
    LinearRegression(), LinearRegression(positive=True), LinearRegression(fit_intercept=False), Ridge(),
    Ridge(solver="svd"), Lasso(0.05, tol=1e-10), ElasticNet(0.05, tol=1e-10), MultiTaskLasso(0.05, tol=1e-12),
    MultiTaskElasticNet(0.05, tol=1e-12), HuberRegressor(tol=1e-9), HuberRegressor(scale="proposal 2", tol=1e-9),
    LeastAbsoluteDeviations(), QuantileRegressor(quantile=0.3, alpha=0.01), MAP(), MAP("gaussian", "laplace"),
    MAP("laplace", "gaussian"), MAP("student", "flat"), BayesianRidge(tol=1e-10), ARDRegression(tol=1e-10),
    PoissonRegressor(tol=1e-9), GammaRegressor(tol=1e-9), GeneralizedLinearEstimator(penalty=L1L2(0.01)),
    BestSubset(2), LogisticRegression(tol=1e-9), LogisticRegression(l1_ratio=1.0, tol=1e-9), RidgeClassifier(),
    LinearSVC(tol=1e-9), LinearSVC(loss="hinge", tol=1e-9, max_iter=10**5, random_state=0),
    LinearSVR(tol=1e-9, max_iter=10**5, random_state=0),
    LinearSVR(loss="squared_epsilon_insensitive", tol=1e-9), SVC(gamma=0.3, tol=1e-8), NuSVC(gamma=0.3, tol=1e-8),
    SVR(gamma=0.3, tol=1e-8), NuSVR(gamma=0.3, tol=1e-8), OneClassSVM(gamma=0.3, tol=1e-8),
    kernel_ridge.KernelRidge(kernel="rbf", gamma=0.3), discriminant_analysis.GaussianClassifier(),
    discriminant_analysis.LinearDiscriminantAnalysis(), discriminant_analysis.QuadraticDiscriminantAnalysis(),
]  # fmt: skip
SHUFFLED = [SGDClassifier(random_state=0), SGDRegressor(random_state=0), Perceptron(random_state=0), Adaline()]
CHOSEN = [  # the rows of a fold, or the row that is left out, are others where a row is repeated
    RidgeCV(), RidgeClassifierCV(), LassoCV(), ElasticNetCV(),
    LogisticRegressionCV(l1_ratios=(0.0,), use_legacy_attributes=False, scoring="accuracy"),
]  # fmt: skip
VECTORS = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)  # one weight per row, as in scikit-learn


def target(model):
    if isinstance(model, (MultiTaskLasso, MultiTaskElasticNet)):
        return np.column_stack([NUMBERS, X[:, 0] ** 2])
    return NUMBERS > 2.0 if is_classifier(model) else NUMBERS


def raw(model):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def test_every_model_that_takes_weights_is_tested():
    tested = {type(model) for model in EXACT + SHUFFLED + CHOSEN}
    for module in (linear_model, svm, kernel_ridge, discriminant_analysis):
        for name, thing in vars(module).items():
            if isinstance(thing, type) and name in module.__all__ and hasattr(thing, "fit") and thing not in tested:
                assert not accepts_of(thing()).weights, name


@pytest.mark.parametrize("model", EXACT + SHUFFLED, ids=repr)
def test_weights_equal_repetition_and_rows_of_weight_zero_are_left_out(model):
    y = target(model)
    weighted = raw(model.fit(X, y, sample_weight=COUNTS.astype(float)))
    rows = np.repeat(np.arange(60), COUNTS)
    np.testing.assert_allclose(weighted, raw(model.fit(X[rows], y[rows])), rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("model", EXACT + SHUFFLED + CHOSEN, ids=repr)
def test_zero_weights_hide_the_values_of_a_row(model):
    y, weights, wild = target(model), np.ones(60), X.copy()
    weights[:5], wild[:5] = 0.0, 7.0
    known = raw(model.fit(X, y, sample_weight=weights))
    np.testing.assert_allclose(raw(model.fit(wild, y, sample_weight=weights)), known, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize(
    "model", [model for model in EXACT + SHUFFLED + CHOSEN if not isinstance(model, VECTORS)], ids=repr
)
def test_a_number_is_the_weight_of_every_row(model):
    y = target(model)
    every = raw(model.fit(X, y, sample_weight=np.full(60, 2.0)))
    np.testing.assert_allclose(raw(model.fit(X, y, sample_weight=2.0)), every, rtol=1e-9)
