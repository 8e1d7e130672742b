"""Machines of values that are large, or far from zero: squared distances and equations keep their digits."""

import warnings

import numpy as np
import pytest
import sklearn.svm as peer
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel

from probus.errors import DataError
from probus.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM
from probus.svm._kernel_functions import KernelColumns, KernelFunction
from probus.svm._row_kernel import kernel_row, row_source


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("factor", [1e8, 1e12])
def test_a_kernel_much_narrower_than_the_distances_is_that_of_scikit_learn(iris, factor, form):
    X, y = factor * iris[0], iris[1]
    K = np.exp(-0.25 * cdist(X, X, "sqeuclidean"))  # LIBSVM's own loses digits too
    ours, theirs = SVC(gamma="auto").fit(form(X), y), peer.SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(ours.decision_function(form(X)), theirs.decision_function(K), atol=5e-3)
    assert ours.score(form(X), y) == 1.0  # 0.667 and less where distances are differences of squares


def test_equal_rows_have_a_kernel_of_1_whatever_their_size():
    X = np.repeat(1e9 * np.random.default_rng(0).normal(size=(5, 3)), 2, axis=0)
    X[1, 0] += 0.5
    expected = np.exp(-0.7 * cdist(X, X, "sqeuclidean"))
    columns, out = KernelColumns(KernelFunction("rbf", 0.7), X), np.empty((10, 10))
    columns.fill(columns.left(X), out)
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    columns.fill(columns.left(X), out[:, :4], slice(2, 6))
    np.testing.assert_allclose(out[:, :4], expected[:, 2:6], rtol=1e-12)
    source, row = row_source(KernelFunction("rbf", 0.7), X)[0], np.empty(10, dtype=np.float32)
    kernel_row.py_func(source, 1, np.empty(10), row)
    np.testing.assert_allclose(row, expected[1], rtol=1e-6)


def test_many_rows_and_columns_keep_their_small_distances_too():
    rng = np.random.default_rng(0)
    near = rng.normal(size=(300, 70))
    X, y = np.vstack([near, near + 1e9 * rng.choice([-1, 1], size=(300, 1))]), np.arange(600) % 2
    K = np.exp(-0.02 * cdist(X, X, "sqeuclidean"))
    ours, theirs = SVC(gamma=0.02, tol=1e-6).fit(X, y), peer.SVC(kernel="precomputed", tol=1e-6).fit(K, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(K), atol=1e-5)


def test_a_row_beyond_all_others_has_a_kernel_of_0(iris):
    model = SVC().fit(*iris)
    far = model.decision_function(np.vstack([np.full(4, 1e200), np.full(4, 1e5)]))
    np.testing.assert_array_equal(far[0], far[1])


def test_decisions_that_are_no_numbers_are_refused(iris):
    model = SVC(kernel="poly").fit(*iris)
    with pytest.raises(DataError, match="the kernel of some rows with the support vectors is not finite"):
        model.predict([[1e200, -1e200, 1e200, 1e200]])


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 6, 13])
def test_powers_are_those_of_scikit_learn(degree):
    X = np.random.default_rng(0).normal(size=(6, 3))
    columns, out = KernelColumns(KernelFunction("poly", 0.5, 1.0, degree), X), np.empty((6, 6))
    columns.fill(columns.left(X), out)
    np.testing.assert_allclose(out, polynomial_kernel(X, degree=degree, gamma=0.5, coef0=1.0), rtol=1e-12)


@pytest.mark.parametrize("model", [SVC, SVR, OneClassSVM])
def test_a_large_degree_needs_few_products(iris, model):
    with pytest.raises(DataError, match="dual coefficients or intercepts are not finite"):
        model(kernel="poly", degree=10**9).fit(*iris)
    fitted = model(kernel="poly", degree=10**9, gamma=1e-3).fit(*iris)  # of products below 1: a kernel of 0
    assert len(fitted.predict(iris[0])) == 150
    with pytest.raises(ValueError, match=r"'degree' parameter of .* must be an int in the range"):
        model(kernel="poly", degree=10**30).fit(*iris)


def test_the_default_width_of_sparse_rows_far_from_zero_is_that_of_dense_ones(iris):
    X = iris[0] + 1e8
    assert np.isclose(SVC().fit(sparse.csr_matrix(X), iris[1]).gamma_, SVC().fit(X, iris[1]).gamma_, rtol=1e-6)


def objectives(model, X, y):
    """½‖w‖² + Σ max(0, 1 ∓ f(x))² of the machine of each class, without rounding of its own."""
    W, b = model.coef_.astype(np.longdouble), model.intercept_.astype(np.longdouble)
    margins = (X.astype(np.longdouble) @ W.T + b) * np.where(y[:, None] == model.classes_, 1, -1)
    return ((W**2).sum(axis=1) + b**2) / 2 + (np.maximum(1 - margins, 0) ** 2).sum(axis=0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("shift", [1e6, 1e8, 1e10])
def test_linear_machines_of_columns_far_from_zero_are_found(iris, shift, form):
    near, X, y = iris[0] + 1e4, iris[0] + shift, iris[1]
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        model = LinearSVC().fit(form(X), y)
    # f(x) has an error of eps · shift, the gradient one of eps · shift², and the gap one of its square: up to 1e-4 at
    # 1e6, on either side of what is a warning, by the order of the sums. The objective has one of (eps · shift)² only.
    assert bool(raised) == (model.dual_gap_ > 1e-6)
    assert all("scale the columns" in str(each.message) for each in raised)
    assert np.isfinite(model.coef_).all()
    assert model.score(form(X), y) == 0.96  # with a shift of 1e8 the weights were infinite, and the score 0.333
    # from 1e4 on the least objective changes by its 1e-4 at most: Σ w = c / shift is 0 already, and c is free
    expected = objectives(LinearSVC().fit(near, y), near, y)
    np.testing.assert_allclose(objectives(model, X, y).astype(float), expected.astype(float), rtol=1e-4)


def test_a_gap_that_rounding_leaves_is_a_warning(iris):
    with pytest.warns(ConvergenceWarning, match="scale the columns"):
        LinearSVC().fit(iris[0] + 1e12, iris[1])  # (eps · shift²)² is 1e16


def test_the_equations_of_shifted_columns_are_solved_as_exactly_as_those_of_others(diabetes):
    X, y = diabetes
    w = np.array([1.0, -1.0, 0.5, 0.2, -0.7])  # sums to 0: the shift is no part of the product
    y = X[:, :5] @ w
    model = LinearSVR(loss="squared_epsilon_insensitive", C=1e6).fit(X[:, :5] + 1e7, y)
    np.testing.assert_allclose(model.coef_, w, atol=1e-5)


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVC(penalty="l1"), LinearSVC(loss="hinge"), LinearSVR()])
def test_numbers_whose_squares_overflow_are_refused(iris, model):
    with pytest.raises(DataError, match=r"X .* 7.9e\+155, whose squares .*\n.*Divide"):
        model.fit(1e155 * iris[0], iris[1])
