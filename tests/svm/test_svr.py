"""Regression and one class with kernels against scikit-learn's, which is LIBSVM."""

import numpy as np
import pytest
import sklearn.svm as peer

from probus import svm


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("SVR", {"kernel": "linear", "C": 10.0}),
        ("SVR", {"epsilon": 0.5}),
        ("NuSVR", {"nu": 0.3}),
        ("NuSVR", {"nu": 0.8, "kernel": "linear"}),
        ("OneClassSVM", {"nu": 0.1}),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_predictions_are_those_of_scikit_learn(diabetes, name, how, weighted):
    X, y = diabetes
    weights = np.random.default_rng(0).random(len(y)) * (np.arange(len(y)) % 5 > 0) if weighted else None
    ours, theirs = (getattr(module, name)(tol=1e-8, **how).fit(X, y, weights) for module in (svm, peer))
    method = "decision_function" if name == "OneClassSVM" else "predict"
    np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X[:50]) > 0, theirs.predict(X[:50]) > 0)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    assert ours.dual_gap_ < 1e-6
    if "kernel" in how:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_scores_of_one_class_are_decisions_with_the_offset(diabetes):
    X = diabetes[0]
    ours, theirs = (module.OneClassSVM(tol=1e-8, nu=0.2).fit(X) for module in (svm, peer))
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-5)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-5)
    clear = np.abs(theirs.decision_function(X)) > 1e-4
    np.testing.assert_array_equal(ours.fit_predict(X)[clear], theirs.fit_predict(X)[clear])


def test_a_share_nu_lies_outside(diabetes):
    X = diabetes[0]
    assert np.mean(svm.OneClassSVM(nu=0.2).fit(X).predict(X) == -1) == pytest.approx(0.2, abs=0.02)


def test_a_constant_target_has_no_support_vectors(diabetes):
    X = diabetes[0]
    model = svm.SVR().fit(X, np.full(len(X), 3.0))
    assert model.n_support_[0] == 0
    np.testing.assert_allclose(model.predict(X), 3.0)
