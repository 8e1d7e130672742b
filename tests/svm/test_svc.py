"""Classification with kernels against scikit-learn's, which is LIBSVM."""

import numpy as np
import pytest
import sklearn.svm as peer
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel

from probus import svm
from probus.errors import DataError
from probus.svm import SVC, NuSVC


def dual_objective(model, X, gamma):
    """½ βᵀKβ − Σ|β| of a fitted machine of two classes."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    return 0.5 * beta @ rbf_kernel(X, gamma=gamma) @ beta - np.abs(beta).sum()


def assert_equal_machines(ours, theirs, X, atol=2e-6):
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=atol)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert ours.shape_fit_ == theirs.shape_fit_


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_are_those_of_scikit_learn(iris, kernel, n_classes):
    X, y = iris
    y = y if n_classes == 3 else (y == 1)
    how = {"kernel": kernel, "tol": 1e-9, "decision_function_shape": "ovo"}
    ours, theirs = (model(**how).fit(X, y) for model in (SVC, peer.SVC))
    assert_equal_machines(ours, theirs, X)
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("model", ["SVC", "NuSVC"])
def test_row_and_class_weights_are_those_of_scikit_learn(iris, model):
    X, y = iris
    weights = np.random.default_rng(0).random(150) * (np.arange(150) % 7 > 0)
    weighted = {"class_weight": {0: 2.0, 2: 0.5}} if model == "SVC" else {}
    ours, theirs = (getattr(module, model)(tol=1e-9, **weighted).fit(X, y, weights) for module in (svm, peer))
    assert_equal_machines(ours, theirs, X)


def test_class_weights_of_a_nu_machine_are_factors_of_the_implied_c(iris):
    X, y = iris[0], iris[1] == 1
    unweighted, weighted = (NuSVC(nu=0.3, tol=1e-9, class_weight=w).fit(X, y) for w in (None, {True: 3.0}))
    implied = SVC(C=np.abs(unweighted.dual_coef_).max(), class_weight={True: 3.0}, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(weighted.decision_function(X), implied.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_dual_objective_is_libsvms(noisy, C):
    X, y = noisy
    ours, theirs = (module(C=C, gamma=0.1).fit(X, y) for module in (SVC, peer.SVC))
    value, expected = (dual_objective(model, X, 0.1) for model in (ours, theirs))
    assert value <= expected + 1e-6 * abs(expected)


def test_the_certificate_bounds_the_distance_to_the_optimum(noisy):
    X, y = noisy
    rough, precise = (SVC(gamma=0.1, tol=tol).fit(X, y) for tol in (1e-2, 1e-8))
    best = dual_objective(precise, X, 0.1)
    assert precise.dual_gap_[0] < 1e-8
    assert 0 <= dual_objective(rough, X, 0.1) - best <= rough.dual_gap_[0] * abs(best)
    assert rough.optimality_[0] <= 1e-2


@pytest.mark.parametrize(("name", "how"), [("SVC", {}), ("SVR", {}), ("NuSVC", {"nu": 0.4}), ("NuSVR", {})])
def test_a_cache_for_few_rows_gives_the_same_machine(noisy, name, how):
    X, y = noisy
    large, small = (getattr(svm, name)(cache_size=size, tol=1e-8, **how).fit(X, y) for size in (200, 0.1))
    method = "predict" if name.endswith("R") else "decision_function"
    np.testing.assert_allclose(getattr(large, method)(X), getattr(small, method)(X), atol=1e-5)


def test_columns_far_from_zero_keep_their_digits(iris):
    X, y = iris
    near, far = (SVC(tol=1e-8, gamma=0.2).fit(X + shift, y) for shift in (0.0, 1e6))
    np.testing.assert_allclose(far.decision_function(X + 1e6), near.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_sparse_rows_give_the_results_of_dense_ones(iris, kernel):
    X, y = iris
    how = {"kernel": kernel, "gamma": 0.02, "tol": 1e-8}
    dense, thin = SVC(**how).fit(X, y), SVC(**how).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-6)
    assert sparse.issparse(thin.support_vectors_)
    assert sparse.issparse(thin.dual_coef_)


def test_precomputed_and_callable_kernels_equal_the_named_one(iris):
    X, y = iris
    named = SVC(gamma=0.2, tol=1e-9).fit(X, y)
    called = SVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.2), tol=1e-9).fit(X, y)
    given = SVC(kernel="precomputed", tol=1e-9).fit(rbf_kernel(X, gamma=0.2), y)
    expected = named.decision_function(X)
    np.testing.assert_allclose(called.decision_function(X), expected, atol=1e-6)
    np.testing.assert_allclose(given.decision_function(rbf_kernel(X, gamma=0.2)), expected, atol=1e-6)


@pytest.mark.parametrize("model", [SVC, NuSVC])
def test_probabilities_are_as_good_as_scikit_learns(iris, model):
    X, y = iris
    ours = model(probability=True, random_state=0).fit(X[::2], y[::2])
    with pytest.warns(FutureWarning):
        theirs = getattr(peer, model.__name__)(probability=True, random_state=0).fit(X[::2], y[::2])
    found, expected = (fit.predict_proba(X[1::2]) for fit in (ours, theirs))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert log_loss(y[1::2], found) < 1.2 * log_loss(y[1::2], expected)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X[:3])), ours.predict_proba(X[:3]))
    again = model(probability=True, random_state=0).fit(X[::2], y[::2])
    np.testing.assert_array_equal(again.predict_proba(X), ours.predict_proba(X))


def test_probabilities_need_their_parameter(iris):
    X, y = iris
    model = SVC().fit(X, y)
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(X)
    model.probability = True
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        model.predict_proba(X)


def test_a_class_of_one_row_has_probabilities():
    X = np.arange(12.0)[:, None]
    model = SVC(probability=True, random_state=0).fit(X, np.repeat([0, 1, 2], [6, 5, 1]))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_fit_stops_at_the_limit_of_steps(noisy):
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=10\)"):
        model = SVC(max_iter=10).fit(X, y)
    assert model.fit_status_ == 1
    assert model.n_iter_[0] == 10
    assert model.optimality_[0] > model.tol


def test_a_precision_that_numbers_do_not_have_is_reported():
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(ConvergenceWarning, match="further steps do not reduce that"):
        SVC(kernel="linear", C=1e6, tol=1e-300).fit(X, X[:, 0] > 0.1 * X[:, 1])


@pytest.mark.parametrize(
    ("model", "X", "y", "weights", "text"),
    [
        (SVC(), [[0.0], [1.0]], [1, 1], None, "number of classes has to be greater than one; got 1 class"),
        (SVC(kernel="precomputed"), [[0.0], [1.0]], [0, 1], None, "must be a square matrix. Input is a 2x1 matrix"),
        (SVC(), [[0.0], [1.0]], [0, 1], [0.0, -1.0], "all samples have zero or negative weights"),
        (SVC(), [[0.0], [1.0]], [0, 1], [1.0, 0.0], "all samples with positive weights belong to the same class"),
        (SVC(), [[0.0], [1.0]], [0, 1], [1.0], "sample_weight and X have incompatible shapes"),
        (SVC(), [[0.0], [1.0]], [0, 1], [1.0, np.nan], "sample_weight contains NaN"),
        (SVC(), [[1e308], [-1e308]], [0, 1], None, "dual coefficients or intercepts are not finite"),
        (SVC(kernel=lambda A, B: np.ones((1, 1))), [[0.0], [1.0]], [0, 1], None, r"a matrix of shape \(1, 1\) for 2"),
        (NuSVC(nu=0.9), [[0.0], [1.0], [2.0]], [0, 1, 1], None, "Choose nu up to 0.667, or use SVC"),
    ],
)
def test_impossible_fits_are_refused(model, X, y, weights, text):
    with pytest.raises(DataError, match=text):
        model.fit(X, y, weights)


def test_predictions_are_refused_for_rows_of_another_form(iris):
    X, y = iris
    with pytest.raises(DataError, match=r"cannot use sparse input in 'SVC' trained on dense data.\n.*X.toarray"):
        SVC().fit(X, y).predict(sparse.csr_matrix(X))
    with pytest.raises(ValueError, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        SVC(kernel="precomputed").fit(sparse.eye_array(3).tocsr(), [0, 1, 1])


def test_a_nu_machine_whose_every_row_is_at_its_bound_is_the_limit_of_others():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    decisions, near = (NuSVC(nu=nu).fit(X, y).decision_function(X) for nu in (1.0, 0.9999))
    np.testing.assert_allclose(decisions, near, atol=1e-3)  # LIBSVM's are not finite
