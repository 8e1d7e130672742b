"""Classification with kernels against scikit-learn's, which is LIBSVM."""

import numpy as np
import pytest
import sklearn.svm as peer
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics.pairwise import rbf_kernel

from probus.svm import SVC


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def noisy():
    """More rows than a block of the solver has, with overlapping classes."""
    return make_classification(700, 8, flip_y=0.2, random_state=0)


def dual_objective(model, X, y, gamma):
    """½ βᵀKβ − Σ|β| of a fitted machine of two classes."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    return 0.5 * beta @ rbf_kernel(X, gamma=gamma) @ beta - np.abs(beta).sum()


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_are_those_of_scikit_learn(iris, kernel, n_classes):
    X, y = iris
    y = y if n_classes == 3 else (y == 1)
    ours, theirs = (
        module(kernel=kernel, tol=1e-9, decision_function_shape="ovo").fit(X, y) for module in (SVC, peer.SVC)
    )
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-6)
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_dual_objective_is_libsvms(noisy, C):
    X, y = noisy
    ours, theirs = (module(C=C, gamma=0.1).fit(X, y) for module in (SVC, peer.SVC))
    value, expected = (dual_objective(model, X, y, 0.1) for model in (ours, theirs))
    assert value <= expected + 1e-6 * abs(expected)


def test_the_certificate_bounds_the_distance_to_the_optimum(noisy):
    X, y = noisy
    rough, precise = (SVC(gamma=0.1, tol=tol).fit(X, y) for tol in (1e-2, 1e-8))
    best = dual_objective(precise, X, y, 0.1)
    assert precise.dual_gap_[0] < 1e-8
    assert 0 <= dual_objective(rough, X, y, 0.1) - best <= rough.dual_gap_[0] * abs(best)
    assert rough.optimality_[0] <= 1e-2
